package ctc_test

import (
	"compress/gzip"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"example.org/pathsum/models/ctc"
	"example.org/pathsum/semiring/frames"
)

// realFile returns the text of a file of emissions of a real recognizer, in the folder that the
// environment variable PATHSUM_EMISSIONS names; it skips the test without one.
func realFile(t *testing.T, name string) string {
	t.Helper()
	folder := os.Getenv("PATHSUM_EMISSIONS")
	if folder == "" {
		t.Skip("PATHSUM_EMISSIONS names no folder of emissions")
	}
	f := must(os.Open(filepath.Join(folder, name)))
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(name, ".gz") {
		r = must(gzip.NewReader(f))
	}
	return string(must(io.ReadAll(r)))
}

// TestRealLine: a line of handwriting of 100 frames and 80 columns, the blank last, and its text.
// The values were computed by others, for the text and for all alignments of it.
func TestRealLine(t *testing.T) {
	matrix := realFile(t, "line.csv.gz")
	characters := strings.TrimRight(realFile(t, "line.chars.txt"), "\r\n")
	text := strings.TrimRight(realFile(t, "line.txt"), "\r\n")
	var scores []float64
	rows := strings.Split(strings.TrimSpace(matrix), "\n")
	for _, row := range rows {
		for cell := range strings.SplitSeq(strings.Trim(row, "; \r"), ";") {
			scores = append(scores, must(strconv.ParseFloat(strings.TrimSpace(cell), 64)))
		}
	}
	columns := len(scores) / len(rows)
	if n := len([]rune(characters)); n+1 != columns {
		t.Fatalf("%d characters for %d columns", n, columns)
	}
	var labels []int32
	for _, r := range text {
		labels = append(labels, int32(strings.IndexRune(characters, r)+1))
	}
	e := must(frames.Scores(len(rows), columns, scores, nil))
	top := ctc.Standard(columns, columns-1)
	const want = 28.090721774903226
	gradient := make([]float64, len(scores))
	if loss := must(must(ctc.NewLoss(top, nil)).Eval(ctc.Example{Emissions: e, Labels: labels}, gradient)); math.Abs(loss-want) > 1e-11 {
		t.Errorf("loss %v, want %v", loss, want)
	}
	al := must(must(ctc.NewAligner(top)).Align(e, labels))
	if math.Abs(al.LogTotal+want) > 1e-11 || al.LogProb > al.LogTotal {
		t.Errorf("ln of all paths %v, of the best %v", al.LogTotal, al.LogProb)
	}
	for i, s := range al.Segments {
		if i > 0 && s.First <= al.Segments[i-1].Last || !(s.Confidence > 0 && s.Confidence <= 1) {
			t.Errorf("segment %d: %+v", i, s)
		}
	}
	if words := ctc.Words(al.Segments, int32(strings.IndexByte(characters, ' ')+1)); len(words) != len(strings.Fields(text)) {
		t.Errorf("%d words", len(words))
	}
}

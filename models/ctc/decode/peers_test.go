package decode

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/models/ctc"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/frames"
)

// emissionsFile returns the contents of a file of the folder PATHSUM_EMISSIONS: matrices that networks
// put out, as githubharald/CTCDecoder and kensho-technologies/pyctcdecode have them for their tests.
func emissionsFile(t *testing.T, name string) string {
	t.Helper()
	folder := os.Getenv("PATHSUM_EMISSIONS")
	if folder == "" {
		t.Skip("PATHSUM_EMISSIONS is not set")
	}
	f, err := os.Open(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var r io.Reader = bufio.NewReader(f)
	if strings.HasSuffix(name, ".gz") {
		if r, err = gzip.NewReader(r); err != nil {
			t.Fatal(err)
		}
	}
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// line returns the emissions of a line of handwriting, the names of its labels, and a text.
func line(t *testing.T) (*frames.Emissions, *fst.Symbols, string) {
	t.Helper()
	var scores []float64
	rows := strings.Fields(emissionsFile(t, "line.csv.gz"))
	for _, row := range rows {
		for x := range strings.SplitSeq(strings.TrimSuffix(row, ";"), ";") {
			scores = append(scores, must(strconv.ParseFloat(x, 64))(t))
		}
	}
	return must(frames.Scores(len(rows), len(scores)/len(rows), scores, nil))(t),
		charSymbols(emissionsFile(t, "line.chars.txt")), emissionsFile(t, "line.corpus.txt")
}

func decoded(t *testing.T, e *frames.Emissions, o Options) (Text, *Report) {
	t.Helper()
	list, report, err := must(New(o))(t).Decode(t.Context(), e, 1)
	if err != nil || len(list) != 1 {
		t.Fatal(len(list), err)
	}
	return list[0], report
}

// The line is read as others read it.
func TestLine(t *testing.T) {
	e, symbols, corpus := line(t)
	o := Options{Topology: ctc.Standard(e.Symbols(), e.Symbols()-1), Symbols: symbols}
	best, _, err := must(New(o))(t).BestPath(t.Context(), e)
	if err != nil || best.Text != "the fak friend of the fomly hae tC" {
		t.Errorf("best path %q, %v", best.Text, err)
	}
	o.Beam.Width = 25
	x, _ := decoded(t, e, o)
	if x.Text != "the fak friend of the fomcly hae tC" {
		t.Errorf("best text %q", x.Text)
	}
	// It is the best of all texts, according to the exact search.
	o.Beam = frames.BeamOptions{}
	if x, report := decoded(t, e, o); x.Text != "the fak friend of the fomcly hae tC" || !report.Exact || math.Abs(report.Kept) > 1e-12 {
		t.Errorf("exact: best text %q, %+v", x.Text, report)
	}
	// CTCDecoder has a bigram of characters, the relative frequencies in these words, to the power of
	// 0.01: hardly more counts than that a pair was seen. The first character follows a space. (Once
	// all frames are read, it takes the root of that for the length of a text, which is left out
	// here.)
	o.Machine = bigrams(t, must(symbols.Encode(strings.Split("family, fake friend of like of the the the ", "")...))(t), symbols, .01)
	o.Beam.Width = 25
	if x, _ = decoded(t, e, o); x.Text != "the fake friend of the family, lie th" {
		t.Errorf("with a bigram: %q", x.Text)
	}
	o.Machine = nil
	// Words of the corpus, and all other characters between them.
	isLetter := func(r rune) bool {
		return strings.ContainsRune("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", r)
	}
	for _, w := range strings.FieldsFunc(corpus, func(r rune) bool { return !isLetter(r) }) {
		if !slices.ContainsFunc(o.Lexicon, func(e Entry) bool { return e.Word == w }) {
			o.Lexicon = append(o.Lexicon, Entry{Word: w, Labels: must(symbols.Encode(strings.Split(w, "")...))(t)})
		}
	}
	for label, name := range symbols.All() {
		if label > 0 && !isLetter([]rune(name)[0]) {
			o.Separators = append(o.Separators, label)
		}
	}
	if x, _ = decoded(t, e, o); x.Text != "the fake friend of the family fake the" {
		t.Errorf("words of the corpus: %q", x.Text)
	}
}

// bigrams returns an acceptor of the bigrams of a text.
func bigrams(t *testing.T, text []int32, symbols *fst.Symbols, scale float64) fst.Machine[weight] {
	t.Helper()
	count, total := map[[2]int32]float64{}, map[int32]float64{}
	for i := 1; i < len(text); i++ {
		count[[2]int32{text[i-1], text[i]}]++
		total[text[i-1]]++
	}
	b := fst.NewBuilder(semiring.Scaled{})
	b.AddStates(symbols.Len() + 1)
	space, _ := symbols.Find(" ")
	b.AddStart(space, semiring.NewScaled(1))
	for s := range int32(symbols.Len() + 1) {
		b.SetFinal(s, semiring.NewScaled(1))
		for l := range int32(symbols.Len() + 1) {
			if n := count[[2]int32{s, l}]; n > 0 {
				b.AddArc(s, arc{In: l, Out: l, To: l, Weight: semiring.NewScaled(n / total[s]).Pow(scale)})
			}
		}
	}
	return must(b.Freeze())(t)
}

// The best path of speech is its text.
func TestSpeech(t *testing.T) {
	var rows [][]float64
	if err := json.Unmarshal([]byte(emissionsFile(t, "libri.json.gz")), &rows); err != nil {
		t.Fatal(err)
	}
	e := must(frames.LogProbabilities(len(rows), len(rows[0]), slices.Concat(rows...), &frames.Options{Unnormalized: true}))(t)
	o := Options{Topology: ctc.Standard(29, 28), Symbols: charSymbols(" abcdefghijklmnopqrstuvwxyz'"), Separators: []int32{1}}
	const want = "i have a good deal of will you remember and what i have set my mind upon no doubt i shall some day achieve"
	best, report, err := must(New(o))(t).BestPath(t.Context(), e)
	if err != nil || best.Text != want || math.IsNaN(best.LogProb) {
		t.Errorf("best path %q, %+v, %v", best.Text, report, err)
	}
	o.Beam.Width = 100
	x, _ := decoded(t, e, o)
	if x.Text != want || len(x.Words) != 24 {
		t.Errorf("best text %q, words %+v", x.Text, x.Words)
	}
}

// charSymbols names the labels 1, 2, … by the characters of a string.
func charSymbols(set string) *fst.Symbols { return fst.NewSymbols(strings.Split(set, "")...) }

package frames_test

import (
	"compress/gzip"
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"example.org/pathsum/semiring/frames"
)

// TestKnownLikelihood compares with the likelihood of a line of handwriting that others computed. The
// folder PATHSUM_EMISSIONS has its scores, columns and text.
func TestKnownLikelihood(t *testing.T) {
	folder := os.Getenv("PATHSUM_EMISSIONS")
	if folder == "" {
		t.Skip("PATHSUM_EMISSIONS names no folder")
	}
	read := func(name string) string {
		b, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		return strings.Trim(string(b), "\n")
	}
	file, err := os.Open(filepath.Join(folder, "line.csv.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	text, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	table := csv.NewReader(text)
	table.Comma = ';'
	rows, err := table.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var x []float64
	for _, row := range rows {
		for _, cell := range row[:len(row)-1] {
			number, err := strconv.ParseFloat(cell, 64)
			if err != nil {
				t.Fatal(err)
			}
			x = append(x, number)
		}
	}
	symbols := len(rows[0]) - 1
	e := scores(t, len(rows), symbols, x, nil)
	columns := []rune(read("line.chars.txt"))
	var labels []int32
	for _, c := range read("line.txt") {
		labels = append(labels, int32(slices.Index(columns, c)))
	}
	total, err := chain(t, symbols, labels).PathSum(e, new(frames.Scratch))
	const want = -28.090721774903226
	if err != nil || math.Abs(total.Log()-want) > 1e-12 {
		t.Errorf("ln P = %v, %v, want %v", total.Log(), err, want)
	}
}

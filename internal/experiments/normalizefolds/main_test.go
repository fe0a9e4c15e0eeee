package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"testing"

	"example.org/pathsum/internal/grammars"
	"example.org/pathsum/internal/programtest"
)

var run = programtest.New(newProgram)

// Each of the folds has its share of every kind.
func TestFold(t *testing.T) {
	var all []grammars.Line
	for i := range 40 {
		all = append(all, grammars.Line{Kind: fmt.Sprint(i % 4)})
	}
	count := map[string]int{}
	for i, part := range fold(all, 5, bytesSource{}) {
		count[fmt.Sprint(all[i].Kind, " ", part)]++
	}
	if len(count) != 20 {
		t.Fatal(count)
	}
	for key, n := range count {
		if n != 2 {
			t.Errorf("%s: %d", key, n)
		}
	}
}

// bytesSource is a source without randomness.
type bytesSource struct{}

func (bytesSource) Uint64() uint64 { return 1 << 62 }

// The program cross-validates.
func TestProgram(t *testing.T) {
	if status, _ := run(t.Context(), io.Discard, "-folds", "1"); status != 2 {
		t.Errorf("status %d with one fold", status)
	}
	if os.Getenv("PATHSUM_LONG") == "" {
		t.Skip("trains both grammars twice; PATHSUM_LONG=1 does")
	}
	data := programtest.File(t, "data.tsv", "spoken-written\tword\twait\twait\nwritten-spoken\tword\twait\twait\n")
	var stderr bytes.Buffer
	status, out := run(t.Context(), &stderr, "-json", "-folds", "2", "-iterations", "1", "-words", "1", "-data", data)
	if status != 0 {
		t.Fatal(stderr.String())
	}
	for _, o := range programtest.Report[struct {
		Outcomes []outcome `json:"outcomes"`
	}](t, out).Outcomes {
		if o.Kind == "word" && (o.Lines != 1 || o.Trained != 1) {
			t.Errorf("%+v", o)
		}
	}
}

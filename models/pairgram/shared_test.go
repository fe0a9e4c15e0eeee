package pairgram_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/tsv"
	"example.org/pathsum/models/pairgram"
)

// corpus are the pairs of a file, with the names of their symbols.
type corpus struct {
	in, out *fst.Symbols
	pairs   []pairgram.Pair
}

// shared reads a file of the folder of shared string pairs, with the symbols of a
// corpus read before, if there is one.
func shared(t testing.TB, name string, swap bool, before *corpus) *corpus {
	t.Helper()
	path := filepath.Join("..", "..", "..", "shared", "data", "strings", name)
	if _, err := os.Stat(path); err != nil {
		t.Skip("the shared data are not there")
	}
	c := &corpus{in: fst.NewSymbols(), out: fst.NewSymbols()}
	if before != nil {
		c.in, c.out = before.in, before.out
	}
	for p, err := range tsv.PairsOf(path) {
		if err != nil {
			t.Fatal(err)
		}
		var x, y []int32
		for _, r := range p.Left {
			x = append(x, c.in.Add(string(r)))
		}
		for _, s := range tsv.Symbols(p.Right) {
			y = append(y, c.out.Add(s))
		}
		if swap {
			x, y = y, x
		}
		c.pairs = append(c.pairs, pairgram.Pair{Source: x, Target: y, Name: fmt.Sprintf("line %d: %s", p.Line, p.Left)})
	}
	return c
}

// TestKnownLikelihoods compares EM with the figures of another program, to all digits
// that it printed: per pair, from the uniform start to the 11th E step.
func TestKnownLikelihoods(t *testing.T) {
	with01, without01 := []pairgram.Size{{Source: 1, Target: 0}, {Source: 0, Target: 1}, {Source: 1, Target: 1}, {Source: 1, Target: 2}, {Source: 2, Target: 1}}, []pairgram.Size{{Source: 1, Target: 0}, {Source: 1, Target: 1}, {Source: 1, Target: 2}, {Source: 2, Target: 1}}
	for _, test := range []struct {
		file        string
		swap, heavy bool
		sizes       []pairgram.Size
		first, last float64
		chunks      int
		skipped     int
	}{
		{"wikipron/dut.train.tsv.gz", false, false, with01, -56.8014, -29.4076, 0, 0},
		{"cmudict/train.tsv.gz", false, true, nil, -50.7889, -30.0583, 1116, 0},
		{"cmudict/train.tsv.gz", false, true, without01, -50.5239, -26.9446, 49814, 39},
		{"katakana/train.tsv.gz", false, true, without01, -48.9717, -26.8430, 164661, 21},
		{"katakana/train.tsv.gz", true, true, with01, -48.9214, -26.6773, 0, 0},
	} {
		t.Run(fmt.Sprint(test.file, test.swap, len(test.sizes)), func(t *testing.T) {
			if test.heavy && os.Getenv("PATHSUM_LONG") == "" {
				t.Skip("PATHSUM_LONG is not set")
			}
			c := shared(t, test.file, test.swap, nil)
			a, err := pairgram.NewAligner(c.pairs, &pairgram.AlignerOptions{Sizes: test.sizes})
			if err != nil {
				t.Fatal(err)
			}
			r, err := a.Fit(context.Background(), c.pairs, nil)
			if err != nil {
				t.Fatal(err)
			}
			if n := a.Chunks().Len(); test.chunks > 0 && n != test.chunks {
				t.Errorf("%d chunks, want %d", n, test.chunks)
			}
			if len(r.Skipped) != test.skipped {
				t.Errorf("%d pairs skipped, want %d", len(r.Skipped), test.skipped)
			}
			n := float64(len(c.pairs))
			for i, want := range map[int]float64{0: test.first, 10: test.last} {
				if got := r.Objective[i] / n; math.Abs(got-want) > 5.1e-5 {
					t.Errorf("E step %d: %.5f nats per pair, want %.4f", i+1, got, want)
				}
			}
		})
	}
}

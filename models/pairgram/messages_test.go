package pairgram

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/mistakes"
	"example.org/pathsum/semiring"
)

// TestMessages: mistakes are refused in words that name the pair or the option.
func TestMessages(t *testing.T) {
	var all mistakes.List
	good := []Pair{{Source: []int32{1}, Target: []int32{1}}}
	aligner := func(pairs []Pair, o *AlignerOptions) func() error {
		return func() error { _, err := NewAligner(pairs, o); return err }
	}
	all.Add("NewAligner: chunks of nothing", ErrInvalid, aligner(good, &AlignerOptions{Sizes: []Size{{0, 0}}}))
	all.Add("NewAligner: chunks of 9 symbols", ErrInvalid, aligner(good, &AlignerOptions{Sizes: []Size{{9, 1}}}))
	all.Add("NewAligner: a length prior that is not a number", ErrInvalid, aligner(good, &AlignerOptions{LengthPrior: math.NaN()}))
	all.Add("NewAligner: chunks that are too long for all pairs", ErrInvalid, aligner(good, &AlignerOptions{Sizes: []Size{{2, 2}}}))
	all.Add("NewAligner: symbol 0", ErrInvalid, aligner([]Pair{{Source: []int32{0}, Name: "a"}}, nil))
	all.Add("NewAligner: a negative weight", ErrInvalid, aligner([]Pair{{}, {Weight: em.Times(-1)}}, nil))
	long := make([]int32, 5000)
	for i := range long {
		long[i] = 1
	}
	all.Add("NewAligner: strings of 5000 symbols", semiring.ErrLimit, aligner([]Pair{{Source: long, Target: long}}, nil))
	counts := func(o *CountOptions) func() error {
		return func() error { _, err := count(good, o); return err }
	}
	all.Add("Count: MinCount that is not a number", ErrInvalid, counts(&CountOptions{MinCount: math.NaN()}))
	all.Add("Count: order -1", ErrInvalid, counts(&CountOptions{Order: -1}))
	all.Add("Count: MinCount 100", ErrInvalid, counts(&CountOptions{MinCount: 100}))
	m := randomModel(t, rand.New(rand.NewPCG(1, 1)), nil, false)
	for _, x := range []struct {
		call string
		o    PredictorOptions
	}{{"width -1", PredictorOptions{Width: -1}}, {"a margin that is not a number", PredictorOptions{Margin: math.NaN()}}, {"-1 insertions", PredictorOptions{Insertions: -1}}} {
		all.Add("Predictor: "+x.call, ErrInvalid, func() error { _, err := m.Predictor(&x.o); return err })
	}
	all.Add("Load: another file", ErrFormat, func() error { _, err := Load(strings.NewReader("pathsum hmm 1\nand more than that")); return err })
	a, bad := newTestAligner(t, good, nil), newTestAligner(t, good, nil)
	bad.Theta[0] = math.NaN()
	all.Add("Aligner.Best: symbol 0", ErrInvalid, func() error { _, _, err := a.Best(Pair{Source: []int32{0}}); return err })
	all.Add("Aligner.Posteriors: a parameter that is not a number", em.ErrParameter, func() error { _, err := bad.Posteriors(good[0]); return err })
	names := fst.NewSymbols("a")
	all.Add("Chunk.Text: a symbol without a name", fst.ErrSymbol, func() error { _, err := (Chunk{Source: []int32{2}}).Text(names, names); return err })
	mistakes.Check(t, all)
}

package decode_test

import (
	"context"
	"math"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/mistakes"
	"example.org/pathsum/models/ctc"
	"example.org/pathsum/models/ctc/decode"
	"example.org/pathsum/models/ngram"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/frames"
	"example.org/pathsum/semiring/graph"
)

// TestMessages: error messages for mistakes contain the remedy.
func TestMessages(t *testing.T) {
	var all mistakes.List
	language, err := ngram.Fit(2, 2, func(yield func([]int32, float64) bool) { yield([]int32{1, 2}, 1) }, nil)
	if err != nil {
		t.Fatal(err)
	}
	top := ctc.Standard(4, 3)
	one := semiring.NewScaled(1)
	type arc = fst.Arc[semiring.ScaledFloat]
	accepts := func(arcs ...arc) fst.Machine[semiring.ScaledFloat] {
		return fst.FromArcs(semiring.Scaled{}, map[int32]semiring.ScaledFloat{0: one}, arcs)
	}
	a := []decode.Entry{{Word: "a", Labels: []int32{1}, Symbol: 1}}
	for _, x := range []struct {
		call string
		o    decode.Options
	}{
		{"no topology", decode.Options{}},
		{"a failed topology", decode.Options{Topology: ctc.Standard(3, 3)}},
		{"a topology with ε", decode.Options{Topology: ctc.Topology{Machine: accepts(arc{Weight: one}), Symbols: 4, Blank: -1}}},
		{"scale −1", decode.Options{Topology: top, LanguageScale: -1}},
		{"bonus NaN", decode.Options{Topology: top, WordBonus: math.NaN()}},
		{"a heuristic", decode.Options{Topology: top, Beam: frames.BeamOptions{Heuristic: func(int32) semiring.ScaledFloat { return one }}}},
		{"horizon −1", decode.Options{Topology: top, Horizon: -1}},
		{"letters alone", decode.Options{Topology: top, Letters: language}},
		{"unknown word 3 of 2", decode.Options{Topology: top, Language: language, Unknown: 3}},
		{"a separator twice", decode.Options{Topology: top, Separators: []int32{3, 3}}},
		{"separator 4 of 3", decode.Options{Topology: top, Separators: []int32{4}}},
		{"hot word without labels", decode.Options{Topology: top, HotWords: []decode.HotWord{{Word: "a"}}}},
		{"hot word with label 4", decode.Options{Topology: top, HotWords: []decode.HotWord{{Word: "a", Labels: []int32{4}}}}},
		{"hot word with an infinite bonus", decode.Options{Topology: top, HotWords: []decode.HotWord{{Word: "a", Labels: []int32{1}, Bonus: math.Inf(1)}}}},
		{"hot word that is not in the lexicon", decode.Options{Topology: top, Lexicon: a, HotWords: []decode.HotWord{{Word: "b"}}}},
		{"word without a name", decode.Options{Topology: top, Lexicon: []decode.Entry{{Labels: []int32{1}}}}},
		{"word without labels", decode.Options{Topology: top, Lexicon: []decode.Entry{{Word: "a"}}}},
		{"word with label 4", decode.Options{Topology: top, Lexicon: []decode.Entry{{Word: "a", Labels: []int32{1, 4}}}}},
		{"word with a separator", decode.Options{Topology: top, Separators: []int32{3}, Lexicon: []decode.Entry{{Word: "a", Labels: []int32{1, 3}}}}},
		{"word with symbol −1", decode.Options{Topology: top, Lexicon: []decode.Entry{{Word: "a", Labels: []int32{1}, Symbol: -1}}}},
		{"word with weight NaN", decode.Options{Topology: top, Lexicon: []decode.Entry{{Word: "a", Labels: []int32{1}, LogWeight: math.NaN()}}}},
		{"word with two symbols", decode.Options{Topology: top, Lexicon: append(a, decode.Entry{Word: "a", Labels: []int32{2}, Symbol: 2})}},
		{"word twice", decode.Options{Topology: top, Lexicon: append(a, a...)}},
		{"word without a symbol", decode.Options{Topology: top, Language: language, Lexicon: []decode.Entry{{Word: "a", Labels: []int32{1}}}}},
		{"word with symbol 3 of 2", decode.Options{Topology: top, Language: language, Lexicon: []decode.Entry{{Word: "a", Labels: []int32{1}, Symbol: 3}}}},
		{"letters without an unknown word", decode.Options{Topology: top, Lexicon: a, Letters: language, Language: language}},
		{"machine with ε", decode.Options{Topology: top, Machine: accepts(arc{Weight: one})}},
		{"machine with two arcs", decode.Options{Topology: top, Machine: accepts(arc{In: 1, Weight: one}, arc{In: 1, Weight: one})}},
		{"machine that fails", decode.Options{Topology: top, Machine: fst.Failed[semiring.ScaledFloat](semiring.Scaled{}, semiring.ErrLimit)}},
	} {
		want := decode.ErrInvalid
		if x.call == "machine that fails" {
			want = semiring.ErrLimit
		}
		all.Add("New: "+x.call, want, func() error { _, err := decode.New(x.o); return err })
	}
	d, err := decode.New(decode.Options{Topology: top})
	if err != nil {
		t.Fatal(err)
	}
	all.Add("Online: no limits", decode.ErrInvalid, func() error { _, err := d.Online(context.Background()); return err })
	all.Add("Online: no context", nil, func() error { _, err := d.Online(nil); return err }) //lint:ignore SA1012 a mistake
	three, err := frames.Probabilities(1, 3, []float64{.5, .25, .25}, nil)
	if err != nil {
		t.Fatal(err)
	}
	all.Add("Decode: emissions of 3 columns", semiring.ErrShape, func() error { _, _, err := d.Decode(context.Background(), three, 1); return err })
	all.Add("Decode: no emissions", nil, func() error { _, _, err := d.Decode(context.Background(), nil, 1); return err })
	four, err := frames.Probabilities(1, 4, []float64{.5, .25, .25, 0}, nil)
	if err != nil {
		t.Fatal(err)
	}
	word, err := decode.New(decode.Options{Topology: top, Lexicon: []decode.Entry{{Word: "ab", Labels: []int32{1, 2}}}, Beam: frames.BeamOptions{Width: 3}})
	if err != nil {
		t.Fatal(err)
	}
	all.Add("BestPath: one frame for two labels", graph.ErrNoPath, func() error { _, _, err := word.BestPath(context.Background(), four); return err })
	list, report, err := word.Decode(context.Background(), four, 1)
	if len(list) != 0 || err != nil || !report.Exact {
		t.Errorf("one frame for two labels: %v, %+v, %v", list, report, err)
	}
	s, err := word.Online(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Close(1); err != nil {
		t.Fatal(err)
	}
	all.Add("Stream.Push: closed", decode.ErrInvalid, func() error { return s.Push(four) })
	all.Add("MinimumRisk: a text of weight 0", decode.ErrInvalid, func() error {
		_, err := decode.MinimumRisk([]decode.Text{{LogProb: math.Inf(-1)}})
		return err
	})
	mistakes.Check(t, all)
}

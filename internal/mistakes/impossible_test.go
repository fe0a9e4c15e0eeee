package mistakes

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/models/align"
	"example.org/pathsum/models/bayes"
	"example.org/pathsum/models/channel"
	"example.org/pathsum/models/crf"
	"example.org/pathsum/models/edit"
	"example.org/pathsum/models/grammar"
	"example.org/pathsum/models/grammar/pcfg"
	"example.org/pathsum/models/hmm"
	"example.org/pathsum/models/nbest"
	"example.org/pathsum/models/ngram"
	"example.org/pathsum/models/pairgram"
	"example.org/pathsum/semiring"
)

// must returns x, in tests whose models are valid.
func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

// impossible is a model and an input to which it gives probability 0.
type impossible struct {
	logProb func() (float64, error)
	// one has the calls that return one answer or a distribution, several the calls that return
	// a list; the latter return its length.
	one     map[string]func() error
	several map[string]func() (int, error)
}

// TestImpossible: all models treat an input of probability 0 alike, as defined at
// em.ErrUnderivable. The log probability is −Inf, without an error; a call for one answer, or
// for a distribution, returns an error that wraps em.ErrUnderivable; a call for a list returns
// an empty one.
func TestImpossible(t *testing.T) {
	for name, m := range map[string]func() impossible{
		"hmm": impossibleStates, "crf": impossibleLabels, "dmv": impossibleTrees(grammar.DMV), "product": impossibleTrees(grammar.Product),
		"pcfg": impossibleDerivations, "channel": impossibleQuery, "edit": impossibleEdits, "edit, an unknown symbol": unknownEdits,
		"pairgram": impossiblePair, "mixture": impossibleMixture, "align": impossibleAlignment, "bayes": impossibleRow, "ngram": impossibleString,
		"nbest": impossibleLattice,
	} {
		x := m()
		if x.logProb != nil {
			if log, err := x.logProb(); err != nil || !math.IsInf(log, -1) {
				t.Errorf("%s: ln P is %g, error %v, want −Inf and none", name, log, err)
			}
		}
		for call, ask := range x.one {
			if err := ask(); !errors.Is(err, em.ErrUnderivable) {
				t.Errorf("%s: %s: error %v, want one that wraps %v", name, call, err, em.ErrUnderivable)
			}
		}
		for call, ask := range x.several {
			if n, err := ask(); err != nil || n > 0 {
				t.Errorf("%s: %s: %d answers, error %v, want none and none", name, call, n, err)
			}
		}
	}
}

func impossibleStates() impossible {
	params := em.NewParams()
	e := must(hmm.NewDiscrete(params, "symbols", 2, hmm.Each(2), em.Multinomial{}))
	m := must(hmm.New(params, hmm.Topology{States: 2}, em.Multinomial{}, e))
	for _, g := range e.Groups() {
		copy(g.In(m.Theta), []float64{1, 0})
	}
	p, s := must(m.Predictor()), hmm.Sequence[int32]{Observations: []int32{0, 1}}
	return impossible{
		logProb: func() (float64, error) { return p.LogProb(s) },
		one: map[string]func() error{
			"Best":       func() error { _, _, err := p.Best(s); return err },
			"Posteriors": func() error { return first(p.Posteriors(s)) },
			"Filter":     func() error { return first(p.Filter(s)) },
		},
	}
}

func impossibleLabels() impossible {
	data := crf.NewData()
	if err := data.Add([]string{"A", "B"}, crf.Names([]string{"x"}, []string{"y"})); err != nil {
		panic(err)
	}
	p := must(must(crf.New(crf.Chain, data, em.LogLinearOptions{})).Predictor())
	return impossible{logProb: func() (float64, error) { return p.LogProb([]string{"A", "C"}, crf.Names(nil, nil)) }}
}

func impossibleTrees(kind grammar.Kind) func() impossible {
	return func() impossible {
		m := must(grammar.New(kind, [][]string{{"A", "B"}}, nil))
		copy(m.Params.Find("root").In(m.Theta), []float64{1, 0})
		p, sentence := must(m.Predictor(grammar.MostProbable)), []string{"B"}
		heads := must(m.Predictor(grammar.MostHeads))
		return impossible{
			logProb: func() (float64, error) { return p.LogProb(sentence) },
			one: map[string]func() error{
				"Best":       func() error { return first(p.Best(sentence)) },
				"Best of BB": func() error { return first(p.Best([]string{"B", "B"})) },
				"MostHeads":  func() error { return first(heads.Best(sentence)) },
			},
			several: map[string]func() (int, error){
				"BestTrees":       func() (int, error) { all, err := p.BestTrees(sentence, 3); return len(all), err },
				"BestTrees of BB": func() (int, error) { all, err := p.BestTrees([]string{"B", "B"}, 3); return len(all), err },
			},
		}
	}
}

func impossibleDerivations() impossible {
	g := must(pcfg.New("S", []pcfg.Rule{{Left: "S", Right: []string{"a"}, Weight: 1}, {Left: "S", Right: []string{"b"}, Weight: 1}}, em.Multinomial{}))
	p, words := must(g.Predictor()), []string{"a", "b"}
	return impossible{
		logProb: func() (float64, error) { return p.LogProb(words) },
		one: map[string]func() error{
			"Best":       func() error { _, _, err := p.Best(words); return err },
			"Posteriors": func() error { return first(p.Posteriors(words)) },
		},
	}
}

func impossibleQuery() impossible {
	params := em.NewParams()
	p := must(channel.New(params, cascade.Conditional(params, "channel", echo(semiring.Boolean{}), em.Multinomial{})).Predictor(nil))
	q := channel.Query{Source: []int32{'a'}, Target: []int32{'b'}}
	return impossible{
		logProb: func() (float64, error) { return p.LogProb(q) },
		one: map[string]func() error{
			"Sample": func() error { return first(p.Sample(q, 1, rand.NewPCG(1, 1))) },
		},
		several: map[string]func() (int, error){
			"Best":        func() (int, error) { all, err := p.Best(q, channel.Target, 3); return len(all), err },
			"Posteriors":  func() (int, error) { all, err := p.Posteriors(q, channel.Source, 3); return len(all), err },
			"Derivations": func() (int, error) { all, err := p.Derivations(q, 3); return len(all), err },
		},
	}
}

// chunks returns a model that only replaces a by b.
func chunks() *edit.Model {
	return must(edit.NewChunks([]pairgram.Chunk{{Source: []int32{'a'}, Target: []int32{'b'}}}, 0, em.Multinomial{}))
}

func impossibleEdits() impossible { return edits([]int32{'a'}, []int32{'b', 'b'}) }

func unknownEdits() impossible { return edits([]int32{'z'}, []int32{'y'}) }

func edits(x, y []int32) impossible {
	p := must(chunks().Predictor())
	c := must(edit.NewCorrector(chunks(), edit.Words("a", "aaa"), nil))
	ctx := context.Background()
	return impossible{
		logProb: func() (float64, error) { return p.LogProb(x, y) },
		one: map[string]func() error{
			"Best":       func() error { return first(p.Best(x, y)) },
			"Posteriors": func() error { return first(p.Posteriors(x, y)) },
		},
		several: map[string]func() (int, error){
			"Corrector.Best":       func() (int, error) { all, err := c.Best(ctx, y, 3); return len(all), err },
			"Corrector.Rank":       func() (int, error) { all, err := c.Rank(ctx, y, []int{0, 1}); return len(all), err },
			"Corrector.Posteriors": func() (int, error) { all, err := c.Posteriors(ctx, y, 3); return len(all), err },
		},
	}
}

// pairs returns a model of x and y with the same spelling.
func pairs() *pairgram.Predictor {
	ctx := context.Background()
	data := []pairgram.Pair{pairgram.Texts("a", "b"), pairgram.Texts("aa", "bb")}
	a := must(pairgram.NewAligner(data, &pairgram.AlignerOptions{Sizes: []pairgram.Size{{Source: 1, Target: 1}}}))
	must(a.Fit(ctx, data, nil))
	m := must(must(a.Count(ctx, data, nil)).Model(nil))
	return must(m.Predictor(nil))
}

func impossiblePair() impossible {
	p, x, y := pairs(), []int32{'a'}, []int32{'b', 'b'}
	return impossible{
		logProb: func() (float64, error) { return p.LogProb(x, y) },
	}
}

func impossibleMixture() impossible {
	params := em.NewParams()
	p := must(channel.New(params, cascade.Conditional(params, "channel", echo(semiring.Boolean{}), em.Multinomial{})).Predictor(nil))
	m := must(nbest.NewMixture(nbest.Factor{Predictor: p.Forward(), Weight: .5}, nbest.Factor{Predictor: pairs(), Weight: .5}))
	return impossible{
		logProb: func() (float64, error) { return m.LogProb([]int32{'a', 'a'}, []int32{'b'}) },
	}
}

func impossibleAlignment() impossible {
	c := align.NewCorpus()
	if err := c.Add(align.Sentence{Source: strings.Fields("a b"), Target: strings.Fields("x y")}); err != nil {
		panic(err)
	}
	m := must(align.New(c, &align.Options{Floor: -1}))
	must(m.Fit(context.Background(), c, &align.FitOptions{Stages: []align.Stage{{Positions: align.Model1, Iterations: 1}}}))
	s := align.Sentence{Source: []string{"c"}, Target: []string{"z"}}
	return impossible{
		logProb: func() (float64, error) {
			forward, backward, err := m.LogProb(s)
			return math.Max(forward, backward), err
		},
		one: map[string]func() error{
			"Posteriors": func() error { _, _, err := m.Posteriors(s); return err },
		},
	}
}

func impossibleRow() impossible {
	n := must(bayes.New([]bayes.Variable{{Name: "a", States: []string{"0", "1"}}, {Name: "b", States: []string{"0", "1"}}},
		[]bayes.Family{{Children: []int{0}, Table: []float64{1, 0}}, {Children: []int{1}, Parents: []int{0}, Table: []float64{.5, .5, .5, .5}}}))
	row := must(n.Evidence(map[string]string{"a": "1"}))
	return impossible{
		logProb: func() (float64, error) { return n.LogProb(row) },
		one: map[string]func() error{
			"Posteriors": func() error { return first(n.Posteriors(row)) },
			"Best":       func() error { _, _, err := n.Best(row); return err },
			"P":          func() error { return first(n.P("b", "1", map[string]string{"a": "1"})) },
			"Complete":   func() error { return first(n.Complete(row, rand.NewPCG(1, 1))) },
		},
	}
}

func impossibleString() impossible {
	data := func(yield func([]int32, float64) bool) { yield([]int32{1, 2}, 1) }
	m := must(ngram.Fit(1, 2, data, &ngram.Options{Smoothing: ngram.WittenBell}))
	return impossible{logProb: func() (float64, error) { return m.LogProb([]int32{3}), nil }}
}

func impossibleLattice() impossible {
	none := must(fst.NewBuilder(semiring.Scaled{}).Freeze())
	return impossible{
		one: map[string]func() error{"Posteriors": func() error { return first(nbest.Posteriors(none, 2)) }},
		several: map[string]func() (int, error){
			"Best": func() (int, error) { all, _, err := nbest.Best(none.Graph(), none.In(), 3, 0); return len(all), err },
		},
	}
}

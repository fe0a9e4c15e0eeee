package mistakes

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/models/align"
	"example.org/pathsum/models/bayes"
	"example.org/pathsum/models/channel"
	"example.org/pathsum/models/crf"
	"example.org/pathsum/models/grammar/pcfg"
	"example.org/pathsum/models/hmm"
	"example.org/pathsum/models/nbest"
	"example.org/pathsum/semiring"
)

// probabilities are numbers that a model returns as log probabilities, and posteriors.
type probabilities struct {
	logs, posteriors []float64
}

func (p *probabilities) add(rows ...[]float64) {
	for _, row := range rows {
		p.posteriors = append(p.posteriors, row...)
	}
}

// TestAtMostOne: models at random parameters answer queries whose answer is certain, or nearly:
// total probabilities, and posteriors of necessary events. All ln P are at most 0 and all
// posteriors at most 1, although many would exceed this by rounding.
func TestAtMostOne(t *testing.T) {
	certain := 0
	for seed := range trials.Seeds(40) {
		rng := rand.New(rand.NewPCG(seed, 6))
		for name, ask := range map[string]func(*rand.Rand) probabilities{
			"hmm": someStates, "bayes": someRows, "channel": someQueries, "crf": someLabels, "align": someLinks, "pcfg": someTrees, "nbest": someStrings,
		} {
			x := ask(rng)
			for _, log := range x.logs {
				if !(log <= 0) {
					t.Errorf("seed %d: %s: ln P is %g", seed, name, log)
				}
				if log == 0 {
					certain++
				}
			}
			for _, p := range x.posteriors {
				if !(p >= 0 && p <= 1) {
					t.Errorf("seed %d: %s: a posterior is %.17g", seed, name, p)
				}
				if p == 1 {
					certain++
				}
			}
		}
	}
	if certain < 200 {
		t.Errorf("%d answers are certain", certain)
	}
}

// someStates queries sequences in which nothing, or only the states, are observed.
func someStates(rng *rand.Rand) (x probabilities) {
	params := em.NewParams()
	e := must(hmm.NewDiscrete(params, "symbols", 3, hmm.Each(3), em.Multinomial{}))
	m := must(hmm.New(params, hmm.Topology{States: 3}, em.Multinomial{}, e))
	m.Theta = params.Random(rng)
	p := must(m.Predictor())
	for range 5 {
		s := hmm.Sequence[int32]{}
		for range 1 + rng.IntN(12) {
			s.Observations, s.States = append(s.Observations, hmm.Missing), append(s.States, int32(rng.IntN(4)-1))
		}
		x.add(must(p.Posteriors(s))...)
		x.add(must(p.Filter(s))...)
		x.logs = append(x.logs, must(p.LogProb(s)))
		s.States = nil
		x.logs = append(x.logs, must(p.LogProb(s)))
	}
	return x
}

// distribution returns n random numbers that sum to 1 up to rounding.
func distribution(rng *rand.Rand, n int) []float64 {
	p, sum := make([]float64, n), 0.0
	for i := range p {
		p[i] = rng.ExpFloat64()
		sum += p[i]
	}
	for i := range p {
		p[i] /= sum
	}
	return p
}

// someRows queries a network without evidence, and with evidence that makes another variable
// certain.
func someRows(rng *rand.Rand) (x probabilities) {
	states := []string{"0", "1", "2"}
	copied := []float64{1, 0, 0, 0, 1, 0, 0, 0, 1}
	n := must(bayes.New([]bayes.Variable{{Name: "a", States: states}, {Name: "b", States: states}, {Name: "c", States: states}}, []bayes.Family{
		{Children: []int{0}, Table: distribution(rng, 3)}, {Children: []int{1}, Parents: []int{0}, Table: copied},
		{Children: []int{2}, Parents: []int{1}, Table: append(append(distribution(rng, 3), distribution(rng, 3)...), distribution(rng, 3)...)}}))
	x.logs = append(x.logs, must(n.LogProb(n.Unknown())))
	for _, row := range []bayes.Row{n.Unknown(), must(n.Evidence(map[string]string{"a": "1"})), must(n.Evidence(map[string]string{"b": "2", "c": "0"}))} {
		p := must(n.Posteriors(row))
		for v := range 3 {
			if row[v] != row[v] {
				x.add(p.States(v))
			}
		}
		x.logs = append(x.logs, p.LogProb)
	}
	return x
}

// someQueries queries all targets of a source, and the source of a target that has only one.
func someQueries(rng *rand.Rand) (x probabilities) {
	params := em.NewParams()
	b := fst.NewBuilder(semiring.Boolean{})
	s := b.AddState()
	b.AddStart(s, true)
	b.SetFinal(s, true)
	for in := int32(1); in <= 2; in++ {
		for out := range int32(4) {
			b.AddArc(s, fst.Arc[bool]{In: in, Out: 10*in + out, To: s, Weight: true})
		}
	}
	m := channel.New(params, cascade.Conditional(params, "channel", must(b.Freeze()), em.Multinomial{}))
	m.Theta = params.Random(rng)
	p := must(m.Predictor(nil))
	for range 4 {
		source := make([]int32, 1+rng.IntN(8))
		for i := range source {
			source[i] = 1 + rng.Int32N(2)
		}
		x.logs = append(x.logs, must(p.LogProb(channel.Query{Source: source})))
		target := make([]int32, len(source))
		for i := range source {
			target[i] = 10*source[i] + rng.Int32N(4)
		}
		for _, c := range must(p.Posteriors(channel.Query{Target: target}, channel.Source, 2)) {
			x.logs = append(x.logs, c.LogProb)
		}
	}
	return x
}

// someLabels queries models that are certain of most labels.
func someLabels(rng *rand.Rand) (x probabilities) {
	data := crf.NewData()
	f := crf.Names([]string{"x"}, []string{"y"}, []string{"x"})
	labels := []string{"A", "B", "A"}
	if err := data.Add(labels, f); err != nil {
		panic(err)
	}
	for _, kind := range []crf.Kind{crf.Chain, crf.Node, crf.MEMM} {
		m := must(crf.New(kind, data, em.LogLinearOptions{}))
		for i := range m.Theta {
			m.Theta[i] = 40 * rng.NormFloat64()
		}
		p := must(m.Predictor())
		x.add(must(p.Posteriors(3, f))...)
		x.logs = append(x.logs, must(p.LogProb(labels, f)), must(p.LogProb(must(p.Best(3, f)), f)))
	}
	return x
}

// someLinks queries the links of words that have one translation each.
func someLinks(rng *rand.Rand) (x probabilities) {
	c := align.NewCorpus()
	words := [][]string{{"a", "b", "c", "d"}, {"w", "x", "y", "z"}}
	sentence := func() (s align.Sentence) {
		for range 1 + rng.IntN(5) {
			k := rng.IntN(4)
			s.Source, s.Target = append(s.Source, words[0][k]), append(s.Target, words[1][k])
		}
		return s
	}
	for range 20 {
		if err := c.Add(sentence()); err != nil {
			panic(err)
		}
	}
	m := must(align.New(c, nil))
	must(m.Fit(context.Background(), c, &align.FitOptions{Stages: []align.Stage{{Positions: align.Model1, Iterations: 30}, {Positions: align.HMM, Iterations: 20}}}))
	for range 5 {
		s := sentence()
		p, q, err := m.Posteriors(s)
		if err != nil {
			panic(err)
		}
		x.add(p.P, q.P)
		forward, backward, err := m.LogProb(s)
		if err != nil {
			panic(err)
		}
		x.logs = append(x.logs, forward, backward)
	}
	return x
}

// someTrees queries a sentence that a grammar writes with probability 1, in several ways.
func someTrees(rng *rand.Rand) (x probabilities) {
	p := distribution(rng, 3)
	g := must(pcfg.New("S", []pcfg.Rule{
		{Left: "S", Right: []string{"A", "A"}, Weight: p[0]}, {Left: "S", Right: []string{"A", "B"}, Weight: p[1]}, {Left: "S", Right: []string{"B", "A"}, Weight: p[2]},
		{Left: "A", Right: []string{"a"}, Weight: 1}, {Left: "B", Right: []string{"a"}, Weight: 1}}, em.Multinomial{}))
	q := must(g.Predictor())
	words := []string{"a", "a"}
	x.logs = append(x.logs, must(q.LogProb(words)))
	for _, c := range must(q.Posteriors(words)) {
		x.posteriors = append(x.posteriors, c.P)
	}
	return x
}

// someStrings queries the symbols of strings with the same first symbol.
func someStrings(rng *rand.Rand) (x probabilities) {
	b := fst.NewBuilder(semiring.Scaled{})
	b.AddStates(3)
	b.AddStart(0, semiring.NewScaled(1))
	b.SetFinal(2, semiring.NewScaled(1))
	for _, p := range distribution(rng, 5) {
		b.AddArc(0, fst.Arc[semiring.ScaledFloat]{In: 1, Out: 1, To: 1, Weight: semiring.NewScaled(p)})
	}
	for i, p := range distribution(rng, 4) {
		b.AddArc(1, fst.Arc[semiring.ScaledFloat]{In: int32(1 + i), Out: int32(1 + i), To: 2, Weight: semiring.NewScaled(p)})
	}
	f := must(b.Freeze())
	for _, p := range must(nbest.Posteriors(f, 3)) {
		for _, q := range p.Symbols {
			x.posteriors = append(x.posteriors, q)
		}
		x.posteriors = append(x.posteriors, p.End)
	}
	list, _, err := nbest.Best(f.Graph(), f.In(), 3, 0)
	if err != nil {
		panic(err)
	}
	for _, c := range list {
		x.logs = append(x.logs, c.LogProb, math.Min(c.LogProb, 0))
	}
	return x
}

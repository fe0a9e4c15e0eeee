package channel_test

import (
	"context"
	"io"
	"iter"
	"math"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/mistakes"
	"example.org/pathsum/internal/modeltest"
	"example.org/pathsum/models/channel"
	"example.org/pathsum/models/nbest"
	"example.org/pathsum/semiring"
)

// garbler is a channel that leaves out or replaces symbols 1 and 2, and its predictor.
type garbler struct {
	*channel.Model
	*channel.Predictor
}

// heard is a source, and the target if it is known.
type heard struct {
	channel.Query
	weight float64
}

// p returns P(y | x): the first symbol of x is left out, or becomes the first of y.
func (g *garbler) p(x, y []int32) float64 {
	if len(x) == 0 {
		if len(y) == 0 {
			return 1
		}
		return 0
	}
	becomes := g.Model.Params.Groups()[x[0]-1].In(g.Theta)
	sum := becomes[0] * g.p(x[1:], y)
	if len(y) > 0 {
		sum += becomes[y[0]] * g.p(x[1:], y[1:])
	}
	return sum
}

// number returns that of a string over 1 and 2.
func number(s []int32) int {
	n := 0
	for _, l := range s {
		n = 2*n + int(l)
	}
	return n
}

// strings4 is the number of all those of up to 4 symbols.
const strings4 = 31

func (g *garbler) enumerate(x heard) iter.Seq2[[]int, float64] {
	return func(yield func([]int, float64) bool) {
		targets := all([]int32{1, 2}, len(x.Source))
		if x.Target != nil {
			targets = [][]int32{x.Target}
		}
		for _, y := range targets {
			if !yield([]int{number(y)}, g.p(x.Source, y)) {
				return
			}
		}
	}
}

func (g *garbler) posteriors(x heard) ([]float64, error) {
	found, err := g.Posteriors(x.Query, channel.Target, strings4)
	if err == nil && len(found) == 0 {
		err = em.ErrUnderivable
	}
	list := make([]float64, strings4)
	for _, c := range found {
		if n := number(c.Labels); 0 <= n && n < len(list) { // a model that was read may write others
			list[n] = c.Prob()
		}
	}
	return list, err
}

func (g *garbler) best(x heard) ([]int, float64, error) {
	found, err := g.Best(x.Query, channel.Target, 1)
	if err != nil {
		return nil, 0, err
	}
	if len(found) == 0 {
		return nil, 0, em.ErrUnderivable
	}
	return []int{number(found[0].Labels)}, found[0].LogProb, nil
}

func examples(data []heard, policy em.Policy) cascade.Data {
	d := cascade.Data{Underivable: policy}
	for _, x := range data {
		e := cascade.Example{X: cascade.Labels(x.Source...), Weight: em.Times(x.weight)}
		if x.Target != nil {
			e.Y = cascade.Labels(x.Target...)
		}
		d.Examples = append(d.Examples, e)
	}
	return d
}

func predicting(m *channel.Model) (*garbler, error) {
	p, err := m.Predictor(nil)
	return &garbler{m, p}, err
}

// spoken returns a source, and a target of up to so many symbols or none.
func spoken(rng *rand.Rand, target int) heard {
	draw := func(n int) []int32 {
		s := make([]int32, n)
		for i := range s {
			s[i] = 1 + rng.Int32N(2)
		}
		return s
	}
	x := heard{channel.Query{Source: draw(rng.IntN(5))}, 1}
	if rng.IntN(3) > 0 {
		x.Target = draw(rng.IntN(min(target, len(x.Source)) + 1))
	}
	return x
}

func TestPromises(t *testing.T) {
	m := modeltest.Model[*garbler, heard]{
		New: func(rng *rand.Rand) *garbler {
			p := em.NewParams()
			var arcs []fst.Arc[bool]
			for in := int32(1); in <= 2; in++ {
				for out := int32(0); out <= 2; out++ {
					arcs = append(arcs, fst.Arc[bool]{In: in, Out: out, Weight: true})
				}
			}
			m := channel.New(p, cascade.Conditional(p, "channel", fst.OneState(semiring.Boolean{}, true, arcs...), em.Dirichlet{Alpha: 1.5}))
			m.Theta = p.Random(rng)
			g, err := predicting(m)
			if err != nil {
				t.Fatal(err)
			}
			return g
		},
		Example: func(rng *rand.Rand, _ *garbler) heard { return spoken(rng, 4) },
		Impossible: func(rng *rand.Rand, _ *garbler) heard {
			x := spoken(rng, 0)
			x.Target = make([]int32, len(x.Source)+1)
			for i := range x.Target {
				x.Target[i] = 1 + rng.Int32N(2)
			}
			return x
		},
		Enumerate:  (*garbler).enumerate,
		LogProb:    func(g *garbler, x heard) (float64, error) { return g.LogProb(x.Query) },
		Posteriors: (*garbler).posteriors,
		Best:       (*garbler).best,
		Sample: func(g *garbler, x heard, src rand.Source) ([]int, error) {
			drawn, err := g.Sample(x.Query, 1, src)
			if err != nil {
				return nil, err
			}
			return []int{number(drawn[0].Target)}, nil
		},
		Likelihood: func(g *garbler, data []heard, policy em.Policy) (em.Likelihood, error) {
			return g.Likelihood(examples(data, policy))
		},
		Fit: func(ctx context.Context, g *garbler, data []heard, opts *em.Options) (*em.Result, error) {
			return g.Fit(ctx, examples(data, em.Fail), opts)
		},
		Theta: func(g *garbler) []float64 { return g.Theta },
		Weigh: func(x heard, weight float64) heard { return heard{x.Query, weight} },
		Save:  func(g *garbler, w io.Writer) error { return g.Save(w) },
		Load: func(r io.Reader) (*garbler, error) {
			m, err := channel.Load(r)
			if err != nil {
				return nil, err
			}
			return predicting(m)
		},
		// The weights of machines in a file need not be probabilities.
		Unbounded: true,
		Refuses:   []error{semiring.ErrDiverges, semiring.ErrLimit, nbest.ErrUnknown},
		Lacks:     map[string]string{"BestPaths": "Best adds up all ways to a string"},
	}
	modeltest.Check(t, m)
}

// TestMessages: mistakes are refused in words that say what to do.
func TestMessages(t *testing.T) {
	var all mistakes.List
	for _, x := range []struct {
		call  string
		start channel.FertilityStart
	}{
		{"no start", channel.FertilityStart{}},
		{"no insertions", channel.FertilityStart{Delete: .1, One: .8, Two: .1}},
		{"a sum of 1.2", channel.FertilityStart{Delete: .1, One: 1, Two: .1, Insert: .1}},
		{"one that is not a number", channel.FertilityStart{Delete: .1, One: math.NaN(), Two: .1, Insert: .1}},
		{"a negative one", channel.FertilityStart{Delete: -.1, One: .8, Two: .1, Insert: .1}},
	} {
		all.Add("NewFertility: "+x.call, channel.ErrInvalid, func() error {
			_, err := channel.NewFertility(em.NewParams(), "g", []int32{1}, []int32{1}, x.start, em.Multinomial{})
			return err
		})
	}
	all.Add("NewFertility: no law", nil, func() error {
		_, err := channel.NewFertility(em.NewParams(), "s", []int32{1}, []int32{1}, channel.FertilityStart{}, nil)
		return err
	})
	all.Add("New: no parameters", nil, func() error { channel.New(nil); return nil })
	all.Add("New: a nil stage", nil, func() error { channel.New(em.NewParams(), nil); return nil })
	p := em.NewParams()
	m := channel.New(p, spread(t, p, []int32{1}, []int32{1}))
	predictor, err := m.Predictor(nil)
	if err != nil {
		t.Fatal(err)
	}
	all.Add("Posteriors: a symbol that no arc has", nbest.ErrUnknown, func() error {
		_, err := predictor.Posteriors(channel.Query{Source: []int32{9}}, channel.Target, 3)
		return err
	})
	all.Add("Predictor: no number to prune by", channel.ErrInvalid, func() error {
		_, err := m.Predictor(&channel.PredictorOptions{Prune: math.NaN()})
		return err
	})
	all.Add("Predictor: no stages", channel.ErrInvalid, func() error { _, err := channel.New(p).Predictor(nil); return err })
	bad := channel.New(p, spread(t, p, []int32{1}, []int32{1}))
	bad.Theta[0] = math.NaN()
	all.Add("Predictor: a parameter that is not a number", em.ErrParameter, func() error { _, err := bad.Predictor(nil); return err })
	mistakes.Check(t, all)
}

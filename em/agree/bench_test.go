package agree_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/agree"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/benchtime"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// BenchmarkMarked measures E steps of composed chains of states, 200 of 20 positions and 10
// states: as a likelihood by itself, as a marked submodel by itself, and as two submodels that
// agree.
func BenchmarkMarked(b *testing.B) {
	const states, symbols, length, examples = 10, 50, 20, 200
	rng := rand.New(rand.NewPCG(1, 1))
	params := em.NewParams()
	marks := params.Group("marks", length*states, em.Fixed{})
	chain := fst.NewBuilder(params.Space())
	chain.AddStart(chain.AddState(), expr.One)
	for t := range length {
		next := chain.AddState()
		for i := range states {
			chain.AddArc(int32(t), fst.Arc[expr.W]{In: int32(i + 1), Out: int32(i + 1), Weight: marks.Weight(t*states + i), To: next})
		}
	}
	chain.SetFinal(length, expr.One)
	chains := cascade.Set(must(chain.Freeze()))
	var submodels []agree.Submodel
	var alone em.Likelihood
	for range 2 {
		model := fst.NewBuilder(params.Space())
		var emission, next []*em.Group
		for range states {
			model.AddState()
			emission = append(emission, params.Group(fmt.Sprint("emission ", params.Len()), symbols, em.Multinomial{}))
			next = append(next, params.Group(fmt.Sprint("transition ", params.Len()), states, em.Multinomial{}))
		}
		model.AddStart(0, expr.One)
		for i := range states {
			model.SetFinal(int32(i), expr.One)
			for j := range states {
				for o := range symbols {
					model.AddArc(int32(i), fst.Arc[expr.W]{In: int32(o + 1), Out: int32(j + 1), To: int32(j),
						Weight: params.Space().Times(next[i].Weight(j), emission[j].Weight(o))})
				}
			}
		}
		problem := cascade.Problem{Params: params, Stages: []cascade.Stage{must(model.Freeze())}}
		var seen [][]int32
		var data cascade.Data
		for range examples {
			var labels []int32
			for range length {
				labels = append(labels, 1+rng.Int32N(symbols))
			}
			seen = append(seen, labels)
			data.Examples = append(data.Examples, cascade.Example{X: cascade.Labels(labels...), Y: chains})
		}
		alone = must(problem.Likelihood(data))
		submodels = append(submodels, must(agree.Marked(must(problem.Corpus(data)), agree.Features{
			Marks: marks, Shared: emission,
			Potential: func(i, k int) expr.W { return emission[k%states].Weight(int(seen[i][k/states]) - 1) },
		})))
	}
	theta := params.Random(rng)
	for _, of := range []struct {
		name string
		em.Likelihood
	}{
		{"lattices", alone},
		{"one", must(agree.Likelihood(em.Fail, submodels[0]))},
		{"averaged", must(agree.Averaged(em.Fail, submodels...))},
	} {
		b.Run(of.name, func(b *testing.B) { expect(b, of.Likelihood, theta) })
	}
}

// expect measures E steps.
func expect(b *testing.B, l em.Likelihood, theta []float64) {
	q := em.Query{Theta: theta, Workers: 1, Counts: make([]float64, len(theta))}
	e := must(l.Expect(b.Context(), q))
	b.ReportAllocs()
	defer benchtime.Per(b, int(e.Arcs), "arc")()
	for b.Loop() {
		must(l.Expect(b.Context(), q))
	}
}

// BenchmarkSum measures E steps of two separate submodels that use few of very many parameters:
// in one pass over the examples, and one after the other.
func BenchmarkSum(b *testing.B) {
	params := em.NewParams()
	params.Group("many", 1<<20, em.Multinomial{})
	var together, apart []em.Likelihood
	for m := range 2 {
		l := must(agree.Likelihood(em.Fail, &scattered{params: params, m: m}))
		together, apart = append(together, l), append(apart, opaque{l.(em.Excluder)})
	}
	theta := params.Start()
	b.Run("together", func(b *testing.B) { expect(b, must(agree.Independent(together...)), theta) })
	b.Run("apart", func(b *testing.B) { expect(b, must(agree.Independent(apart...)), theta) })
}

// scattered is a submodel with 1000 examples of ten features. Each feature uses a separate
// parameter.
type scattered struct {
	params *em.Params
	m      int
}

func (s *scattered) Params() *em.Params       { return s.params }
func (s *scattered) Examples() int            { return 1000 }
func (s *scattered) Example(i int) em.Skipped { return em.Skipped{Index: i, Weight: 1} }
func (s *scattered) Begin(em.Query) error     { return nil }
func (s *scattered) Fingerprint(w io.Writer)  { fmt.Fprint(w, s.m) }

func (s *scattered) Infer() agree.Inference {
	f := &scattering{of: s, features: make([]float64, 10)}
	f.sum.Grow(s.params.Len(), false)
	for k := range f.features {
		f.features[k] = .1
	}
	return f
}

type scattering struct {
	of       *scattered
	example  int
	features []float64
	sum      em.Accumulator
}

func (f *scattering) Posterior(i int) (agree.Posterior, error) {
	f.example = i
	return agree.Posterior{Features: f.features, Total: semiring.NewScaled(1), Arcs: 10}, nil
}

func (f *scattering) Count(mu []float64, weight float64) {
	for k, x := range mu {
		p := (f.example*len(mu) + k) * (2*f.of.m + 7919) % f.of.params.Len()
		f.sum.Add(int32(p), weight*x)
	}
}

func (f *scattering) Drain(t *em.Tally) { f.sum.Drain(t) }

package cascade_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/fst/rx"
	"example.org/pathsum/internal/trials"
)

// silentLoop reads any number of a's and writes p's: λ and μ are how often each goes on. The a's
// are not seen, so that the sum over them is 1 at β = 1, whatever λ is, and rises without bound as
// λ goes to 1 at a lower β.
func silentLoop(t testing.TB, law em.Law, text string) (cascade.Problem, cascade.Data) {
	t.Helper()
	params := em.NewParams()
	alphabet := fst.NewSymbols("a", "b", "p")
	c := rx.NewCompiler(params.Space(), alphabet)
	c.Groups = em.Alternatives(params, func(string, []string) em.Law { return law })
	f, err := c.Compile(rx.MustParse(text))
	if err != nil {
		t.Fatal(err)
	}
	p, _ := alphabet.Find("p")
	data := cascade.Data{Examples: []cascade.Example{{Y: cascade.Labels(p, p)}, {Y: cascade.Labels(p)}, {Y: cascade.Labels()}}}
	return cascade.Problem{Params: params, Stages: []cascade.Stage{f}}, data
}

// TestAnnealSilentLoops: at a low β a silent loop is driven so close to where its sum diverges
// that the rounding of θ moves the objective. From every start annealing goes on to the maximum:
// however often the loops go round, what is written is geometric, of mean 1.
func TestAnnealSilentLoops(t *testing.T) {
	want, fits, short := -6*math.Ln2, 0, 0
	for i, text := range []string{"(a:())*_λ (b:p)*_μ", "(a:() +_ν b:p)*_μ", "((a:())*_λ b:p)*_μ", "(a:p)*_λ (b:())*_μ"} {
		problem, data := silentLoop(t, em.Multinomial{}, text)
		l := likelihood(t, problem, data)
		for seed := range trials.Seeds(160) {
			for _, m := range []em.Method{em.Anneal{}, em.Anneal{From: .02, Factor: 1.3, Iterations: 30}} {
				fits++
				r, err := em.Fit(context.Background(), l, &em.Options{Method: m, Start: problem.Params.Random(rand.NewPCG(7+seed, 2)), Iterations: 2000})
				if err != nil {
					t.Errorf("model %d, seed %d, %+v: %v", i, seed, m, err)
					continue
				}
				if r.Status != em.Converged || r.Last() > want+1e-5 {
					t.Errorf("model %d, seed %d, %+v: %v at %.12g, want %.12g", i, seed, m, r.Status, r.Last(), want)
				}
				if r.Last() < want-1e-5 {
					short++ // so many silent steps are left that EM hardly moves
				}
			}
		}
	}
	if short*1280 > 12*fits {
		t.Errorf("%d of %d end below %g", short, fits, want)
	}
}

// TestRoundingIsNoFall: from a start so close to where a sum diverges that rounding moves the
// objective, methods that never lower it converge.
func TestRoundingIsNoFall(t *testing.T) {
	problem, data := silentLoop(t, em.Multinomial{}, "(a:())*_λ (b:p)*_μ")
	l := likelihood(t, problem, data)
	i, ok := problem.Params.Lookup("λ[heads]")
	j, also := problem.Params.Lookup("λ[tails]")
	if !ok || !also {
		t.Fatal("no λ")
	}
	rng := rand.New(rand.NewPCG(1, 3))
	for range 200 {
		start := problem.Params.Random(rng)
		start[j] = math.Exp(-22 - 10*rng.Float64()) // 3e-10 to 1e-14
		start[i] = 1 - start[j]
		for _, m := range []em.Method{em.EM{}, em.Squarem{}, em.Incremental{}, em.Anneal{From: .9}} {
			r, err := em.Fit(context.Background(), l, &em.Options{Method: m, Start: start})
			if err != nil {
				t.Errorf("%v from 1 − λ = %g: %v", m, start[j], err)
				continue
			}
			if want := -6 * math.Ln2; r.Status != em.Converged || math.Abs(r.Last()-want) > .3 {
				t.Errorf("%v from 1 − λ = %g: %v at %g, want %g", m, start[j], r.Status, r.Last(), want)
			}
		}
	}
}

package phylo

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/modeltest"
	"example.org/pathsum/internal/trials"
)

// ofRates returns θ of an Unrestricted process with the root, the rates and the lengths of a
// reversible one.
func ofRates(m *Columns, r *rates, reversible []float64) []float64 {
	theta := append([]float64(nil), r.pi[:]...)
	sum := 0.0
	for i := range bases {
		sum -= r.q[i][i]
	}
	for i := range bases {
		for j := range bases {
			if i != j {
				theta = append(theta, r.q[i][j]/sum)
			}
		}
	}
	return append(theta, reversible[len(reversible)-m.tree.Root():]...)
}

// At reversible rates the process is REV: the same transitions, at times of all magnitudes, and
// the same likelihood.
func TestUnrestrictedOfReversible(t *testing.T) {
	for seed := range trials.Seeds(100) {
		r := randomRates(seed)
		q := &anyRates{r.pi, r.q}
		for _, time := range []float64{0, 1e-300, 1e-8, .01, 1, 30, longestClock} {
			got, want := q.transition(time), r.transition(time)
			fastest := 0.0
			for i := range bases {
				fastest = max(fastest, -r.q[i][i]*time)
			}
			for i := range bases {
				for j := range bases {
					if math.Abs(got[i][j]-want[i][j]) > 1e-14*(1+fastest) {
						t.Fatalf("seed %d, time %g: %d to %d is %v, want %v", seed, time, i, j, got[i][j], want[i][j])
					}
				}
			}
		}
	}
	rng := random(1)
	tree := randomTree(rng, 4)
	a := randomAlignment(rng, tree, 12)
	f := [bases]float64{.1, .2, .3, .4}
	rev, free := must(NewColumns(tree, REV(f))), must(NewColumns(tree, Unrestricted{Frequencies: f}))
	rev.Theta = rev.Params.Random(rng)
	r, _, err := rev.kernel.(reversibleKernel).rates(rev.Theta)
	if err != nil {
		t.Fatal(err)
	}
	want := must(must(rev.Likelihood(a)).LogProb(t.Context(), rev.Theta, 1))
	if got := must(must(free.Likelihood(a)).LogProb(t.Context(), ofRates(free, r, rev.Theta), 1)); !near(got, want, 1e-12) {
		t.Errorf("ln P %v, want %v of REV", got, want)
	}
}

// One base that becomes another one and stays has a closed form. Rates in a circle have complex
// eigenvalues: after a time they are a rotation that decays.
func TestUnrestrictedClosedForms(t *testing.T) {
	decay := &anyRates{q: matrix{{-2, 2, 0, 0}}}
	circle := &anyRates{q: matrix{{-1, 1, 0, 0}, {0, -1, 1, 0}, {0, 0, -1, 1}, {1, 0, 0, -1}}}
	for _, time := range []float64{0, 1e-9, .3, 2, 40} {
		p := decay.transition(time)
		if !near(p[0][0], math.Exp(-2*time), 1e-14) || !near(p[0][1], -math.Expm1(-2*time), 1e-14) || p[1][1] != 1 || p[0][2] != 0 {
			t.Errorf("time %g: %v", time, p)
		}
		// Eigenvalues 0, −2 and −1 ± i.
		p = circle.transition(time)
		e, rotated := math.Exp(-2*time)/4, math.Exp(-time)/2
		want := [bases]float64{.25 + e + rotated*math.Cos(time), .25 - e + rotated*math.Sin(time), .25 + e - rotated*math.Cos(time), .25 - e - rotated*math.Sin(time)}
		for k, x := range want {
			for i := range bases {
				if !near(p[i][(i+k)%bases], x, 1e-13) {
					t.Errorf("circle, time %g: %d steps from %d: %v, want %v", time, k, i, p[i][(i+k)%bases], x)
				}
			}
		}
	}
}

// The place of the root matters, and an alignment that was drawn with rates in a circle tells them
// from the rates of REV.
func TestUnrestrictedIsDirected(t *testing.T) {
	f := [bases]float64{.25, .25, .25, .25}
	if _, err := NewColumns(must(ParseTree("(a:.1,b:.2,c:.3);")), Unrestricted{Frequencies: f}); !errors.Is(err, ErrInvalid) {
		t.Errorf("error %v for a tree without a root", err)
	}
	a := drawn(must(ParseTree("((a:.1,b:.2)x:.3,(c:.4,d:.5)y:.1);")), 50)
	var values []float64
	for _, text := range []string{"((a:.1,b:.2)x:.3,(c:.4,d:.5)y:.1);", "((a:.1,b:.2)x:.1,(c:.4,d:.5)y:.3);"} {
		m := must(NewColumns(must(ParseTree(text)), Unrestricted{Frequencies: f}))
		m.Theta = m.Params.Random(random(3))
		copy(m.Theta[len(m.Theta)-m.tree.Root():], m.Params.Start()[len(m.Theta)-m.tree.Root():])
		values = append(values, must(must(m.Likelihood(a)).LogProb(t.Context(), m.Theta, 1)))
	}
	if near(values[0], values[1], 1e-4) {
		t.Errorf("the root does not matter: %v", values)
	}
	rev, free := must(NewColumns(mammals, REV(f))), must(NewColumns(mammals, Unrestricted{Frequencies: f}))
	b := drawn(mammals, 300)
	reversible := must(rev.Fit(t.Context(), b, nil)).LogLikelihood
	if got := must(free.Fit(t.Context(), b, nil)).LogLikelihood; got < reversible-1e-3 {
		t.Errorf("a log likelihood of %v, less than that of REV with these frequencies, %v", got, reversible)
	}
}

func TestUnrestrictedErrors(t *testing.T) {
	tree := must(ParseTree("((a:.1,b:.2)x:.3,c:.4);"))
	f := [bases]float64{.25, .25, .25, .25}
	for name, p := range map[string]Unrestricted{
		"no frequencies":      {},
		"a frequency below 0": {Frequencies: [bases]float64{-.5, .5, .5, .5}},
		"classes":             {Frequencies: f, RateClasses: -1},
		"a law":               {Frequencies: f, Law: em.Variational{Alpha: 1}},
	} {
		if _, err := NewColumns(tree, p); !errors.Is(err, em.ErrInvalid) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	// The base that is at the root does not change.
	m := must(NewColumns(tree, Unrestricted{Frequencies: [bases]float64{1}}))
	copy(m.Theta[bases:], []float64{0, 0, 0, 1. / 9, 1. / 9, 1. / 9, 1. / 9, 1. / 9, 1. / 9, 1. / 9, 1. / 9, 1. / 9})
	if _, err := must(m.Likelihood(drawn(tree, 5))).LogProb(t.Context(), m.Theta, 1); !errors.Is(err, em.ErrParameter) {
		t.Errorf("error %v without a substitution", err)
	}
}

func TestPromisesOfUnrestricted(t *testing.T) {
	m := promises(func(rng *rand.Rand) Process {
		return Unrestricted{Frequencies: [bases]float64{.1, .2, .3, .4}, Law: em.Multinomial{}, RateClasses: 1 + rng.IntN(3)}
	})
	const positive, noMod = "all changes have a positive probability", "files of PHAST are written for reversible processes"
	m.Lacks["Impossible"], m.Lacks["Save"], m.Lacks["Load"] = positive, noMod, noMod
	modeltest.Check(t, m)
}

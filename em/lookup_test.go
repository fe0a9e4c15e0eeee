package em_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring/expr"
)

// TestLookup: for every name of Params the first parameter with it is found, and no other name.
func TestLookup(t *testing.T) {
	for seed := range trials.Seeds(20) {
		rng := fsttest.Rand(seed)
		p := em.NewParams()
		for _, k := range rng.Perm(4)[:rng.IntN(5)] {
			g := p.Group([]string{"a", "ab", "a[1]", "λ"}[k], rng.IntN(4), em.Multinomial{})
			if rng.IntN(2) == 0 {
				g.SetNames(func(i int) string { return fmt.Sprint("x", i%2) })
			}
		}
		first := map[string]int{}
		for i := range p.Len() {
			name := p.Name(int32(i))
			if _, ok := first[name]; !ok {
				first[name] = i
			}
		}
		for name, want := range first {
			if i, ok := p.Lookup(name); !ok || i != want {
				t.Errorf("seed %d: %s is parameter %d, %v, want %d", seed, name, i, ok, want)
			}
		}
		for _, name := range []string{"", "a[", "a[9]", "b", "a[x3]", "a[0]x", "λ[4]"} {
			if i, ok := p.Lookup(name); ok {
				t.Errorf("seed %d: %q is parameter %d", seed, name, i)
			}
		}
	}
	p := em.NewParams()
	p.Group("many", 2, em.Multinomial{})
	p.Group("λ", 1, em.Fixed{})
	if i, ok := p.Lookup("λ"); !ok || i != 2 {
		t.Errorf("λ is parameter %d, %v, want 2", i, ok)
	}
	if i, ok := p.Lookup("many"); ok {
		t.Errorf("a group of two is parameter %d", i)
	}
}

// TestNamed: the names are the results of Name, a loop may end early, and values beyond the table
// have the names that Name returns.
func TestNamed(t *testing.T) {
	p := em.NewParams()
	for _, name := range []string{"a", "c"} {
		p.Group(name, 2, em.Multinomial{})
	}
	var got []string
	for name, x := range p.Named([]float64{1, 2, 3, 4, 5}) {
		if got = append(got, fmt.Sprint(name, "=", x)); x == 5 {
			break
		}
	}
	if want := []string{"a[0]=1", "a[1]=2", "c[0]=3", "c[1]=4", "?4=5"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	for range p.Named([]float64{1, 2}) {
		break
	}
	if g := p.Find("a"); g != p.Groups()[0] || g.String() != "a" {
		t.Errorf("a is %v of %v", g, p.Groups())
	}
	defer func() {
		if said := fmt.Sprint(recover()); said != "em: SetStart: nil group" {
			t.Errorf("a group that is not there: %s", said)
		}
	}()
	p.Find("b").SetStart(nil)
}

// TestLast: without an iteration there is no objective.
func TestLast(t *testing.T) {
	if x := (&em.Result{}).Last(); !math.IsInf(x, -1) {
		t.Errorf("no iteration: %g", x)
	}
}

// A second group of the same name is a mistake in the program; the panic contains the name.
func TestGroupOfOneName(t *testing.T) {
	for _, caller := range []string{"Group", "Distribution"} {
		p := em.NewParams()
		p.Group("coin", 2, em.Multinomial{})
		again := p.Group
		if caller == "Distribution" {
			again = p.Distribution
		}
		func() {
			defer func() {
				got := fmt.Sprint(recover())
				for _, want := range []string{"em: " + caller, `"coin"`, "Find"} {
					if !strings.Contains(got, want) {
						t.Errorf("panic %q, want one with %q", got, want)
					}
				}
			}()
			again("coin", 2, em.Multinomial{})
		}()
		if len(p.Groups()) != 1 || p.Len() != 2 || p.Find("coin") != p.Groups()[0] {
			t.Error("the group that was refused has left something")
		}
	}
}

// Alternatives in one group with a name that is taken are an error: these names come from data.
func TestLogLinearAlternativesOfOneName(t *testing.T) {
	p := em.NewParams()
	p.Group("rules", 2, em.Multinomial{})
	weights := em.LogLinearAlternatives(p, "rules", func(_, name string) []em.Feature { return []em.Feature{{Name: name}} }, em.LogLinearOptions{})
	if _, err := weights([]string{"g"}, [][]string{{"a", "b"}}); !errors.Is(err, em.ErrParameter) || !strings.Contains(err.Error(), "rules") {
		t.Errorf("error %v, want ErrParameter that names the group", err)
	}
}

// throws returns the likelihood of one H and three T of a coin.
func throws(law em.Law) em.Excluder {
	params := em.NewParams()
	coin := params.Group("coin", 2, law)
	machine := letter(params, fst.Arc[expr.W]{In: 'H', Out: 'H', Weight: coin.Weight(0)}, fst.Arc[expr.W]{In: 'T', Out: 'T', Weight: coin.Weight(1)})
	l, err := cascade.Problem{Params: params, Stages: []cascade.Stage{machine}}.Likelihood(cascade.Data{Examples: []cascade.Example{
		{X: cascade.Text("H")}, {X: cascade.Text("T"), Weight: em.Times(3)}}})
	if err != nil {
		panic(err)
	}
	return l
}

// loaded is the law of a coin that cannot prefer tails. It has its own coordinates, which satisfy
// the constraint: em.Multinomial's can violate it.
type loaded struct{ em.Multinomial }

// fair replaces θ by the nearest θ with θ₀ ≥ ½.
func (loaded) fair(theta []float64) { theta[0], theta[1] = max(theta[0], .5), min(theta[1], .5) }

func (l loaded) Maximize(theta, counts []float64) error {
	err := l.Multinomial.Maximize(theta, counts)
	l.fair(theta)
	return err
}

func (l loaded) Random(theta []float64, src rand.Source) {
	l.Multinomial.Random(theta, src)
	l.fair(theta)
}

func (l loaded) Theta(theta, x []float64) {
	l.Multinomial.Theta(theta, x)
	l.fair(theta)
}

// Gradient is 0 at ½ if the function rises beyond the border.
func (l loaded) Gradient(dx, theta, counts []float64) {
	l.Multinomial.Gradient(dx, theta, counts)
	if theta[0] == .5 {
		dx[0] = max(dx[0], 0)
	}
}

// halfAtLeast has an M step with a constraint, and the coordinates of the law that it embeds.
type halfAtLeast struct{ em.Multinomial }

func (halfAtLeast) Maximize(theta, counts []float64) error { return loaded{}.Maximize(theta, counts) }

// base embeds a law for others to embed.
type base struct{ em.Dirichlet }

// deep has an M step that ignores the prior.
type deep struct{ *base }

func (deep) Maximize(theta, counts []float64) error { return em.Multinomial{}.Maximize(theta, counts) }

// rarely has a constraint that is seldom active.
type rarely struct{ em.Multinomial }

func (rarely) Maximize(theta, counts []float64) error {
	if err := (em.Multinomial{}).Maximize(theta, counts); err != nil {
		return err
	}
	theta[0] = max(theta[0], 1e-4)
	theta[1] = 1 - theta[0]
	return nil
}

// A law with its own coordinates satisfies its constraint under every method.
func TestOwnCoordinates(t *testing.T) {
	for _, m := range []em.Method{em.EM{}, em.Squarem{}, em.LBFGS{}, em.SGD{}, momentum{}} {
		r, err := em.Fit(context.Background(), throws(loaded{}), &em.Options{Method: m, Tolerance: 1e-10})
		if err != nil {
			t.Errorf("%v: %v", m, err)
		} else if math.Abs(r.Theta[0]-.5) > 1e-6 {
			t.Errorf("%v: %v, want ½", m, r.Theta)
		}
	}
}

// If a law overrides the M step of the law that it embeds, but not the coordinates, methods that
// follow a gradient return an error. Other methods use its M step.
func TestInheritedCoordinates(t *testing.T) {
	for _, law := range []em.Law{halfAtLeast{}, &halfAtLeast{}, rarely{}, deep{&base{em.Dirichlet{Alpha: 3}}}} {
		l := throws(law)
		for _, m := range []em.Method{em.LBFGS{}, em.SGD{}, momentum{}} {
			_, err := em.Fit(context.Background(), l, &em.Options{Method: m})
			if !errors.Is(err, em.ErrMethod) || !strings.Contains(err.Error(), "coin") || !strings.Contains(err.Error(), "Gradient of its own") {
				t.Errorf("%T, %v: error %v, want ErrMethod that names the group", law, m, err)
			}
		}
		want, err := em.Fit(context.Background(), l, nil)
		if _, prior := law.(deep); err != nil && !prior {
			t.Errorf("%T: %v", law, err)
		}
		got, err := em.Fit(context.Background(), l, &em.Options{Method: em.Squarem{}})
		if err == nil && want != nil && math.Abs(got.Theta[0]-want.Theta[0]) > 1e-6 {
			t.Errorf("%T: %v with SQUAREM, %v with EM", law, got.Theta, want.Theta)
		}
		d := &em.Difference{Plus: l, Minus: l}
		if _, err := em.Fit(context.Background(), d, nil); !errors.Is(err, em.ErrMethod) {
			t.Errorf("%T: M step of a difference: error %v, want ErrMethod", law, err)
		}
	}
}

// another embeds a law and overrides a method that does not affect the optimum.
type another struct{ em.Multinomial }

func (another) Start(theta []float64) { theta[0], theta[1] = .25, .75 }

// again implements the M step of the law that it embeds.
type again struct{ em.Dirichlet }

func (a again) Maximize(theta, counts []float64) error {
	sum := 0.0
	for i, c := range counts {
		theta[i] = c + a.Alpha - 1
		sum += theta[i]
	}
	for i := range theta {
		theta[i] /= sum * (1 + 1e-15)
	}
	return nil
}

// Laws of the package, and laws that embed one and have the same optimum, are accepted.
func TestInheritedAccepted(t *testing.T) {
	for _, law := range []em.Law{em.Multinomial{}, em.Dirichlet{Alpha: 2}, em.Variational{Alpha: .5}, another{}, again{em.Dirichlet{Alpha: 2}},
		struct{ em.Dirichlet }{em.Dirichlet{Alpha: 2}}, struct{ em.Coordinated }{em.Multinomial{}}} {
		for _, m := range []em.Method{em.LBFGS{}, em.SGD{}, em.Squarem{}} {
			if _, err := em.Fit(context.Background(), throws(law), &em.Options{Method: m}); err != nil {
				t.Errorf("%T, %v: %v", law, m, err)
			}
		}
	}
}

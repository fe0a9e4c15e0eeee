package synchronous

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
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

func near(a, b float64) bool { return a == b || math.Abs(a-b) <= 1e-9*max(1, math.Abs(b)) }

// all returns all sequences of up to most words, the empty one included.
func all(words []string, most int) (list [][]string) {
	list = [][]string{{}}
	for begin := 0; most > 0; most-- {
		end := len(list)
		for _, s := range list[begin:end] {
			for _, w := range words {
				list = append(list, append(slices.Clone(s), w))
			}
		}
		begin = end
	}
	return list
}

// A grammar whose only binary rule is straight is a transducer of one state, which is of
// package fst and has no spans.
func TestOneStateTransducer(t *testing.T) {
	for seed := range trials.Seeds(20) {
		rng := rand.New(rand.NewPCG(seed, 1))
		rules := []Rule{Straight("S", "W", "S"), {Left: "S", Source: []string{"W"}, Target: []string{"W"}, Weight: .5 + rng.Float64()}}
		for _, x := range []string{"", "x", "y"} {
			for _, y := range []string{"", "u", "v"} {
				if x+y != "" {
					rules = append(rules, Pair("W", x, y))
					rules[len(rules)-1].Weight = rng.Float64()
				}
			}
		}
		g, err := New("S", rules, em.Multinomial{})
		if err != nil {
			t.Fatal(err)
		}
		p, err := g.Predictor()
		if err != nil {
			t.Fatal(err)
		}
		list := g.Rules()
		goOn, stop := list[0].Weight, list[1].Weight
		var arcs []fst.Arc[float64]
		label := func(words []string) int32 {
			if len(words) == 0 {
				return fst.Epsilon
			}
			l, _ := g.Symbols().Find(words[0])
			return l
		}
		for _, r := range list[2:] {
			arcs = append(arcs, fst.Arc[float64]{In: label(r.Source), Out: label(r.Target), Weight: goOn * r.Weight})
		}
		machine := fst.OneState(semiring.Real{}, stop/goOn, arcs...)
		for range 20 {
			x, y := sentence(rng, sources, 5), sentence(rng, targets, 5)
			in, err := g.Symbols().Encode(x...)
			if err != nil {
				t.Fatal(err)
			}
			out, err := g.Symbols().Encode(y...)
			if err != nil {
				t.Fatal(err)
			}
			want, err := fst.Weight(machine, in, out, nil)
			if err != nil {
				t.Fatal(err)
			}
			got, err := p.LogProb(Example{Source: Words(x...), Target: Words(y...)})
			if err != nil || !near(got, math.Log(want)) {
				t.Errorf("seed %d: ln P(%v / %v) is %v, %v, want %v", seed, x, y, got, err, math.Log(want))
			}
			// Nothing is known of the target: a sum over cycles on both sides of the
			// comparison.
			want, err = fst.PathSum(fst.Compose(fst.FromString(semiring.Real{}, in), machine), nil)
			if err != nil {
				t.Fatal(err)
			}
			got, err = p.LogProb(Example{Source: Words(x...)})
			if err != nil || !near(got, math.Log(want)) {
				t.Errorf("seed %d: ln P(%v / ?) is %v, %v, want %v", seed, x, got, err, math.Log(want))
			}
		}
	}
}

// What is known of one side has the sum, and the best, of all that the other may be. Without
// rules that write on one side alone the other is no longer than its rules allow.
func TestUnknownSide(t *testing.T) {
	for seed := range trials.Seeds(30) {
		rng := rand.New(rand.NewPCG(seed, 2))
		var g *Grammar
		for { // a word of either side for each of the other's
			g = random(rng, false)
			if !slices.ContainsFunc(g.rules, func(r Rule) bool { return len(r.Source) != len(r.Target) }) {
				break
			}
		}
		p, err := g.Predictor()
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range append(all(sources, 2)[1:], sentence(rng, sources, 3)) {
			sum, best := 0.0, 0.0
			for _, y := range all(targets, len(x)) {
				for _, d := range derivations(g.Rules(), x, y) {
					sum, best = sum+d.p, max(best, d.p)
				}
			}
			got, err := p.LogProb(Example{Source: Words(x...)})
			if err != nil || !near(got, math.Log(sum)) {
				t.Errorf("seed %d: ln P(%v / ?) is %v, %v, want %v", seed, x, got, err, math.Log(sum))
			}
			if sum == 0 {
				continue
			}
			d, err := p.Best(Example{Source: Words(x...)})
			if err != nil || !near(d.LogProb, math.Log(best)) || !slices.Equal(d.Source, x) {
				t.Errorf("seed %d: the best of %v / ? is %v, %v, want ln P = %v", seed, x, d, err, math.Log(best))
				continue
			}
			// The derivation that it names has this probability with the target that it names.
			if again, err := p.Best(Example{Source: Words(x...), Target: Words(d.Target...)}); err != nil || !near(again.LogProb, d.LogProb) {
				t.Errorf("seed %d: the best of %v / %v is %v, %v, want ln P = %v", seed, x, d.Target, again, err, d.LogProb)
			}
			back, err := p.Best(Example{Target: Words(d.Target...)})
			if err != nil || back.LogProb < d.LogProb-1e-9 {
				t.Errorf("seed %d: the best of ? / %v is %v, %v, want ln P ≥ %v", seed, d.Target, back, err, d.LogProb)
			}
		}
	}
}

// lattice returns the machine of some sentences, each with the weight of its number in group, as
// a tree that begins with arcs without a label.
func lattice(g *Grammar, group *em.Group, sentences [][]string) cascade.Stage {
	b := fst.NewBuilder(g.Params.Space())
	b.SetSymbols(g.Symbols(), g.Symbols())
	root := b.AddState()
	b.AddStart(root, expr.One)
	for n, words := range sentences {
		at := b.AddState()
		b.AddArc(root, fst.Arc[expr.W]{To: at, Weight: group.Weight(n)})
		for _, w := range words {
			to := b.AddState()
			if label, ok := g.Symbols().Find(w); ok {
				b.AddArc(at, fst.Arc[expr.W]{In: label, Out: label, To: to, Weight: expr.One})
			}
			at = to
		}
		b.SetFinal(at, expr.One)
	}
	f, err := b.Freeze()
	if err != nil {
		panic(err)
	}
	return f
}

// A side that is one of several sentences has the weighted sum of their probabilities, and the
// counts of its parameters, and the rules', are derivatives of the likelihood.
func TestLattices(t *testing.T) {
	for seed := range trials.Seeds(30) {
		rng := rand.New(rand.NewPCG(seed, 3))
		g := random(rng, seed%2 == 0)
		heard, written := g.Params.Group("heard", 3, em.Multinomial{}), g.Params.Group("written", 3, em.Multinomial{})
		heard.SetStart([]float64{.2, .3, .5})
		written.SetStart([]float64{.6, .3, .1})
		g.Theta = g.Params.Start()
		xs, ys := all(sources, 2)[1:4], all(targets, 2)[2:5]
		example := Example{Source: Lattice(lattice(g, heard, xs)), Target: Lattice(lattice(g, written, ys))}
		p, err := g.Predictor()
		if err != nil {
			t.Fatal(err)
		}
		var examples []Example
		for _, x := range []Example{example, {Source: example.Source, Target: Words(ys[0]...)}, {Source: Words(xs[2]...), Target: example.Target}} {
			sum, best := 0.0, 0.0
			for i, a := range xs {
				for k, b := range ys {
					w := heard.In(g.Theta)[i] * written.In(g.Theta)[k]
					if x.Source.lattice == nil {
						w /= heard.In(g.Theta)[i]
						if i != 2 {
							continue
						}
					}
					if x.Target.lattice == nil {
						w /= written.In(g.Theta)[k]
						if k != 0 {
							continue
						}
					}
					for _, d := range derivations(g.Rules(), a, b) {
						sum, best = sum+w*d.p, max(best, w*d.p)
					}
				}
			}
			got, err := p.LogProb(x)
			if err != nil || !near(got, math.Log(sum)) {
				t.Errorf("seed %d: ln P(%v / %v) is %v, %v, want %v", seed, x.Source, x.Target, got, err, math.Log(sum))
			}
			if sum == 0 {
				continue
			}
			examples = append(examples, x)
			d, err := p.Best(x)
			if err != nil || !near(d.LogProb, math.Log(best)) {
				t.Errorf("seed %d: the best is %v, %v, want ln P = %v", seed, d, err, math.Log(best))
			}
		}
		if len(examples) == 0 {
			continue
		}
		l, err := g.Likelihood(Data{Examples: examples})
		if err != nil {
			t.Fatal(err)
		}
		differences(t, l, g.Theta)
	}
}

// TestBadLattices: a lattice with other labels, with an error of its own, or with weights that came
// after the predictor is an error; no lattice is a panic.
func TestBadLattices(t *testing.T) {
	g, err := New("A", []Rule{Pair("A", "x", "u"), Pair("A", "y", "v")}, em.Multinomial{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := g.Predictor()
	if err != nil {
		t.Fatal(err)
	}
	space := g.Params.Space()
	line := func(symbols *fst.Symbols, w expr.W) cascade.Stage {
		b := fst.NewBuilder(space)
		b.SetSymbols(symbols, symbols)
		b.AddStates(2)
		b.AddStart(0, expr.One)
		b.AddArc(0, fst.Arc[expr.W]{In: 1, Out: 1, To: 1, Weight: w})
		b.SetFinal(1, expr.One)
		f, err := b.Freeze()
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	failed := errors.New("a cause of one's own")
	for name, x := range map[string]struct {
		lattice cascade.Stage
		want    error
	}{
		"other labels":    {line(fst.NewSymbols("y", "x"), expr.One), fst.ErrMismatch},
		"its own error":   {fst.Failed(space, failed), failed},
		"weights of late": {line(g.Symbols(), space.Const(semiring.NewScaled(.125))), ErrInvalid},
	} {
		if _, err := p.LogProb(Example{Source: Lattice(x.lattice)}); !errors.Is(err, x.want) {
			t.Errorf("%s: error %v, want %v", name, err, x.want)
		}
		if _, err := p.Best(Example{Source: Lattice(x.lattice)}); !errors.Is(err, x.want) {
			t.Errorf("%s: error %v, want %v", name, err, x.want)
		}
	}
	if got, err := p.LogProb(Example{Source: Lattice(line(g.Symbols(), expr.One))}); err != nil || !near(got, math.Log(.5)) {
		t.Errorf("ln P is %v, %v, want ln ½", got, err)
	}
	defer func() {
		if r := recover(); r == nil || !strings.Contains(fmt.Sprint(r), "machine") {
			t.Errorf("recovered %v, want a panic that names the machine", r)
		}
	}()
	Lattice(nil)
}

// Derivations without number of a side that is not known have a sum, or an error.
func TestCycles(t *testing.T) {
	rules := func(w float64) *Grammar {
		long := Straight("S", "S", "S")
		long.Weight = w
		g, err := New("S", []Rule{long, Pair("S", "x", "u"), Pair("S", "", "v")}, em.Multinomial{})
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	for _, w := range []float64{.5, 1, 1.9} {
		g := rules(w)
		p, err := g.Predictor()
		if err != nil {
			t.Fatal(err)
		}
		// e is what S makes with no word of the source: e = a e² + c; and f what it makes with
		// one: f = 2 a e f + b.
		a, b, c := w/(w+2), 1/(w+2), 1/(w+2)
		e := (1 - math.Sqrt(1-4*a*c)) / (2 * a)
		want := math.Log(b / (1 - 2*a*e))
		if got, err := p.LogProb(Example{Source: Words("x")}); err != nil || !near(got, want) {
			t.Errorf("weight %v: ln P(x / ?) is %v, %v, want %v", w, got, err, want)
		}
		if d, err := p.Best(Example{Source: Words("x")}); err != nil || strings.Join(d.Target, " ") != "u" {
			t.Errorf("weight %v: the best is %v, %v, want x/u", w, d, err)
		}
		data := Data{Examples: []Example{{Source: Words("x", "x")}, {Source: Words("x"), Target: Words("v", "u")}, {Target: Words("u")}}}
		l, err := g.Likelihood(data)
		if err != nil {
			t.Fatal(err)
		}
		differences(t, l, g.Theta)
		r, err := g.Fit(context.Background(), data, nil)
		if err != nil {
			t.Fatal(err)
		}
		monotone(t, r)
	}
	long := Straight("S", "S", "S")
	long.Weight = 9
	g, err := New("S", []Rule{long, Pair("S", "x", "u"), Pair("S", "", "v")}, em.Multinomial{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := g.Predictor()
	if err != nil {
		t.Fatal(err)
	}
	d, err := p.Best(Example{Source: Words("x", "x")})
	if err != nil || d.String() != "[x/u x/u]" {
		t.Errorf("the best is %v, %v", d, err)
	}
}

// T writes words of the target alone, without an end in the mean: the limit of what has a sum.
func TestDiverges(t *testing.T) {
	g, err := New("S", []Rule{Straight("S", "T", "S"), Pair("S", "x", "u"), Straight("T", "T", "T"), Pair("T", "", "v")}, em.Multinomial{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := g.Predictor()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.LogProb(Example{Source: Words("x")}); !errors.Is(err, semiring.ErrDiverges) {
		t.Errorf("error %v, want that the sum diverges", err)
	}
	// Two sides that are known have no such cycle.
	got, err := p.LogProb(Example{Source: Words("x"), Target: Words("v", "u")})
	if want := 3 * math.Log(.5); err != nil || !near(got, want) {
		t.Errorf("ln P(x / v u) is %v, %v, want %v", got, err, want)
	}
}

// differences compares the counts of an E step with divided differences of the log likelihood.
func differences(t *testing.T, l em.Likelihood, theta []float64) {
	t.Helper()
	at := func(theta []float64) *em.Expectations {
		e, err := l.Expect(context.Background(), em.Query{Theta: theta})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	const h = 2e-7 // sums remain legal
	counts := at(theta).Counts
	for i, x := range theta {
		up, down := slices.Clone(theta), slices.Clone(theta)
		up[i], down[i] = x*(1+h), x*(1-h)
		want := (at(up).LogLikelihood - at(down).LogLikelihood) / (2 * h)
		if math.Abs(counts[i]-want) > 1e-6*max(1, want) {
			t.Errorf("the count of %s is %v, a difference %v", l.Params().Name(int32(i)), counts[i], want)
		}
	}
}

// monotone checks that the objective never falls.
func monotone(t *testing.T, r *em.Result) {
	t.Helper()
	for i, x := range r.Objective[1:] {
		if x < r.Objective[i]-1e-9*math.Abs(x) {
			t.Errorf("iteration %d: the objective falls from %v to %v", i+1, r.Objective[i], x)
		}
	}
}

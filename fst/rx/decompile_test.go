package rx_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/fst/rx"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// The running example of Eisner 2002 is decompiled with its parameters: the joint machines become
// probabilistic expressions, as far as their weights are coins.
func TestDecompileRunningExample(t *testing.T) {
	params := em.NewParams()
	alphabet := fst.NewSymbols("a", "b", "p", "q", "x", "z")
	c := trainable(params, alphabet)
	define(t, c, runningExample)
	if err := c.Declare(rx.Ref("a")); err != nil {
		t.Fatal(err)
	}
	reals := semiring.Real{}
	numbers := rx.NewCompiler(reals, alphabet)
	for name, want := range map[string][2]string{
		"b": {"a:p*_λ (b:p +_ν b:q)*_μ", "a:p*_0.7 (b:p +_0.2 b:q)*_0.5"},
		"c": {"(<1-ρ>p:x | q:z)*(<ρ>p:()(p:() | q:z)* | ())", "(<0.9>p:x | q:z)*(<0.1>p:()(p:() | q:z)* | ())"},
		"a": {}, // of which no arc is a coin
	} {
		f := must(c.Machine(name))(t)
		e := must(c.Decompile(f))(t)
		m := must(cascade.Instantiate(params, f, truth, reals))(t)
		n := must(numbers.Decompile(m))(t)
		if want[0] != "" && (e.String() != want[0] || n.String() != want[1]) {
			t.Errorf("(%s) is %s and %s, want %s", name, e, n, want)
		}
		if name == "a" && !probabilistic(n) {
			t.Errorf("(a) is %s, which has weights", n)
		}
		for _, coin := range []string{"λ", "μ", "ν", "ρ"} {
			if name == "a" && !strings.Contains(e.String(), coin) {
				t.Errorf("(a) is %s, without the coin %s", e, coin)
			}
		}
		for what, again := range map[string]*fst.FST[float64]{
			"with parameters": must(cascade.Instantiate(params, must(c.Compile(e))(t), truth, reals))(t),
			"with numbers":    must(numbers.Compile(n))(t),
		} {
			if diff := fsttest.DiffWeights(m, again, 6, 2, reals.Dist, 1e-10); diff != "" {
				t.Errorf("(%s) %s: %s", name, what, diff)
			}
		}
	}
}

// probabilistic reports whether e has no operators but concatenation, +_p and *_p.
func probabilistic(e rx.Expr) bool {
	text := e.String()
	return !strings.ContainsAny(text, "<|?{") && strings.Count(text, "*") == strings.Count(text, "*_") && strings.Count(text, "+") == strings.Count(text, "+_")
}

// machine returns a random machine over a b with cycles, of ε too.
func randomMachine[W any](t testing.TB, rng *rand.Rand, ring semiring.Semiring[W], weight func(s int32) W) *fst.FST[W] {
	b := fst.NewBuilder(ring)
	n := int32(1 + rng.IntN(5))
	b.AddStates(int(n))
	b.AddStart(rng.Int32N(n), ring.One())
	if rng.IntN(4) == 0 {
		b.AddStart(rng.Int32N(n), weight(-1))
	}
	for s := range n {
		for range rng.IntN(4) {
			b.AddArc(s, fst.Arc[W]{In: rng.Int32N(3), Out: rng.Int32N(3), To: rng.Int32N(n), Weight: weight(s)})
		}
		if rng.IntN(2) == 0 || s == n-1 {
			b.SetFinal(s, weight(s))
		}
	}
	return must(b.Freeze())(t)
}

// markovian returns f with the weights of each state divided by their sum.
func markovian(t testing.TB, f *fst.FST[float64]) *fst.FST[float64] {
	f = must(fst.Connect(f, nil))(t)
	arcs, final := []float64{}, make([]float64, f.NumStates())
	for s := range int32(f.NumStates()) {
		sum := f.Final(s)
		for _, a := range f.AppendArcs(nil, s) {
			sum += a.Weight
		}
		for _, a := range f.AppendArcs(nil, s) {
			arcs = append(arcs, a.Weight/sum)
		}
		final[s] = f.Final(s) / sum
	}
	starts, sum := f.AppendStarts(nil), 0.0
	for _, s := range starts {
		sum += s.Weight
	}
	for i := range starts {
		starts[i].Weight /= sum
	}
	return must(f.WithWeights(arcs, starts, final))(t)
}

// A machine read as an expression and compiled again has the same relation, whatever its
// weights; a Markovian one that halts becomes a probabilistic expression.
func TestDecompile(t *testing.T) {
	reals := semiring.Real{}
	costs := semiring.Tropical{}
	truths := semiring.Boolean{}
	alphabet := fst.NewSymbols("a", "b")
	some := 0
	for seed := range trials.Seeds(100) {
		rng := fsttest.Rand(seed)
		cr := rx.NewCompiler(reals, alphabet)
		f := randomMachine(t, rng, reals, func(int32) float64 { return rng.Float64() * .45 })
		again(t, seed, cr, f)

		if m := must(fst.Connect(f, nil))(t); m.NumStates() > 0 {
			m = markovian(t, m)
			e := again(t, seed, cr, m)
			if !probabilistic(e) {
				t.Fatalf("seed %d: a Markovian machine is %s", seed, e)
			}
			some++
		}
		f = randomMachine(t, rng, reals, func(int32) float64 { return rng.Float64() * 3 })
		if _, err := fst.Expand(fst.RemoveEpsilon(f), nil); err == nil { // it may have no sum
			again(t, seed, cr, must(fst.Connect(f, nil))(t))
		}
		again(t, seed, rx.NewCompiler(costs, alphabet), randomMachine(t, rng, costs, func(int32) semiring.Cost { return semiring.Cost(rng.Float64() * 3) }))
		again(t, seed, rx.NewCompiler(truths, alphabet), randomMachine(t, rng, truths, func(int32) bool { return true }))
	}
	if some < 50 {
		t.Errorf("only %d machines are Markovian", some)
	}
}

// again checks that f is unchanged after conversion to an expression and its text.
func again[W any](t *testing.T, seed uint64, c *rx.Compiler[W], f *fst.FST[W]) rx.Expr {
	t.Helper()
	e, err := c.Decompile(f)
	if err != nil {
		t.Fatalf("seed %d: %v\n%v", seed, err, f)
	}
	read, err := rx.Parse(e.String())
	if err != nil || !read.Equal(e) {
		t.Fatalf("seed %d: %s was read as %s (%v)", seed, e, read, err)
	}
	g, err := c.Compile(read)
	if err != nil {
		t.Fatalf("seed %d: %s: %v", seed, e, err)
	}
	dist := must(semiring.Require[semiring.Metric[W]](f.Semiring()))(t).Dist
	if diff := fsttest.DiffWeights(f, g, 2, 3, dist, 1e-10); diff != "" {
		t.Fatalf("seed %d: %s: %s", seed, e, diff)
	}
	return e
}

// Machines with parameters are decompiled with the same groups, also machines with sums and
// closures for weights.
func TestDecompileParameters(t *testing.T) {
	reals := semiring.Real{}
	alphabet := fst.NewSymbols("a", "b")
	compared := 0
	for seed := range trials.Seeds(60) {
		g := &grower{rng: fsttest.Rand(seed), composes: true, numbers: true, bounded: func(t *tree) bool { return t.kids[0].of("", "") < .9 }}
		params := em.NewParams()
		c := trainable(params, alphabet)
		must(c.Compile(rx.MustParse("{δ: x = () | y = ()}<λ0><λ1><λ2>{ε: a | b | ()}")))(t)
		var f *fst.FST[expr.W]
		if seed%2 == 0 {
			f = must(c.Compile(g.grow(3, false, false).expr()))(t)
		} else {
			all := params.Groups()
			f = randomMachine(t, g.rng, params.Space(), func(int32) expr.W {
				w := params.Space().One()
				for range 1 + g.rng.IntN(3) {
					group := all[g.rng.IntN(len(all))]
					w = params.Space().Times(w, group.Weight(g.rng.IntN(group.Len())))
				}
				return w
			})
		}
		e, err := c.Decompile(f)
		if err != nil {
			t.Fatalf("seed %d: %v\n%v", seed, err, f)
		}
		n := params.Len()
		h := must(c.Compile(must(rx.Parse(e.String()))(t)))(t)
		if params.Len() != n {
			t.Fatalf("seed %d: %s has parameters of its own", seed, e)
		}
		theta := params.Random(g.rng)
		want := must(fst.Connect(must(instantiate(params, f, theta))(t), nil))(t)
		if _, err := fst.Expand(fst.RemoveEpsilon(want), nil); err != nil {
			continue // a pair has no sum
		}
		compared++
		got := must(instantiate(params, h, theta))(t)
		if diff := fsttest.DiffWeights(want, got, 2, 3, reals.Dist, 1e-10); diff != "" {
			t.Fatalf("seed %d: %s: %s\n%v", seed, e, diff, f)
		}
	}
	if compared < 30 {
		t.Errorf("only %d machines", compared)
	}
}

// instantiate returns f with the values of its weights at θ, whether valid or not.
func instantiate(params *em.Params, f *fst.FST[expr.W], theta []float64) (*fst.FST[float64], error) {
	values, err := expr.Map(params.Space(), semiring.Real{}, func(p int32) float64 { return theta[p] }, semiring.ScaledFloat.Float64)
	if err != nil {
		return nil, err
	}
	return fst.Expand(fst.Map(f, semiring.Real{}, func(w expr.W) float64 { return values[w] }), nil)
}

func TestDecompileErrors(t *testing.T) {
	reals := semiring.Real{}
	alphabet := fst.NewSymbols("a", "b")
	c := rx.NewCompiler(reals, alphabet)
	arc := func(ring semiring.Semiring[float64], label int32, w float64) *fst.FST[float64] {
		b := fst.NewBuilder(ring)
		b.AllowZero()
		b.AddStates(2)
		b.AddStart(0, 1)
		b.AddArc(0, fst.Arc[float64]{In: label, Out: label, To: 1, Weight: w})
		b.SetFinal(1, 1)
		return must(b.Freeze())(t)
	}
	for _, test := range []struct {
		f       *fst.FST[float64]
		want    error
		message string
	}{
		{arc(reals, 1, -1), rx.ErrInvalid, "a weight of -1, want"},
		{arc(reals, 1, math.Inf(1)), rx.ErrInvalid, "a weight of Infinity, want"},
		{arc(reals, 3, 1), fst.ErrSymbol, "label 3 is not in the alphabet"},
		{arc(reals, 1, 1).WithSymbols(fst.NewSymbols("b"), nil), fst.ErrMismatch, ""},
	} {
		_, err := c.Decompile(test.f)
		if at := new(rx.Error); !errors.Is(err, test.want) || !errors.As(err, &at) || !strings.Contains(err.Error(), test.message) {
			t.Errorf("error %v, want %v: %s", err, test.want, test.message)
		}
	}
	for _, test := range []struct {
		f    *fst.FST[float64]
		want string
	}{
		{arc(reals, 1, 0), "<0>"},
		{arc(reals, 2, .25), "<0.25>b"},
		{arc(reals, 0, 1e-305), ""}, // more than one weight
	} {
		if e := must(c.Decompile(test.f))(t); e.String() != test.want && test.want != "" {
			t.Errorf("read as %s, want %s", e, test.want)
		}
		again(t, 0, c, test.f)
	}

	params := em.NewParams()
	unknown := params.Group("γ", 2, em.Multinomial{})
	trained := trainable(params, alphabet)
	must(trained.Compile(rx.MustParse("<λ><δ.x><δ.y>")))(t)
	space := params.Space()
	over, _ := space.RDiv(space.One(), space.Plus(space.Param(2), space.Param(4)))
	under, _ := space.RDiv(space.One(), space.Param(4))
	for message, w := range map[string]expr.W{"parameter 1, γ[1], is of no group": unknown.Weight(1), "divides by": over, "divides by δ.x": under} {
		f := fst.Map(fst.FromString(semiring.Boolean{}, []int32{1}), space, func(bool) expr.W { return w })
		if _, err := trained.Decompile(must(fst.Expand(f, nil))(t)); err == nil || !strings.Contains(err.Error(), message) {
			t.Errorf("error %v, want %s", err, message)
		}
	}
}

// A machine whose expression is too large is rejected, in time that does not depend on its size.
func TestDecompileLimit(t *testing.T) {
	truths := semiring.Boolean{}
	b := fst.NewBuilder(truths)
	const n = 40
	_, alphabet := numbered(n * n)
	b.AddStates(n)
	b.AddStart(0, true)
	for s := range int32(n) {
		for to := range int32(n) {
			b.AddArc(s, fst.Arc[bool]{In: 1 + s*n + to, Out: 1 + s*n + to, To: to, Weight: true})
		}
	}
	b.SetFinal(n-1, true)
	c := rx.NewCompiler(truths, alphabet)
	if _, err := c.Decompile(must(b.Freeze())(t)); !errors.Is(err, semiring.ErrLimit) {
		t.Errorf("error %v, want %v", err, semiring.ErrLimit)
	}
}

// Probabilities of very different sizes: small ones remain accurate if others are near 1.
func TestDecompileExtremes(t *testing.T) {
	logs := semiring.Log{}
	alphabet := fst.NewSymbols("a", "b")
	c := rx.NewCompiler(logs, alphabet)
	for _, ln := range []semiring.LogProb{-1, -40, -700, -2000} {
		b := fst.NewBuilder(logs)
		b.AddStates(3)
		b.AddStart(0, 0)
		stay := semiring.LogProb(math.Log1p(-math.Exp(float64(ln)) / 2))
		for _, a := range []fst.Arc[semiring.LogProb]{{In: 1, Out: 1, To: 1, Weight: ln / 2}, {In: 2, Out: 2, To: 2, Weight: stay}, {In: 1, Out: 2, To: 2, Weight: 2 * ln}} {
			b.AddArc(0, a)
		}
		b.AddArc(1, fst.Arc[semiring.LogProb]{In: 1, Out: 1, To: 2, Weight: ln})
		b.AddArc(2, fst.Arc[semiring.LogProb]{In: 2, Out: 2, To: 2, Weight: stay})
		b.SetFinal(2, ln)
		f := must(b.Freeze())(t)
		g := must(c.Compile(must(c.Decompile(f))(t)))(t)
		for _, pair := range [][2][]int32{{{1, 1}, {1, 1}}, {{2}, {2}}, {{1}, {2}}, {{1, 2, 2}, {2, 2, 2}}} {
			want, got := must(fst.Weight(f, pair[0], pair[1], nil))(t), must(fst.Weight(g, pair[0], pair[1], nil))(t)
			if !(math.Abs(float64(got-want)) <= 1e-10+1e-13*math.Abs(float64(want))) {
				t.Errorf("ln %g, %v: %v, want %v", ln, pair, got, want)
			}
		}
	}
}

// Many arcs make operators that are not nested deep, in a time that is not quadratic.
func TestDecompileWide(t *testing.T) {
	const n = 8000
	_, alphabet := numbered(n)
	params := em.NewParams()
	c := trainable(params, alphabet)
	var as []rx.Alternative
	for i := range n {
		as = append(as, rx.Alternative{Expr: rx.Symbol(fmt.Sprintf("x%d", i))})
	}
	e := rx.ProbStar(rx.Coin("λ"), rx.Choice("γ", as...))
	f := must(c.Compile(e))(t)
	if got := must(c.Decompile(f))(t); !got.Equal(e) {
		t.Errorf("%d characters, want %d", len(got.String()), len(e.String()))
	}
	reals := semiring.Real{}
	m := must(cascade.Instantiate(params, f, params.Start(), reals))(t)
	if got := must(rx.NewCompiler(reals, alphabet).Decompile(m))(t); !probabilistic(got) {
		t.Errorf("%d characters", len(got.String()))
	}
}

// A long string is a short expression: parts are not copied repeatedly.
func TestDecompileLong(t *testing.T) {
	reals := semiring.Real{}
	x := make([]int32, 20_000)
	for i := range x {
		x[i] = 1 + int32(i)%2
	}
	c := rx.NewCompiler(reals, fst.NewSymbols("a", "b"))
	e := must(c.Decompile(fst.FromString(reals, x)))(t)
	if got := e.String(); len(got) > len(x)+len(x)/50 || !strings.HasPrefix(got, "ababab") {
		t.Errorf("%d characters", len(got))
	}
}

// A clique with loops: state elimination has no good order.
func BenchmarkDecompile(b *testing.B) {
	const n = 7
	_, alphabet := numbered(n * n)
	reals := semiring.Real{}
	build := fst.NewBuilder(reals)
	build.AddStates(n)
	build.AddStart(0, 1)
	for s := range int32(n) {
		for to := range int32(n) {
			build.AddArc(s, fst.Arc[float64]{In: 1 + s*n + to, Out: 1 + s*n + to, To: to, Weight: 1.0 / (n + 1)})
		}
		build.SetFinal(s, 1.0/(n+1))
	}
	f := must(build.Freeze())(b)
	c := rx.NewCompiler(reals, alphabet)
	for b.Loop() {
		if _, err := c.Decompile(f); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(must(c.Decompile(f))(b).String())), "characters")
}

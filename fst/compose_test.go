package fst_test

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
)

type series = fsttest.Series

// bags is the ring of the tests of composition.
var bags = semiring.Semiring[series](fsttest.Bags{Max: 5})

func shapes(r *rand.Rand) fsttest.Shape {
	n := 1 + r.IntN(4)
	return fsttest.Shape{
		States:  n,
		Arcs:    2 * n,
		Labels:  1 + r.IntN(3),
		Epsilon: []float64{0, .3, .6}[r.IntN(3)],
		Acyclic: r.IntN(3) == 0,
		Plain:   r.IntN(3) > 0,
	}
}

// disguise returns m unchanged, frozen, or as a machine of unknown type.
func disguise(t *testing.T, r *rand.Rand, m fst.Machine[series]) fst.Machine[series] {
	switch r.IntN(4) {
	case 0:
		return fsttest.Opaque[series]{Machine: m}
	case 1:
		return must(fst.Expand(m, nil))(t)
	}
	return m
}

// Every pair of paths that agree in the middle is one path of the composition: over the free
// commutative ring all pairs differ, so lost and repeated ones are detected.
func TestComposeIsJoin(t *testing.T) {
	for seed := range trials.Seeds(200) {
		r := fsttest.Rand(seed)
		letters := 0
		a := fsttest.New(r, bags, shapes(r), &letters)
		b := fsttest.New(r, bags, shapes(r), &letters)
		c := fst.Compose(disguise(t, r, a), disguise(t, r, b))
		want := fsttest.Join(bags, fsttest.RelationOf(a), fsttest.RelationOf(b))
		if d := fsttest.Diff(fsttest.RelationOf(c), want); d != "" {
			t.Fatalf("seed %d: %s", seed, d)
		}
		if d := fsttest.Diff(fsttest.RelationOf(must(fst.Expand(c, nil))(t)), want); d != "" {
			t.Fatalf("seed %d, expanded: %s", seed, d)
		}
	}
}

// compose returns the composition of ms, bracketed at random.
func compose(t *testing.T, r *rand.Rand, ms []fst.Machine[series]) fst.Machine[series] {
	if len(ms) == 1 {
		return disguise(t, r, ms[0])
	}
	k := 1 + r.IntN(len(ms)-1)
	c := fst.Compose(compose(t, r, ms[:k]), compose(t, r, ms[k:]))
	return disguise(t, r, c)
}

func TestComposeChains(t *testing.T) {
	for seed := range trials.Seeds(200) {
		r := fsttest.Rand(seed)
		letters := 0
		var ms []fst.Machine[series]
		var want fsttest.Relation
		ring := semiring.Semiring[series](fsttest.Bags{Max: 5})
		for i := range 3 + r.IntN(2) {
			shape := shapes(r)
			shape.States = min(shape.States, 3)
			shape.Arcs = min(shape.Arcs, 5)
			f := fsttest.New(r, ring, shape, &letters)
			ms = append(ms, f)
			if i == 0 {
				want = fsttest.RelationOf(f)
			} else {
				want = fsttest.Join(ring, want, fsttest.RelationOf(f))
			}
		}
		if d := fsttest.Diff(fsttest.RelationOf(compose(t, r, ms)), want); d != "" {
			t.Fatalf("seed %d: %s", seed, d)
		}
	}
}

// A lazy machine may be both operands, and may be an operand twice.
func TestComposeWithItself(t *testing.T) {
	for seed := range trials.Seeds(100) {
		r := fsttest.Rand(seed)
		letters := 0
		a, b := fsttest.New(r, bags, shapes(r), &letters), fsttest.New(r, bags, shapes(r), &letters)
		c := fst.Compose(a, b)
		square := fst.Compose(c, c)
		once := fsttest.Join(bags, fsttest.RelationOf(a), fsttest.RelationOf(b))
		if d := fsttest.Diff(fsttest.RelationOf(square), fsttest.Join(bags, once, once)); d != "" {
			t.Fatalf("seed %d: %s", seed, d)
		}
		if d := fsttest.Diff(fsttest.RelationOf(c), once); d != "" {
			t.Fatalf("seed %d, the operand afterwards: %s", seed, d)
		}
	}
}

// mass returns a number for the first letter of a trace, and 1 for the empty trace.
func mass(w series) float64 {
	for trace := range w {
		if trace == "" {
			return 1
		}
		return float64(trace[0]%7+1) / 8
	}
	return 0
}

// acyclic returns a random acyclic machine, whose paths can be enumerated.
func acyclic(r *rand.Rand, letters *int) *fst.FST[series] {
	ring := semiring.Semiring[series](fsttest.Bags{Max: math.MaxInt})
	return fsttest.New(r, ring, fsttest.Shape{States: 5, Arcs: 10, Labels: 2, Epsilon: .3, Acyclic: true}, letters)
}

// The path sum of x ∘ a ∘ b ∘ y is the weight of (x, y) in the join. In the counting semiring
// it is the number of pairs of paths.
func TestComposePathSums(t *testing.T) {
	counting := semiring.Semiring[*big.Int](semiring.Counting{})
	pairs := 0
	for seed := range trials.Seeds(1000) {
		r := fsttest.Rand(seed)
		letters := 0
		a, b := acyclic(r, &letters), acyclic(r, &letters)
		want := fsttest.Join(a.Semiring(), fsttest.RelationOf(a), fsttest.RelationOf(b))
		sums := fsttest.Frozen(fst.Map(a, reals, mass))
		sumsOfB := fsttest.Frozen(fst.Map(b, reals, mass))
		one := func(series) *big.Int { return big.NewInt(1) }
		counts, countsOfB := fsttest.Frozen(fst.Map(a, counting, nonZero(one))), fsttest.Frozen(fst.Map(b, counting, nonZero(one)))
		for p, w := range want {
			pairs++
			sum, paths := 0.0, int64(0)
			for trace, n := range w {
				product := float64(n)
				for _, letter := range []byte(trace) {
					product *= mass(series{string([]byte{letter}): 1})
				}
				sum += product
				paths += int64(n)
			}
			if got := total(t, p, sums, sumsOfB); math.Abs(got-sum) > 1e-12*sum {
				t.Fatalf("seed %d: (%s, %s) has weight %g, want %g", seed, p.In, p.Out, got, sum)
			}
			if got := total(t, p, counts, countsOfB); got.Cmp(big.NewInt(paths)) != 0 {
				t.Fatalf("seed %d: (%s, %s) has %v paths, want %d", seed, p.In, p.Out, got, paths)
			}
		}
	}
	if pairs < 500 {
		t.Errorf("only %d pairs of strings tried", pairs)
	}
}

func nonZero(h func(series) *big.Int) func(series) *big.Int {
	return func(w series) *big.Int {
		if len(w) == 0 {
			return new(big.Int)
		}
		return h(w)
	}
}

// total returns the path sum of p.In ∘ a ∘ b ∘ p.Out, with lazy compositions.
func total[W any](t *testing.T, p fsttest.Pair, a, b *fst.FST[W]) W {
	t.Helper()
	m := fst.Machine[W](fst.FromString(a.Semiring(), labels(p.In)))
	for _, next := range []fst.Machine[W]{a, b, fst.FromString(a.Semiring(), labels(p.Out))} {
		m = fst.Compose(m, next)
	}
	return must(fst.PathSum(m, nil))(t)
}

func pairOf(in, out string) fsttest.Pair { return fsttest.Pair{In: in, Out: out} }

// labels is the inverse of fsttest.String.
func labels(s string) []int32 {
	x := make([]int32, len(s))
	for i := range x {
		x[i] = int32(s[i]-'a') + 1
	}
	return x
}

func TestComposeEpsilonCycle(t *testing.T) {
	b := fst.NewBuilder(reals)
	b.AddStates(2)
	b.AddStart(0, 1)
	b.SetFinal(1, 1)
	b.AddArc(0, fst.Arc[float64]{To: 0, Weight: .5})
	b.AddArc(0, fst.Arc[float64]{In: 1, Out: 2, To: 1, Weight: .5})
	f := must(b.Freeze())(t)
	if got := total(t, pairOf("a", "b"), f, fst.FromString(f.Semiring(), []int32{2})); math.Abs(got-1) > 1e-12 {
		t.Errorf("(a, b) has weight %.17g, want 1", got)
	}
}

func TestComposeKeepsArcsOfWeightZero(t *testing.T) {
	b := fst.NewBuilder(reals)
	b.AllowZero()
	b.AddStates(1)
	b.AddStart(0, 1)
	b.SetFinal(0, 1)
	b.AddArc(0, fst.Arc[float64]{In: 1, Out: 1, Weight: 0})
	b.AddArc(0, fst.Arc[float64]{In: 2, Out: 2, Weight: 1})
	f := must(b.Freeze())(t)
	c := must(fst.Expand(fst.Compose(f, f), nil))(t)
	if c.NumArcs() != 2 {
		t.Errorf("%d arcs, want 2", c.NumArcs())
	}
}

func TestComposeErrors(t *testing.T) {
	a := fst.FromString(reals, []int32{1})
	scaled := fst.FromString(semiring.Scaled{}, []int32{1})
	viterbi := fst.FromString(semiring.Viterbi{}, []int32{1})
	traces := fst.FromString(fsttest.Traces{Max: 3}, []int32{1})
	if err := fst.Err(fst.Compose(traces, traces)); !errors.Is(err, semiring.ErrCapability) {
		t.Errorf("a ring that is not commutative: %v", err)
	}
	if err := fst.Err(fst.Compose(scaled, viterbi)); !errors.Is(err, fst.ErrMismatch) {
		t.Errorf("two rings: %v", err)
	}
	ab, ba := fst.NewSymbols("a", "b"), fst.NewSymbols("b", "a")
	for _, test := range []struct {
		out, in *fst.Symbols
		ok      bool
	}{
		{ab, ab, true}, {ab, fst.NewSymbols("a", "b"), true}, {ab, nil, true}, {nil, ba, true}, {ab, ba, false},
	} {
		c := fst.Compose(a.WithSymbols(ba, test.out), a.WithSymbols(test.in, ab))
		err := c.Err()
		if (err == nil) != test.ok || err != nil && !errors.Is(err, fst.ErrMismatch) {
			t.Errorf("symbols %v and %v: %v", test.out, test.in, err)
		}
		if err == nil && (c.InSymbols() != ba || c.OutSymbols() != ab) {
			t.Errorf("symbols %v and %v were not kept", test.out, test.in)
		}
	}
}

// A limit stops the machine and the compositions within it, and does not affect a later
// attempt.
func TestExpandLimit(t *testing.T) {
	wide := fst.NewBuilder(reals) // x ∘ wide has many arcs, few of which match y
	wide.AddStates(1)
	wide.AddStart(0, 1)
	wide.SetFinal(0, 1)
	for l := range int32(1000) {
		wide.AddArc(0, fst.Arc[float64]{In: 1, Out: l + 1, Weight: 1})
	}
	f := must(wide.Freeze())(t)
	x := fst.FromString(reals, []int32{1, 1, 1})
	outer := fst.Compose(x, f)
	if _, err := fst.Expand(outer, &fst.Options{Limit: 3003}); !errors.Is(err, semiring.ErrLimit) {
		t.Errorf("3004 states and arcs: %v", err)
	}
	if got := must(fst.Expand(outer, &fst.Options{Limit: 3004}))(t); got.NumStates() != 4 || got.NumArcs() != 3000 {
		t.Errorf("%d states and %d arcs, want 4 and 3000", got.NumStates(), got.NumArcs())
	}
	if _, err := fst.Expand(f, &fst.Options{Limit: 1000}); !errors.Is(err, semiring.ErrLimit) {
		t.Errorf("1001 states and arcs of an FST: %v", err)
	}

	// The arcs of outer and other do not match, but they have to be created.
	other := fst.NewBuilder(reals)
	other.AddStates(1)
	other.AddStart(0, 1)
	other.SetFinal(0, 1)
	for l := range int32(2000) {
		other.AddArc(0, fst.Arc[float64]{In: l + 999, Out: l + 999, Weight: 1})
	}
	small := fst.Compose(outer, must(other.Freeze())(t))
	if _, err := fst.Expand(small, &fst.Options{Limit: 500}); !errors.Is(err, semiring.ErrLimit) {
		t.Errorf("arcs within, limit 500: %v", err)
	}
	if got := must(fst.Expand(small, &fst.Options{Limit: 5000}))(t); got.NumStates() != 4 || got.NumArcs() != 6 {
		t.Errorf("%d states and %d arcs, want 4 and 6", got.NumStates(), got.NumArcs())
	}
}

// finder is a machine that finds arcs by label and counts the arcs that it creates.
type finder struct {
	fst.Machine[series]
	made *int
}

func (f finder) AppendArcs(dst []fst.Arc[series], s int32) []fst.Arc[series] {
	n := len(dst)
	dst = f.Machine.AppendArcs(dst, s)
	*f.made += len(dst) - n
	return dst
}

func (f finder) AppendMatching(dst []fst.Arc[series], s int32, tape fst.Tape, label int32) []fst.Arc[series] {
	for _, a := range f.Machine.AppendArcs(nil, s) {
		if tape == fst.Input && a.In == label || tape == fst.Output && a.Out == label {
			dst = append(dst, a)
			*f.made++
		}
	}
	return dst
}

// A Finder can be composed like the machine that it represents, on either side and on both.
func TestComposeFinder(t *testing.T) {
	for seed := range trials.Seeds(60) {
		r := fsttest.Rand(seed)
		letters, made := 0, 0
		a, b := fsttest.New(r, bags, shapes(r), &letters), fsttest.New(r, bags, shapes(r), &letters)
		want := fsttest.Join(bags, fsttest.RelationOf(a), fsttest.RelationOf(b))
		left, right := disguise(t, r, a), disguise(t, r, b)
		if seed%3 != 0 {
			left = finder{a, &made}
		}
		if seed%3 != 1 {
			right = finder{b, &made}
		}
		c := must(fst.Expand(fst.Compose(left, right), nil))(t)
		if d := fsttest.Diff(fsttest.RelationOf(c), want); d != "" {
			t.Fatalf("seed %d: %s", seed, d)
		}
	}
}

// Composed with a string, only arcs with labels of the string are created.
func TestFinderMakesWhatIsAsked(t *testing.T) {
	b := fst.NewBuilder(bags)
	b.AddStates(1)
	b.AddStart(0, bags.One())
	b.SetFinal(0, bags.One())
	for l := range int32(1000) {
		b.AddArc(0, fst.Arc[series]{In: 1 + l, Out: 1 + l, Weight: bags.One()})
	}
	made := 0
	all := finder{must(b.Freeze())(t), &made}
	x := fst.FromString(bags, []int32{5, 700, 5})
	for _, chain := range [][2]fst.Machine[series]{{x, all}, {all, x}} {
		made = 0
		c := must(fst.Expand(fst.Compose(chain[0], chain[1]), nil))(t)
		if c.NumArcs() != 3 || made > 2 {
			t.Errorf("%d arcs, %d arcs made; want 3 and 2", c.NumArcs(), made)
		}
	}
}

// Compositions with operands that look ahead have the same paths, each once: over the free
// commutative ring all paths differ. They have at most as many states, and fewer in total.
func TestLookAhead(t *testing.T) {
	plain, less := 0, 0
	for seed := range trials.Seeds(60) {
		r := fsttest.Rand(seed)
		letters := 0
		a, b := fsttest.New(r, bags, shapes(r), &letters), fsttest.New(r, bags, shapes(r), &letters)
		want := fsttest.Join(bags, fsttest.RelationOf(a), fsttest.RelationOf(b))
		left, right := disguise(t, r, a), disguise(t, r, b)
		if seed%3 != 0 {
			left = fst.LookAhead(a, fst.Output)
		}
		if seed%3 != 1 {
			right = fst.LookAhead(b, fst.Input)
		}
		if seed%5 == 0 { // on the other tape
			left = fst.LookAhead(a, fst.Input)
		}
		c := fst.Compose(left, right)
		f := must(fst.Expand(c, nil))(t)
		if d := fsttest.Diff(fsttest.RelationOf(f), want); d != "" {
			t.Fatalf("seed %d: %s\na\n%s\nb\n%s", seed, d, a, b)
		}
		all := must(fst.Expand(fst.Compose(a, b), nil))(t).NumStates()
		if f.NumStates() > all {
			t.Fatalf("seed %d: %d states, without look-ahead %d", seed, f.NumStates(), all)
		}
		plain, less = plain+all, less+f.NumStates()
	}
	if less > plain*9/10 {
		t.Errorf("%d states, without look-ahead %d", less, plain)
	}
}

// TestLookAheadStates: a composition that looks ahead contains the states that a search by hand
// finds in the plain composition, in the same order, if it passes only through pairs of states
// with a possible next label in common.
func TestLookAheadStates(t *testing.T) {
	rejected, most := 0, 0
	for seed := range trials.Seeds(20) {
		r := fsttest.Rand(seed)
		random := func(states, degree, in, out int32, epsilons float64) *fst.FST[float64] {
			b := fst.NewBuilder(reals)
			b.AddStates(int(states))
			b.AddStart(0, 1)
			for s := range states {
				if r.IntN(4) == 0 {
					b.SetFinal(s, r.Float64())
				}
				for range 1 + r.Int32N(degree) {
					a := fst.Arc[float64]{In: 1 + r.Int32N(in), Out: 1 + r.Int32N(out), To: r.Int32N(states), Weight: r.Float64()}
					if r.Float64() < epsilons {
						a.Out = fst.Epsilon
					}
					b.AddArc(s, a)
				}
			}
			return must(b.Freeze())(t)
		}
		labels := 3 + r.Int32N(60)
		a, b := random(100, 4, 5, labels, .5), random(80, 6, labels, 5, 0)
		next := make([]map[int32]bool, a.NumStates()) // labels after each state of a; ε is the end
		for s := range next {
			next[s] = map[int32]bool{}
			for reached, i := []int32{int32(s)}, 0; i < len(reached); i++ {
				if a.Final(reached[i]) != 0 {
					next[s][fst.Epsilon] = true
				}
				for _, x := range a.AppendArcs(nil, reached[i]) {
					if x.Out != fst.Epsilon {
						next[s][x.Out] = true
					} else if !slices.Contains(reached, x.To) {
						reached = append(reached, x.To)
					}
				}
			}
		}
		plain := fst.Compose(a, b)
		continues := func(s int32) bool {
			p, q := plain.State(s)
			if b.Final(q) != 0 && next[p][fst.Epsilon] {
				return true
			}
			return slices.ContainsFunc(b.AppendArcs(nil, q), func(y fst.Arc[float64]) bool { return next[p][y.In] })
		}
		var states []int32 // of the plain composition, in the order of the other one
		number := map[int32]int32{}
		add := func(s int32) bool {
			if _, ok := number[s]; !ok && continues(s) {
				number[s] = int32(len(states))
				states = append(states, s)
			}
			_, ok := number[s]
			return ok
		}
		for _, s := range plain.AppendStarts(nil) {
			add(s.State)
		}
		f := must(fst.Expand(fst.Compose(fst.LookAhead(a, fst.Output), b), nil))(t)
		for i := 0; i < len(states); i++ {
			var want []fst.Arc[float64]
			for _, x := range plain.AppendArcs(nil, states[i]) {
				if !add(x.To) {
					rejected++
					continue
				}
				x.To = number[x.To]
				want = append(want, x)
			}
			if i >= f.NumStates() {
				t.Fatalf("seed %d: %d states, want more", seed, f.NumStates())
			}
			if got := f.AppendArcs(nil, int32(i)); !slices.Equal(got, want) || f.Final(int32(i)) != plain.Final(states[i]) {
				t.Fatalf("seed %d: state %d has the arcs %v, want %v", seed, i, got, want)
			}
		}
		if f.NumStates() != len(states) {
			t.Errorf("seed %d: %d states, want %d", seed, f.NumStates(), len(states))
		}
		most = max(most, len(states))
	}
	if rejected == 0 || most < 2000 {
		t.Errorf("%d arcs rejected, at most %d states", rejected, most)
	}
}

// A lexicon that writes each word at its end, composed with a string of words, contains only
// the spelling of the string.
func TestLookAheadHasNoDeadEnds(t *testing.T) {
	b := fst.NewBuilder(reals)
	b.AddStates(1)
	b.AddStart(0, 1)
	b.SetFinal(0, 1)
	for word := range int32(32) {
		s := int32(0)
		for i := range 4 {
			next := b.AddState()
			b.AddArc(s, fst.Arc[float64]{In: 1 + word>>i&1, To: next, Weight: 1})
			s = next
		}
		b.AddArc(s, fst.Arc[float64]{Out: 1 + word, Weight: 1})
	}
	lexicon := must(b.Freeze())(t)
	words := fst.FromString(reals, []int32{7, 3, 3, 20})
	ahead := fst.LookAhead(lexicon, fst.Output)
	f := must(fst.Expand(fst.Compose(ahead, words), nil))(t)
	if n := f.NumStates(); n != 4*5+1 || n != must(fst.Connect(f, nil))(t).NumStates() {
		t.Errorf("%d states, want 21", n)
	}
}

// TestExpandCounted: a composition with enough arcs to be counted first has the same arcs as
// state by state, in any ring. The limit allows exactly this number.
func TestExpandCounted(t *testing.T) {
	t.Run("Tropical", func(t *testing.T) {
		testExpandCounted(t, semiring.Tropical{}, func(r *rand.Rand) semiring.Cost { return semiring.Cost(r.Float64()) })
	})
	t.Run("Real", func(t *testing.T) { testExpandCounted(t, reals, (*rand.Rand).Float64) })
	t.Run("Scaled", func(t *testing.T) {
		testExpandCounted(t, semiring.Scaled{}, func(r *rand.Rand) semiring.ScaledFloat { return semiring.NewScaled(r.Float64()) })
	})
}

func testExpandCounted[W comparable](t *testing.T, ring semiring.Semiring[W], weight func(r *rand.Rand) W) {
	for seed := range trials.Seeds(3) {
		r := fsttest.Rand(seed)
		// random returns a machine whose labels are below the bounds; the bound 1 is ε alone.
		random := func(states, degree, in, out int32) fst.Machine[W] {
			b := fst.NewBuilder(ring)
			b.AddStates(int(states))
			b.AddStart(0, weight(r))
			for s := range states {
				if r.IntN(2) == 0 {
					b.SetFinal(s, weight(r))
				}
				for range degree {
					b.AddArc(s, fst.Arc[W]{In: r.Int32N(in), Out: r.Int32N(out), To: r.Int32N(states), Weight: weight(r)})
				}
			}
			return must(b.Freeze())(t)
		}
		arena := fst.NewArena(ring) // its strings have weights known to be One
		word := make([]int32, 300)
		for i := range word {
			word[i] = 1 + r.Int32N(4)
		}
		edits := random(1, 200, 5, 5)
		for name, operands := range map[string][2]fst.Machine[W]{
			"ε on both sides":      {random(20, 15, 5, 5), random(20, 15, 5, 5)},
			"ε alone":              {random(60, 6, 5, 1), random(60, 6, 1, 5)},
			"few labels, one side": {edits, random(300, 3, 5, 5)},
			"the other side":       {random(300, 3, 5, 5), edits},
			"many searches":        {random(80, 4, 3, 3), random(80, 4, 3, 3)},
			"weights One in a":     {arena.String(word), edits},
			"weights One in b":     {edits, arena.String(word)},
			"string":               {fst.FromString(ring, word), edits},
			"lazy":                 {fst.Compose(fst.FromString(ring, word), edits), random(10, 20, 5, 5)},
			"opaque":               {fsttest.Opaque[W]{Machine: random(20, 15, 5, 5)}, random(20, 15, 5, 5)},
		} {
			f := must(fst.Expand(fst.Compose(operands[0], operands[1]), nil))(t)
			if f.NumArcs() < 10_000 {
				t.Fatalf("%s: only %d arcs", name, f.NumArcs())
			}
			c := fst.Compose(operands[0], operands[1])
			if starts := c.AppendStarts(nil); !slices.Equal(starts, f.AppendStarts(nil)) {
				t.Fatalf("%s: starts %v", name, starts)
			}
			for s := range int32(f.NumStates()) {
				if got, want := f.AppendArcs(nil, s), c.AppendArcs(nil, s); !slices.Equal(got, want) || f.Final(s) != c.Final(s) {
					t.Fatalf("seed %d, %s: state %d has other arcs or another final weight", seed, name, s)
				}
			}
			if c.NumStates() != f.NumStates() {
				t.Errorf("%s: %d states, want %d", name, f.NumStates(), c.NumStates())
			}
			size := f.NumStates() + f.NumArcs()
			again := fst.Compose(operands[0], operands[1])
			if _, err := fst.Expand(again, &fst.Options{Limit: size - 1}); !errors.Is(err, semiring.ErrLimit) {
				t.Errorf("%s: got %v, want ErrLimit", name, err)
			}
			for range 2 { // after a failure, and from known states
				g, err := fst.Expand(again, &fst.Options{Limit: size})
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if !slices.Equal(g.Graph().Weights(), f.Graph().Weights()) || !slices.Equal(g.In(), f.In()) || !slices.Equal(g.Out(), f.Out()) {
					t.Errorf("%s: other arcs after an expansion", name)
				}
			}
		}
	}
}

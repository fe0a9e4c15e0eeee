package expr

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/semiringtest"
)

func TestCanonicalMonomials(t *testing.T) {
	s := New()
	half, third := s.Const(semiring.NewScaled(0.5)), s.Const(semiring.NewScaled(3))
	a, b, c := s.Param(0), s.Param(1), s.Param(2)
	sum := s.Plus(a, b)
	loop, _ := s.Star(c)
	atoms := []W{half, a, b, sum, loop, a, third, sum}
	tr := newTrial(1, 0, 0)
	var want W
	for trial := range 200 {
		tr.rng.Shuffle(len(atoms), func(i, j int) { atoms[i], atoms[j] = atoms[j], atoms[i] })
		parts := slices.Clone(atoms)
		for len(parts) > 1 {
			i := tr.rng.IntN(len(parts) - 1)
			parts[i] = s.Times(parts[i], parts[i+1])
			parts = slices.Delete(parts, i+1, i+2)
		}
		if trial == 0 {
			want = parts[0]
		}
		if parts[0] != want {
			t.Fatalf("%v gives %s, not %s", atoms, s.String(parts[0]), s.String(want))
		}
	}
	if s.Len() > 2+4*3*2*3*2 { // constants × powers of a, b, a+b, c*
		t.Errorf("%d expressions for all subproducts", s.Len())
	}
}

func TestSimplification(t *testing.T) {
	s := New()
	a, b, c := s.Param(0), s.Param(1), s.Param(2)
	ab := s.Times(a, b)
	star := func(w W) W { v, _ := s.Star(w); return v }
	rdiv := func(x, y W) W { v, _ := s.RDiv(x, y); return v }
	ldiv := func(x, y W) W { v, _ := s.LDiv(x, y); return v }
	for _, test := range []struct {
		name      string
		got, want W
	}{
		{"0+a", s.Plus(Zero, a), a},
		{"a+0", s.Plus(a, Zero), a},
		{"a+b", s.Plus(a, b), s.Plus(b, a)},
		{"(a+b)+c", s.Plus(s.Plus(a, b), c), s.Plus(a, s.Plus(c, b))},
		{"(a+b)+a", s.Plus(s.Plus(a, b), a), s.Plus(b, s.Plus(a, a))},
		{"0a", s.Times(Zero, a), Zero},
		{"1a", s.Times(One, a), a},
		{"a1", s.Times(a, One), a},
		{"0*", star(Zero), One},
		{"a*", star(a), star(a)},
		{"ab/a", rdiv(ab, a), b},
		{"a\\ab", ldiv(a, ab), b},
		{"a/ab", rdiv(a, ab), rdiv(One, b)},
		{"(a/b)b", s.Times(rdiv(a, b), b), a},
		{"(a+b)/(a+b)", rdiv(s.Plus(a, b), s.Plus(b, a)), One},
		{"0/a", rdiv(Zero, a), Zero},
		{"a/1", rdiv(a, One), a},
		{"const 0", s.Const(semiring.NewScaled(0)), Zero},
		{"const 1", s.Const(semiring.NewScaled(1)), One},
		{"2·½", s.Times(s.Const(semiring.NewScaled(2)), s.Const(semiring.NewScaled(0.5))), One},
		{"4a/2", rdiv(s.Times(s.Const(semiring.NewScaled(4)), a), s.Const(semiring.NewScaled(2))),
			s.Times(a, s.Const(semiring.NewScaled(2)))},
		{"param", s.Param(1), b},
	} {
		if test.got != test.want {
			t.Errorf("%s: %s, not %s", test.name, s.String(test.got), s.String(test.want))
		}
	}
	if s.Plus(a, a) == a || s.Plus(a, a) == s.Times(a, s.Const(semiring.NewScaled(2))) {
		t.Error("two copies of a parameter are not one, nor twice the parameter")
	}
	if _, ok := s.RDiv(a, Zero); ok {
		t.Error("a/0")
	}
	if _, ok := s.LDiv(Zero, Zero); ok {
		t.Error("0/0")
	}
}

// TestLongSums: building a sum term by term costs a bounded amount per term.
func TestLongSums(t *testing.T) {
	s := New()
	w := Zero
	const n = 5000
	for p := range int32(n) {
		w = s.Plus(w, s.Param(p))
	}
	if got := len(s.pairs); got > n*(1+flatTerms) {
		t.Errorf("%d terms stored for a sum of %d", got, n)
	}
	theta := make([]semiring.ScaledFloat, n)
	for p := range theta {
		theta[p] = semiring.NewScaled(float64(p))
	}
	values, err := s.Evaluate(nil, theta)
	if err != nil || values[w].Float64() != n*(n-1)/2 {
		t.Errorf("%v, %v", values[w].Float64(), err)
	}
}

// TestDoubling: multiplicities and exponents up to their limits.
func TestDoubling(t *testing.T) {
	s := New()
	w := s.Param(0)
	for range 40 {
		w = s.Plus(w, w)
	}
	values, err := s.Evaluate(nil, scaled(3))
	if err != nil || values[w].Float64() != 3*(1<<40) {
		t.Errorf("2^40 copies of 3: %v, %v", values[w].Float64(), err)
	}
	defer func() {
		if recover() == nil {
			t.Error("no panic for an exponent of 2^31")
		}
		s.Len() // the lock is not held
	}()
	w = s.Param(0)
	for range 31 {
		w = s.Times(w, w)
	}
}

// script makes the same expressions from handles every time, for a seed.
func script(s *Space, seed uint64, n int) []W {
	tr := newTrial(seed, 0, 0)
	ws := []W{s.Param(0), s.Param(1), s.Param(2), s.Const(semiring.NewScaled(0.5))}
	for range n {
		a, b := ws[tr.rng.IntN(len(ws))], ws[tr.rng.IntN(len(ws))]
		var w W
		switch tr.rng.IntN(4) {
		case 0:
			w = s.Plus(a, b)
		case 1:
			w, _ = s.Star(a)
		case 2:
			if tr.rng.IntN(8) == 0 {
				w, _ = s.RDiv(a, b)
				break
			}
			fallthrough
		default:
			w = s.Times(a, s.Param(int32(tr.rng.IntN(40))))
		}
		ws = append(ws, w)
	}
	return ws
}

// TestForkDeterminism: the handles of a fork depend on its beginning and its own
// operations, whatever else goes on at the same time. Run it with -race.
func TestForkDeterminism(t *testing.T) {
	const forks, steps = 4, 3000
	base := New()
	script(base, 100, 500)
	want := make([][]W, forks)
	for i := range want {
		want[i] = script(base.Fork(), uint64(i), steps)
	}
	children := make([]*Space, forks)
	for i := range children {
		children[i] = base.Fork()
	}
	var wait sync.WaitGroup
	got := make([][]W, forks)
	for i := range children {
		wait.Go(func() { got[i] = script(children[i], uint64(i), steps) })
	}
	for i := range 2 { // the parent grows, shared by two
		wait.Go(func() { script(base, uint64(200+i), steps) })
	}
	wait.Wait()
	for i := range got {
		if !slices.Equal(got[i], want[i]) {
			t.Errorf("fork %d: other handles than when alone", i)
		}
		if children[i].Len() >= base.Len()+steps {
			t.Errorf("fork %d has %d expressions", i, children[i].Len())
		}
	}
}

// TestForkSharesExpressions: what the parent has is found, what it makes later
// is not, through several levels and after Clip.
func TestForkSharesExpressions(t *testing.T) {
	s := New()
	a, b := s.Param(0), s.Param(1)
	ab, sum := s.Times(a, b), s.Plus(a, b)
	loop, _ := s.Star(ab)
	s.Clip()
	f := s.Fork()
	s.Param(2)
	g := f.Fork() // f has nothing of its own
	h := g.Fork()
	aab := g.Times(a, ab)
	k := g.Fork()
	k.Clip()
	for i, f := range []*Space{s, f, g, h, k} {
		again, _ := f.Star(f.Times(b, a))
		if f.Times(a, b) != ab || f.Plus(b, a) != sum || again != loop {
			t.Errorf("space %d made an expression again", i)
		}
	}
	if k.Times(ab, a) != aab || k.Len() != g.Len() {
		t.Error("the fork of a fork made an expression again")
	}
	if f.Len() != 7 || f.Inherited() != 7 {
		t.Errorf("%d expressions in the fork, %d inherited", f.Len(), f.Inherited())
	}
	if w := f.Param(3); w != 7 {
		t.Errorf("first handle of the fork: %d", w)
	}
}

// TestConcurrentUse: goroutines that share a Space agree on every expression.
func TestConcurrentUse(t *testing.T) {
	s := New()
	var wait sync.WaitGroup
	theta := make([]semiring.ScaledFloat, 40)
	got := make([][]W, 4)
	for i := range got {
		wait.Go(func() {
			got[i] = script(s, 1, 2000)
			if i%2 == 0 {
				s.Clip()
			}
			before := s.Len()
			values, _ := s.Evaluate(nil, theta)
			if len(values) < before {
				t.Errorf("%d values for %d expressions", len(values), before)
			}
		})
	}
	wait.Wait()
	for i := range got {
		if !slices.Equal(got[i], got[0]) {
			t.Errorf("goroutine %d got other handles", i)
		}
	}
}

func TestMemoKeepsWorking(t *testing.T) {
	s := New()
	const n = 300
	want := map[[2]int32]W{}
	for round := range 2 {
		for p := range int32(n) {
			for q := range int32(n) {
				w := s.Times(s.Param(p), s.Param(q))
				key := [2]int32{min(p, q), max(p, q)}
				if known, ok := want[key]; ok && known != w {
					t.Fatalf("round %d: θ%d·θ%d was %d, now %d", round, p, q, known, w)
				}
				want[key] = w
			}
		}
	}
	if s.Len() != 2+n+n*(n+1)/2 {
		t.Errorf("%d expressions", s.Len())
	}
}

// TestMemory bounds the memory of monomials of two factors, while building and
// after Clip.
func TestMemory(t *testing.T) {
	const n = 500
	s := New()
	before := heap()
	for p := range int32(n) {
		for q := range p {
			s.Times(s.Param(p), s.Param(q))
		}
	}
	building := float64(heap()-before) / float64(s.Len())
	if got := float64(s.Bytes()) / float64(s.Len()); !near(got, building, 0.05) {
		t.Errorf("Bytes says %.1f per monomial, the heap %.1f", got, building)
	}
	s.Clip()
	clipped := float64(heap()-before) / float64(s.Len())
	t.Logf("%.1f bytes per monomial, %.1f after Clip", building, clipped)
	if building > 72 || clipped > 30 {
		t.Error("monomials have become larger")
	}
	runtime.KeepAlive(s)
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// evaluated is a Space whose expressions are compared by value at one θ: the
// axioms hold of what expressions mean, not of handles. It has neither the keys
// nor the texts of handles.
type evaluated struct {
	semiring.Semiring[W]
	semiring.Divider[W]
	semiring.Lawful
	space  *Space
	theta  []semiring.ScaledFloat
	values *[]semiring.ScaledFloat
	t      testing.TB
}

// value returns the value of a.
func (e evaluated) value(a W) semiring.ScaledFloat {
	var err error
	if *e.values, err = e.space.Evaluate(*e.values, e.theta); err != nil {
		e.t.Fatal(err)
	}
	return (*e.values)[a]
}

// Star is the star of the Space if it has a value, with a margin.
func (e evaluated) Star(a W) (W, bool) {
	if e.value(a).Float64() > 0.9 {
		return Zero, false
	}
	return e.space.Star(a)
}

// Dist is the relative distance of the values of a and b.
func (e evaluated) Dist(a, b W) float64 {
	return semiring.Scaled{}.Dist(e.value(a), e.value(b))
}

func TestAxiomsHoldOfValues(t *testing.T) {
	const params = 12
	s := New()
	ring := evaluated{s, s, s, s, nil, new([]semiring.ScaledFloat), t}
	rng := rand.New(rand.NewPCG(1, 2))
	for range params {
		ring.theta = append(ring.theta, semiring.NewScaled(0.01+0.04*rng.Float64()))
	}
	gen := func(r *rand.Rand) W {
		w := s.Param(r.Int32N(params))
		switch r.IntN(4) {
		case 0:
			w = s.Times(w, s.Param(r.Int32N(params)))
		case 1:
			w = s.Plus(w, s.Const(semiring.NewScaled(0.1*r.Float64())))
		case 2:
			w = s.Plus(w, s.Times(s.Param(r.Int32N(params)), w))
		}
		return w
	}
	semiringtest.Test(t, ring, gen, nil)
	if d := ring.Dist(s.Param(0), s.Param(1)); d == 0 || math.IsNaN(d) {
		t.Errorf("distance %g of different values", d)
	}
}

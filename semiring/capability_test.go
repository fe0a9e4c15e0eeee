package semiring_test

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	. "example.org/pathsum/semiring"
)

// capabilities returns the names of the capabilities of s, in a fixed order.
func capabilities[W any](s Semiring[W]) string {
	var names []string
	add := func(name string, ok bool) {
		if ok {
			names = append(names, name)
		}
	}
	add("Closed", has[Closed[W]](s))
	add("Divider", has[Divider[W]](s))
	add("Negater", has[Negater[W]](s))
	add("Ordered", has[Ordered[W]](s))
	add("Metric", has[Metric[W]](s))
	add("Probabilistic", has[Probabilistic[W]](s))
	add("Keyer", has[Keyer[W]](s))
	add("Textual", has[Textual[W]](s))
	add("Reverser", has[Reverser[W]](s))
	add("Kernel", has[Kernel[W]](s))
	add("Sweeper", has[Sweeper[W]](s))
	add("TermSweeper", has[TermSweeper[W]](s))
	_, err := FromScaled(s)
	add("FromScaled", err == nil)
	laws := LawsOf(s)
	add("commutative", laws.Has(Commutative))
	add("idempotent", laws.Has(Idempotent))
	add("selective", laws.Has(Selective))
	add("bounded", laws.Has(Bounded))
	add("k-closed", laws.Has(KClosed))
	add("cancellative", laws.Has(Cancellative))
	return strings.Join(names, " ")
}

func TestCapabilities(t *testing.T) {
	reals, scaled := Semiring[float64](Real{}), Semiring[ScaledFloat](Scaled{})
	logs, truths := Semiring[LogProb](Log{}), Semiring[bool](Boolean{})
	costs, square := Semiring[Cost](Tropical{}), Semiring[matrix](matrices{})
	for _, c := range []struct{ name, got, want string }{
		{"Real", capabilities(reals), "Closed Divider Negater Metric Probabilistic Keyer Textual Kernel Sweeper TermSweeper FromScaled commutative"},
		{"Scaled", capabilities(scaled), "Closed Divider Negater Metric Probabilistic Keyer Textual Kernel Sweeper TermSweeper FromScaled commutative"},
		{"Log", capabilities(logs), "Closed Divider Metric Probabilistic Keyer Textual Kernel Sweeper TermSweeper FromScaled commutative"},
		{"Tropical", capabilities(costs), "Closed Divider Ordered Metric Probabilistic Keyer Textual Kernel Sweeper FromScaled commutative idempotent selective k-closed cancellative"},
		{"Viterbi", capabilities(Viterbi{}),
			"Closed Divider Ordered Metric Probabilistic Keyer Textual Kernel Sweeper FromScaled commutative idempotent selective k-closed cancellative"},
		{"Boolean", capabilities(truths), "Closed Divider Ordered Metric Keyer Textual FromScaled commutative idempotent selective bounded k-closed cancellative"},
		{"Counting", capabilities(Counting{}), "Closed Divider Metric Keyer Textual commutative"},
		{"Real × Boolean", capabilities(Product(reals, truths)), "Closed Divider Metric Keyer Textual FromScaled commutative"},
		{"Tropical × Boolean", capabilities(Product(costs, truths)), "Closed Divider Metric Keyer Textual FromScaled commutative idempotent k-closed"},
		{"Real × Scaled", capabilities(Product(reals, scaled)), "Closed Divider Negater Metric Keyer Textual FromScaled commutative"},
		{"Log × counts", capabilities(Product(logs, counts{})), "Keyer commutative"},
		{"matrices", capabilities(square), "Closed Divider Negater Metric Reverser"},
		{"matrices × Real", capabilities(Product(square, reals)), "Closed Divider Negater Metric Reverser"},
		{"Expectation Real", capabilities(Expectation(reals, Scalar(reals))),
			"Closed Divider Negater Metric Probabilistic Keyer Textual Kernel FromScaled commutative"},
		{"Expectation Log Dense", capabilities(Expectation(logs, Dense(logs, 2))), "Closed Metric Probabilistic Keyer Textual Kernel FromScaled commutative"},
		{"Expectation Scaled Scalar", capabilities(Expectation(scaled, Scalar(scaled))),
			"Closed Divider Negater Metric Probabilistic Keyer Textual Kernel Sweeper FromScaled commutative"},
		{"Expectation Scaled", capabilities(Expectation(scaled, Dense(scaled, 3))),
			"Closed Divider Negater Metric Probabilistic Keyer Textual Kernel FromScaled commutative"},
		{"Expectation Sparse", capabilities(Expectation(scaled, Sparse(scaled))),
			"Closed Divider Negater Metric Probabilistic Keyer Textual Kernel FromScaled commutative"},
		{"Expectation Tropical", capabilities(Expectation(costs, Scalar(costs))), "Closed Metric Probabilistic Keyer Textual Kernel FromScaled commutative"},
		{"Expectation matrices", capabilities(Expectation(square, Scalar(square))), "Closed Divider Negater Metric"},
		{"Expectation counts", capabilities(Expectation(counts{}, Dense(counts{}, 1))), "Keyer Kernel commutative"},
		{"Bottleneck", capabilities(Bottleneck{}),
			"Closed Divider Ordered Metric Keyer Textual commutative idempotent selective bounded k-closed"},
		{"LeftString", capabilities(LeftString{}),
			"Closed Divider Metric Keyer Textual idempotent bounded k-closed cancellative"},
		{"Gallic Scaled", capabilities(Gallic(scaled)), "Closed Divider Metric Keyer Textual"},
		{"KBest Tropical", capabilities(kBestOf(t, costs, 3)),
			"Closed Metric Probabilistic Keyer Textual Kernel FromScaled commutative k-closed"},
		{"KBest shortlex", capabilities(kBestOf(t, shortlex{}, 3)), "Closed Metric Keyer Textual k-closed"},
		{"Series Real", capabilities(Series(reals, 3)),
			"Closed Divider Negater Metric Probabilistic Keyer Textual FromScaled commutative"},
		{"Series Log", capabilities(Series(logs, 3)), "Closed Metric Probabilistic Keyer Textual FromScaled commutative"},
		{"Series matrices", capabilities(Series(square, 3)), "Closed Divider Negater Metric Reverser"},
		{"Series counts", capabilities(Series(counts{}, 3)), "Keyer commutative"},
		{"Lex Tropical Counting", capabilities(lexOf(t, costs, Counting{})),
			"Closed Divider Metric Keyer Textual commutative"},
		{"Lex Tropical Tropical", capabilities(lexOf(t, costs, costs)),
			"Closed Divider Ordered Metric Probabilistic Keyer Textual FromScaled commutative idempotent selective k-closed"},
		{"Lex Boolean Bottleneck", capabilities(lexOf(t, truths, Bottleneck{})),
			"Closed Divider Ordered Metric Keyer Textual commutative idempotent selective bounded k-closed"},
		{"Lex Tropical matrices", capabilities(lexOf(t, costs, square)), "Closed Divider Metric Reverser"},
		{"ViterbiExpectation", capabilities(ViterbiExpectation(scaled, Dense(scaled, 2))),
			"Closed Divider Metric Probabilistic Keyer Textual FromScaled commutative"},
		{"Expectation2 Real", capabilities(expectation2Of(t, reals, DenseProduct(reals, 2, 2))),
			"Closed Divider Negater Metric Probabilistic Keyer Textual FromScaled commutative"},
		{"Expectation2 Log", capabilities(expectation2Of(t, logs, ScalarProduct(logs))),
			"Closed Metric Probabilistic Keyer Textual FromScaled commutative"},
	} {
		if c.got != c.want {
			t.Errorf("%s has\n%s, want\n%s", c.name, c.got, c.want)
		}
	}
}

// counts is a ring of few capabilities.
type counts struct{}

type count uint8

func (counts) Zero() count                                     { return 0 }
func (counts) One() count                                      { return 1 }
func (counts) Plus(a, b count) count                           { return a + b }
func (counts) Times(a, b count) count                          { return a * b }
func (counts) IsZero(a count) bool                             { return a == 0 }
func (counts) Laws() Laws                                      { return Commutative }
func (counts) AppendKey(dst []byte, w count, _ float64) []byte { return append(dst, byte(w)) }

func TestRequire(t *testing.T) {
	s := Product(counts{}, Real{})
	_, err := Require[Closed[Pair[count, float64]]](s)
	if !errors.Is(err, ErrCapability) || !strings.Contains(err.Error(), "Closed") {
		t.Errorf("error %v", err)
	}
	if _, err := Require[Closed[float64]](Real{}); err != nil {
		t.Error(err)
	}
}

func TestFoldMarginalsNeedProber(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	KernelOf(counts{}).Marginals(make([]float64, 1), 1, []count{1}, nil, []count{1}, nil)
}

func TestFoldKeepsOrder(t *testing.T) {
	kernel := KernelOf(matrices{})
	a, b, c := matrix{1, 2, 3, 4}, matrix{0, 1, 0, 0}, matrix{5, 0, 1, 2}
	var dot, dot2 matrix
	kernel.Dot(&dot, []matrix{a}, nil, []matrix{b}, nil)
	kernel.Dot2(&dot2, []matrix{a}, nil, []matrix{b}, nil, []matrix{c}, nil)
	m := matrices{}
	if dot != m.Times(a, b) || dot2 != m.Times(m.Times(a, b), c) || dot == m.Times(b, a) {
		t.Errorf("products %v and %v", dot, dot2)
	}
	fold := KernelOf(logless{})
	p := make([]float64, 2)
	fold.Marginals(p, 0.5, []float64{0.5, 0.25}, nil, []float64{1, 0.5}, []int32{1, 0})
	if math.Abs(p[0]-0.125) > 1e-15 || math.Abs(p[1]-0.125) > 1e-15 {
		t.Errorf("marginals %v", p)
	}
}

// logless is Real without its kernel.
type logless struct{ Semiring[float64] }

func (logless) Zero() float64              { return 0 }
func (logless) One() float64               { return 1 }
func (logless) Plus(a, b float64) float64  { return a + b }
func (logless) Times(a, b float64) float64 { return a * b }
func (logless) IsZero(a float64) bool      { return a == 0 }
func (logless) FromLog(l float64) float64  { return math.Exp(l) }
func (logless) Log(w float64) float64      { return math.Log(w) }

// swapped has a Compare with another signature than Ordered.
type swapped struct{ counts }

func (swapped) Compare(a, b *count) int { return int(*a) - int(*b) }

func TestRequireNamesWhatIsMissing(t *testing.T) {
	for ring, want := range map[Semiring[count]]string{
		counts{}:  "it has no method Compare",
		swapped{}: "its method Compare is not a func(semiring_test.count, semiring_test.count) int",
	} {
		_, err := Require[Ordered[count]](ring)
		if !errors.Is(err, ErrCapability) || !strings.Contains(err.Error(), want) {
			t.Errorf("%T: error %v, want %q in it", ring, err, want)
		}
	}
}

// plain is a ring without capabilities.
type plain struct{ Semiring[float64] }

// lacksAll checks that the error for a ring without the capability C names each method of C.
func lacksAll[C any](t *testing.T) {
	t.Helper()
	c := reflect.TypeFor[C]()
	var names []string
	for i := range c.NumMethod() {
		names = append(names, c.Method(i).Name)
	}
	want := "it has no method " + strings.Join(names, " or ")
	if _, err := Require[C](Semiring[float64](plain{Real{}})); !errors.Is(err, ErrCapability) || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("%v: %v, want %q", c, err, want)
	}
}

func TestRequireNamesAllMethods(t *testing.T) {
	lacksAll[Closed[float64]](t)
	lacksAll[Divider[float64]](t)
	lacksAll[Ordered[float64]](t)
	lacksAll[Metric[float64]](t)
	lacksAll[Negater[float64]](t)
	lacksAll[Probabilistic[float64]](t)
	lacksAll[Ranged[float64]](t)
	lacksAll[Lawful](t)
	lacksAll[Keyer[float64]](t)
	lacksAll[Textual[float64]](t)
	lacksAll[Reverser[float64]](t)
	lacksAll[OneSided](t)
	// A method that no capability of this package has.
	_, err := Require[interface{ Unheard() }](Semiring[float64](plain{Real{}}))
	if want := "it lacks methods of interface { Unheard() }"; !errors.Is(err, ErrCapability) || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
}

func TestFromScaled(t *testing.T) {
	tiny := ScaledFloat{1.5, -9}
	if f, err := FromScaled(Scaled{}); err != nil || f(tiny.Neg()) != tiny.Neg() {
		t.Error("Scaled is not the identity")
	}
	if f, err := FromScaled(Viterbi{}); err != nil || f(tiny) != tiny {
		t.Error("Viterbi is not the identity")
	}
	if f, err := FromScaled(Real{}); err != nil || f(tiny) != 0 || f(NewScaled(0.3)) != 0.3 || f(NewScaled(-2)) != -2 {
		t.Error("Real is not Float64")
	}
	if f, err := FromScaled(Log{}); err != nil || f(tiny) != LogProb(tiny.Log()) || !math.IsInf(float64(f(ScaledFloat{})), -1) {
		t.Error("Log is not the logarithm")
	}
	if f, err := FromScaled(Tropical{}); err != nil || f(tiny) != Cost(-tiny.Log()) || f(NewScaled(1)) != 0 {
		t.Error("Tropical is not the negated logarithm")
	}
	if f, err := FromScaled(Boolean{}); err != nil || !f(tiny) || f(ScaledFloat{}) {
		t.Error("Boolean is not x ≠ 0")
	}
	pair, err := FromScaled(Product(Boolean{}, Log{}))
	if err != nil || pair(NewScaled(1)) != (Pair[bool, LogProb]{true, 0}) {
		t.Error("Product is not the pair of both")
	}
	reals := Semiring[float64](Real{})
	expected, err := FromScaled(Expectation(reals, Scalar(reals)))
	if err != nil || expected(NewScaled(0.5)) != (Expected[float64, float64]{0.5, 0}) {
		t.Error("Expectation is not ⟨x, 0⟩")
	}
	ranked, err := FromScaled(kBestOf(t, Tropical{}, 3))
	if err != nil || !slices.Equal(ranked(NewScaled(1)), Ranked[Cost]{0}) || len(ranked(ScaledFloat{})) != 0 {
		t.Error("KBest is not the list of one weight")
	}
	polynomial, err := FromScaled(Series(reals, 3))
	if err != nil || !slices.Equal(polynomial(NewScaled(.5)), Polynomial[float64]{.5}) || len(polynomial(ScaledFloat{})) != 0 {
		t.Error("Series is not the constant")
	}
	both, err := FromScaled(lexOf(t, Boolean{}, Log{}))
	if err != nil || both(NewScaled(1)) != (Pair[bool, LogProb]{true, 0}) {
		t.Error("Lex is not the pair of both")
	}
	moments, err := FromScaled(expectation2Of(t, reals, ScalarProduct(reals)))
	if err != nil || moments(NewScaled(.5)) != (scalar2{P: .5}) {
		t.Error("Expectation2 is not ⟨x, 0, 0, 0⟩")
	}
	if _, err := FromScaled(Bottleneck{}); !errors.Is(err, ErrCapability) {
		t.Errorf("Bottleneck: error %v", err)
	}
	if _, err := FromScaled(counts{}); !errors.Is(err, ErrCapability) {
		t.Errorf("error %v", err)
	}
}

func TestConvert(t *testing.T) {
	if f, err := Convert(Real{}, Tropical{}); err != nil || f(0.5) != Cost(math.Ln2) || !math.IsInf(float64(f(0)), 1) {
		t.Error("Real to Tropical")
	}
	if f, err := Convert(Log{}, Tropical{}); err != nil || f(-23456.789) != 23456.789 {
		t.Error("Log to Tropical loses precision")
	}
	if f, err := Convert(Scaled{}, Real{}); err != nil || f(NewScaled(0.1)) != 0.1 || f(NewScaled(-0.1)) != -0.1 {
		t.Error("Scaled to Real loses precision")
	}
	if f, err := Convert(Real{}, Boolean{}); err != nil || !f(5e-324) || f(0) {
		t.Error("Real to Boolean")
	}
	if f, err := Convert(Tropical{}, Boolean{}); err != nil || !f(1e15) || f(Cost(math.Inf(1))) {
		t.Error("Tropical to Boolean")
	}
	if f, err := Convert(Boolean{}, Real{}); err != nil || f(true) != 1 || f(false) != 0 {
		t.Error("Boolean to Real")
	}
	if f, err := Convert(Log{}, Scaled{}); err != nil || f(-5000) != ScaledFromLog(-5000) {
		t.Error("Log to Scaled")
	}
	for _, err := range []error{
		second(Convert(counts{}, Real{})),
		second(Convert(Real{}, counts{})),
		second(Convert(Log{}, counts{})),
	} {
		if !errors.Is(err, ErrCapability) {
			t.Errorf("error %v", err)
		}
	}
}

func second[A any](_ A, err error) error { return err }

func TestReverseOf(t *testing.T) {
	if f, ok := ReverseOf(Real{}); !ok || f(3) != 3 {
		t.Error("a commutative ring is its own reverse")
	}
	a := matrix{1, 2, 3, 4}
	if f, ok := ReverseOf(matrices{}); !ok || f(a) != (matrix{1, 3, 2, 4}) {
		t.Error("the reverse of a matrix is its transpose")
	}
	square := Semiring[matrix](matrices{})
	if _, ok := ReverseOf(Expectation(square, Scalar(square))); ok {
		t.Error("a ring that is not commutative has no reverse by itself")
	}
}

func TestTextErrors(t *testing.T) {
	reals, scaled := Semiring[float64](Real{}), Semiring[ScaledFloat](Scaled{})
	bad := map[string]func(string) error{
		"Real":     func(s string) error { return second(Real{}.Parse(s)) },
		"Scaled":   func(s string) error { return second(Scaled{}.Parse(s)) },
		"Viterbi":  func(s string) error { return second(Viterbi{}.Parse(s)) },
		"Log":      func(s string) error { return second(Log{}.Parse(s)) },
		"Tropical": func(s string) error { return second(Tropical{}.Parse(s)) },
		"Boolean":  func(s string) error { return second(Boolean{}.Parse(s)) },
		"Counting": func(s string) error { return second(Counting{}.Parse(s)) },
		"Product":  parser(Product(reals, scaled)),
		"Dense":    parser(Expectation(reals, Dense(reals, 2))),
		"Sparse":   parser(Expectation(reals, Sparse(reals))),
		"Vector":   parser(Expectation(scaled, Dense(scaled, 2))),
	}
	for name, parse := range bad {
		for _, s := range []string{"", "x", "-", "(", "()", "(1)", "(1,2", "(1,2,3)", "(x,1)", "(1,x)", "(1,[1])", "(1,[1,x])", "(1,[1,2,3])",
			"(1,{1})", "(1,{x:1})", "(1,{1:x})", "(1,{3:1,2:1})", "(1,{3:1,3:1})", "(1,[1,2)", "(1,{1:2]"} {
			if parse(s) == nil {
				t.Errorf("%s reads %q", name, s)
			}
		}
	}
	for name, s := range map[string]string{"Dense": "(1,[1,2])", "Sparse": "(1,{1:1,2:1})", "Vector": "(1,[])", "Product": "(1,2)"} {
		if err := bad[name](s); err != nil {
			t.Errorf("%s does not read %q: %v", name, s, err)
		}
	}
}

func parser[W any](s Semiring[W]) func(string) error {
	texter, _ := As[Textual[W]](s)
	return func(text string) error { return second(texter.Parse(text)) }
}

func checkInverse[W any](t *testing.T, s Semiring[W], number func(W) float64, w W, want float64) {
	t.Helper()
	prober, err := Require[Probabilistic[W]](s)
	if err != nil {
		t.Fatal(err)
	}
	inverse, ok := Inverse(s, prober, w)
	if exists := !math.IsNaN(want); ok != exists || exists && !(math.Abs(number(inverse)-want) <= 1e-14*math.Abs(want)) {
		t.Errorf("%T: the inverse of %v is %v, %v, want %v", s, w, inverse, ok, want)
	}
}

func TestInverse(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	same := func(x float64) float64 { return x }
	for x, want := range map[float64]float64{4: .25, -4: -.25, 0: nan, inf: nan, -inf: nan, 0x1p-1070: nan} {
		checkInverse(t, Real{}, same, x, want)
	}
	checkInverse(t, Real{}, same, nan, nan)
	checkInverse(t, Scaled{}, func(x ScaledFloat) float64 { return x.Log() }, ScaledFromLog(-5000), 5000)
	checkInverse(t, Log{}, func(x LogProb) float64 { return float64(x) }, LogProb(-5000), 5000)
	checkInverse(t, Log{}, func(x LogProb) float64 { return float64(x) }, Log{}.Zero(), nan)
}

// testHomomorphism checks that h maps ⊕ to ⊕, ⊗ to ⊗, 0̄ to 0̄, 1̄ to 1̄ and stars to stars.
func testHomomorphism[A, B any](t *testing.T, name string, a Semiring[A], b Semiring[B], gen func(*rand.Rand) A, h func(A) B) {
	t.Helper()
	r := rand.New(rand.NewPCG(14, 1))
	metric, _ := As[Metric[B]](b)
	equal := func(law string, got, want B) {
		if !(metric.Dist(got, want) < 1e-10) {
			t.Fatalf("%s: %s: %v, want %v", name, law, got, want)
		}
	}
	closedA, okA := As[Closed[A]](a)
	closedB, okB := As[Closed[B]](b)
	equal("0̄", h(a.Zero()), b.Zero())
	equal("1̄", h(a.One()), b.One())
	for range 300 {
		x, y := gen(r), gen(r)
		equal("⊕", h(a.Plus(x, y)), b.Plus(h(x), h(y)))
		equal("⊗", h(a.Times(x, y)), b.Times(h(x), h(y)))
		if okA && okB {
			if star, ok := closedA.Star(x); ok {
				if image, ok := closedB.Star(h(x)); ok {
					equal("star", h(star), image)
				}
			}
		}
	}
}

func TestDocumentedHomomorphisms(t *testing.T) {
	costs, reals := Semiring[Cost](Tropical{}), Semiring[float64](Real{})
	testHomomorphism(t, "first of KBest", kBestOf(t, costs, 4), costs, rankedOf(costs, 4, cost), func(a Ranked[Cost]) Cost {
		if len(a) == 0 {
			return costs.Zero()
		}
		return a[0]
	})
	testHomomorphism(t, "KBest of fewer", kBestOf(t, costs, 4), kBestOf(t, costs, 2), rankedOf(costs, 4, cost),
		func(a Ranked[Cost]) Ranked[Cost] { return a[:min(2, len(a))] })
	testHomomorphism(t, "first of Lex", lexOf(t, costs, Counting{}), costs, pairOf(fewCosts, number),
		func(x Pair[Cost, *big.Int]) Cost { return x.First })
	testHomomorphism(t, "constant series", reals, Series(reals, 3), probability,
		func(p float64) Polynomial[float64] { return Polynomial[float64]{p} })
	testHomomorphism(t, "constant term", Series(reals, 3), reals, polynomialOf(3, probability), func(a Polynomial[float64]) float64 {
		if len(a) == 0 {
			return 0
		}
		return a[0]
	})
	testHomomorphism(t, "cut off series", Series(reals, 5), Series(reals, 2), polynomialOf(5, probability),
		func(a Polynomial[float64]) Polynomial[float64] { return a[:min(2, len(a))] })
	second := expectation2Of(t, reals, ScalarProduct(reals))
	gen := func(r *rand.Rand) scalar2 {
		return scalar2{P: probability(r), R: probability(r), S: probability(r), T: probability(r)}
	}
	testHomomorphism(t, "mass", second, reals, gen, func(a scalar2) float64 { return a.P })
	testHomomorphism(t, "first order", second, Expectation(reals, Scalar(reals)), gen,
		func(a scalar2) Expected[float64, float64] { return Expected[float64, float64]{P: a.P, V: a.S} })
}

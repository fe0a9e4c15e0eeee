package semiring_test

import (
	"errors"
	"math"
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
	add("Prober", has[Prober[W]](s))
	add("Keyer", has[Keyer[W]](s))
	add("Texter", has[Texter[W]](s))
	add("Reverser", has[Reverser[W]](s))
	add("Kernel", has[Kernel[W]](s))
	add("Sweeper", has[Sweeper[W]](s))
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
		{"Real", capabilities(reals), "Closed Divider Negater Metric Prober Keyer Texter Kernel Sweeper FromScaled commutative"},
		{"Scaled", capabilities(scaled), "Closed Divider Negater Metric Prober Keyer Texter Kernel Sweeper FromScaled commutative"},
		{"Log", capabilities(logs), "Closed Divider Metric Prober Keyer Texter Kernel Sweeper FromScaled commutative"},
		{"Tropical", capabilities(costs), "Closed Divider Ordered Metric Prober Keyer Texter Kernel Sweeper FromScaled commutative idempotent selective k-closed cancellative"},
		{"Viterbi", capabilities(Viterbi{}),
			"Closed Divider Ordered Metric Prober Keyer Texter Kernel Sweeper FromScaled commutative idempotent selective k-closed cancellative"},
		{"Boolean", capabilities(truths), "Closed Divider Ordered Metric Keyer Texter FromScaled commutative idempotent selective bounded k-closed cancellative"},
		{"Counting", capabilities(Counting{}), "Closed Divider Metric Keyer Texter commutative"},
		{"Real × Boolean", capabilities(Product(reals, truths)), "Closed Divider Metric Keyer Texter FromScaled commutative"},
		{"Tropical × Boolean", capabilities(Product(costs, truths)), "Closed Divider Metric Keyer Texter FromScaled commutative idempotent k-closed"},
		{"Real × Scaled", capabilities(Product(reals, scaled)), "Closed Divider Negater Metric Keyer Texter FromScaled commutative"},
		{"Log × counts", capabilities(Product(logs, counts{})), "Keyer commutative"},
		{"matrices", capabilities(square), "Closed Divider Negater Metric Reverser"},
		{"matrices × Real", capabilities(Product(square, reals)), "Closed Divider Negater Metric Reverser"},
		{"Expectation Real", capabilities(Expectation(reals, Scalar(reals))),
			"Closed Divider Negater Metric Prober Keyer Texter Kernel FromScaled commutative"},
		{"Expectation Log Dense", capabilities(Expectation(logs, Dense(logs, 2))), "Closed Metric Prober Keyer Texter Kernel FromScaled commutative"},
		{"Expectation Scaled Scalar", capabilities(Expectation(scaled, Scalar(scaled))),
			"Closed Divider Negater Metric Prober Keyer Texter Kernel Sweeper FromScaled commutative"},
		{"Expectation Scaled", capabilities(Expectation(scaled, Dense(scaled, 3))),
			"Closed Divider Negater Metric Prober Keyer Texter Kernel FromScaled commutative"},
		{"Expectation Sparse", capabilities(Expectation(scaled, Sparse(scaled))),
			"Closed Divider Negater Metric Prober Keyer Texter Kernel FromScaled commutative"},
		{"Expectation Tropical", capabilities(Expectation(costs, Scalar(costs))), "Closed Metric Prober Keyer Texter Kernel FromScaled commutative"},
		{"Expectation matrices", capabilities(Expectation(square, Scalar(square))), "Closed Divider Negater Metric"},
		{"Expectation counts", capabilities(Expectation(counts{}, Dense(counts{}, 1))), "Keyer Kernel commutative"},
		{"Bottleneck", capabilities(Bottleneck{}),
			"Closed Divider Ordered Metric Keyer Texter commutative idempotent selective bounded k-closed"},
		{"LeftString", capabilities(LeftString{}),
			"Closed Divider Metric Keyer Texter idempotent bounded k-closed cancellative"},
		{"Gallic Scaled", capabilities(Gallic(scaled)), "Closed Divider Metric Keyer Texter"},
		{"KBest Tropical", capabilities(kBestOf(t, costs, 3)),
			"Closed Metric Prober Keyer Texter Kernel FromScaled commutative k-closed"},
		{"KBest shortlex", capabilities(kBestOf(t, shortlex{}, 3)), "Closed Metric Keyer Texter k-closed"},
		{"Series Real", capabilities(Series(reals, 3)),
			"Closed Divider Negater Metric Prober Keyer Texter FromScaled commutative"},
		{"Series Log", capabilities(Series(logs, 3)), "Closed Metric Prober Keyer Texter FromScaled commutative"},
		{"Series matrices", capabilities(Series(square, 3)), "Closed Divider Negater Metric Reverser"},
		{"Series counts", capabilities(Series(counts{}, 3)), "Keyer commutative"},
		{"Lex Tropical Counting", capabilities(lexOf(t, costs, Counting{})),
			"Closed Divider Metric Keyer Texter commutative"},
		{"Lex Tropical Tropical", capabilities(lexOf(t, costs, costs)),
			"Closed Divider Ordered Metric Prober Keyer Texter FromScaled commutative idempotent selective k-closed"},
		{"Lex Boolean Bottleneck", capabilities(lexOf(t, truths, Bottleneck{})),
			"Closed Divider Ordered Metric Keyer Texter commutative idempotent selective bounded k-closed"},
		{"Lex Tropical matrices", capabilities(lexOf(t, costs, square)), "Closed Divider Metric Reverser"},
		{"ViterbiExpectation", capabilities(ViterbiExpectation(scaled, Dense(scaled, 2))),
			"Closed Divider Metric Prober Keyer Texter FromScaled commutative"},
		{"Expectation2 Real", capabilities(expectation2Of(t, reals, DenseProduct(reals, 2, 2))),
			"Closed Divider Negater Metric Prober Keyer Texter FromScaled commutative"},
		{"Expectation2 Log", capabilities(expectation2Of(t, logs, ScalarProduct(logs))),
			"Closed Metric Prober Keyer Texter FromScaled commutative"},
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

// swapped has a Compare of another shape than Ordered's.
type swapped struct{ counts }

func (swapped) Compare(a, b *count) int { return int(*a) - int(*b) }

func TestRequireNamesWhatIsMissing(t *testing.T) {
	for ring, want := range map[Semiring[count]]string{
		counts{}:  "it has no method Compare",
		swapped{}: "its method Compare is no func(semiring_test.count, semiring_test.count) int",
	} {
		_, err := Require[Ordered[count]](ring)
		if !errors.Is(err, ErrCapability) || !strings.Contains(err.Error(), want) {
			t.Errorf("%T: error %v, want %q in it", ring, err, want)
		}
	}
}

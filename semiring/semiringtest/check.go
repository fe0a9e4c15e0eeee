package semiringtest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/erased"
)

// Options adjust a check. The zero value of a field means its default.
type Options[W any] struct {
	// Trials is the number of random triples, 300 by default.
	Trials int
	// Rand is the source of the random numbers. By default all checks draw the same numbers.
	Rand rand.Source
	// Tolerance is the greatest Dist of weights that are considered equal, 1e-10 by default; a
	// negative one requires equality. It must allow for rounding, which cancellation and stars
	// close to divergence amplify: gen should avoid these cases, or draw weights on which
	// operations are exact. Rings without Metric are compared exactly.
	Tolerance float64
	// Near, if not nil, replaces Metric and Tolerance in comparisons. Use it for a ring in which
	// rounding errors are large by its own Metric: for example, the difference of nearly equal
	// numbers is far from 0 by a relative one.
	Near func(got, want W) bool
}

// A Violation is a law or a capability that a semiring claims but violates.
type Violation struct {
	// Law is the tested law as in the package documentation: "a ⊕ b = b ⊕ a".
	Law string
	// Detail is a counterexample.
	Detail string
}

// Error returns the law and the counterexample.
func (v *Violation) Error() string { return v.Law + " fails: " + v.Detail }

// Check tests the axioms and all claims of a ring on random weights drawn by gen. It returns nil,
// or the join of one *Violation for each violated law, with the first counterexample found. A nil
// opts means defaults.
//
// gen must not draw NaN or weights outside the domain of the ring.
func Check[W any](ring semiring.Semiring[W], gen func(*rand.Rand) W, opts *Options[W]) error {
	return errors.Join(newChecker(ring, gen, opts).violations()...)
}

// Test reports every violation that Check finds as an error of t.
func Test[W any](t testing.TB, ring semiring.Semiring[W], gen func(*rand.Rand) W, opts *Options[W]) {
	t.Helper()
	for _, v := range newChecker(ring, gen, opts).violations() {
		t.Errorf("%T: %v", ring, v)
	}
}

// violations runs all checks.
func (c *checker) violations() []error {
	ring := c.ring
	zero, one := c.snapshot(ring.Zero()), c.snapshot(ring.One())
	c.whole()
	c.constants()
	for range c.trials {
		x, y, z := c.draw(), c.draw(), c.draw()
		before := c.snapshot(x, y, z)
		c.axioms(x, y, z)
		c.laws(x, y, z)
		c.rounds(x)
		c.star(x, y)
		c.division(x, y)
		c.cancellation(x, y, z)
		c.negation(x)
		c.order(x, y, z)
		c.distance(x, y)
		c.probability(x, y)
		c.keys(x, y, z)
		c.text(x)
		c.reversal(x, y)
		c.require(c.snapshot(x, y, z) == before, "operations leave their arguments alone", x, y, z)
	}
	c.keyStatistics()
	c.kernel()
	c.trees()
	c.sweep()
	c.terms()
	c.require(c.snapshot(ring.Zero()) == zero && c.snapshot(ring.One()) == one, "operations leave 0̄ and 1̄ alone")
	return c.found
}

// checker holds a ring, its capabilities and the state of the checks.
type checker struct {
	ring   semiring.Semiring[any]
	gen    func(*rand.Rand) any
	rng    *rand.Rand
	trials int
	tol    float64
	within func(got, want any) bool // Options.Near

	named        reflect.Type   // the ring's own
	capabilities []reflect.Type // for weights of its type

	claims semiring.Laws
	metric semiring.Metric[any] // nil if the ring lacks the capability
	keyer  semiring.Keyer[any]
	texter semiring.Textual[any]

	nearPairs, nearMisses int // of keys

	found []error
	seen  map[string]bool
}

func checkerOf(ring semiring.Semiring[any], gen func(*rand.Rand) any, o Options[any], named reflect.Type, capabilities []reflect.Type) *checker {
	if o.Trials == 0 {
		o.Trials = 300
	}
	if o.Rand == nil {
		o.Rand = rand.NewPCG(0, 0)
	}
	if o.Tolerance == 0 {
		o.Tolerance = 1e-10
	}
	c := &checker{
		named: named, capabilities: capabilities,
		ring: ring, gen: gen, rng: rand.New(o.Rand),
		trials: o.Trials, tol: max(0, o.Tolerance), within: o.Near,
		claims: semiring.LawsOf(ring), seen: map[string]bool{},
	}
	c.metric, _ = semiring.As[semiring.Metric[any]](ring)
	c.keyer, _ = semiring.As[semiring.Keyer[any]](ring)
	c.texter, _ = semiring.As[semiring.Textual[any]](ring)
	return c
}

// draw returns a random weight, sometimes 0̄ or 1̄.
func (c *checker) draw() any {
	switch c.rng.IntN(12) {
	case 0:
		return c.ring.Zero()
	case 1:
		return c.ring.One()
	}
	return c.gen(c.rng)
}

// require records a violation of law unless ok.
func (c *checker) require(ok bool, law string, operands ...any) {
	c.report(ok, law, "", operands)
}

// equal records a violation of law unless got and want are equal up to the
// tolerance.
func (c *checker) equal(law string, got, want any, operands ...any) {
	if !c.near(got, want) {
		detail := fmt.Sprintf("%s is not %s ", c.show(got), c.show(want))
		if c.show(got) == c.show(want) { // such as a nil slice and an empty one
			detail = fmt.Sprintf("%#v is not %#v ", got, want)
		}
		if c.within == nil && c.metric == nil && len(c.found) == 0 {
			detail += "(weights are compared exactly, as the ring has no method Dist, of semiring.Metric) "
		}
		c.report(false, law, detail, operands)
	}
}

func (c *checker) report(ok bool, law, detail string, operands []any) {
	if ok || c.seen[law] {
		return
	}
	c.seen[law] = true
	for i, w := range operands {
		detail += fmt.Sprintf("[%c = %s]", 'a'+i, c.show(w))
	}
	c.found = append(c.found, &Violation{Law: law, Detail: detail})
}

// near reports whether two weights are considered equal.
func (c *checker) near(a, b any) bool {
	switch {
	case c.within != nil:
		return c.within(a, b)
	case c.metric != nil:
		return c.metric.Dist(a, b) <= c.tol
	}
	return c.same(a, b)
}

// same reports whether two weights are equal exactly.
func (c *checker) same(a, b any) bool {
	switch {
	case c.metric != nil:
		return c.metric.Dist(a, b) == 0
	case c.keyer != nil:
		return string(c.keyer.AppendKey(nil, a, 0)) == string(c.keyer.AppendKey(nil, b, 0))
	}
	return reflect.DeepEqual(a, b)
}

func (c *checker) show(w any) string {
	if c.texter != nil {
		return c.texter.Format(w)
	}
	return fmt.Sprint(w)
}

// snapshot returns a text that changes if one of the weights does.
func (c *checker) snapshot(weights ...any) string {
	var text []byte
	for _, w := range weights {
		if c.keyer != nil {
			text = append(c.keyer.AppendKey(text, w, 0), ';')
		} else {
			text = fmt.Append(text, w, ";")
		}
	}
	return string(text)
}

// whole looks for capabilities of which the ring has some methods but not all: a method that is
// missing or has another signature silently removes the capability. Derived rings, which
// implement As, have the methods for other weights and are skipped.
func (c *checker) whole() {
	t := c.named
	if _, derived := t.MethodByName("As"); derived {
		return
	}
	explained := map[string]bool{} // methods of capabilities that the ring has
	for _, capability := range c.capabilities {
		if t.Implements(capability) {
			for i := range capability.NumMethod() {
				explained[capability.Method(i).Name] = true
			}
		}
	}
	for _, capability := range c.capabilities {
		for i := range capability.NumMethod() {
			name := capability.Method(i).Name
			if _, has := t.MethodByName(name); has && !explained[name] {
				c.report(false, "capabilities are whole",
					fmt.Sprintf("%v has a method %s but is not a %s: some method is missing or has another signature", t, name, capability), nil)
			}
		}
	}
}

// The checks are long, and are compiled once, for weights without a type. Only the code below is
// compiled for each ring that a program checks.

// newChecker returns the checks of a ring.
func newChecker[W any](ring semiring.Semiring[W], gen func(*rand.Rand) W, opts *Options[W]) *checker {
	o := Options[any]{}
	if opts != nil {
		o = Options[any]{Trials: opts.Trials, Rand: opts.Rand, Tolerance: opts.Tolerance}
		if near := opts.Near; near != nil {
			o.Near = func(got, want any) bool { return near(erased.Weight[W](got), erased.Weight[W](want)) }
		}
	}
	draw := func(r *rand.Rand) any { return gen(r) }
	return checkerOf(erased.Bulk(ring), draw, o, reflect.TypeOf(ring), []reflect.Type{
		reflect.TypeFor[semiring.Semiring[W]](),
		reflect.TypeFor[semiring.Closed[W]](),
		reflect.TypeFor[semiring.Divider[W]](),
		reflect.TypeFor[semiring.Negater[W]](),
		reflect.TypeFor[semiring.Ordered[W]](),
		reflect.TypeFor[semiring.Metric[W]](),
		reflect.TypeFor[semiring.Probabilistic[W]](),
		reflect.TypeFor[semiring.Ranged[W]](),
		reflect.TypeFor[semiring.Lawful](),
		reflect.TypeFor[semiring.OneSided](),
		reflect.TypeFor[semiring.Keyer[W]](),
		reflect.TypeFor[semiring.Textual[W]](),
		reflect.TypeFor[semiring.Reverser[W]](),
		reflect.TypeFor[semiring.Kernel[W]](),
		reflect.TypeFor[semiring.Scatterer[W]](),
		reflect.TypeFor[semiring.Sweeper[W]](),
		reflect.TypeFor[semiring.TermSweeper[W]](),
	})
}

package semiring

import (
	"fmt"
	"reflect"
	"strings"

	"example.org/pathsum/internal/typename"
)

// Closed is the capability of a ring with a closure: Star(a) is
// a* = 1̄ ⊕ a ⊕ a⊗a ⊕ …, or false where that sum has no value in the ring. Rings of signed
// numbers, such as Real, may continue it analytically: a* solves x = 1̄ ⊕ a⊗x.
type Closed[W any] interface {
	Star(a W) (W, bool)
}

// Divider is the capability of a ring with division. LDiv(a, b) is the x with
// a ⊗ x = b (a\b), RDiv(a, b) the one with x ⊗ b = a (a/b); false where there is
// none, and where the divisor is 0̄.
type Divider[W any] interface {
	LDiv(a, b W) (W, bool)
	RDiv(a, b W) (W, bool)
}

// Ordered is the capability of a selective ring: Plus(a, b) is a or b,
// whichever Compare puts first. Compare(a, b) is negative if a comes before b (a is
// better), zero if a and b are equal, and positive otherwise.
type Ordered[W any] interface {
	Compare(a, b W) int
}

// Metric is the capability of measuring how far two weights are apart:
// non-negative, 0 only for equal weights, +Inf where no number says it, NaN
// where an argument is not a number. It serves tests of convergence and of
// approximate equality; no ring operation uses it.
type Metric[W any] interface {
	Dist(a, b W) float64
}

// Negater is the capability of subtraction: a ⊕ Neg(a) = 0̄. A semiring that has
// it is a ring in the usual sense.
type Negater[W any] interface {
	Neg(a W) W
}

// Prober is the capability of a ring whose weights stand for probabilities (or
// unnormalized non-negative masses).
type Prober[W any] interface {
	// FromLog returns the weight of the probability exp(logp), logp in nats;
	// FromLog(−Inf) is Zero.
	FromLog(logp float64) W
	// Log returns ln of the mass that w stands for, in nats; −Inf for Zero and
	// NaN for a negative mass.
	Log(w W) float64
}

// Ranged is the capability of a ring whose numbers have a limited range, as float64 has.
// InRange(x, a, b) reports whether x, a product or a quotient of a and b, has kept its
// digits: it is a or b itself, or finite and not so small that it loses digits, as
// subnormal numbers do. A ring without this capability has no such limits.
type Ranged[W any] interface {
	InRange(x, a, b W) bool
}

// Lawful is the capability of declaring laws that not every semiring has.
type Lawful interface {
	Laws() Laws
}

// Keyer is the capability of making weights comparable byte by byte: weights
// within delta of each other (see Metric) get, as far as rounding to a grid of
// that size can do it, the same key, and weights farther apart another. For
// delta = 0 the key identifies the weight exactly. Determinization, minimization
// and encoding use it.
type Keyer[W any] interface {
	AppendKey(dst []byte, w W, delta float64) []byte
}

// Texter is the capability of text input and output: Parse(Format(w)) is w. The
// text has no white space.
type Texter[W any] interface {
	Parse(s string) (W, error)
	Format(w W) string
}

// Reverser is the capability of a non-commutative ring whose weights can be
// read backwards: Reverse(a ⊗ b) = Reverse(b) ⊗ Reverse(a). A commutative ring
// needs none: there every weight is its own reverse.
type Reverser[W any] interface {
	Reverse(a W) W
}

// As returns the capability C of ring s and whether s has it. It is the only
// way to ask: a derived ring may have a method and yet not the capability,
// because one of its parts lacks it. Such a ring answers through a method
// As(target any) bool, where target is a pointer to a variable of type C.
func As[C any, W any](s Semiring[W]) (C, bool) {
	return capability[C](s)
}

// capability is As for rings and modules alike.
func capability[C any](s any) (c C, ok bool) {
	if !isDerived(s) {
		c, ok = s.(C)
		return c, ok
	}
	if target := new(C); askDerived(s, target) { // a refusal may leave something behind
		return *target, true
	}
	return c, false
}

// isDerived reports whether s answers for its capabilities itself. There are hundreds of
// instances of capability in a program, so that what is the same in all is not inlined.
//
//go:noinline
func isDerived(s any) bool {
	_, ok := s.(interface{ As(target any) bool })
	return ok
}

// askDerived returns what s answers.
//
//go:noinline
func askDerived(s, target any) bool { return s.(interface{ As(target any) bool }).As(target) }

// Require is As with an error, wrapping ErrCapability, that names the ring and
// the capability that it lacks.
func Require[C any, W any](s Semiring[W]) (C, error) {
	c, ok := As[C](s)
	if !ok {
		return c, lacks(s, reflect.TypeFor[C]())
	}
	return c, nil
}

// lacks returns the error for a ring without a capability.
func lacks(ring any, capability reflect.Type) error {
	return fmt.Errorf("%w: %s is no %s: %s", ErrCapability, typename.Of(ring), nameOf(capability),
		missing(reflect.TypeOf(ring), capability))
}

// nameOf returns the name of an interface without its type arguments.
func nameOf(c reflect.Type) string {
	name, _, _ := strings.Cut(c.String(), "[")
	return name
}

// missing says which methods of c a ring does not have, or that it does not want to be one.
func missing(ring, c reflect.Type) string {
	var names []string
	for i := range c.NumMethod() {
		want := c.Method(i)
		got, ok := ring.MethodByName(want.Name)
		if !ok {
			names = append(names, want.Name)
			continue
		}
		if !sameBut(got.Type, want.Type) {
			return fmt.Sprintf("its method %s is no %v", want.Name, want.Type)
		}
	}
	if len(names) == 0 {
		return "not all of its parts are"
	}
	return "it has no method " + strings.Join(names, " or ")
}

// sameBut reports whether a method is like want, but that its first argument is the receiver.
func sameBut(method, want reflect.Type) bool {
	if method.NumIn() != want.NumIn()+1 || method.NumOut() != want.NumOut() {
		return false
	}
	for i := range want.NumIn() {
		if method.In(i+1) != want.In(i) {
			return false
		}
	}
	for i := range want.NumOut() {
		if method.Out(i) != want.Out(i) {
			return false
		}
	}
	return true
}

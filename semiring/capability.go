package semiring

import (
	"fmt"
	"math"
	"reflect"
	"strings"

	"example.org/pathsum/internal/typename"
)

// Closed is the capability of a ring with a closure: Star(a) is a* = 1̄ ⊕ a ⊕ a⊗a ⊕ …, or false
// if that sum has no value in the ring. Rings of signed numbers, such as Real, may continue it
// analytically: a* solves x = 1̄ ⊕ a⊗x.
type Closed[W any] interface {
	Star(a W) (W, bool)
}

// Divider is the capability of a ring with division. LDiv(a, b) is the x with a ⊗ x = b (a\b).
// RDiv(a, b) is the x with x ⊗ b = a (a/b). Both return false if there is no such x or the
// divisor is 0̄.
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

// Metric is the capability of measuring the distance of two weights. It is non-negative, 0 only
// for equal weights, +Inf if no finite number expresses it, and NaN if an argument is NaN. It
// serves convergence tests and approximate equality; ring operations do not use it.
type Metric[W any] interface {
	Dist(a, b W) float64
}

// Negater is the capability of subtraction: a ⊕ Neg(a) = 0̄. A semiring that has
// it is a ring in the usual sense.
type Negater[W any] interface {
	Neg(a W) W
}

// Probabilistic is the capability of a ring whose weights stand for probabilities (or
// unnormalized non-negative masses).
type Probabilistic[W any] interface {
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

// Keyer is the capability of making weights comparable byte by byte. As far as rounding to a grid
// of size delta allows, weights within delta of each other (see Metric) get the same key, and
// weights farther apart get different keys. For delta = 0 the key identifies the weight exactly.
// Determinization, minimization and encoding use it.
type Keyer[W any] interface {
	AppendKey(dst []byte, w W, delta float64) []byte
}

// Textual is the capability of text input and output: Parse(Format(w)) is w. The
// text has no white space.
type Textual[W any] interface {
	Parse(s string) (W, error)
	Format(w W) string
}

// Reverser is the capability of a non-commutative ring whose weights can be read backwards:
// Reverse(a ⊗ b) = Reverse(b) ⊗ Reverse(a). A commutative ring does not need it, since every
// weight is its own reverse.
type Reverser[W any] interface {
	Reverse(a W) W
}

// As returns the capability C of ring s and whether s has it. Do not use a type assertion
// instead: a derived ring may have a method without the capability, because one of its parts
// lacks it. Such a ring answers through a method As(target any) bool, where target is a pointer
// to a variable of type C.
func As[C any, W any](s Semiring[W]) (C, bool) {
	return capability[C](s)
}

// capability is As for rings and modules alike.
func capability[C any](s any) (c C, ok bool) {
	if !isDerived(s) {
		c, ok = s.(C)
		return c, ok
	}
	if target := new(C); askDerived(s, target) { // a failed As may have modified target
		return *target, true
	}
	return c, false
}

// isDerived reports whether s implements As itself. A program has hundreds of instances of
// capability, so the code that all instances share is not inlined.
//
//go:noinline
func isDerived(s any) bool {
	_, ok := s.(interface{ As(target any) bool })
	return ok
}

// askDerived calls the As method of s.
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
	return fmt.Errorf("%w: %s does not implement %s: %s", ErrCapability, typename.Of(ring), nameOf(capability),
		missing(reflect.TypeOf(ring), capability))
}

// nameOf returns the name of an interface without its type arguments.
func nameOf(c reflect.Type) string {
	name, _, _ := strings.Cut(c.String(), "[")
	return name
}

// missing names the methods of c that a ring does not have, or reports that the ring declines c.
func missing(ring, c reflect.Type) string {
	var names []string
	known := 0
	for _, m := range capabilityMethods {
		want, ok := m.of(c)
		if !ok {
			continue
		}
		known++
		got, ok := m.of(ring)
		if !ok {
			names = append(names, m.name)
			continue
		}
		if !sameBut(got.Type, want.Type) {
			return fmt.Sprintf("its method %s is not a %v", m.name, want.Type)
		}
	}
	switch {
	case len(names) > 0:
		return "it has no method " + strings.Join(names, " or ")
	case known < c.NumMethod() && !ring.Implements(c):
		return fmt.Sprintf("it lacks methods of %v", c)
	}
	return "not all of its parts are"
}

// capabilityMethods find the methods of capabilities, in the order of their names. The names are
// constants: a program that looks up any method by a variable name, or by number, keeps all
// exported methods of all its types, which makes it a third larger.
var capabilityMethods = []struct {
	name string
	of   func(t reflect.Type) (reflect.Method, bool)
}{
	{"AppendKey", func(t reflect.Type) (reflect.Method, bool) { return t.MethodByName("AppendKey") }},
	{"Compare", func(t reflect.Type) (reflect.Method, bool) { return t.MethodByName("Compare") }},
	{"Dist", func(t reflect.Type) (reflect.Method, bool) { return t.MethodByName("Dist") }},
	{"Distributes", func(t reflect.Type) (reflect.Method, bool) { return t.MethodByName("Distributes") }},
	{"Format", func(t reflect.Type) (reflect.Method, bool) { return t.MethodByName("Format") }},
	{"FromLog", func(t reflect.Type) (reflect.Method, bool) { return t.MethodByName("FromLog") }},
	{"InRange", func(t reflect.Type) (reflect.Method, bool) { return t.MethodByName("InRange") }},
	{"LDiv", func(t reflect.Type) (reflect.Method, bool) { return t.MethodByName("LDiv") }},
	{"Laws", func(t reflect.Type) (reflect.Method, bool) { return t.MethodByName("Laws") }},
	{"Log", func(t reflect.Type) (reflect.Method, bool) { return t.MethodByName("Log") }},
	{"Neg", func(t reflect.Type) (reflect.Method, bool) { return t.MethodByName("Neg") }},
	{"Parse", func(t reflect.Type) (reflect.Method, bool) { return t.MethodByName("Parse") }},
	{"Power", func(t reflect.Type) (reflect.Method, bool) { return t.MethodByName("Power") }},
	{"RDiv", func(t reflect.Type) (reflect.Method, bool) { return t.MethodByName("RDiv") }},
	{"Reverse", func(t reflect.Type) (reflect.Method, bool) { return t.MethodByName("Reverse") }},
	{"Star", func(t reflect.Type) (reflect.Method, bool) { return t.MethodByName("Star") }},
}

// sameBut reports whether a method equals want except that its first argument is the receiver.
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

// Conversions between rings whose weights stand for probabilities. All of them map ⊗ to ⊗, 0̄ to
// 0̄ and 1̄ to 1̄. If both rings sum or both maximize, they also map ⊕ to ⊕ and so are
// homomorphisms; so is every conversion from a ring of non-negative masses to Boolean. A
// conversion to KBest is not a homomorphism, since KBest keeps weights that ⊕ drops.

// FromScaled returns the map of a number x to the weight of dst that stands for it:
//
//	Scaled, Viterbi  x itself
//	Boolean          x ≠ 0
//	Product, Lex     the pair of both images
//	Expectation      ⟨x, 0⟩
//	Expectation2     ⟨x, 0, 0, 0⟩
//	Series           the constant x
//	KBest            the list of x alone
//	others           as in Probabilistic
//
// Rounding and range are as in dst. The error wraps ErrCapability.
func FromScaled[W any](dst Semiring[W]) (func(ScaledFloat) W, error) {
	if d, ok := As[scaledReader[W]](dst); ok {
		return d.fromScaled, nil
	}
	to, err := Require[Probabilistic[W]](dst)
	if err != nil {
		return nil, err
	}
	return func(x ScaledFloat) W { return to.FromLog(x.Log()) }, nil
}

// Convert returns the map of a weight of src to the weight of dst that stands for the same mass:
// from Real to Tropical, for example, x becomes −ln x. Numbers are converted through ScaledFloat
// and logarithms through the logarithm, so neither loses precision if src and dst are of the same
// kind. The error wraps ErrCapability.
func Convert[A, B any](src Semiring[A], dst Semiring[B]) (func(A) B, error) {
	if s, ok := As[scaledWriter[A]](src); ok {
		to, err := FromScaled(dst)
		return func(a A) B { return to(s.toScaled(a)) }, err
	}
	from, err := Require[Probabilistic[A]](src)
	if err != nil {
		return nil, err
	}
	if to, ok := As[Probabilistic[B]](dst); ok {
		return func(a A) B { return to.FromLog(from.Log(a)) }, nil
	}
	to, err := FromScaled(dst)
	return func(a A) B { return to(ScaledFromLog(from.Log(a))) }, err
}

// ReverseOf returns the map of the weight of a path to the weight of the reversed path: the
// capability Reverser, or the identity if s is commutative. It returns false if s is neither.
func ReverseOf[W any](s Semiring[W]) (func(W) W, bool) {
	if r, ok := As[Reverser[W]](s); ok {
		return r.Reverse, true
	}
	return func(a W) W { return a }, LawsOf(s).Has(Commutative)
}

// scaledReader is the capability of converting a ScaledFloat to a weight more precisely than
// through its logarithm, or is not Probabilistic. scaledWriter is the opposite conversion.
type scaledReader[W any] interface{ fromScaled(x ScaledFloat) W }
type scaledWriter[W any] interface{ toScaled(w W) ScaledFloat }

func (Real) fromScaled(x ScaledFloat) float64 { return x.Float64() }
func (Real) toScaled(w float64) ScaledFloat   { return NewScaled(w) }

func (Scaled) fromScaled(x ScaledFloat) ScaledFloat { return x }
func (Scaled) toScaled(w ScaledFloat) ScaledFloat   { return w }

func (Viterbi) fromScaled(x ScaledFloat) ScaledFloat { return x }
func (Viterbi) toScaled(w ScaledFloat) ScaledFloat   { return w }

func (Boolean) fromScaled(x ScaledFloat) bool { return !x.IsZero() }
func (Boolean) toScaled(w bool) ScaledFloat {
	if w {
		return ScaledFloat{Mant: 1}
	}
	return ScaledFloat{}
}

// Inverse returns the weight that stands for 1/m, where w stands for the number m. It uses
// division if s can divide, which also handles negative numbers, and otherwise the logarithm;
// prober is the capability of s. It returns false if m is 0, infinite or NaN, or if 1/m is out of
// the range of s.
func Inverse[W any](s Semiring[W], prober Probabilistic[W], w W) (W, bool) {
	if inverse, ok := scaledInverse(s, w); ok {
		return inverse, true
	}
	log := prober.Log(w)
	if d, ok := As[Divider[W]](s); ok && !math.IsInf(log, 1) {
		if inverse, ok := d.RDiv(s.One(), w); ok && !s.IsZero(inverse) && !math.IsInf(prober.Log(inverse), 1) {
			return inverse, true
		}
	}
	inverse := prober.FromLog(-log)
	return inverse, !math.IsNaN(log) && !math.IsInf(log, 0) && !math.IsInf(prober.Log(inverse), 1)
}

// scaledInverse returns the inverse of a number through ScaledFloat, or false if that is not
// possible.
func scaledInverse[W any](s Semiring[W], w W) (inverse W, ok bool) {
	writer, ok := As[scaledWriter[W]](s)
	if !ok {
		return inverse, false
	}
	reader, ok := As[scaledReader[W]](s)
	if !ok {
		return inverse, false
	}
	regular := func(x ScaledFloat) bool { return !x.IsZero() && x.IsFinite() }
	x := writer.toScaled(w)
	if !regular(x) {
		return inverse, false
	}
	inverse = reader.fromScaled(NewScaled(1).Div(x))
	return inverse, regular(writer.toScaled(inverse))
}

// Rows are sparse vectors of numbers: vector n has Value[k] added to component Index[k] for k =
// Row[n], …, Row[n+1]−1. They are the values of the parts of a graph or a forest. The zero value
// stands for any number of zero vectors.
type Rows struct {
	Row   []int32
	Index []int32
	Value []float64
}

// Append adds a vector whose component index[k] is value[k]. It panics if index and value differ
// in length.
func (r *Rows) Append(index []int32, value []float64) {
	if len(index) != len(value) {
		panic("semiring: Rows.Append with as many indices as values only")
	}
	if r.Row == nil {
		r.Row = append(r.Row, 0)
	}
	r.Index = append(r.Index, index...)
	r.Value = append(r.Value, value...)
	r.Row = append(r.Row, int32(len(r.Index)))
}

// Scalars returns vectors of one component; it keeps x.
func Scalars(x []float64) Rows {
	r := Rows{Row: make([]int32, len(x)+1), Index: make([]int32, len(x)), Value: x}
	for n := range r.Row {
		r.Row[n] = int32(n)
	}
	return r
}

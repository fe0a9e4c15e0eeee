package fst

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"example.org/pathsum/internal/typename"
	"example.org/pathsum/semiring"
)

// residuals is the arithmetic of residuals: the weight and output that the members of a subset
// have left after division by their common divisor. There are three: weights of a ring
// (ringResiduals), words with weights (wordResiduals) and sets of these (setResiduals).
type residuals[W any] interface {
	arithmetic[W]
	// merge returns the sum of paths of weight a and paths of weight b with the same labels to
	// the same state, false if they cannot be combined.
	merge(a, b W) (W, bool)
	// divisor returns a divisor of a.
	divisor(a W) W
	// common returns a common divisor of a and b, where a was returned by divisor or common.
	common(a, b W) W
	// cycle returns the part of a cycle's weight that must be equal for twins.
	cycle(w W) W
	// inRange reports whether x, a sum, is in range.
	inRange(x W) bool
	// size returns the size of a residual in the units of Options.Limit, 0 if no residual is
	// larger than a member.
	size(w W) int
}

// arithmetic is the common arithmetic of residuals and of the weights of words.
type arithmetic[W any] interface {
	semiring.Keyer[W]
	// times returns a ⊗ b, false if it is out of range.
	times(a, b W) (W, bool)
	// rest returns x with divisor ⊗ x = w. The error is errDivision if x does not exist,
	// errRange if it is out of range.
	rest(divisor, w W) (W, error)
	// apart reports whether the powers of u and v, the weights of cycles of two states or of
	// one, diverge from each other. It may return false although they do.
	apart(u, v W) bool
	// measured reports whether apart is ever true.
	measured() bool
	// text returns w as text.
	text(w W) string
	// TypeName returns the name of the user's ring.
	TypeName() string
}

var (
	errDivision = errors.New("no common divisor")
	errRange    = errors.New("out of range")
)

// ringResiduals is the arithmetic of acceptors.
type ringResiduals[W any] struct {
	semiring.Keyer[W]
	ring   semiring.Semiring[W]
	divide semiring.Divider[W]
	ranges ranges[W]
	order  semiring.Ordered[W]       // nil: the ring is not ordered
	prober semiring.Probabilistic[W] // nil: weights are not probabilities
}

// newRingResiduals returns an error that wraps semiring.ErrCapability if ring is not a Divider
// and a Keyer.
func newRingResiduals[W any](ring semiring.Semiring[W]) (*ringResiduals[W], error) {
	r := &ringResiduals[W]{ring: ring, ranges: rangesOf(ring)}
	var err error
	if r.divide, err = semiring.Require[semiring.Divider[W]](ring); err != nil {
		return nil, err
	}
	if r.Keyer, err = semiring.Require[semiring.Keyer[W]](ring); err != nil {
		return nil, err
	}
	r.order, _ = semiring.As[semiring.Ordered[W]](ring)
	r.prober, _ = semiring.As[semiring.Probabilistic[W]](ring)
	return r, nil
}

func (r *ringResiduals[W]) times(a, b W) (W, bool) {
	x := r.ring.Times(a, b)
	return x, r.ranges.has(x, a, b)
}

func (r *ringResiduals[W]) rest(divisor, w W) (W, error) {
	x, ok := r.divide.LDiv(divisor, w)
	if !ok {
		return x, errDivision
	}
	if !r.ranges.has(x, w, w) {
		return x, errRange
	}
	return x, nil
}

func (r *ringResiduals[W]) merge(a, b W) (W, bool) { return r.ring.Plus(a, b), true }
func (r *ringResiduals[W]) divisor(a W) W          { return a }
func (r *ringResiduals[W]) common(a, b W) W        { return r.ring.Plus(a, b) }
func (r *ringResiduals[W]) inRange(x W) bool       { return r.ranges.has(x, x, x) }
func (r *ringResiduals[W]) cycle(w W) W            { return w }
func (r *ringResiduals[W]) size(W) int             { return 0 }
func (r *ringResiduals[W]) measured() bool         { return r.prober != nil }
func (r *ringResiduals[W]) text(w W) string        { return textOf(r.ring, w) }
func (r *ringResiduals[W]) TypeName() string       { return typename.Of(r.ring) }

func (r *ringResiduals[W]) apart(u, v W) bool {
	if r.prober == nil {
		return false
	}
	a, b := r.prober.Log(u), r.prober.Log(v)
	return math.Abs(a-b) > defaultDelta*(1+math.Abs(a)+math.Abs(b)) && !math.IsInf(a-b, 0)
}

// ranges reports whether arithmetic has stayed in the range of a ring. Results outside of the
// range would silently be wrong.
type ranges[W any] struct {
	ring   semiring.Semiring[W]
	ranged semiring.Ranged[W] // nil: the ring has no limits
}

func rangesOf[W any](ring semiring.Semiring[W]) ranges[W] {
	ranged, _ := semiring.As[semiring.Ranged[W]](ring)
	return ranges[W]{ring, ranged}
}

// has reports whether x, a product or a quotient of a and b, is in range.
func (r ranges[W]) has(x, a, b W) bool { return r.ranged == nil || r.ranged.InRange(x, a, b) }

// hasDivisor reports whether x, a sum of products of arbitrary weights, is in range.
func (r ranges[W]) hasDivisor(x W) bool {
	return r.ranged == nil || r.ranged.InRange(x, r.ring.One(), r.ring.Zero())
}

// err returns the error for x, described by what, if it has left the range.
func (r ranges[W]) err(what string, x W) error {
	return outOfRange(what, textOf(r.ring, x), typename.Of(r.ring))
}

// textOf returns w, a weight of ring, as text. A ring such as expr.Space can format a weight
// that cannot format itself.
func textOf[W any](ring semiring.Semiring[W], w W) string {
	if namer, ok := semiring.As[interface{ String(w W) string }](ring); ok {
		return namer.String(w)
	}
	return fmt.Sprint(w)
}

// outOfRange returns the error for a weight that is outside of the range of a ring.
func outOfRange(what, weight, ring string) error {
	return fmt.Errorf("%w: %s is %s, out of the range of %s: see semiring.Scaled", semiring.ErrLimit, what, weight, ring)
}

// wordResiduals is the arithmetic of functional transducers: outputs are delayed until they are
// certain, and paths that meet must have written the same output.
type wordResiduals struct {
	pair    semiring.Semiring[gallic]
	numbers numbers
	words   semiring.LeftString
}

func newWordResiduals(n numbers) *wordResiduals {
	return &wordResiduals{pair: semiring.Gallic[int](n), numbers: n}
}

func (r *wordResiduals) merge(x, y gallic) (gallic, bool) {
	return gallic{First: x.First, Second: r.numbers.Plus(x.Second, y.Second)}, x.First == y.First
}

func (r *wordResiduals) divisor(x gallic) gallic   { return x }
func (r *wordResiduals) common(x, y gallic) gallic { return r.pair.Plus(x, y) }

func (r *wordResiduals) times(x, y gallic) (gallic, bool) {
	number, ok := r.numbers.times(x.Second, y.Second)
	return gallic{First: r.words.Times(x.First, y.First), Second: number}, ok
}

func (r *wordResiduals) rest(divisor, x gallic) (gallic, error) {
	word, isPrefix := r.words.LDiv(divisor.First, x.First)
	number, err := r.numbers.rest(divisor.Second, x.Second)
	if !isPrefix {
		err = errDivision
	}
	return gallic{First: word, Second: number}, err
}

func (r *wordResiduals) AppendKey(dst []byte, x gallic, delta float64) []byte {
	dst = appendKey(dst, r.words, x.First, delta)
	return appendKey(dst, r.numbers, x.Second, delta)
}

func (r *wordResiduals) inRange(x gallic) bool {
	return r.numbers.inRange(x.Second, x.Second, x.Second)
}

func (r *wordResiduals) cycle(x gallic) gallic { // one output may be a rotation of the other
	return gallic{First: semiring.NewWord(int32(x.First.Len())), Second: x.Second}
}

func (r *wordResiduals) apart(x, y gallic) bool {
	return x.First.Len() != y.First.Len() || r.numbers.apart(x.Second, y.Second)
}

func (r *wordResiduals) size(x gallic) int { return 1 + x.First.Len()/4 }
func (r *wordResiduals) measured() bool    { return true }
func (r *wordResiduals) TypeName() string  { return r.numbers.TypeName() }

func (r *wordResiduals) text(x gallic) string {
	return fmt.Sprintf("{%v %s}", x.First, r.numbers.text(x.Second))
}

// bestWords keeps only the best of the paths that meet. The ring is Ordered.
type bestWords struct{ *wordResiduals }

func (r bestWords) merge(x, y gallic) (gallic, bool) {
	if r.numbers.compare(y.Second, x.Second) < 0 {
		x = y
	}
	return x, true
}

// If cycles are equally good, their words may differ.
func (r bestWords) apart(x, y gallic) bool { return r.numbers.apart(x.Second, y.Second) }
func (r bestWords) measured() bool         { return r.numbers.measured() }

// setResiduals is the arithmetic of transducers with several outputs: finite sets of words with
// weights, sorted by word. It is also their ring, with union, in which the weights of equal
// words are added, and concatenation.
type setResiduals struct{ *wordResiduals }

func (r setResiduals) Zero() []gallic         { return nil }
func (r setResiduals) One() []gallic          { return []gallic{r.pair.One()} }
func (r setResiduals) IsZero(a []gallic) bool { return len(a) == 0 }

// Plus merges two sets.
func (r setResiduals) Plus(a, b []gallic) []gallic {
	switch {
	case len(a) == 0:
		return b
	case len(b) == 0:
		return a
	}
	return r.summed(slices.Concat(a, b))
}

// Times concatenates each word of a with each word of b.
func (r setResiduals) Times(a, b []gallic) []gallic {
	product := make([]gallic, 0, len(a)*len(b))
	for _, x := range a {
		for _, y := range b {
			product = append(product, r.pair.Times(x, y))
		}
	}
	return r.summed(product)
}

// summed sorts words, adds the weights of equal words, and drops words whose sum is Zero. It
// overwrites words.
func (r setResiduals) summed(words []gallic) []gallic {
	order := func(x, y gallic) int { return x.First.Compare(y.First) }
	if !slices.IsSortedFunc(words, order) {
		slices.SortStableFunc(words, order)
	}
	sums := words[:0]
	for len(words) > 0 {
		sum, n := words[0], 1
		for n < len(words) && words[n].First == sum.First {
			sum.Second = r.numbers.Plus(sum.Second, words[n].Second)
			n++
		}
		if !r.numbers.IsZero(sum.Second) {
			sums = append(sums, sum)
		}
		words = words[n:]
	}
	return sums
}

func (r setResiduals) merge(a, b []gallic) ([]gallic, bool) { return r.Plus(a, b), true }

// divisor returns the common prefix of the words of a, with the sum of their weights.
func (r setResiduals) divisor(a []gallic) []gallic {
	if len(a) <= 1 {
		return a
	}
	sum := a[0]
	for _, x := range a[1:] {
		sum = r.pair.Plus(sum, x)
	}
	if r.numbers.IsZero(sum.Second) { // summands may cancel each other
		sum.Second = r.numbers.One()
	}
	return []gallic{sum}
}

func (r setResiduals) common(a, b []gallic) []gallic { return r.divisor(slices.Concat(a, b)) }

// times also returns false if words vanish from a product with a single word.
func (r setResiduals) times(a, b []gallic) ([]gallic, bool) {
	x := r.Times(a, b)
	return x, r.inRange(x) && (len(x) >= max(len(a), len(b)) || len(a) == 0 || len(b) == 0)
}

// rest divides by a set with a single word.
func (r setResiduals) rest(divisor, a []gallic) ([]gallic, error) {
	if len(divisor) != 1 {
		return nil, errDivision
	}
	quotient := make([]gallic, len(a))
	for i, x := range a {
		var err error
		if quotient[i], err = r.wordResiduals.rest(divisor[0], x); err == errDivision {
			return nil, err
		}
	}
	if !r.inRange(quotient) {
		return quotient, errRange
	}
	return quotient, nil
}

func (r setResiduals) AppendKey(dst []byte, a []gallic, delta float64) []byte {
	for _, x := range a {
		dst = appendKey(dst, r.wordResiduals, x, delta)
	}
	return dst
}

// inRange reports whether all weights of x are in range with full precision.
func (r setResiduals) inRange(x []gallic) bool {
	for _, w := range x {
		if !r.numbers.inRange(w.Second, r.numbers.One(), r.numbers.Zero()) {
			return false
		}
	}
	return true
}

func (r setResiduals) cycle(a []gallic) []gallic { return []gallic{r.wordResiduals.cycle(a[0])} }

func (r setResiduals) apart(u, v []gallic) bool {
	return len(u) > 1 || len(v) > 1 || r.wordResiduals.apart(u[0], v[0])
}

func (r setResiduals) size(a []gallic) int {
	n := 0
	for _, x := range a {
		n += r.wordResiduals.size(x)
	}
	return n
}

func (r setResiduals) text(a []gallic) string {
	text := make([]string, len(a))
	for i, x := range a {
		text[i] = r.wordResiduals.text(x)
	}
	return fmt.Sprint(text)
}

package privacy

import (
	"math"
	"math/big"
	"math/bits"
	"sort"

	"example.org/pathsum/internal/nested"
)

// bit releases a fraction f of a range as one bit. A bit is drawn with probability f, and released
// as 1 with probability hi if it is 1, and with probability lo if it is 0. So the released bit is 1
// with probability lo + (hi−lo)·f, which is in [lo, hi] for all f.
type bit struct {
	lo, hi  uint64     // in units of 1/one, lo < hi
	worth   [2]float64 // of a bit, as an estimate of f
	ratio   *big.Rat   // (1−lo)/lo
	epsilon float64    // the requested ε of all bits of a record together
}

// newBit returns bits such that n times ln (1−lo)/lo is a privacy loss of epsilon. Symmetric bits
// have hi = 1−lo, and n is the number of bits that may differ. Asymmetric bits have hi = 1/2, and n
// is the number of bits that may differ in each direction: the loss of two bits that differ in
// opposite directions is ln hi/lo + ln (1−lo)/(1−hi) = ln (1−lo)/lo.
func newBit(epsilon float64, n int, asymmetric bool) (bit, error) {
	e, err := ratioBelow(epsilon, n)
	if err != nil {
		return bit{}, err
	}
	q := shareBelow(e)
	if q <= one/2 {
		return bit{}, nested.Errorf("privacy: %w: ε of %g for %d bits leaves no information in them", ErrInvalid, epsilon, n)
	}
	b := bit{
		lo:      one - q,
		hi:      q,
		ratio:   new(big.Rat).SetFrac(new(big.Int).SetUint64(q), new(big.Int).SetUint64(one-q)),
		epsilon: epsilon,
	}
	if asymmetric {
		b.hi = one / 2
	}
	information := float64(b.hi - b.lo)
	b.worth = [2]float64{-float64(b.lo) / information, float64(one-b.lo) / information}
	return b, nil
}

// loss returns n·ln (1−lo)/lo, rounded up: the privacy loss of n bits, or of n pairs of bits.
func (b *bit) loss(n int) float64 { return min(b.epsilon, logAbove(b.ratio, n)) }

// threshold returns the probability of 1 for a fraction f.
func (b *bit) threshold(f uint64) uint64 {
	hi, lo := bits.Mul64(b.hi-b.lo, f)
	// Round to nearest: the product is at most hi−lo, so the sum is at most hi.
	lo, carry := bits.Add64(lo, one/2, 0)
	return b.lo + (hi+carry)<<1 + lo>>63
}

// probability returns t/one.
func probability(t uint64) *big.Rat {
	return new(big.Rat).SetFrac(new(big.Int).SetUint64(t), new(big.Int).SetUint64(one))
}

// one is the denominator of all probabilities: a draw of probability t/one succeeds if 63 random
// bits are below t.
const one = 1 << 63

// draw returns 1 with probability t/one, if the first 63 bits of a random word are below t, and
// otherwise 0. It does not branch.
func draw(word, t uint64) uint64 {
	_, below := bits.Sub64(word>>1, t, 0)
	return below
}

// precision is the precision, in bits, of bounds on float64 results.
const precision = 256

// lower returns x/n as a big.Float whose operations round down.
func lower(x float64, n int) *big.Float {
	f := new(big.Float).SetPrec(precision).SetMode(big.ToNegativeInf).SetFloat64(x)
	return f.Quo(f, new(big.Float).SetInt64(int64(n)))
}

// expBelow returns a lower bound of eˣ for x ≥ 0: a partial sum of the power series, repeatedly
// squared, with all operations rounded down. Its relative error is less than (1+x)·2⁻²³⁰.
func expBelow(x *big.Float) *big.Float {
	x = new(big.Float).Copy(x)
	halvings := max(0, x.MantExp(nil)+8) // leaves x < 2⁻⁸
	x.SetMantExp(x, -halvings)
	sum := lower(1, 1)
	term := lower(1, 1)
	for n := 1; term.Sign() > 0 && term.MantExp(nil) > -precision; n++ {
		term.Mul(term, x)
		term.Quo(term, new(big.Float).SetInt64(int64(n)))
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return sum
}

// logAbove returns an upper bound of n·ln r for a ratio r ≥ 1, which exceeds it by
// less than one unit in the last place.
func logAbove(r *big.Rat, n int) float64 {
	excess, _ := new(big.Rat).Sub(r, big.NewRat(1, 1)).Float64()
	if excess == 0 && r.IsInt() {
		return 0
	}
	log := math.Log1p(excess)
	if math.IsInf(excess, 1) {
		mantissa := new(big.Float)
		exponent := new(big.Float).SetRat(r).MantExp(mantissa)
		m, _ := mantissa.Float64()
		log = math.Log(m) + float64(exponent)*math.Ln2
	}
	// Increase from below the true value to the first float64 whose exponential is proven to be at
	// least r.
	x := max(0, float64(n)*log*(1-0x1p-50))
	for {
		e, _ := expBelow(lower(x, n)).Rat(nil)
		if e.Cmp(r) >= 0 {
			return x
		}
		x = math.Nextafter(x, math.Inf(1))
	}
}

// sumAbove returns an upper bound of a + b: the sum, rounded up.
func sumAbove(a, b float64) float64 {
	s := a + b
	rest := s - a
	if (a-(s-rest))+(b-rest) > 0 {
		return math.Nextafter(s, math.Inf(1))
	}
	return s
}

// shareBelow returns the largest t with t/(one−t) ≤ g, or one less.
func shareBelow(g *big.Float) uint64 {
	t := lower(1, 1)
	t.Add(t, g)
	t.Quo(g, t)
	t.Mul(t, new(big.Float).SetUint64(one))
	n, _ := t.Uint64()
	n = min(n, one-1)
	for n > 0 {
		bound := new(big.Float).SetPrec(precision).SetMode(big.ToNegativeInf).SetUint64(one - n)
		if bound.Mul(bound, g).Cmp(new(big.Float).SetUint64(n)) >= 0 {
			break
		}
		n--
	}
	return n
}

// largest is the largest effective ε: beyond it every probability is as near to 0 or 1 as an
// integer over 2⁶³ can be.
const largest = 128

// ratioBelow returns a lower bound of e^(epsilon/n).
func ratioBelow(epsilon float64, n int) (*big.Float, error) {
	if !(epsilon > 0) || math.IsInf(epsilon, 1) {
		return nil, nested.Errorf("privacy: %w: ε of %g, want a positive number", ErrInvalid, epsilon)
	}
	x := lower(epsilon, n)
	if limit := lower(largest, 1); x.Cmp(limit) > 0 {
		x = limit
	}
	return expBelow(x), nil
}

// weights is a distribution of positive integers that sum to one.
type weights struct {
	size []uint64
	end  []uint64 // cumulative sums of the sizes
}

// newWeights returns the distribution nearest to p, in which the largest probability
// makes up for the rounding of the others; a nil p is uniform.
func newWeights(p []float64, n int) (*weights, error) {
	if p != nil && len(p) != n {
		return nil, nested.Errorf("privacy: %w: %d probabilities for %d outcomes", ErrInvalid, len(p), n)
	}
	total := 0.0
	for j, x := range p {
		if !(x*one >= 1) || math.IsInf(x, 1) {
			return nil, nested.Errorf("privacy: %w: outcome %d has probability %g, want at least 2⁻⁶³", ErrInvalid, j, x)
		}
		total += x
	}
	if p != nil && math.Abs(total-1) > 1e-9 {
		return nil, nested.Errorf("privacy: %w: the sum of the probabilities is %g, want 1", ErrInvalid, total)
	}
	w := &weights{size: make([]uint64, n), end: make([]uint64, n)}
	rest, largest := uint64(one), 0
	for j := range w.size {
		w.size[j] = one / uint64(n)
		if p != nil {
			w.size[j] = max(1, uint64(p[j]/total*one))
		}
		rest -= w.size[j] // may wrap around, and back below
		if w.size[j] > w.size[largest] {
			largest = j
		}
	}
	w.size[largest] += rest
	sum := uint64(0)
	for j, s := range w.size {
		sum += s
		w.end[j] = sum
	}
	return w, nil
}

// draw returns an outcome.
func (w *weights) draw(word uint64) int {
	return sort.Search(len(w.end)-1, func(j int) bool { return draw(word, w.end[j]) == 1 })
}

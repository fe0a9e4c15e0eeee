package semiringtest

import (
	"math"
	"strings"
	"unicode"

	"example.org/pathsum/semiring"
)

// constants tests the laws of 0̄ and 1̄ alone.
func (c *checker) constants() {
	zero, one := c.ring.Zero(), c.ring.One()
	c.require(c.ring.IsZero(zero), "IsZero(0̄)")
	c.require(!c.ring.IsZero(one), "not IsZero(1̄)")
	if c.metric != nil {
		c.require(c.metric.Dist(zero, one) > 0, "Dist(0̄, 1̄) > 0")
	}
	if closed, ok := semiring.As[semiring.Closed[any]](c.ring); ok {
		star, ok := closed.Star(zero)
		c.require(ok, "0̄* exists")
		c.equal("0̄* = 1̄", star, one)
	}
}

// axioms tests the axioms of every semiring.
func (c *checker) axioms(a, b, d any) {
	plus, times := c.ring.Plus, c.ring.Times
	zero, one := c.ring.Zero(), c.ring.One()
	c.equal("a ⊕ b = b ⊕ a", plus(a, b), plus(b, a), a, b)
	c.equal("(a ⊕ b) ⊕ c = a ⊕ (b ⊕ c)", plus(plus(a, b), d), plus(a, plus(b, d)), a, b, d)
	c.equal("a ⊕ 0̄ = a", plus(a, zero), a, a)
	c.equal("0̄ ⊕ a = a", plus(zero, a), a, a)
	c.equal("(a ⊗ b) ⊗ c = a ⊗ (b ⊗ c)", times(times(a, b), d), times(a, times(b, d)), a, b, d)
	c.equal("a ⊗ 1̄ = a", times(a, one), a, a)
	c.equal("1̄ ⊗ a = a", times(one, a), a, a)
	sides := semiring.Distributes(c.ring)
	if sides&semiring.LeftSide != 0 {
		c.equal("a ⊗ (b ⊕ c) = a⊗b ⊕ a⊗c", times(a, plus(b, d)), plus(times(a, b), times(a, d)), a, b, d)
	}
	if sides&semiring.RightSide != 0 {
		c.equal("(a ⊕ b) ⊗ c = a⊗c ⊕ b⊗c", times(plus(a, b), d), plus(times(a, d), times(b, d)), a, b, d)
	}
	c.require(c.ring.IsZero(times(a, zero)), "a ⊗ 0̄ = 0̄", a)
	c.require(c.ring.IsZero(times(zero, a)), "0̄ ⊗ a = 0̄", a)
	c.require(c.ring.IsZero(a) == c.same(a, zero), "IsZero(a) if and only if a = 0̄", a)
}

// laws tests the laws that the ring claims, and requires that it claims the laws that its
// capabilities imply.
func (c *checker) laws(a, b, d any) {
	plus, times := c.ring.Plus, c.ring.Times
	if c.claims.Has(semiring.Commutative) {
		c.equal("Commutative: a ⊗ b = b ⊗ a", times(a, b), times(b, a), a, b)
	}
	if c.claims.Has(semiring.Idempotent) {
		c.equal("Idempotent: a ⊕ a = a", plus(a, a), a, a)
	}
	if c.claims.Has(semiring.Selective) {
		sum := plus(a, b)
		c.require(c.same(sum, a) || c.same(sum, b), "Selective: a ⊕ b is a or b", a, b)
		_, ordered := semiring.As[semiring.Ordered[any]](c.ring)
		c.report(ordered, "Selective: the ring is Ordered", "it has no method Compare(a, b W) int ", nil)
	}
	if c.claims.Has(semiring.Bounded) {
		c.equal("Bounded: 1̄ ⊕ a = 1̄", plus(c.ring.One(), a), c.ring.One(), a)
	}
	if c.claims.Has(semiring.Cancellative) && !c.ring.IsZero(a) {
		c.require(c.near(b, d) || !c.same(times(a, b), times(a, d)), "Cancellative: a ⊗ b = a ⊗ c only if b = c", a, b, d)
		c.require(c.near(b, d) || !c.same(times(b, a), times(d, a)), "Cancellative: b ⊗ a = c ⊗ a only if b = c", a, b, d)
	}
}

// maxRounds is the number of rounds of a cycle after which its sum must be stable.
const maxRounds = 1 << 10

// rounds tests the claim KClosed: the sums of powers of a become equal to its star.
func (c *checker) rounds(a any) {
	closed, ok := semiring.As[semiring.Closed[any]](c.ring)
	if !ok || !c.claims.Has(semiring.KClosed) {
		return
	}
	star, ok := closed.Star(a)
	if !ok {
		return
	}
	sum, power := c.ring.One(), a
	for range maxRounds {
		next := c.ring.Plus(sum, power)
		if c.same(next, sum) {
			c.equal("KClosed: 1̄ ⊕ a ⊕ … ⊕ aⁿ = a* for some n", sum, star, a)
			return
		}
		sum, power = next, c.ring.Times(power, a)
	}
	c.require(false, "KClosed: 1̄ ⊕ a ⊕ … ⊕ aⁿ = a* for some n", a)
}

// star tests the identities of the closure if it exists.
func (c *checker) star(a, b any) {
	closed, ok := semiring.As[semiring.Closed[any]](c.ring)
	if !ok {
		return
	}
	plus, times, one := c.ring.Plus, c.ring.Times, c.ring.One()
	starA, ok := closed.Star(a)
	if c.claims.Has(semiring.Bounded) {
		c.require(ok, "Bounded: a* exists", a)
		c.equal("Bounded: a* = 1̄", starA, one, a)
	}
	if !ok {
		return
	}
	c.equal("a* = 1̄ ⊕ a⊗a*", starA, plus(one, times(a, starA)), a)
	c.equal("a* = 1̄ ⊕ a*⊗a", starA, plus(one, times(starA, a)), a)
	if semiring.Distributes(c.ring) != semiring.BothSides {
		return
	}
	starSum, okSum := closed.Star(plus(a, b))
	starRest, okRest := closed.Star(times(starA, b))
	if okSum && okRest {
		c.equal("(a ⊕ b)* = (a*⊗b)*⊗a*", starSum, times(starRest, starA), a, b)
	}
	starAB, okAB := closed.Star(times(a, b))
	starBA, okBA := closed.Star(times(b, a))
	if okAB && okBA {
		c.equal("(a⊗b)* = 1̄ ⊕ a⊗(b⊗a)*⊗b", starAB, plus(one, times(times(a, starBA), b)), a, b)
	}
}

func (c *checker) division(a, b any) {
	divider, ok := semiring.As[semiring.Divider[any]](c.ring)
	if !ok {
		return
	}
	times, zero, one := c.ring.Times, c.ring.Zero(), c.ring.One()
	if x, ok := divider.LDiv(a, b); ok {
		c.equal("a ⊗ (a\\b) = b", times(a, x), b, a, b)
	}
	if x, ok := divider.RDiv(b, a); ok {
		c.equal("(b/a) ⊗ a = b", times(x, a), b, a, b)
	}
	if x, ok := divider.LDiv(a, times(a, b)); ok {
		c.equal("a ⊗ (a\\(a⊗b)) = a⊗b", times(a, x), times(a, b), a, b)
	}
	if x, ok := divider.RDiv(times(b, a), a); ok {
		c.equal("((b⊗a)/a) ⊗ a = b⊗a", times(x, a), times(b, a), a, b)
	}
	x, ok := divider.LDiv(one, a)
	c.require(ok, "1̄\\a exists", a)
	c.equal("1̄\\a = a", x, a, a)
	x, ok = divider.RDiv(a, one)
	c.require(ok, "a/1̄ exists", a)
	c.equal("a/1̄ = a", x, a, a)
	_, left := divider.LDiv(zero, a)
	_, right := divider.RDiv(a, zero)
	c.require(!left && !right, "division by 0̄ is refused", a)
}

// cancellation tests quotients in which parts of a weight are subtracted from themselves: Dist
// and AppendKey must ignore the residue of rounding. A product is divided by itself, in another
// order of its factors, as pushing divides weights by their sums.
func (c *checker) cancellation(a, b, d any) {
	divider, ok := semiring.As[semiring.Divider[any]](c.ring)
	if !ok {
		return
	}
	times, one := c.ring.Times, c.ring.One()
	x, y := times(times(a, b), d), times(a, times(b, d))
	if _, invertible := divider.LDiv(x, one); !invertible {
		return
	}
	if _, invertible := divider.RDiv(one, x); !invertible {
		return
	}
	if q, ok := divider.LDiv(x, y); ok {
		c.equal("(a⊗b⊗c)\\(a⊗b⊗c) = 1̄", q, one, a, b, d)
		c.nearKeys(q, one)
	}
	if q, ok := divider.RDiv(y, x); ok {
		c.equal("(a⊗b⊗c)/(a⊗b⊗c) = 1̄", q, one, a, b, d)
		c.nearKeys(q, one)
	}
}

func (c *checker) negation(a any) {
	if negater, ok := semiring.As[semiring.Negater[any]](c.ring); ok {
		c.require(c.ring.IsZero(c.ring.Plus(a, negater.Neg(a))), "a ⊕ Neg(a) = 0̄", a)
	}
}

func (c *checker) reversal(a, b any) {
	reverser, ok := semiring.As[semiring.Reverser[any]](c.ring)
	if !ok {
		return
	}
	plus, times, reverse := c.ring.Plus, c.ring.Times, reverser.Reverse
	c.equal("Reverse(Reverse(a)) = a", reverse(reverse(a)), a, a)
	c.equal("Reverse(a ⊗ b) = Reverse(b) ⊗ Reverse(a)", reverse(times(a, b)), times(reverse(b), reverse(a)), a, b)
	c.equal("Reverse(a ⊕ b) = Reverse(a) ⊕ Reverse(b)", reverse(plus(a, b)), plus(reverse(a), reverse(b)), a, b)
}

// order tests that Compare is a total order and that ⊕ returns the first of two weights.
func (c *checker) order(a, b, d any) {
	ordered, ok := semiring.As[semiring.Ordered[any]](c.ring)
	if !ok {
		return
	}
	compare := ordered.Compare
	c.require(c.claims.Has(semiring.Selective), "Ordered: the ring claims to be Selective")
	c.require(compare(a, a) == 0, "Compare(a, a) = 0", a)
	c.require(sign(compare(a, b)) == -sign(compare(b, a)), "Compare(a, b) = −Compare(b, a)", a, b)
	c.require((compare(a, b) == 0) == c.same(a, b), "Compare(a, b) = 0 if and only if a = b", a, b)
	if compare(a, b) <= 0 && compare(b, d) <= 0 {
		c.require(compare(a, d) <= 0, "Compare is transitive", a, b, d)
	}
	first := b
	if compare(a, b) < 0 {
		first = a
	}
	c.require(c.same(c.ring.Plus(a, b), first), "a ⊕ b is the one that Compare puts first", a, b)
	c.require(compare(a, c.ring.Zero()) <= 0, "Compare puts 0̄ last", a)
}

func sign(n int) int {
	switch {
	case n < 0:
		return -1
	case n > 0:
		return 1
	}
	return 0
}

func (c *checker) distance(a, b any) {
	if c.metric == nil {
		return
	}
	d := c.metric.Dist(a, b)
	c.require(d >= 0, "Dist(a, b) ≥ 0", a, b)
	c.require(d == c.metric.Dist(b, a), "Dist(a, b) = Dist(b, a)", a, b)
	c.require(c.metric.Dist(a, a) == 0, "Dist(a, a) = 0", a)
}

// probability tests that weights stand for masses.
func (c *checker) probability(a, b any) {
	prober, ok := semiring.As[semiring.Probabilistic[any]](c.ring)
	if !ok {
		return
	}
	l := -30 * c.rng.Float64()
	c.require(c.nearLog(prober.Log(prober.FromLog(l)), l), "Log(FromLog(l)) = l", prober.FromLog(l))
	c.require(c.ring.IsZero(prober.FromLog(math.Inf(-1))), "FromLog(−Inf) = 0̄")
	c.equal("FromLog(0) = 1̄", prober.FromLog(0), c.ring.One())
	c.require(math.IsInf(prober.Log(c.ring.Zero()), -1), "Log(0̄) = −Inf")
	x, y := prober.Log(a), prober.Log(b)
	if math.IsNaN(x) || math.IsNaN(y) { // negative masses
		return
	}
	c.require(c.nearLog(prober.Log(c.ring.Times(a, b)), x+y), "Log(a ⊗ b) = Log(a) + Log(b)", a, b)
	sum, least := prober.Log(c.ring.Plus(a, b)), max(x, y)
	most := least + math.Log1p(math.Exp(min(x, y)-least))
	if math.IsInf(least, 0) {
		most = least
	}
	inside := least <= sum && sum <= most || c.nearLog(sum, least) || c.nearLog(sum, most)
	c.require(inside, "Log(a ⊕ b) is between the greater mass and the sum of both", a, b)
}

func (c *checker) nearLog(x, y float64) bool {
	return x == y || math.Abs(x-y) <= c.tol*(1+math.Abs(y))
}

// keyDelta is the grid of the tested keys: far wider than rounding.
const keyDelta = 1e-3

func (c *checker) keys(a, b, d any) {
	if c.keyer == nil {
		return
	}
	key := func(w any, delta float64) string { return string(c.keyer.AppendKey(nil, w, delta)) }
	c.require(string(c.keyer.AppendKey([]byte("prefix"), a, 0)) == "prefix"+key(a, 0), "AppendKey appends", a)
	exact, coarse := key(a, 0), key(a, keyDelta)
	c.require(exact == key(a, 0) && coarse == key(a, keyDelta), "equal weights have equal keys", a)
	if c.metric == nil {
		return
	}
	distance := c.metric.Dist(a, b)
	c.require((distance == 0) == (exact == key(b, 0)), "keys for delta = 0 are equal if and only if a = b", a, b)
	c.require(distance < 4*keyDelta || coarse != key(b, keyDelta), "weights far apart have different keys", a, b)
	c.nearKeys(c.ring.Times(c.ring.Times(a, b), d), c.ring.Times(a, c.ring.Times(b, d)))
}

// nearKeys counts pairs of weights that differ only by rounding, and those with different keys.
func (c *checker) nearKeys(x, y any) {
	if c.keyer == nil || c.metric == nil {
		return
	}
	key := func(w any) string { return string(c.keyer.AppendKey(nil, w, keyDelta)) }
	if distance := c.metric.Dist(x, y); 0 < distance && distance < 1e-9 {
		c.nearPairs++
		if key(x) != key(y) {
			c.nearMisses++
		}
	}
}

// keyStatistics checks pairs of weights that differ by rounding: very few of them may lie on the
// edge of a grid cell.
func (c *checker) keyStatistics() {
	c.require(c.nearMisses*20 <= c.nearPairs, "weights that differ by rounding have equal keys")
}

func (c *checker) text(a any) {
	if c.texter == nil {
		return
	}
	s := c.texter.Format(a)
	c.require(s != "" && !strings.ContainsFunc(s, unicode.IsSpace), "Format(a) has no white space", a)
	b, err := c.texter.Parse(s)
	c.require(err == nil && c.same(a, b), "Parse(Format(a)) = a", a)
}

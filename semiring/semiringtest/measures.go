package semiringtest

import (
	"math"
	"strings"
	"unicode"

	"example.org/pathsum/semiring"
)

// order tries that Compare is a total order and that ⊕ takes its first.
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

// probability tries that weights stand for masses.
func (c *checker) probability(a, b any) {
	prober, ok := semiring.As[semiring.Prober[any]](c.ring)
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

// keyDelta is the grid of the keys that are tried: far wider than rounding.
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

// nearKeys counts whether two weights have one key, if they differ by no more than rounding.
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

// keyStatistics looks at pairs of weights that differ by rounding: hardly one of
// them lies on the edge of a grid cell.
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

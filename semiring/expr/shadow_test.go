package expr

import (
	"math"
	"math/big"
	"math/rand/v2"

	"example.org/pathsum/semiring"
)

// shadow is what an expression should be, worked out beside it operation by
// operation, independent of how a Space stores and simplifies.
type shadow struct {
	value    *big.Float   // at the trial's θ
	grad     []*big.Float // d value / d θ, forward
	tempered float64      // every leaf raised to trialBeta
	cost     float64      // (min, +), leaves are −ln
}

const (
	shadowBits = 300
	trialBeta  = 0.75
)

func newBig(x float64) *big.Float { return new(big.Float).SetPrec(shadowBits).SetFloat64(x) }

func bigMul(a, b *big.Float) *big.Float { return new(big.Float).SetPrec(shadowBits).Mul(a, b) }
func bigAdd(a, b *big.Float) *big.Float { return new(big.Float).SetPrec(shadowBits).Add(a, b) }
func bigSub(a, b *big.Float) *big.Float { return new(big.Float).SetPrec(shadowBits).Sub(a, b) }
func bigQuo(a, b *big.Float) *big.Float { return new(big.Float).SetPrec(shadowBits).Quo(a, b) }

// leafShadow is the shadow of the number x; it is parameter p of n if p ≥ 0.
func leafShadow(x float64, p, n int) shadow {
	s := shadow{newBig(x), make([]*big.Float, n), math.Pow(x, trialBeta), -math.Log(x)}
	for i := range s.grad {
		s.grad[i] = newBig(0)
	}
	if p >= 0 {
		s.grad[p] = newBig(1)
	}
	return s
}

// combine returns a shadow with the gradient Σ part·d.
func (a shadow) combine(value, da *big.Float, b shadow, db *big.Float, tempered, cost float64) shadow {
	s := shadow{value, make([]*big.Float, len(a.grad)), tempered, cost}
	for i := range s.grad {
		s.grad[i] = bigAdd(bigMul(da, a.grad[i]), bigMul(db, b.grad[i]))
	}
	return s
}

func (a shadow) plus(b shadow) shadow {
	one := newBig(1)
	return a.combine(bigAdd(a.value, b.value), one, b, one, a.tempered+b.tempered, min(a.cost, b.cost))
}

func (a shadow) times(b shadow) shadow {
	return a.combine(bigMul(a.value, b.value), b.value, b, a.value, a.tempered*b.tempered, a.cost+b.cost)
}

func (a shadow) over(b shadow) shadow {
	q := bigQuo(a.value, b.value)
	db := new(big.Float).Neg(bigQuo(q, b.value))
	return a.combine(q, bigQuo(newBig(1), b.value), b, db, a.tempered/b.tempered, a.cost-b.cost)
}

func (a shadow) star() shadow {
	v := bigQuo(newBig(1), bigSub(newBig(1), a.value))
	return a.combine(v, bigMul(v, v), a, newBig(0), 1/(1-a.tempered), 0)
}

// whole is tempered as one number.
func (a shadow) whole() shadow {
	v, _ := a.value.Float64()
	a.tempered = math.Pow(v, trialBeta)
	return a
}

// starred reports whether a* has a well-conditioned value in every reading.
func (a shadow) starred() bool {
	return a.value.Cmp(newBig(0.9)) < 0 && a.tempered < 0.9 && a.cost >= 0
}

func (a shadow) moderate() bool {
	for _, x := range []*big.Float{a.value, newBig(a.tempered)} {
		if x.Cmp(newBig(1e-60)) < 0 || x.Cmp(newBig(1e60)) > 0 {
			return false
		}
	}
	return true
}

// trial is random expressions and their shadows.
type trial struct {
	rng   *rand.Rand
	space *Space
	theta []float64
	made  []W
	want  map[W]shadow
}

func newTrial(seed uint64, params, operations int) *trial {
	t := &trial{rng: rand.New(rand.NewPCG(seed, 7)), space: New(), want: map[W]shadow{}}
	for p := range params {
		x := 0.05 + 0.9*t.rng.Float64()
		t.theta = append(t.theta, x)
		t.record(t.space.Param(int32(p)), leafShadow(x, p, params))
	}
	for range 4 {
		x := 0.05 + 1.2*t.rng.Float64()
		t.record(t.space.Const(semiring.NewScaled(x)), leafShadow(x, -1, params))
	}
	t.record(One, leafShadow(1, -1, params))
	for range operations {
		t.step()
	}
	return t
}

func (t *trial) record(w W, s shadow) {
	if _, ok := t.want[w]; !ok {
		t.want[w] = s
		t.made = append(t.made, w)
	}
}

// step makes one more expression from two others, often recent ones.
func (t *trial) step() {
	a, b := t.pick(), t.pick()
	x, y := t.want[a], t.want[b]
	var w W
	var s shadow
	switch k := t.rng.IntN(11); {
	case k < 4:
		w, s = t.space.Times(a, b), x.times(y)
	case k < 7:
		w, s = t.space.Plus(a, b), x.plus(y)
	case k < 8:
		w, _ = t.space.RDiv(a, b)
		s = x.over(y)
	case k < 9:
		w, _ = t.space.LDiv(b, a)
		s = x.over(y)
	case k < 10:
		w, s = t.space.Whole(t.space.Untempered(a)), x.whole()
	case x.starred():
		w, _ = t.space.Star(a)
		s = x.star()
	default:
		return
	}
	if s.moderate() {
		t.record(w, s)
	}
}

func (t *trial) pick() W {
	n := len(t.made)
	if t.rng.IntN(2) == 0 {
		return t.made[n-1-t.rng.IntN(min(n, 8))]
	}
	return t.made[t.rng.IntN(n)]
}

// scaled returns xs as ScaledFloats.
func scaled(xs ...float64) []semiring.ScaledFloat {
	out := make([]semiring.ScaledFloat, len(xs))
	for i, x := range xs {
		out[i] = semiring.NewScaled(x)
	}
	return out
}

// near reports whether got is want up to the relative error tol.
func near(got, want, tol float64) bool {
	return math.Abs(got-want) <= tol*math.Abs(want)
}

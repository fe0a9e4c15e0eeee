package expr

import (
	"math"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/semiringtest"
)

// evaluated is a Space whose expressions are compared by value at one θ: the
// axioms hold of what expressions mean, not of handles. It has neither the keys
// nor the texts of handles.
type evaluated struct {
	semiring.Semiring[W]
	semiring.Divider[W]
	semiring.Lawful
	space  *Space
	theta  []semiring.ScaledFloat
	values *[]semiring.ScaledFloat
	t      testing.TB
}

// value returns the value of a.
func (e evaluated) value(a W) semiring.ScaledFloat {
	var err error
	if *e.values, err = e.space.Evaluate(*e.values, e.theta); err != nil {
		e.t.Fatal(err)
	}
	return (*e.values)[a]
}

// Star is that of the Space where it has a value, with a margin.
func (e evaluated) Star(a W) (W, bool) {
	if e.value(a).Float64() > 0.9 {
		return Zero, false
	}
	return e.space.Star(a)
}

// Dist is the relative distance of the values of a and b.
func (e evaluated) Dist(a, b W) float64 {
	return semiring.Scaled{}.Dist(e.value(a), e.value(b))
}

func TestAxiomsHoldOfValues(t *testing.T) {
	const params = 12
	s := New()
	ring := evaluated{s, s, s, s, nil, new([]semiring.ScaledFloat), t}
	rng := rand.New(rand.NewPCG(1, 2))
	for range params {
		ring.theta = append(ring.theta, semiring.NewScaled(0.01+0.04*rng.Float64()))
	}
	gen := func(r *rand.Rand) W {
		w := s.Param(r.Int32N(params))
		switch r.IntN(4) {
		case 0:
			w = s.Times(w, s.Param(r.Int32N(params)))
		case 1:
			w = s.Plus(w, s.Const(semiring.NewScaled(0.1*r.Float64())))
		case 2:
			w = s.Plus(w, s.Times(s.Param(r.Int32N(params)), w))
		}
		return w
	}
	semiringtest.Test(t, ring, gen, nil)
	if d := ring.Dist(s.Param(0), s.Param(1)); d == 0 || math.IsNaN(d) {
		t.Errorf("distance %g of different values", d)
	}
}

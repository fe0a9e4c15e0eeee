package erased_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/erased"
	"example.org/pathsum/semiring/semiringtest"
)

// check compares an erased ring with the ring itself, capability by capability, and tests its
// laws.
func check[W comparable](t *testing.T, ring semiring.Semiring[W], draw func(*rand.Rand) W) {
	t.Helper()
	r := erased.Of(ring)
	if err := semiringtest.Check(r, func(rng *rand.Rand) any { return draw(rng) }, nil); err != nil {
		t.Errorf("%T: %v", ring, err)
	}
	if semiring.LawsOf(r) != semiring.LawsOf(ring) || semiring.Distributes(r) != semiring.Distributes(ring) {
		t.Errorf("%T: other laws", ring)
	}
	if !r.IsZero(nil) && ring.IsZero(*new(W)) {
		t.Errorf("%T: nil is not the zero value", ring)
	}
	had := 0
	rng := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		a, b := draw(rng), draw(rng)
		same := func(what string, got any, gotOK bool, want W, wantOK bool) {
			t.Helper()
			if gotOK != wantOK || wantOK && got != any(want) {
				t.Fatalf("%T: %s of %v and %v is %v, %t, want %v, %t", ring, what, a, b, got, gotOK, want, wantOK)
			}
			had++
		}
		same("sum", r.Plus(a, b), true, ring.Plus(a, b), true)
		same("product", r.Times(a, b), true, ring.Times(a, b), true)
		same("sum with nothing", r.Plus(nil, b), true, ring.Plus(*new(W), b), true)
		if c, d, ok := both[semiring.Closed[any], semiring.Closed[W]](t, r, ring); ok {
			x, xOK := c.Star(a)
			y, yOK := d.Star(a)
			same("star", x, xOK, y, yOK)
		}
		if c, d, ok := both[semiring.Divider[any], semiring.Divider[W]](t, r, ring); ok {
			x, xOK := c.LDiv(a, b)
			y, yOK := d.LDiv(a, b)
			same("left quotient", x, xOK, y, yOK)
			x, xOK = c.RDiv(a, b)
			y, yOK = d.RDiv(a, b)
			same("right quotient", x, xOK, y, yOK)
		}
		if c, d, ok := both[semiring.Probabilistic[any], semiring.Probabilistic[W]](t, r, ring); ok {
			same("probability", c.FromLog(d.Log(a)), true, d.FromLog(c.Log(a)), true)
		}
		if c, d, ok := both[semiring.Negater[any], semiring.Negater[W]](t, r, ring); ok {
			same("negative", c.Neg(a), true, d.Neg(a), true)
		}
		if c, d, ok := both[semiring.Reverser[any], semiring.Reverser[W]](t, r, ring); ok {
			same("reverse", c.Reverse(a), true, d.Reverse(a), true)
		}
		if c, d, ok := both[semiring.Textual[any], semiring.Textual[W]](t, r, ring); ok {
			x, xErr := c.Parse(d.Format(a))
			y, yErr := d.Parse(c.Format(a))
			same("text", x, xErr == nil, y, yErr == nil)
		}
		if c, d, ok := both[semiring.Ordered[any], semiring.Ordered[W]](t, r, ring); ok && c.Compare(a, b) != d.Compare(a, b) {
			t.Fatalf("%T: another order", ring)
		}
		if c, d, ok := both[semiring.Metric[any], semiring.Metric[W]](t, r, ring); ok && c.Dist(a, b) != d.Dist(a, b) {
			t.Fatalf("%T: another distance", ring)
		}
		if c, d, ok := both[semiring.Ranged[any], semiring.Ranged[W]](t, r, ring); ok && c.InRange(a, a, b) != d.InRange(a, a, b) {
			t.Fatalf("%T: another range", ring)
		}
		if c, d, ok := both[semiring.Keyer[any], semiring.Keyer[W]](t, r, ring); ok && !bytes.Equal(c.AppendKey(nil, a, 0), d.AppendKey(nil, a, 0)) {
			t.Fatalf("%T: another key", ring)
		}
	}
	if had < 200 {
		t.Errorf("%T: only %d answers compared", ring, had)
	}
}

// both returns a capability of an erased ring and the same capability of the ring itself.
func both[E, C, W any](t *testing.T, r semiring.Semiring[any], ring semiring.Semiring[W]) (e E, c C, ok bool) {
	t.Helper()
	e, has := semiring.As[E](r)
	if c, ok = semiring.As[C](ring); has != ok {
		t.Fatalf("%T: capability %T: %t when erased, %t before", ring, c, has, ok)
	}
	return e, c, ok
}

func TestErased(t *testing.T) {
	check(t, semiring.Scaled{}, func(r *rand.Rand) semiring.ScaledFloat { return semiring.NewScaled(r.Float64()) })
	check(t, semiring.Tropical{}, func(r *rand.Rand) semiring.Cost { return semiring.Cost(r.IntN(9)) })
	check(t, semiring.Real{}, func(r *rand.Rand) float64 { return float64(r.IntN(9)) })
	check(t, semiring.LeftString{}, func(r *rand.Rand) semiring.Word { return semiring.NewWord(int32(1 + r.IntN(3))) })
}

// TestWithout: an erased ring lacks the capabilities that the ring lacks.
func TestWithout(t *testing.T) {
	if _, ok := semiring.As[semiring.Kernel[any]](erased.Of(semiring.Real{})); ok {
		t.Error("an erased ring has bulk operations")
	}
	if _, ok := semiring.As[semiring.Ordered[any]](erased.Of(semiring.Real{})); ok {
		t.Error("numbers have an order when erased only")
	}
}

// Bulk operations equal the ring's, and *dst may be an element of a vector that is not read.
func TestBulk(t *testing.T) {
	ring := semiring.Real{}
	kernel, ok := semiring.As[semiring.Kernel[any]](erased.Bulk(ring))
	if !ok {
		t.Fatal("no Kernel")
	}
	w, x := []any{2., 3.}, []any{nil, 5., 7.}
	i := []int32{1, 2}
	kernel.Dot(&x[0], w, nil, x, i)
	if x[0] != 31. || x[1] != 5. || w[0] != 2. {
		t.Errorf("Dot makes %v of %v", x, w)
	}
	kernel.Dot2(&x[0], w, nil, x, i, x, i)
	if x[0] != 197. {
		t.Errorf("Dot2: %v", x[0])
	}
	if _, ok := semiring.As[semiring.Kernel[any]](erased.Of(ring)); ok {
		t.Error("Of has a Kernel")
	}
	if _, ok := semiring.As[semiring.Kernel[any]](erased.Bulk(semiring.Counting{})); ok {
		t.Error("a Kernel of a ring without")
	}
}

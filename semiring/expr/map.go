package expr

import (
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
)

// Map returns the images of all expressions of s under the homomorphism into ring that maps
// parameters and constants by param and constant: the result at h is the image of the handle h.
// constant must be multiplicative, because products of constants have already been multiplied; it
// is not called for 0 and 1. Untempered(w) and Whole(w) have the image of w. The image of Power(a,
// w) is computed by the ring's method Power(a, w V) (V, bool).
//
// The ring must be declared commutative, and it must have Star, division or Power if an
// expression of s contains them; otherwise the error wraps semiring.ErrCapability. If the ring's
// Star or division fails, the error wraps ErrDiverges or ErrDivision and names the expression. It
// takes time linear in the size of s, up to the logarithms of exponents.
func Map[V any](s *Space, ring semiring.Semiring[V], param func(p int32) V, constant func(c semiring.ScaledFloat) V) ([]V, error) {
	if err := semiring.RequireCommutative(ring); err != nil {
		return nil, err
	}
	t, names := s.snapshot()
	same := func(v V) V { return v }
	h := homomorphism[V]{ring: ring, param: param, constant: constant, plain: same, whole: same, values: make([]V, 0, t.len()),
		power: func(a, w, _, _ V, _ bool) (V, error) {
			powers, err := semiring.Require[interface{ Power(a, w V) (V, bool) }](ring)
			if err != nil {
				return a, err
			}
			v, ok := powers.Power(a, w)
			if !ok {
				return v, ErrParam
			}
			return v, nil
		}}
	if err := h.extend(&t, names); err != nil {
		return nil, err
	}
	return h.values, nil
}

type homomorphism[V any] struct {
	ring     semiring.Semiring[V]
	param    func(p int32) V
	constant func(c semiring.ScaledFloat) V
	power    func(a, w, plainA, plainW V, isPlain bool) (V, error)
	plain    func(leaf V) V // a leaf that is not tempered
	whole    func(v V) V    // v, tempered as one number
	values   []V
}

// extend appends the missing images of expressions of t and of the tables below it.
func (h *homomorphism[V]) extend(t *table, names func(int32) string) error {
	for _, layer := range t.layers() {
		for w := max(layer.first, W(len(h.values))); int(w) < layer.len(); w++ {
			v, err := h.image(layer, layer.nodes[w-layer.first])
			if err != nil {
				return nested.Errorf("%w: %s", err, layer.text(w, names))
			}
			h.values = append(h.values, v)
		}
	}
	return nil
}

func (h *homomorphism[V]) image(t *table, n node) (V, error) {
	pairs := t.pairsOf(n)
	switch n.kind() {
	case param:
		return h.param(pairs[0].of), nil
	case plainLeaf:
		return h.plain(h.values[pairs[0].of]), nil
	case whole:
		return h.whole(h.values[pairs[0].of]), nil
	case raised:
		of := powerTerms(pairs)
		v := h.values
		return h.power(v[of[powerBase]], v[of[powerExponent]], v[of[plainBase]], v[of[plainExponent]], of[powerBase] == of[plainBase])
	case sum:
		v := h.ring.Zero()
		for _, x := range pairs {
			v = h.ring.Plus(v, repeat(h.ring.Plus, h.values[x.of], x.number))
		}
		return v, nil
	case star:
		return h.star(h.values[pairs[0].of])
	default:
		return h.monomial(t.constant(n), pairs)
	}
}

func (h *homomorphism[V]) star(v V) (V, error) {
	closed, err := semiring.RequireClosed(h.ring)
	if err != nil {
		return v, err
	}
	v, ok := closed.Star(v)
	if !ok {
		return v, ErrDiverges
	}
	return v, nil
}

func (h *homomorphism[V]) monomial(c semiring.ScaledFloat, factors []pair) (V, error) {
	over, under := h.ring.One(), h.ring.One()
	switch {
	case c.IsZero():
		return h.ring.Zero(), nil
	case c != unit:
		over = h.constant(c)
	}
	quotient := false
	for _, f := range factors {
		if f.number > 0 {
			over = h.ring.Times(over, repeat(h.ring.Times, h.values[f.of], f.number))
		} else {
			under = h.ring.Times(under, repeat(h.ring.Times, h.values[f.of], -f.number))
			quotient = true
		}
	}
	if !quotient {
		return over, nil
	}
	divider, err := semiring.Require[semiring.Divider[V]](h.ring)
	if err != nil {
		return over, err
	}
	v, ok := divider.RDiv(over, under)
	if !ok {
		return v, ErrDivision
	}
	return v, nil
}

// repeat returns v combined with itself, n ≥ 1 copies in all.
func repeat[V any](op func(a, b V) V, v V, n int32) V {
	for ; n&1 == 0; n >>= 1 {
		v = op(v, v)
	}
	x := v
	for n >>= 1; n > 0; n >>= 1 {
		v = op(v, v)
		if n&1 == 1 {
			x = op(x, v)
		}
	}
	return x
}

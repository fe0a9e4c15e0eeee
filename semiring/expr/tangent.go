package expr

import (
	"slices"

	"example.org/pathsum/semiring"
)

// Tangents returns how the values of all expressions change with those of the
// parameters: dst[h] = d ln (value of h), if ln θ_p grows by direction[p] for each p.
// values comes from EvaluateTempered with the same beta, or from Evaluate, and beta is
// then 1; θ_p means the tempered value of p. An expression of value 0 has the tangent 0, which is right
// unless constants are negative.
//
// As with Evaluate, whatever dst holds already is extended: for a fork of s, start
// from the tangents of s. It takes time linear in the size of the new part. It
// panics if values is shorter than Len, or direction too short for a parameter.
func (s *Space) Tangents(dst []float64, values []semiring.ScaledFloat, direction []float64, beta float64) []float64 {
	t, _ := s.snapshot()
	dst = slices.Grow(dst, max(0, t.len()-len(dst)))
	for _, layer := range t.layers() {
		for w := len(dst); w < layer.len(); w++ {
			n := layer.nodes[w-int(layer.first)]
			sum := 0.0
			switch {
			case n.kind() == param:
				sum = direction[layer.pairsOf(n)[0].of]
			case !values[w].IsZero():
				for _, x := range layer.pairsOf(n) {
					sum += slope(n.kind(), values, w, x) * dst[x.of]
				}
				switch n.kind() {
				case plainLeaf:
					sum /= beta
				case whole:
					sum *= beta
				}
			}
			dst = append(dst, sum)
		}
	}
	return dst
}

// Dual is numbers and their derivatives along a direction.
type Dual struct{ Value, Change []float64 }

// BackpropagateAlong is Backpropagate with derivatives along a direction, of which
// tangents is what Tangents returns: count.Change[h] is, on entry, the derivative of
// count.Value[h], and that of what is added to grad.Value is added to grad.Change. If
// counts are the expected uses of expressions and their changes come from a
// covariance (see batch.Batch.HessianVector), grad.Change grows by the product of the
// direction and the matrix of second derivatives of ln Z by ln θ (reverse over
// forward differentiation). It takes about twice the time.
func (s *Space) BackpropagateAlong(values []semiring.ScaledFloat, tangents []float64, count, grad Dual) {
	t, _ := s.snapshot()
	checkSizes(t.len(), len(values), len(count.Value))
	checkSizes(t.len(), len(tangents), len(count.Change))
	for i := len(t.nodes) - 1; i >= 0; i-- {
		w := int(t.first) + i
		c, d := count.Value[w], count.Change[w]
		if c == 0 && d == 0 {
			continue
		}
		count.Value[w], count.Change[w] = 0, 0
		n := t.nodes[i]
		pairs := t.pairsOf(n)
		if n.kind() == param {
			grad.Value[pairs[0].of] += c
			grad.Change[pairs[0].of] += d
			continue
		}
		for _, x := range pairs {
			f := slope(n.kind(), values, w, x)
			bend := 0.0 // d ln f
			switch n.kind() {
			case sum:
				bend = tangents[x.of] - tangents[w]
			case star:
				bend = tangents[x.of] + tangents[w]
			}
			count.Value[x.of] += c * f
			count.Change[x.of] += (d + c*bend) * f
		}
	}
}

// slope returns d ln (value of w) / d ln (value of x), where w has the kind k and x
// is one of its parts; a part may occur more than once. The factors 1/β of what is
// plain and β of what is whole are left out: they come together.
func slope(k kind, values []semiring.ScaledFloat, w int, x pair) float64 {
	switch k {
	case sum:
		return float64(x.number) * values[x.of].Div(values[w]).Float64()
	case star: // v·v*
		return values[x.of].Mul(values[w]).Float64()
	}
	return float64(x.number)
}

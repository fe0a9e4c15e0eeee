package expr

import "example.org/pathsum/semiring"

// Matrix is a sparse matrix A of exponents with a constant for each row, by
// compressed rows: the expression of row i is
//
//	c[i] ⊗ ∏ₙ θ[Param[n]]^Exponent[n],  n = Row[i] … Row[i+1]−1,
//
// so that ln w = ln c + A ln θ, and expected counts of the rows give expected counts of
// the parameters as Aᵀ·counts. Parameters ascend within a row.
type Matrix struct {
	Constant []semiring.ScaledFloat // per row
	OK       []bool                 // per row; false: no monomial, the row is empty
	Row      []int32                // rows + 1
	Param    []int32                // per entry
	Exponent []int32                // per entry, not 0
}

// Monomials returns the expressions ws as the rows of a matrix. Zero is the
// monomial with the constant 0. A sum or a star, even one that could be worked
// out to a monomial, is none, nor is a product with one.
func (s *Space) Monomials(ws []W) *Matrix {
	t, _ := s.snapshot()
	m := &Matrix{
		Constant: make([]semiring.ScaledFloat, len(ws)),
		OK:       make([]bool, len(ws)),
		Row:      make([]int32, 1, len(ws)+1),
	}
	for i, w := range ws {
		m.OK[i] = m.appendRow(&t, w)
		if m.OK[i] {
			l, n := t.at(w)
			m.Constant[i] = l.constant(n)
		}
		m.Row = append(m.Row, int32(len(m.Param)))
	}
	return m
}

// appendRow appends the factors of w, or nothing if w is no monomial.
func (m *Matrix) appendRow(t *table, w W) bool {
	var self [1]pair
	_, factors := t.factors(w, &self)
	start := len(m.Param)
	for _, f := range factors {
		l, n := t.at(W(f.of))
		if n.kind() != param {
			m.Param, m.Exponent = m.Param[:start], m.Exponent[:start]
			return false
		}
		m.Param = append(m.Param, l.pairsOf(n)[0].of)
		m.Exponent = append(m.Exponent, f.number)
		for i := len(m.Param) - 1; i > start && m.Param[i] < m.Param[i-1]; i-- {
			m.Param[i], m.Param[i-1] = m.Param[i-1], m.Param[i]
			m.Exponent[i], m.Exponent[i-1] = m.Exponent[i-1], m.Exponent[i]
		}
	}
	return true
}

package solve

import (
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/weights"
)

// numbers is the interface to the weights and the sums of a graph over a ring of numbers of any
// type. float64 numbers are read and written many at a time.
type numbers interface {
	arc(e int32) semiring.ScaledFloat
	sum(s int32) semiring.ScaledFloat
	isZeroArc(e int32) bool
	isZeroSum(s int32) bool

	// readArcs sets dst[n] to the number of arc begin+n or, if arc is not nil, of arc[n]. Numbers
	// out of the range of float64 become 0 or infinite.
	readArcs(dst []float64, begin int32, arc []int32)
	// readSums sets dst[n] to the sum of s[n], and product[n] to arc[n] ⊗ sum of from[n], in
	// units of 2^(512·exp). The unit has the magnitude of one of these sums.
	readSums(dst []float64, s []int32, product []float64, arc, from []int32) (exp int64)

	// load sets x[s] to the sum of s, for all states. store does the reverse.
	load(x []semiring.ScaledFloat, states []int32)
	store(states []int32, x []semiring.ScaledFloat)

	setSum(s int32, x semiring.ScaledFloat)
	// setSums sets the sum of s[n] to x[n] ⊗ unit.
	setSums(s []int32, x []float64, unit semiring.ScaledFloat)
}

// numbered is numbers for an engine.
type numbered[W any] struct {
	e    *engine[W]
	mass *weights.Mass[W]
	bulk weights.Numbers[W]
}

func (m *numbered[W]) arc(e int32) semiring.ScaledFloat       { return m.mass.Of(m.e.weight[e]) }
func (m *numbered[W]) sum(s int32) semiring.ScaledFloat       { return m.mass.Of(m.e.x[s]) }
func (m *numbered[W]) isZeroArc(e int32) bool                 { return m.e.ring.IsZero(m.e.weight[e]) }
func (m *numbered[W]) isZeroSum(s int32) bool                 { return m.e.ring.IsZero(m.e.x[s]) }
func (m *numbered[W]) setSum(s int32, x semiring.ScaledFloat) { m.e.x[s] = m.mass.Weight(x) }

func (m *numbered[W]) load(x []semiring.ScaledFloat, states []int32) {
	for _, s := range states {
		x[s] = m.mass.Of(m.e.x[s])
	}
}

func (m *numbered[W]) store(states []int32, x []semiring.ScaledFloat) {
	for _, s := range states {
		m.e.x[s] = m.mass.Weight(x[s])
	}
}

func (m *numbered[W]) setSums(s []int32, x []float64, unit semiring.ScaledFloat) {
	for n, y := range x {
		m.e.x[s[n]] = m.mass.Weight(semiring.NewScaled(y).Mul(unit))
	}
}

func (m *numbered[W]) readArcs(dst []float64, begin int32, arc []int32) {
	w := m.e.weight
	if arc == nil {
		w = w[begin : int(begin)+len(dst)]
	}
	weights.Read(&m.bulk, dst, w, arc)
}

func (m *numbered[W]) readSums(dst []float64, s []int32, product []float64, arc, from []int32) (exp int64) {
search:
	for _, states := range [...][]int32{from, s} {
		for _, s := range states {
			if !m.e.ring.IsZero(m.e.x[s]) {
				exp = m.mass.Of(m.e.x[s]).Exp
				break search
			}
		}
	}
	unit := m.mass.Weight(semiring.ScaledFloat{Mant: 1, Exp: -exp})
	m.bulk.Kernel.Marginals(dst, unit, m.e.x, s, weights.Ones(&m.bulk, len(dst)), nil)
	if len(arc) > 0 {
		m.bulk.Kernel.Marginals(product, unit, m.e.weight, arc, m.e.x, from)
	}
	return exp
}

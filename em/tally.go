package em

import (
	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// tally is what one shard, or all of them, contribute to an E step. Its counts
// are per handle of the space (followed, while a shard is at work, by those of
// the shard's own handles), and so are their derivatives, where a direction was
// asked for; otherwise there are none.
type tally struct {
	counts        []float64
	curvature     []float64
	logLikelihood float64
	skipped       []Skipped
	arcs          int64
}

func (a *tally) reset(p pass, handles int) {
	a.counts = zeros(a.counts, handles)
	a.curvature = a.curvature[:0]
	if p.tangents != nil {
		a.curvature = zeros(a.curvature, handles)
	}
	a.logLikelihood, a.skipped, a.arcs = 0, nil, 0
}

// add adds b, which may have counts of more handles.
func (a *tally) add(b *tally) {
	floats.Add(a.counts, b.counts[:len(a.counts)])
	floats.Add(a.curvature, b.curvature[:len(a.curvature)])
	a.logLikelihood += b.logLikelihood
	a.skipped = append(a.skipped, b.skipped...)
	a.arcs += b.arcs
}

// backpropagate turns the counts of the space's own handles into those of others
// and of the parameters.
func (a *tally) backpropagate(space *expr.Space, values []semiring.ScaledFloat, tangents, counts, curvature []float64) {
	if tangents == nil {
		space.Backpropagate(values, a.counts, counts)
		return
	}
	space.BackpropagateAlong(values, tangents, expr.Dual{Value: a.counts, Change: a.curvature}, expr.Dual{Value: counts, Change: curvature})
}

// zeros returns n zeros, in s if there is room.
func zeros(s []float64, n int) []float64 {
	if cap(s) < n {
		return make([]float64, n)
	}
	s = s[:n]
	clear(s)
	return s
}

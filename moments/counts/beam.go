package counts

import (
	"context"
	"encoding/gob"
	"fmt"
	"io"
	"math"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/graphs"
	"example.org/pathsum/internal/machines"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// Beam returns the log likelihood of the counts as approximated by beam search. It does not expand
// the product of a region's labelings and its automaton: after each position it keeps width states,
// those with the greatest forward mass. Its sums over the remaining paths are lower bounds of the
// sums of Exact. A region without a remaining path is skipped.
//
// An E step takes time proportional to the kept states times the labels that occur. The likelihood
// has no second derivatives. Beam panics if width is not positive.
func (t *Tagger) Beam(width int) em.Likelihood {
	if width <= 0 {
		panic("counts: Beam: a positive width is wanted")
	}
	l := &beam{Tagger: t, width: width}
	return em.Sharded[*pass, searcher]{
		Package:     "counts",
		Params:      t.Params,
		Cut:         em.NewCut(len(t.data.annotations)),
		Fingerprint: l.fingerprint,
		Viterbi:     true,
		Tempered:    true,
		Underivable: em.Skip,
		Begin:       begin,
		Open: func(ctx context.Context, w *searcher, _ *pass, _ int, _ *em.Tally) error {
			w.ctx = ctx
			return nil
		},
		Sum: l.sum,
	}.Likelihood()
}

type beam struct {
	*Tagger
	width int
}

func (l *beam) fingerprint(w io.Writer) {
	fmt.Fprintln(w, "beam", l.width, l.data.symbols, l.data.labels)
	e := gob.NewEncoder(w)
	for i := range l.data.annotations {
		a := &l.data.annotations[i]
		e.Encode(l.data.region(a))
		e.Encode(a)
	}
}

// pass is an E step.
type pass struct {
	of     em.EStep
	ring   semiring.Semiring[semiring.ScaledFloat]
	weight []semiring.ScaledFloat // of the parameters
}

func begin(q em.Query) (*pass, error) {
	p := &pass{of: q.EStep, ring: semiring.Scaled{}, weight: make([]semiring.ScaledFloat, len(q.Theta))}
	if q.EStep == em.Viterbi {
		p.ring = semiring.Viterbi{}
	}
	for i, theta := range q.Theta {
		p.weight[i] = semiring.ScaledFromLog(q.Temperature * math.Log(theta))
	}
	return p, nil
}

// searcher is the storage of one goroutine; it stops when ctx is done.
type searcher struct {
	labelings
	ctx context.Context
}

// sum adds the expected uses in annotation i to a, and returns the ln of the sum over its
// labelings.
func (l *beam) sum(w *searcher, p *pass, i int, _ float64, a *em.Tally) (float64, error) {
	w.set(p.ring, l.data, &l.data.annotations[i], p.weight)
	part, err := graphs.Beam(w.ctx, &w.labelings, &graph.BeamOptions[semiring.ScaledFloat]{Width: l.width})
	if err != nil {
		return 0, err
	}
	a.Arcs += int64(part.Graph.NumArcs())
	total, uses, err := machines.Uses(part.Graph, p.of == em.Viterbi)
	if err != nil || total.IsZero() {
		return total.Log(), err
	}
	for arc, n := range uses {
		if n > 0 {
			a.Put(part.In[arc]-1, n)
		}
	}
	return total.Log(), nil
}

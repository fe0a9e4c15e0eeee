package counts

import (
	"context"
	"encoding/gob"
	"fmt"
	"io"
	"math"

	"example.org/pathsum/em"
	"example.org/pathsum/moments"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// Beam returns the log likelihood of the counts as far as a beam search sees it: the
// product of a region's labelings and its automaton is not expanded, but of the states
// after each position the given number is kept, those of the greatest forward
// mass. Its sums are over the paths that are left, lower bounds of those of Exact. A
// region of which none is left is skipped.
//
// An E step takes time in proportion to the states kept times the labels that occur. It
// does not offer second derivatives. It panics if width is not positive.
func (t *Tagger) Beam(width int) em.Likelihood {
	if width <= 0 {
		panic("counts: Beam: a positive width is wanted")
	}
	return &beam{Tagger: t, width: width, size: em.ShardSize(len(t.data.annotations)),
		reducer: em.NewReducer[labelings, tally](func() *labelings { return new(labelings) })}
}

type beam struct {
	*Tagger
	width, size int // of the beam, and of a shard
	reducer     *em.Reducer[labelings, tally]
}

func (l *beam) Params() *em.Params { return l.Tagger.Params }

func (l *beam) Shards() int { return (len(l.data.annotations) + l.size - 1) / l.size }

func (l *beam) Fingerprint(w io.Writer) {
	fmt.Fprintln(w, "beam", l.width, l.data.symbols, l.data.labels)
	e := gob.NewEncoder(w)
	for i := range l.data.annotations {
		a := &l.data.annotations[i]
		e.Encode(l.data.region(a))
		e.Encode(a)
	}
}

// tally is what a shard contributes: counts of parameters, in the order in which they
// were found.
type tally struct {
	parameter     []int32
	count         []float64
	logLikelihood float64
	skipped       []em.Skipped
	arcs          int64
}

func (l *beam) Expect(ctx context.Context, q em.Query) (*em.Expectations, error) {
	q, err := q.Complete(l)
	if err != nil {
		return nil, err
	}
	if q.Direction != nil {
		return nil, fmt.Errorf("counts: %w: a beam has no second derivatives", moments.ErrInvalid)
	}
	weight := make([]semiring.ScaledFloat, len(q.Theta))
	for i, p := range q.Theta {
		weight[i] = semiring.ScaledFromLog(q.Temperature * math.Log(p))
	}
	e := &em.Expectations{Counts: make([]float64, len(q.Theta))}
	err = l.reducer.Sum(ctx, q.Workers, q.Lo, q.Hi,
		func(m *labelings, shard int, a *tally) error {
			*a = tally{parameter: a.parameter[:0], count: a.count[:0]}
			for i := shard * l.size; i < min((shard+1)*l.size, len(l.data.annotations)); i++ {
				if err := l.visit(ctx, m, i, q, weight, a); err != nil {
					return fmt.Errorf("counts: annotation %d: %w", i, err)
				}
			}
			return nil
		},
		func(shard int, a *tally) {
			for k, i := range a.parameter {
				e.Counts[i] += a.count[k]
			}
			e.LogLikelihood += a.logLikelihood
			e.Skipped = append(e.Skipped, a.skipped...)
			e.Arcs += a.arcs
			e.Examples += min((shard+1)*l.size, len(l.data.annotations)) - shard*l.size
		})
	if err != nil {
		return nil, err
	}
	return e, nil
}

// visit adds annotation i to a, at the given weights of the parameters; m is scratch.
func (l *beam) visit(ctx context.Context, m *labelings, i int, q em.Query, weight []semiring.ScaledFloat, a *tally) error {
	var ring semiring.Semiring[semiring.ScaledFloat] = semiring.Scaled{}
	if q.EStep == em.Viterbi {
		ring = semiring.Viterbi{}
	}
	m.set(ring, l.data, &l.data.annotations[i], weight)
	part, err := graph.Beam[semiring.ScaledFloat](ctx, m, &graph.BeamOptions[semiring.ScaledFloat]{Width: l.width})
	if err != nil {
		return err
	}
	a.arcs += int64(part.Graph.NumArcs())
	total, uses, err := expect(part.Graph, q.EStep)
	if err != nil {
		return err
	}
	if ring.IsZero(total) {
		a.skipped = append(a.skipped, em.Skipped{Index: i, Weight: 1})
		return nil
	}
	a.logLikelihood += total.Log()
	for arc, n := range uses {
		if n > 0 {
			a.parameter, a.count = append(a.parameter, part.In[arc]-1), append(a.count, n)
		}
	}
	return nil
}

// expect returns the path sum and how often each arc is used.
func expect(g *graph.Graph[semiring.ScaledFloat], of em.EStep) (semiring.ScaledFloat, []float64, error) {
	if of == em.Marginal {
		p, err := graph.Posteriors(g)
		if err != nil {
			return semiring.ScaledFloat{}, nil, err
		}
		return p.Total, p.Arc, nil
	}
	path, err := graph.BestPath(g)
	if err != nil {
		return semiring.ScaledFloat{}, nil, err
	}
	uses := make([]float64, g.NumArcs())
	for _, arc := range path.Arcs {
		uses[arc]++
	}
	return path.Weight, uses, nil
}

package moments

import (
	"context"
	"encoding/binary"
	"io"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/em"
)

// objective is total·θ − Σ A(θ; x) − ridge/2·|θ|² as a likelihood; the Likelihood in it
// is Σ A(θ; x).
type objective struct {
	em.Likelihood
	total     []float64
	ridge     float64
	strengths []span
}

// span is a range of parameters.
type span struct{ lo, hi int }

// check finds the strengths and returns an error wrapping ErrInvalid if there is
// something that makes no sense.
func (l *objective) check(o Options) error {
	p := l.Params()
	if len(l.total) != p.Len() {
		return invalid("%d statistics for %d parameters", len(l.total), p.Len())
	}
	if o.Ridge-o.Ridge != 0 || !(o.Shrink >= 0 && o.Shrink < 1) {
		return invalid("ridge %g and shrinkage %g, want a finite number and one in [0, 1)", o.Ridge, o.Shrink)
	}
	for _, g := range p.Groups() {
		switch law := g.Law().(type) {
		case em.Fixed:
		case *em.LogLinear:
			if law.Dim(nil) != g.Len() {
				return invalid("group of %s has outcomes that are normalized by themselves", g.Name(0))
			}
			l.strengths = append(l.strengths, span{g.First(), g.First() + g.Len()})
		default:
			return invalid("%s is estimated by %T, want log-linear strengths", g.Name(0), law)
		}
	}
	for _, s := range l.strengths {
		for i := s.lo; i < s.hi; i++ {
			if x := l.total[i]; x-x != 0 {
				return invalid("the statistic of %s is %g", p.Name(int32(i)), x)
			}
		}
	}
	return nil
}

func (l *objective) Fingerprint(w io.Writer) {
	binary.Write(w, binary.LittleEndian, l.total)
	binary.Write(w, binary.LittleEndian, l.ridge)
	l.Likelihood.Fingerprint(w)
}

// Expect makes an E step. What does not depend on the data is spread evenly over the
// shards. Nothing is hidden, so that a temperature is a factor of the objective.
func (l *objective) Expect(ctx context.Context, q em.Query) (*em.Expectations, error) {
	q, err := q.Complete(l)
	if err != nil {
		return nil, err
	}
	beta := q.Temperature
	q.Temperature = 1
	e, err := l.Likelihood.Expect(ctx, q)
	if err != nil {
		return nil, err
	}
	share := float64(q.Hi-q.Lo) / float64(l.Shards())
	e.LogLikelihood = -e.LogLikelihood
	end := 0
	for _, s := range l.strengths {
		clear(e.Counts[end:s.lo]) // no statistics
		theta, total, counts := q.Theta[s.lo:s.hi], l.total[s.lo:s.hi], e.Counts[s.lo:s.hi]
		e.LogLikelihood += share * (floats.Dot(total, theta) - l.ridge/2*floats.Dot(theta, theta))
		for i, expected := range counts {
			counts[i] = share*(total[i]-l.ridge*theta[i]) - expected
		}
		if q.Direction != nil {
			clear(e.Curvature[end:s.lo])
			for i, c := range e.Curvature[s.lo:s.hi] {
				e.Curvature[s.lo+i] = -c - share*l.ridge*q.Direction[s.lo+i]
			}
		}
		end = s.hi
	}
	e.LogLikelihood *= beta
	clear(e.Counts[end:])
	if q.Direction != nil {
		clear(e.Curvature[end:])
	}
	return e, nil
}

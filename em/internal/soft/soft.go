// Package soft implements soft strings: emissions of a recognizer whose columns stand for labels.
//
// A soft string of T frames gives each string of T labels a weight, the product of the weights
// of its labels in their frames. As an acceptor it has an arc for each label in each frame.
package soft

import (
	"fmt"
	"math"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/machines"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/frames"
)

// String is a soft string. Acceptor and Relation are functions, so that packages that mention a
// String need not compile the methods of machines.
type String struct {
	Emissions *frames.Emissions
	Labels    []int32 // per column, each > 0 and different from the others
}

// New returns the soft string of e whose column v has the label labels[v], or v+1 if labels is
// nil. The error wraps nested.ErrInvalid unless there are different labels > 0 for all columns.
// The slice is kept.
func New(e *frames.Emissions, labels []int32) (*String, error) {
	n := e.Symbols()
	if labels == nil {
		labels = make([]int32, n)
		for v := range labels {
			labels[v] = int32(v) + 1
		}
	}
	if len(labels) != n {
		return nil, fmt.Errorf("%w: %d labels for %d columns, want one for each", nested.ErrInvalid, len(labels), n)
	}
	column := make(map[int32]int, n)
	for v, l := range labels {
		if l <= fst.Epsilon {
			return nil, fmt.Errorf("%w: label %d of column %d, want labels > 0", nested.ErrInvalid, l, v)
		}
		if u, ok := column[l]; ok {
			return nil, fmt.Errorf("%w: label %d of column %d is the label of column %d too, want different labels", nested.ErrInvalid, l, v, u)
		}
		column[l] = v
	}
	return &String{Emissions: e, Labels: labels}, nil
}

// NumStates returns the number of states of the acceptor.
func (s *String) NumStates() int { return s.Emissions.Frames() + 1 }

// NumArcs returns the number of arcs of the acceptor if no weight is 0.
func (s *String) NumArcs() int { return s.Emissions.Frames() * s.Emissions.Symbols() }

// Possible reports whether column v has a weight > 0 in frame t.
func (s *String) Possible(t, v int) bool { return !math.IsInf(s.Emissions.Log(t, v), -1) }

// Tempered returns the emissions of s with all weights raised to the power β ≥ 0, where 0 remains
// 0. It takes time and memory proportional to frames × symbols unless β is 1.
func (s *String) Tempered(beta float64) (*frames.Emissions, error) {
	e := s.Emissions
	if beta == 1 {
		return e, nil
	}
	logs := make([]float64, 0, e.Frames()*e.Symbols())
	for t := range e.Frames() {
		for v := range e.Symbols() {
			l := math.Inf(-1)
			if s.Possible(t, v) {
				l = beta * e.Log(t, v)
			}
			logs = append(logs, l)
		}
	}
	return frames.LogProbabilities(e.Frames(), e.Symbols(), logs, &frames.Options{Unnormalized: true})
}

// Acceptor returns the acceptor of s, whose weights are constants of space. If it would have more
// states and arcs than limit, Acceptor returns an error that wraps semiring.ErrLimit instead.
func Acceptor(s *String, space *expr.Space, limit int) (*fst.FST[expr.W], error) {
	return acceptor(s, machines.Exprs, semiring.Semiring[expr.W](space), limit, space.Const)
}

// Relation returns the acceptor of the strings of n labels that may begin s, each with
// weight 1. The error is as for Acceptor.
func Relation(s *String, n, limit int) (*fst.FST[semiring.ScaledFloat], error) {
	ring := semiring.Semiring[semiring.ScaledFloat](semiring.Scaled{})
	if n == 0 {
		return machines.Scaled.FromString(ring, nil), nil
	}
	first := &String{Emissions: s.Emissions.Slice(0, n), Labels: s.Labels}
	return acceptor(first, machines.Scaled, ring, limit, func(semiring.ScaledFloat) semiring.ScaledFloat { return ring.One() })
}

func acceptor[W any](s *String, over machines.Operations[W], ring semiring.Semiring[W], limit int, number func(semiring.ScaledFloat) W) (*fst.FST[W], error) {
	e := s.Emissions
	size := e.Frames() + 1
	for t := range e.Frames() {
		for v := range e.Symbols() {
			if s.Possible(t, v) {
				size++
			}
		}
		if size > limit {
			return nil, fmt.Errorf("%w: more than %d states and arcs for %d frames of %d labels", semiring.ErrLimit, limit, e.Frames(), e.Symbols())
		}
	}
	b := over.NewBuilder(ring)
	b.AddStates(e.Frames() + 1)
	b.AddStart(0, ring.One())
	for t := range e.Frames() {
		for v, l := range s.Labels {
			if s.Possible(t, v) {
				b.AddArc(int32(t), fst.Arc[W]{In: l, Out: l, Weight: number(e.Weight(t, v)), To: int32(t) + 1})
			}
		}
	}
	b.SetFinal(int32(e.Frames()), ring.One())
	return b.Freeze()
}

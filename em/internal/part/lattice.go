package part

import (
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/graphs"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/graph"
)

// Values are the numbers of the expressions of a Space, to which more may be added meanwhile.
type Values struct {
	space       *expr.Space
	temperature float64
	known       []semiring.ScaledFloat
	fault       func(w expr.W) error
}

// Reset sets v to the values of space at a temperature, which begin with inherited. fault returns
// the error of an expression that has no value, and is NaN in inherited.
func (v *Values) Reset(space *expr.Space, temperature float64, inherited []semiring.ScaledFloat, fault func(w expr.W) error) {
	*v = Values{space, temperature, append(v.known[:0], inherited...), fault}
}

// All returns the values of all current expressions.
func (v *Values) All() ([]semiring.ScaledFloat, error) {
	if n := v.space.Len(); len(v.known) < n {
		var err error
		if v.known, err = v.space.EvaluateTempered(v.known, nil, v.temperature); err != nil {
			return nil, err
		}
	}
	return v.known, nil
}

// of returns the value of an expression.
func (v *Values) of(w expr.W) (semiring.ScaledFloat, error) {
	all, err := v.All()
	if err != nil {
		return semiring.ScaledFloat{}, err
	}
	if all[w].IsNaN() {
		return all[w], v.fault(w)
	}
	return all[w], nil
}

// unit is the number 1.
var unit = semiring.ScaledFloat{Mant: 1}

// scaled is the ring of sums.
func scaled() semiring.Semiring[semiring.ScaledFloat] { return semiring.Scaled{} }

// Lattice is a lattice from which a part is chosen, with bounds of the continuations of its states.
type Lattice struct {
	m      fst.Machine[expr.W]
	values *Values
	// best bounds the weight of the best continuation and rest the sum of all continuations.
	best, rest func(s int32) semiring.ScaledFloat
	// graph is the graph of a whole lattice in numbers, over semiring.Viterbi. If it is not nil,
	// best and rest are exact.
	graph *graph.Graph[semiring.ScaledFloat]
}

// Exact reports whether the whole lattice is available, so that best and rest are exact.
func (l *Lattice) Exact() bool { return l.graph != nil }

// Whole returns f, whose states must all be on paths, as a lattice from which o selects a part.
func Whole(f *fst.FST[expr.W], v *Values, o Options) (*Lattice, error) {
	values, err := v.All()
	if err != nil {
		return nil, err
	}
	for _, w := range f.Graph().Weights() {
		if _, err := v.of(w); err != nil {
			return nil, err
		}
	}
	number := func(w expr.W) semiring.ScaledFloat { return values[w] }
	g := graph.Map(f.Graph(), semiring.Viterbi{}, number)
	var best []semiring.ScaledFloat
	if o.searches() {
		if best, err = graphs.Backward(g); err != nil {
			return nil, err
		}
	}
	rest, err := graphs.Backward(graph.Map(f.Graph(), scaled(), number))
	if err != nil {
		return nil, err
	}
	return &Lattice{m: f, values: v, graph: g,
		best: func(s int32) semiring.ScaledFloat { return best[s] },
		rest: func(s int32) semiring.ScaledFloat { return rest[s] }}, nil
}

// starts returns the starts of the lattice.
func (l *Lattice) starts() []fst.Start[expr.W] { return l.m.AppendStarts(nil) }

// Any reports whether the lattice has a start. Without a start it has no derivation.
func (l *Lattice) Any() bool { return len(l.starts()) > 0 }

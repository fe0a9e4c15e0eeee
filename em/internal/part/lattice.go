package part

import (
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/machines"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/graph"
)

// Values are the numbers of the expressions of a Space, which may become more meanwhile.
type Values struct {
	space       *expr.Space
	temperature float64
	known       []semiring.ScaledFloat
	fault       func(w expr.W) error
}

// Reset makes v the values of space at a temperature, which begin with inherited. fault says why
// an expression, which inherited has as NaN, has no value.
func (v *Values) Reset(space *expr.Space, temperature float64, inherited []semiring.ScaledFloat, fault func(w expr.W) error) {
	*v = Values{space, temperature, append(v.known[:0], inherited...), fault}
}

// All returns the values of all expressions that there are.
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

// Lattice is a lattice to choose from, and what is known of the ways on from its states.
type Lattice struct {
	m      fst.Machine[expr.W]
	values *Values
	// best and rest bound the weight of the best way on and the sum of all.
	best, rest func(s int32) semiring.ScaledFloat
	// Of a lattice that is there as a whole, of which they are no bounds but what is ahead:
	// its graph in numbers, over semiring.Viterbi.
	graph *graph.Graph[semiring.ScaledFloat]
}

// Exact reports whether the lattice is there as a whole.
func (l *Lattice) Exact() bool { return l.graph != nil }

// Whole returns f, without states that are on no path, as a lattice to choose from by o.
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
		if best, err = machines.ScaledGraphs.Backward(g); err != nil {
			return nil, err
		}
	}
	rest, err := machines.ScaledGraphs.Backward(graph.Map(f.Graph(), scaled(), number))
	if err != nil {
		return nil, err
	}
	return &Lattice{m: f, values: v, graph: g,
		best: func(s int32) semiring.ScaledFloat { return best[s] },
		rest: func(s int32) semiring.ScaledFloat { return rest[s] }}, nil
}

// starts returns the starts of the lattice.
func (l *Lattice) starts() []fst.Start[expr.W] { return l.m.AppendStarts(nil) }

// Any reports whether the lattice has a start, and so perhaps a derivation.
func (l *Lattice) Any() bool { return len(l.starts()) > 0 }

package ctc

import (
	"fmt"
	"slices"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/machines"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/frames"
)

// machine and arc have probabilities for weights.
type (
	machine = fst.Machine[semiring.ScaledFloat]
	arc     = fst.Arc[semiring.ScaledFloat]
)

// reader is a checked topology. Composed with an acceptor of labels it is a graph that reads
// frames. It is safe for concurrent use.
type reader struct {
	of Topology
	// machine is the topology's machine, frozen, with input label k+1 for arc k. column has the
	// column of each arc, frames.Epsilon for an arc that reads no frame. If the topology is too
	// large to be frozen, column is nil and machine has the original input labels.
	machine machine
	column  []int32
	labels  []int32 // the output labels, ascending; nil for Standard: all but the blank
	states  int     // of machine, if it is frozen
}

// newReader checks a topology, an argument of the named function. The error wraps ErrInvalid for
// invalid labels, an invalid blank or number of columns, semiring.ErrLimit for a machine that is
// too large, and the error of the machine.
func newReader(name string, t Topology) (*reader, error) {
	nonnil.Check("ctc: "+name, "Topology.Machine", t.Machine)
	if err := fst.Err(t.Machine); err != nil {
		return nil, nested.Errorf("ctc: topology: %w", err)
	}
	if err := checkColumns("topology", t.Symbols, t.Blank); err != nil {
		return nil, err
	}
	if _, ok := t.Machine.Semiring().(semiring.Scaled); !ok {
		return nil, nested.Errorf("ctc: topology: %w: weights in %T, want %T", ErrInvalid, t.Machine.Semiring(), semiring.Scaled{})
	}
	r := &reader{of: t, machine: t.Machine}
	if r.isStandard() && t.Symbols > frozenSymbols {
		return r, nil
	}
	f, err := machines.Scaled.Expand(t.Machine, nil)
	if err != nil {
		return nil, nested.Errorf("ctc: topology: %w", err)
	}
	r.machine, err = numbered(f, func(k int32, a arc) (arc, error) {
		if int(a.In) > t.Symbols {
			return a, fmt.Errorf("%w: an arc reads the label %d, and %d columns have the labels 1 to %d", ErrInvalid, a.In, t.Symbols, t.Symbols)
		}
		r.column = append(r.column, a.In-1)
		a.In = k + 1
		return a, nil
	})
	if err != nil {
		return nil, nested.Errorf("ctc: topology: %w", err)
	}
	r.states = f.NumStates()
	if !r.isStandard() {
		r.labels = slices.Compact(slices.Sorted(slices.Values(f.Out())))
		if len(r.labels) > 0 && r.labels[0] == fst.Epsilon {
			r.labels = r.labels[1:]
		}
		if r.labels == nil {
			r.labels = []int32{} // no label at all
		}
	}
	return r, nil
}

// isStandard reports whether the topology is an unchanged result of Standard.
func (r *reader) isStandard() bool { return r.of.standard != nil && r.of.standard == r.of.Machine }

// numbered returns f with arcs replaced by change; k is the number of an arc in f.
func numbered(f *fst.FST[semiring.ScaledFloat], change func(k int32, a arc) (arc, error)) (machine, error) {
	b := machines.Scaled.NewBuilder(f.Semiring())
	b.AllowZero()
	b.AddStates(f.NumStates())
	for _, start := range f.AppendStarts(nil) {
		b.AddStart(start.State, start.Weight)
	}
	var arcs []arc
	k := int32(0)
	for s := range int32(f.NumStates()) {
		b.SetFinal(s, f.Final(s))
		arcs = f.AppendArcs(arcs[:0], s)
		for _, a := range arcs {
			a, err := change(k, a)
			if err != nil {
				return nil, err
			}
			b.AddArc(s, a)
			k++
		}
	}
	return b.Freeze()
}

// writes reports whether the topology writes a label.
func (r *reader) writes(label int32) bool {
	if r.labels != nil {
		_, ok := slices.BinarySearch(r.labels, label)
		return ok
	}
	return label > 0 && int(label) <= r.of.Symbols && int(label) != r.of.Blank+1
}

// compiled is the composition of a topology with an acceptor of labels, as a graph that reads
// frames.
type compiled struct {
	graph   *frames.Graph
	weights frames.Weights
	arcs    []frames.Arc // ordered by From
	// topology and acceptor hold, per arc, the arcs of the two machines that it combines, −1 if a
	// machine does not move. They are nil for machines that are not numbered.
	topology, acceptor []int32
	// state holds, per state, the states of the topology and the acceptor.
	state [][2]int32
}

// compile composes the topology with an acceptor, whose output labels, if isNumbered is true, are
// the numbers of its arcs + 1. The arena must not be in use.
func (r *reader) compile(arena machines.Arena[semiring.ScaledFloat], acceptor machine, isNumbered bool) (*compiled, error) {
	composition := arena.Compose(r.machine, acceptor)
	c, states := new(compiled), int32(0)
	starts := composition.AppendStarts(nil)
	for _, start := range starts {
		states = max(states, start.State+1)
	}
	var arcs []arc
	for s := int32(0); s < states; s++ {
		p, q := composition.State(s)
		c.state = append(c.state, [2]int32{p, q})
		c.weights.Final = append(c.weights.Final, composition.Final(s))
		arcs = composition.AppendArcs(arcs[:0], s)
		if len(c.arcs)+len(arcs) > fst.DefaultLimit {
			return nil, nested.Errorf("ctc: %w: the topology and its labels have more than %d arcs together", semiring.ErrLimit, fst.DefaultLimit)
		}
		for _, a := range arcs {
			states = max(states, a.To+1)
			column := a.In - 1 // −1, frames.Epsilon, for ε
			if r.column != nil {
				c.topology = append(c.topology, a.In-1)
				if column >= 0 {
					column = r.column[column]
				}
			}
			if isNumbered {
				c.acceptor = append(c.acceptor, a.Out-1)
			}
			c.arcs = append(c.arcs, frames.Arc{From: s, To: a.To, Symbol: column})
			c.weights.Arc = append(c.weights.Arc, a.Weight)
		}
	}
	if err := fst.Err(composition); err != nil {
		return nil, nested.Errorf("ctc: %w", err)
	}
	c.weights.Initial = make([]semiring.ScaledFloat, states)
	for _, start := range starts {
		c.weights.Initial[start.State] = c.weights.Initial[start.State].Add(start.Weight)
	}
	return c, c.finish(r.of.Symbols)
}

// finish makes the graph, for frames of the given number of columns.
func (c *compiled) finish(symbols int) (err error) {
	if len(c.state) == 0 { // one of the machines has no states
		c.state = append(c.state, [2]int32{})
		c.weights.Initial, c.weights.Final = make([]semiring.ScaledFloat, 1), make([]semiring.ScaledFloat, 1)
	}
	if c.graph, err = frames.New(len(c.state), symbols, c.arcs); err != nil {
		return nested.Errorf("ctc: %w", err)
	}
	if err = c.graph.SetWeights(c.weights); err != nil {
		return nested.Errorf("ctc: %w", err)
	}
	return nil
}

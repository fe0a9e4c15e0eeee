package crf

import (
	"context"
	"fmt"
	"io"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/graphs"
	"example.org/pathsum/internal/keytable"
	"example.org/pathsum/internal/machines"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// Constraint describes partial knowledge about the labels of sequences.
type Constraint struct {
	// Labelings returns the acceptor of the labelings that sequence i may have, with weight One
	// for a plain set. Label k of Model.Labels is 1+k, and arcs must not have ε. Each labeling
	// should have one path, because the weights of several paths add up. Weights other than One
	// are factors of a labeling. Each E step calls Labelings from several goroutines, and uses
	// each machine in one goroutine. An error ends the E step.
	Labelings func(i int) (fst.Machine[semiring.ScaledFloat], error)
	// Width is the number of states that a beam search keeps at each position, 0 for all. A state
	// is a state of the machine and, in a Chain, a label. Sums over the beam are lower bounds.
	Width int
	// Underivable determines the treatment of a sequence that has no labeling, or no labeling in
	// the beam.
	Underivable em.Policy
	// Fingerprint writes the data that determine the machines (nil: no data), so that a
	// checkpoint is not resumed with other machines.
	Fingerprint func(w io.Writer)
}

// Constrained returns Σ ln P(labels that c allows | attributes), the marginal likelihood of
// partially known labels. For counts of labels in regions, use the Constraint that CountConstraint
// returns. The labels in the data only determine which pairs of an attribute and a label have a
// weight.
//
// It is the logarithm of the sum over the labelings that c allows minus LogPartition, and not
// concave. em.LBFGS finds a local maximum; an estimate from moments is a good start. Second
// derivatives are not supported. With the Viterbi E step the best labeling that c allows competes
// with the best of all labelings. An E step takes time proportional to the states kept times
// their arcs; per arc it is several times slower than an E step without a constraint.
//
// The error is as for LogPartition. Errors of an E step are as for LogPartition, or come from c,
// with the number of the sequence. They wrap ErrInvalid if a machine has ε or an unknown label.
func (l *Likelihood) Constrained(c Constraint) (*em.Difference, error) {
	nonnil.Check("crf: Constrained", "labelings", c.Labelings)
	if c.Width < 0 {
		return nil, nested.Errorf("crf: %w: a beam of width %d, want a number ≥ 0", ErrInvalid, c.Width)
	}
	minus, err := l.LogPartition()
	if err != nil {
		return nil, err
	}
	s := l.sharded(l.newPass)
	plus := em.Sharded[*pass, searcher]{
		Package: s.Package, Params: s.Params, Viterbi: true, Tempered: true, Underivable: c.Underivable,
		Cut: s.Cut, Begin: s.Begin,
		Fingerprint: func(w io.Writer) {
			l.fingerprint(w)
			fmt.Fprintln(w, "constrained", c.Width)
			if c.Fingerprint != nil {
				c.Fingerprint(w)
			}
		},
		NewWorker: func() *searcher { return &searcher{worker: worker{l: l}, of: &c} },
		Open: func(ctx context.Context, w *searcher, p *pass, shard int, t *em.Tally) error {
			w.ctx = ctx
			w.open(&l.shards[shard], p, t)
			t.Arcs = 0
			return nil
		},
		Sum: (*searcher).sum,
	}
	return &em.Difference{Plus: plus.Likelihood(), Minus: minus}, nil
}

// searcher is a worker that sums over the labelings that a constraint allows.
type searcher struct {
	worker
	of    *Constraint
	ctx   context.Context
	graph allowedLabelings
}

// sum adds to t the expected counts of the labelings of sequence i that the constraint allows,
// and returns the logarithm of their sum.
func (w *searcher) sum(p *pass, i int, _ float64, t *em.Tally) (float64, error) {
	x, gold := w.enter(p, i)
	m, err := w.of.Labelings(i)
	if err != nil {
		return 0, err
	}
	nonnil.Check("crf: Constrained", "machine", m)
	g := &w.graph
	g.set(&w.worker, p, m, len(gold))
	part, err := graphs.Beam(w.ctx, g, &graph.BeamOptions[semiring.ScaledFloat]{Width: w.of.Width})
	if err != nil {
		return 0, err
	}
	t.Arcs += int64(part.Graph.NumArcs())
	total, uses, err := machines.Uses(part.Graph, p.EStep == em.Viterbi)
	if err != nil || total.IsZero() {
		return total.Log(), err
	}
	transitions := t.Counts[len(w.weight):]
	for arc, n := range uses {
		if n == 0 {
			continue
		}
		w.delta[part.In[arc]-1] += n
		if out := part.Out[arc]; out > 0 {
			transitions[out-1] += n
		}
	}
	w.shard.pairs.addCounts(t.Counts, x, w.delta, w.l.labels.len())
	return total.Log(), nil
}

// allowedLabelings are the labelings of a sequence that a machine accepts, as an implicit graph.
// The input label of an arc is 1 + the number of a node of the layers, its output label 1 + the
// number of a transition.
type allowedLabelings struct {
	ring        semiring.Semiring[semiring.ScaledFloat]
	machine     fst.Machine[semiring.ScaledFloat]
	transitions []semiring.ScaledFloat // by label and next label; nil if all have weight 1
	node        []semiring.ScaledFloat
	labels      int
	beta        float64
	length      int
	states      []labeled
	at          []position
	arcs        []fst.Arc[semiring.ScaledFloat]
	starts      []fst.Start[semiring.ScaledFloat]
	err         error
}

// labeled is a state: position labels have been read, the last one is label, and the machine is
// in state.
type labeled struct{ position, label, state int32 }

// position indexes the states of one position.
type position struct {
	keys  keytable.Table[uint64]
	state []int32 // per key
}

// set makes g the labelings that m accepts of a sequence of n positions; w holds the layers of
// the sequence.
func (g *allowedLabelings) set(w *worker, p *pass, m fst.Machine[semiring.ScaledFloat], n int) {
	g.ring, g.machine, g.node, g.labels, g.beta, g.length = semiring.Scaled{}, m, w.layers.node, w.l.labels.len(), p.Temperature, n
	if p.EStep == em.Viterbi {
		g.ring = semiring.Viterbi{}
	}
	g.transitions = nil
	if w.l.kind.hasTransitions() {
		g.transitions = p.blocks[0].Weights()
	}
	g.states, g.err = g.states[:0], nil
	for len(g.at) <= n {
		g.at = append(g.at, position{})
	}
	for t := range g.at[:n+1] {
		g.at[t].keys.Reset()
		g.at[t].state = g.at[t].state[:0]
	}
}

// state returns the number of s.
func (g *allowedLabelings) state(s labeled) int32 {
	at := &g.at[s.position]
	key, fresh := at.keys.Number(keytable.Pair(s.label, s.state))
	if fresh {
		at.state = append(at.state, int32(len(g.states)))
		g.states = append(g.states, s)
	}
	return at.state[key]
}

// power returns a weight of the machine at the temperature.
func (g *allowedLabelings) power(w semiring.ScaledFloat) semiring.ScaledFloat {
	if g.beta == 1 || w.IsZero() {
		return w
	}
	return w.Pow(g.beta)
}

// Semiring implements fst.Machine.
func (g *allowedLabelings) Semiring() semiring.Semiring[semiring.ScaledFloat] { return g.ring }

// Err returns the first error of g or of the machine.
func (g *allowedLabelings) Err() error {
	if g.err != nil {
		return g.err
	}
	return fst.Err(g.machine)
}

// AppendStarts implements fst.Machine.
func (g *allowedLabelings) AppendStarts(dst []fst.Start[semiring.ScaledFloat]) []fst.Start[semiring.ScaledFloat] {
	g.starts = g.machine.AppendStarts(g.starts[:0])
	for _, s := range g.starts {
		dst = append(dst, fst.Start[semiring.ScaledFloat]{State: g.state(labeled{0, -1, s.State}), Weight: g.power(s.Weight)})
	}
	return dst
}

// Final implements fst.Machine.
func (g *allowedLabelings) Final(s int32) semiring.ScaledFloat {
	at := g.states[s]
	if int(at.position) < g.length {
		return g.ring.Zero()
	}
	return g.power(g.machine.Final(at.state))
}

// AppendArcs implements fst.Machine.
func (g *allowedLabelings) AppendArcs(dst []fst.Arc[semiring.ScaledFloat], s int32) []fst.Arc[semiring.ScaledFloat] {
	at := g.states[s]
	if int(at.position) == g.length || g.err != nil {
		return dst
	}
	g.arcs = g.machine.AppendArcs(g.arcs[:0], at.state)
	node := int(at.position) * g.labels
	for _, a := range g.arcs {
		y := a.In - 1
		if y < 0 || int(y) >= g.labels {
			g.err = fmt.Errorf("%w: a constraint reads the label %d, want one from 1 to %d", ErrInvalid, a.In, g.labels)
			return dst
		}
		next := labeled{at.position + 1, -1, a.To}
		arc := fst.Arc[semiring.ScaledFloat]{In: int32(node) + a.In, Weight: g.ring.Times(g.node[node+int(y)], g.power(a.Weight))}
		if g.transitions != nil {
			if next.label = y; at.label >= 0 {
				t := int(at.label)*g.labels + int(y)
				arc.Out, arc.Weight = int32(1+t), g.ring.Times(arc.Weight, g.transitions[t])
			}
		}
		arc.To = g.state(next)
		dst = append(dst, arc)
	}
	return dst
}

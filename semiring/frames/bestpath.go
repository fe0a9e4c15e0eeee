package frames

import (
	"slices"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// Path is a path of a Graph through emissions.
type Path struct {
	Start  int32                // its first state; −1 if there is no path
	Arcs   []int32              // its arcs in the graph, ε arcs included, in order
	Frames []int32              // per arc: the frame that it reads, or of an ε arc the number of frames read before
	Weight semiring.ScaledFloat // 0 if there is no path
}

// BestPath returns the path of the greatest weight; of several, the same one each time. Time,
// memory and errors are as for Counts.
func (g *Graph) BestPath(e *Emissions, s *Scratch) (Path, error) {
	if err := g.check(e); err != nil {
		return Path{Start: -1}, err
	}
	p := &s.pass
	p.start(g, e, true, true)
	if !p.backward() {
		return Path{Start: -1}, nil
	}
	total, inner, err := p.total()
	if err != nil || inner.IsZero() {
		return Path{Start: -1}, err
	}
	t := trace{pass: p, path: Path{Weight: total}}
	if err := t.follow(); err != nil {
		return Path{Start: -1}, nested.Errorf("frames: cycles of ε arcs: %w", err)
	}
	return t.path, nil
}

// trace follows the best path, after backward of a pass for maxima.
type trace struct {
	*pass
	at   int // the current position
	path Path

	best semiring.ScaledFloat // of the steps from the current position that were looked at
	slot int                  // the best one; −1 is the end
	to   int
	read bool
}

// follow goes from the best start to the end.
func (t *trace) follow() error {
	g := t.g
	lo, hi := g.reach.band(0, t.e.frames)
	for q := lo; q < hi; q++ {
		if x := g.w.Initial[g.state[q]].Mul(t.value(0, q)); x.Cmp(t.best) > 0 {
			t.best, t.at = x, q
		}
	}
	t.path.Start = g.state[t.at]
	for i := range t.segments() {
		t.enter(i)
		for frame := t.lo; frame < t.hi; frame++ {
			for {
				t.choose(frame, true)
				if err := t.take(frame); err != nil {
					return err
				}
				if t.read {
					break
				}
			}
		}
	}
	for {
		if t.choose(t.e.frames, false); t.slot < 0 {
			return t.stop()
		}
		if err := t.take(t.e.frames); err != nil {
			return err
		}
	}
}

// value returns b·2^s of position q after frame t.
func (t *trace) value(frame, q int) semiring.ScaledFloat {
	return semiring.NewScaled(t.row(frame)[q]).Mul(powerOf2(t.basis(frame)[q]))
}

// choose finds the best step from the current position after so many frames.
func (t *trace) choose(frame int, more bool) {
	g, q := t.g, t.at
	t.best, t.slot = semiring.ScaledFloat{}, -1
	unit := semiring.ScaledFloat{Mant: 1}
	if more {
		unit = powerOf2(t.shift[t.pass.at(frame)])
		for d, offset := range g.offsets {
			t.node(frame, d*g.stride+g.margin+q, q+int(offset), unit)
		}
		for i := g.looseRow[q]; i < g.looseRow[q+1]; i++ {
			t.node(frame, g.firstLoose+int(i), int(g.looseNode[i]), unit)
		}
	} else {
		t.best = t.w.end[q].Mul(powerOf2(t.shift[t.pass.at(frame)]))
	}
	_, hi := g.reach.band(frame, t.e.frames)
	for i := g.epsilonRow[q]; i < g.epsilonRow[q+1]; i++ {
		slot, to := g.firstEpsilon+int(i), int(g.epsilonTo[i])
		if to >= hi {
			continue
		}
		if x := t.w.weight[slot].Mul(t.value(frame, to)); x.Cmp(t.best) > 0 {
			t.best, t.slot, t.to, t.read = x, slot, to, false
		}
	}
}

// node looks at the step of a slot to a node.
func (t *trace) node(frame, slot, node int, unit semiring.ScaledFloat) {
	g, w := t.g, t.w.weight[slot]
	if w.IsZero() {
		return
	}
	lo, hi := g.reach.band(frame+1, t.e.frames)
	to, v := int(g.nodeTo[node]), int(g.nodeSymbol[node])
	if to < lo || to >= hi {
		return
	}
	x := w.Mul(t.value(frame+1, to)).Mul(t.e.relative(frame, v, t.e.weight[frame*g.symbols+v])).Mul(unit)
	if x.Cmp(t.best) > 0 {
		t.best, t.slot, t.to, t.read = x, slot, to, true
	}
}

// take goes by the best step.
func (t *trace) take(frame int) error {
	g, p := t.g, int32(t.at)
	best, arc := semiring.ScaledFloat{}, int32(-1)
	for i := g.partRow[t.slot]; i < g.partRow[t.slot+1]; i++ {
		if x := g.partWeight(p, i, true); x.Cmp(best) > 0 {
			best, arc = x, g.parts[i]
		}
	}
	if err := t.inside(p, g.position[g.arcs[arc].From], frame); err != nil {
		return err
	}
	t.add(arc, frame)
	t.at = t.to
	return nil
}

func (t *trace) add(arc int32, frame int) {
	t.path.Arcs, t.path.Frames = append(t.path.Arcs, arc), append(t.path.Frames, int32(frame))
}

// stop ends the path at the current position, or at another state of its knot.
func (t *trace) stop() error {
	g, p := t.g, int32(t.at)
	best, end := semiring.ScaledFloat{}, p
	for _, q := range g.ends(p) {
		if x := g.endWeight(p, q, true); x.Cmp(best) > 0 {
			best, end = x, q
		}
	}
	return t.inside(p, end, t.e.frames)
}

// inside adds the best way of ε arcs in a knot from position p to position q.
func (t *trace) inside(p, q int32, frame int) error {
	if p == q {
		return nil
	}
	g := t.g
	within, arcs, err := g.knotGraph()
	if err != nil {
		return err
	}
	final := make([]semiring.ScaledFloat, g.states)
	final[g.state[q]].Mant = 1
	one := semiring.ScaledFloat{Mant: 1}
	starts := []graph.Start[semiring.ScaledFloat]{{State: g.state[p], Weight: one}}
	within, err = within.WithWeights(slices.Clone(within.Weights()), starts, final)
	if err != nil {
		return err
	}
	path, err := graph.BestPath(within.WithSemiring(semiring.Viterbi{}))
	if err != nil {
		return err
	}
	for _, k := range path.Arcs {
		t.add(arcs[k], frame)
	}
	return nil
}

package frames

import (
	"math/rand/v2"
	"slices"

	"example.org/pathsum/internal/graphs"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// Path is a path of a Graph through emissions.
type Path struct {
	Start  int32                // its first state; −1 if there is no path
	Arcs   []int32              // its arcs in the graph, ε arcs included, in order
	Frames []int32              // per arc: the number of frames read before it, which is its frame
	Weight semiring.ScaledFloat // 0 if there is no path
}

// BestPath returns the path of greatest weight; the choice among several is deterministic. Time,
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
	t.start()
	for i := range p.segments() {
		p.enter(i)
		if err := t.follow(); err != nil {
			return Path{Start: -1}, nested.Errorf("frames: cycles of ε arcs: %w", err)
		}
	}
	return t.path, nil
}

// Sample returns n random paths, each drawn with probability weight / Z; nil if Z is 0. The same
// random numbers give the same paths. Time and memory are as for Counts, plus O(length) for each
// path, with one random number for each choice among several.
//
// Errors are as for PathSum.
func (g *Graph) Sample(e *Emissions, n int, src rand.Source, s *Scratch) ([]Path, error) {
	if err := g.check(e); err != nil {
		return nil, err
	}
	p := &s.pass
	p.start(g, e, false, true)
	if !p.backward() {
		return nil, nil
	}
	if _, inner, err := p.total(); err != nil || inner.IsZero() {
		return nil, err
	}
	random, samplers := rand.New(src), samplers{}
	traces := make([]trace, n)
	for i := range p.segments() {
		p.enter(i)
		for k := range traces {
			t := &traces[k]
			if i == 0 {
				*t = trace{pass: p, random: random, samplers: samplers}
				t.start()
			}
			if err := t.follow(); err != nil {
				return nil, nested.Errorf("frames: cycles of ε arcs: %w", err)
			}
		}
	}
	paths := make([]Path, n)
	for k := range traces {
		paths[k] = traces[k].path
		paths[k].Weight = g.weightOf(e, &paths[k])
	}
	return paths, nil
}

// weightOf returns the weight of a path.
func (g *Graph) weightOf(e *Emissions, p *Path) semiring.ScaledFloat {
	q, w := p.Start, g.w.Initial[p.Start]
	for i, k := range p.Arcs {
		a := g.arcs[k]
		if w = w.Mul(g.w.Arc[k]); a.Symbol != Epsilon {
			w = w.Mul(e.Weight(int(p.Frames[i]), int(a.Symbol)))
		}
		q = a.To
	}
	return w.Mul(g.w.Final[q])
}

// trace follows a path from start to end, after backward of its pass: the best path in a pass for
// maxima, a random path in a pass for sums.
type trace struct {
	*pass
	random   *rand.Rand
	samplers samplers
	at       int // the current position
	path     Path

	sum   semiring.ScaledFloat // of the choices so far, or the greatest of them
	taken choice
}

// choice is a continuation of a path: the step of a slot to a position, which may read a frame,
// or a part of a step. Slot −1 is the end of the path.
type choice struct {
	slot, to int
	read     bool
}

// offer offers a choice of weight x.
func (t *trace) offer(x semiring.ScaledFloat, c choice) {
	switch {
	case x.IsZero():
	case t.random == nil:
		if x.Cmp(t.sum) > 0 {
			t.sum, t.taken = x, c
		}
	case t.sum.IsZero():
		t.sum, t.taken = x, c
	default:
		// Each choice so far is the one taken with its share of the sum.
		t.sum = t.sum.Add(x)
		if t.random.Float64() < x.Div(t.sum).Float64() {
			t.taken = c
		}
	}
}

// start chooses the first position. The first segment must be current.
func (t *trace) start() {
	g := t.g
	lo, hi := g.reach.band(0, t.e.frames)
	for q := lo; q < hi; q++ {
		t.offer(g.w.Initial[g.state[q]].Mul(t.value(0, q)), choice{to: q})
	}
	t.at = t.taken.to
	t.path.Start = g.state[t.at]
}

// follow extends the path through the current segment, and to the end if it is the last segment.
func (t *trace) follow() error {
	for frame := t.lo; frame < t.hi; {
		t.choose(frame)
		if err := t.take(frame); err != nil {
			return err
		}
		if t.taken.read {
			frame++
		}
	}
	if t.hi < t.e.frames {
		return nil
	}
	for {
		if t.choose(t.hi); t.taken.slot < 0 {
			return t.stop()
		}
		if err := t.take(t.hi); err != nil {
			return err
		}
	}
}

// value returns b·2^s of position q after frame t.
func (t *trace) value(frame, q int) semiring.ScaledFloat {
	return semiring.NewScaled(t.row(frame)[q]).Mul(powerOf2(t.basis(frame)[q]))
}

// choose chooses a step from the current position after the given number of frames, or the end.
func (t *trace) choose(frame int) {
	g, q := t.g, t.at
	t.sum = semiring.ScaledFloat{}
	unit := powerOf2(t.shift[t.pass.at(frame)])
	if frame < t.e.frames {
		for d, offset := range g.offsets {
			t.node(frame, d*g.stride+g.margin+q, q+int(offset), unit)
		}
		for i := g.looseRow[q]; i < g.looseRow[q+1]; i++ {
			t.node(frame, g.firstLoose+int(i), int(g.looseNode[i]), unit)
		}
	} else {
		t.offer(t.w.end[q].Mul(unit), choice{slot: -1})
	}
	_, hi := g.reach.band(frame, t.e.frames)
	for i := g.epsilonRow[q]; i < g.epsilonRow[q+1]; i++ {
		slot, to := g.firstEpsilon+int(i), int(g.epsilonTo[i])
		if to < hi {
			t.offer(t.w.weight[slot].Mul(t.value(frame, to)), choice{slot: slot, to: to})
		}
	}
}

// node offers the step of a slot to a node.
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
	t.offer(x, choice{slot: slot, to: to, read: true})
}

// take appends the chosen step to the path.
func (t *trace) take(frame int) error {
	g, p, c := t.g, int32(t.at), t.taken
	t.sum = semiring.ScaledFloat{}
	for i := g.partRow[c.slot]; i < g.partRow[c.slot+1]; i++ {
		t.offer(g.partWeight(p, i, t.best), choice{slot: int(g.parts[i])})
	}
	arc := int32(t.taken.slot)
	if err := t.inside(p, g.position[g.arcs[arc].From], frame); err != nil {
		return err
	}
	t.add(arc, frame)
	t.at, t.taken = c.to, c
	return nil
}

func (t *trace) add(arc int32, frame int) {
	t.path.Arcs, t.path.Frames = append(t.path.Arcs, arc), append(t.path.Frames, int32(frame))
}

// stop ends the path at the current position, or at another state of its knot.
func (t *trace) stop() error {
	g, p := t.g, int32(t.at)
	t.sum = semiring.ScaledFloat{}
	for _, q := range g.ends(p) {
		t.offer(g.endWeight(p, q, t.best), choice{to: int(q)})
	}
	return t.inside(p, int32(t.taken.to), t.e.frames)
}

// samplers draw paths of ε arcs in knots, by their first and last positions.
type samplers map[[2]int32]*graph.Sampler[semiring.ScaledFloat]

// inside adds a path of ε arcs in a knot from position p to position q.
func (t *trace) inside(p, q int32, frame int) error {
	if t.g.knot[p] < 0 || p == q && t.best {
		return nil
	}
	path, err := t.way(p, q)
	if err != nil {
		return err
	}
	for _, k := range path.Arcs {
		t.add(t.g.knotArcs[k], frame)
	}
	return nil
}

// way returns the best path, or a random path, in a knot from position p to position q.
func (t *trace) way(p, q int32) (path graph.Path[semiring.ScaledFloat], err error) {
	s := t.samplers[[2]int32{p, q}]
	if s != nil {
		return s.Sample(t.random), nil
	}
	ways, err := t.g.ways(p, q)
	if err != nil {
		return path, err
	}
	if t.best {
		return graphs.BestPath(ways.WithSemiring(semiring.Viterbi{}))
	}
	if s, err = graphs.NewSampler(ways); err != nil {
		return path, err
	}
	t.samplers[[2]int32{p, q}] = s
	return s.Sample(t.random), nil
}

// ways returns the graph of the paths of ε arcs in knots from position p to position q. Its arcs
// are knotArcs.
func (g *Graph) ways(p, q int32) (*graph.Graph[semiring.ScaledFloat], error) {
	final := make([]semiring.ScaledFloat, g.states)
	final[g.state[q]].Mant = 1
	starts := []graph.Start[semiring.ScaledFloat]{{State: g.state[p], Weight: semiring.ScaledFloat{Mant: 1}}}
	return g.inside.WithWeights(slices.Clone(g.inside.Weights()), starts, final)
}

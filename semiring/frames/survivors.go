package frames

import (
	"context"
	"fmt"
	"math"
	"slices"

	"example.org/pathsum/internal/graphs"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
	"example.org/pathsum/semiring/internal/rows"
)

// layer holds the states that are kept after a frame.
type layer struct {
	state []int32
	alpha []semiring.ScaledFloat // forward weights
	links []link                 // arcs that enter its nodes
	swept bool                   // each node led to the last layer when sweep was here
}

// link is an arc of the lattice that enters a node of a layer: from a node of the layer before,
// or of the same one if it reads ε.
type link struct {
	from, to, in, out int32
	weight            semiring.ScaledFloat
}

// order is scratch storage for pruning.
type order struct {
	score []float64
	kept  []int32
	place []int32 // per node: its new number, −1 if it is dropped
	pure  []semiring.ScaledFloat
}

// choose sets kept to the nodes of l to keep and place to their new numbers, and counts the
// others as lost.
func (b *Beam) choose(l *layer) error {
	b.score, b.kept = rows.Resized(b.score, len(l.state)), b.kept[:0]
	best := math.Inf(-1)
	for n, alpha := range l.alpha {
		score := b.scored(alpha, l.state[n]).Log()
		if score != score || math.IsInf(score, 1) {
			return fmt.Errorf("%w: state %d scores %v", semiring.ErrNotFinite, l.state[n], score)
		}
		b.score[n] = score
		best = max(best, score)
	}
	for n, score := range b.score {
		if !math.IsInf(score, -1) && (b.o.Margin == 0 || score >= best-b.o.Margin) {
			b.kept = append(b.kept, int32(n))
		}
	}
	if b.o.Width > 0 && len(b.kept) > b.o.Width {
		b.kept = rows.KeepBest(b.kept, b.score, b.o.Width)
	}
	b.place = rows.Resized(b.place, len(l.state))
	for n := range b.place {
		b.place[n] = -1
	}
	for i, n := range b.kept {
		b.place[n] = int32(i)
	}
	for n, place := range b.place {
		if place < 0 {
			b.lose(l.alpha[n])
		}
	}
	return nil
}

// keep makes the best entered states the last layer. It returns their new numbers.
func (b *Beam) keep(l *layer) (place []int32, err error) {
	if err := b.choose(l); err != nil {
		return nil, err
	}
	next := layer{state: make([]int32, len(b.kept)), alpha: make([]semiring.ScaledFloat, len(b.kept))}
	for i, n := range b.kept {
		next.state[i], next.alpha[i] = l.state[n], l.alpha[n]
	}
	n := 0
	for i := range l.links {
		if b.place[l.links[i].to] >= 0 {
			n++
		}
	}
	next.links = make([]link, 0, n)
	for _, k := range l.links {
		if k.to = b.place[k.to]; k.to >= 0 {
			next.links = append(next.links, k)
		}
	}
	l.state, l.alpha, l.links = l.state[:0], l.alpha[:0], l.links[:0]
	b.layers = append(b.layers, next)
	return b.place, nil
}

// finish lists the arcs out of the last layer and follows those that read ε.
func (b *Beam) finish(ctx context.Context) error {
	l := &b.layers[len(b.layers)-1]
	links := len(l.links)
	b.ahead, b.span = b.ahead[:0], b.span[:0]
	numbered := false
	for n := 0; n < len(l.state) && b.chooser == nil; n++ {
		if n%1024 == 1023 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		if err := b.list(l.state[n]); err != nil {
			return err
		}
		for i := b.span[n].lo; i < b.span[n].hi; i++ {
			a := &b.ahead[i]
			if a.In != 0 || a.Weight.IsZero() {
				continue
			}
			if !numbered {
				numbered = true
				b.met.Reset()
				for _, state := range l.state {
					b.met.Of(state)
				}
			}
			to, fresh := b.met.Of(a.To)
			if fresh {
				l.state, l.alpha = append(l.state, a.To), append(l.alpha, semiring.ScaledFloat{})
			}
			l.links = append(l.links, link{from: int32(n), to: to, out: a.Out, weight: a.Weight})
		}
		if b.nodes+len(l.state) > b.o.MaxNodes {
			return fmt.Errorf("%w: more than %d nodes of the lattice", semiring.ErrLimit, b.o.MaxNodes)
		}
	}
	if err := failure(b.m); err != nil {
		return err
	}
	if b.nodes+len(l.state) > b.o.MaxNodes {
		return fmt.Errorf("%w: more than %d nodes of the lattice", semiring.ErrLimit, b.o.MaxNodes)
	}
	if len(l.links) > links {
		if err := b.close(l, links); err != nil {
			return err
		}
	}
	b.nodes += len(l.state)
	b.sum += len(l.state)
	b.most = max(b.most, len(l.state))
	if b.Frames()%sweepInterval == 0 {
		b.sweep()
	}
	return nil
}

// list appends the arcs out of a state to ahead.
func (b *Beam) list(state int32) error {
	lo := len(b.ahead)
	b.ahead = b.m.AppendArcs(b.ahead, state)
	if len(b.ahead) > math.MaxInt32 {
		return fmt.Errorf("%w: more than %d arcs out of a layer", semiring.ErrLimit, math.MaxInt32)
	}
	for i := range b.ahead[lo:] {
		if err := b.check(state, i, &b.ahead[lo+i]); err != nil {
			return err
		}
	}
	b.span = append(b.span, bounds{int32(lo), int32(len(b.ahead))})
	return nil
}

// check returns an error if arc i of a state is invalid.
func (b *Beam) check(state int32, i int, a *graph.Arc[semiring.ScaledFloat]) error {
	if err := check(a.Weight); err != nil {
		return nested.Errorf("frames: state %d: arc %d: weight: %w", state, i, err)
	}
	if uint32(a.In) > uint32(b.symbols) {
		return fmt.Errorf("%w: state %d: arc %d reads label %d, want 0 to %d", semiring.ErrShape, state, i, a.In, b.symbols)
	}
	return nil
}

// failure returns the error of a machine, if the machine has errors.
func failure(m graph.Implicit[semiring.ScaledFloat]) error {
	if x, ok := m.(interface{ Err() error }); ok {
		return x.Err()
	}
	return nil
}

// close sums over the ε arcs within the last layer, l.links[links:], and drops states again.
func (b *Beam) close(l *layer, links int) error {
	b.pure = append(b.pure[:0], l.alpha...)
	if err := b.sumWithin(l, links); err != nil {
		return err
	}
	if err := b.choose(l); err != nil {
		return err
	}
	if len(b.kept) == len(l.state) {
		return nil
	}
	if n := len(l.links); n > 0 {
		kept := l.links[:0]
		within := 0
		for i, k := range l.links {
			if i < links {
				k.to = b.place[k.to]
			} else {
				k.from, k.to = b.place[k.from], b.place[k.to]
			}
			if k.from >= 0 && k.to >= 0 {
				kept = append(kept, k)
				if i < links {
					within++
				}
			}
		}
		l.links, links = kept, within
	}
	for i, n := range b.kept {
		l.state[i], b.pure[i], b.span[i] = l.state[n], b.pure[n], b.span[n]
	}
	n := len(b.kept)
	l.state, l.alpha, b.pure, b.span = l.state[:n], l.alpha[:n], b.pure[:n], b.span[:n]
	if len(b.layers) == 1 {
		b.restart()
	}
	return b.sumWithin(l, links)
}

// restart renumbers the starts by place.
func (b *Beam) restart() {
	kept := b.starts[:0]
	for _, start := range b.starts {
		if start.State = b.place[start.State]; start.State >= 0 {
			kept = append(kept, start)
		}
	}
	b.starts = kept
}

// sumWithin sets the forward weights of l, given the weights without ε arcs, pure. The ε arcs are
// l.links[links:].
func (b *Beam) sumWithin(l *layer, links int) error {
	var starts []graph.Start[semiring.ScaledFloat]
	for n, w := range b.pure {
		if !w.IsZero() {
			starts = append(starts, graph.Start[semiring.ScaledFloat]{State: int32(n), Weight: w})
		}
	}
	inside := slices.Clone(l.links[links:])
	slices.SortStableFunc(inside, func(x, y link) int { return int(x.from) - int(y.from) })
	row := make([]int32, len(l.state)+1)
	to, weight := make([]int32, len(inside)), make([]semiring.ScaledFloat, len(inside))
	for i, k := range inside {
		row[k.from+1]++
		to[i], weight[i] = k.to, k.weight
	}
	for n := range l.state {
		row[n+1] += row[n]
	}
	g, err := graphs.New(b.ring(), row, to, weight, starts, make([]semiring.ScaledFloat, len(l.state)))
	if err != nil {
		return err
	}
	alpha, err := graphs.Forward(g)
	if err != nil {
		return nested.Errorf("frames: ε arcs: %w", err)
	}
	l.alpha = append(l.alpha[:0], alpha...)
	return nil
}

// ring returns the ring of forward weights.
func (b *Beam) ring() semiring.Semiring[semiring.ScaledFloat] {
	if b.o.Best {
		return semiring.Viterbi{}
	}
	return semiring.Scaled{}
}

// Lattice is the part of a product of emissions and a machine that a Beam keeps. Its states
// are in the order of the frames.
type Lattice struct {
	// Graph has weights that include the emissions. Its ring is semiring.Scaled, and semiring.Viterbi
	// by BeamOptions.Best.
	Graph *graph.Graph[semiring.ScaledFloat]
	// State and Frames are, per state of Graph, the state of the machine and the number of frames
	// read before it. An arc that reads a symbol from state s reads frame Frames[s].
	State, Frames []int32
	In, Out       []int32 // per arc of Graph: its labels
}

// Lattice returns the kept paths, ending after the last frame. It contains all paths to states of
// the last frame; paths to states that are not final have weight 0. It is a copy. It takes time
// proportional to the number of nodes and arcs of the lattice. The error wraps semiring.ErrLimit
// if there are too many arcs.
func (b *Beam) Lattice() (*Lattice, error) {
	if b.err != nil {
		return nil, b.err
	}
	b.sweep()
	arcs := 0
	for t := range b.layers {
		arcs += len(b.layers[t].links)
	}
	x := &Lattice{State: make([]int32, 0, b.nodes), Frames: make([]int32, 0, b.nodes),
		In: make([]int32, arcs), Out: make([]int32, arcs)}
	row := make([]int32, b.nodes+1)
	offset := make([]int32, len(b.layers))
	for t := range b.layers {
		offset[t] = int32(len(x.State))
		for _, state := range b.layers[t].state {
			x.State, x.Frames = append(x.State, state), append(x.Frames, int32(b.first+t))
		}
	}
	b.links(offset, func(from, _ int32, _ *link) { row[from+1]++ })
	for s := range b.nodes {
		row[s+1] += row[s]
	}
	next := append([]int32(nil), row...)
	to, weight := make([]int32, arcs), make([]semiring.ScaledFloat, arcs)
	b.links(offset, func(from, end int32, k *link) {
		i := next[from]
		next[from]++
		to[i], weight[i], x.In[i], x.Out[i] = end, k.weight, k.in, k.out
	})
	final := make([]semiring.ScaledFloat, b.nodes)
	end := offset[len(offset)-1]
	for n, state := range b.layers[len(b.layers)-1].state {
		final[int(end)+n] = b.m.Final(state)
	}
	for n, w := range final[end:] {
		if err := check(w); err != nil {
			return nil, nested.Errorf("frames: beam: state %d: final weight: %w", x.State[int(end)+n], err)
		}
	}
	var err error
	x.Graph, err = graphs.New(b.ring(), row, to, weight, append(b.starts[:0:0], b.starts...), final)
	if err != nil {
		return nil, nested.Errorf("frames: beam: %w", err)
	}
	return x, nil
}

// links calls yield for each arc of the lattice, with its states.
func (b *Beam) links(offset []int32, yield func(from, to int32, k *link)) {
	for t := range b.layers {
		links := b.layers[t].links
		for i := range links {
			k := &links[i]
			from := offset[t]
			if k.in != 0 {
				from = offset[t-1]
			}
			yield(from+k.from, offset[t]+k.to, k)
		}
	}
}

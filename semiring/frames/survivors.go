package frames

import (
	"context"
	"fmt"
	"math"
	"slices"

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

// order is scratch of pruning.
type order struct {
	score []float64
	kept  []int32
	place []int32 // per node: its new number, −1 if it is dropped
	pure  []semiring.ScaledFloat
}

// sweepInterval is the number of frames after which nodes without a way on are removed.
const sweepInterval = 32

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

// keep makes a layer of the best of the states that were entered, the last one. It returns
// their new numbers.
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

// check returns an error for arc i of a state if it makes no sense.
func (b *Beam) check(state int32, i int, a *graph.Arc[semiring.ScaledFloat]) error {
	if err := check(a.Weight); err != nil {
		return nested.Errorf("frames: state %d: arc %d: weight: %w", state, i, err)
	}
	if uint32(a.In) > uint32(b.symbols) {
		return fmt.Errorf("%w: state %d: arc %d reads label %d, want 0 to %d", semiring.ErrShape, state, i, a.In, b.symbols)
	}
	return nil
}

// failure returns the error of a machine that has one.
func failure(m graph.Implicit[semiring.ScaledFloat]) error {
	if x, ok := m.(interface{ Err() error }); ok {
		return x.Err()
	}
	return nil
}

// close sums over the ε arcs within the last layer, its links from the given number on, and
// drops states again.
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

// sumWithin sets the forward weights of l, of which pure are those without the ε arcs: its
// links from the given number on.
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
	g, err := graph.New(b.ring(), row, to, weight, starts, make([]semiring.ScaledFloat, len(l.state)))
	if err != nil {
		return err
	}
	alpha, err := graph.Forward(g)
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

// sweep removes the nodes from which no arcs lead to the last layer. It stops at a layer
// that an earlier sweep left alone and that stays as it is.
func (b *Beam) sweep() {
	for t := len(b.layers) - 1; t > 0; t-- {
		next, l := &b.layers[t], &b.layers[t-1]
		b.place = rows.Resized(b.place, len(l.state))
		for n := range b.place {
			b.place[n] = -1
		}
		for i := range next.links {
			if k := &next.links[i]; k.in != 0 {
				b.place[k.from] = 0
			}
		}
		l.reachBack(b.place)
		n := int32(0)
		for i, place := range b.place {
			if place == 0 {
				b.place[i] = n
				n++
			}
		}
		if int(n) == len(l.state) {
			if l.swept {
				return
			}
			l.swept = true
			continue
		}
		l.swept = true
		b.nodes -= len(l.state) - int(n)
		for i := range next.links {
			if k := &next.links[i]; k.in != 0 {
				k.from = b.place[k.from]
			}
		}
		l.renumber(b.place, int(n))
		if t == 1 {
			b.restart()
		}
	}
}

// reachBack extends the marked nodes, those of a place ≥ 0, by those that ε arcs lead from to
// them.
func (l *layer) reachBack(place []int32) {
	for changed := true; changed; {
		changed = false
		for i := len(l.links) - 1; i >= 0; i-- {
			if k := &l.links[i]; k.in == 0 && place[k.to] == 0 && place[k.from] < 0 {
				place[k.from], changed = 0, true
			}
		}
	}
}

// renumber keeps the n nodes that have a place.
func (l *layer) renumber(place []int32, n int) {
	state, alpha := make([]int32, n), make([]semiring.ScaledFloat, n)
	for i, place := range place {
		if place >= 0 {
			state[place], alpha[place] = l.state[i], l.alpha[i]
		}
	}
	l.state, l.alpha = state, alpha
	size := 0
	for i := range l.links {
		if place[l.links[i].to] >= 0 {
			size++
		}
	}
	links := make([]link, 0, size)
	for _, k := range l.links {
		k.to = place[k.to]
		if k.in == 0 {
			k.from = place[k.from]
		}
		if k.to >= 0 && k.from >= 0 {
			links = append(links, k)
		}
	}
	l.links = links
}

// Shared returns the greatest number of frames, at most all that were read, after which all
// paths kept so far are in one and the same state. ok is false if there is no such state in the
// lattice. All that comes before is settled: later frames add a common factor only.
// O(nodes of the lattice).
func (b *Beam) Shared() (frames int, ok bool) {
	b.sweep()
	for t := len(b.layers) - 1; t >= 0; t-- {
		if len(b.layers[t].state) == 1 {
			return b.first + t, true
		}
	}
	return 0, false
}

// First returns the number of frames read before the lattice begins: 0 unless Forget was called.
func (b *Beam) First() int { return b.first }

// Forget removes from the lattice all that comes before the state after the given number of
// frames, from First to Frames. The lattice then starts in the states kept there, with their
// forward weights, so that its sums stay. It panics if the number is out of range.
//
// If keep is not nil, only the paths go on that pass a state there that keep wants. The others
// are dropped and count as lost. That takes two passes over the rest of the lattice, and the
// error is as for graph.Forward.
func (b *Beam) Forget(frames int, keep func(state int32) bool) error {
	if frames < b.first || frames > b.Frames() {
		panic(fmt.Sprintf("frames: Beam.Forget(%d) of %d to %d", frames, b.first, b.Frames()))
	}
	if b.err != nil {
		return b.err
	}
	b.sweep()
	if frames > b.first {
		for _, l := range b.layers[:frames-b.first] {
			b.nodes -= len(l.state)
		}
		b.layers = slices.Delete(b.layers, 0, frames-b.first)
		b.first = frames
		l := &b.layers[0]
		l.links = nil
		b.starts = b.starts[:0]
		for n, alpha := range l.alpha {
			b.starts = append(b.starts, graph.Start[semiring.ScaledFloat]{State: int32(n), Weight: alpha})
		}
	}
	if keep != nil {
		if err := b.restrict(keep); err != nil {
			b.err = nested.Errorf("frames: beam: %w", err)
		}
	}
	return b.err
}

// restrict drops the paths that start in a state that keep does not want.
func (b *Beam) restrict(keep func(state int32) bool) error {
	var wanted, refused []graph.Start[semiring.ScaledFloat]
	for _, start := range b.starts {
		if keep(b.layers[0].state[start.State]) {
			wanted = append(wanted, start)
		} else {
			refused = append(refused, start)
		}
	}
	if len(refused) == 0 {
		return nil
	}
	x, err := b.Lattice()
	if err != nil {
		return err
	}
	forward := func(starts []graph.Start[semiring.ScaledFloat]) ([]semiring.ScaledFloat, error) {
		g, err := x.Graph.WithWeights(x.Graph.Weights(), starts, x.Graph.Finals())
		if err != nil {
			return nil, err
		}
		return graph.Forward(g)
	}
	alpha, err := forward(refused)
	if err != nil {
		return err
	}
	for _, alpha := range alpha[len(alpha)-len(b.layers[len(b.layers)-1].state):] {
		b.lose(alpha)
	}
	if alpha, err = forward(slices.Clone(wanted)); err != nil {
		return err
	}
	b.starts = wanted
	var before []int32 // places of the layer before
	for t := range b.layers {
		l := &b.layers[t]
		size := len(l.state)
		n, place := int32(0), make([]int32, size)
		for i := range place {
			l.alpha[i], place[i] = alpha[i], -1
			if !alpha[i].IsZero() {
				place[i] = n
				n++
			}
		}
		alpha = alpha[size:]
		kept := l.links[:0]
		for _, k := range l.links {
			if k.in != 0 {
				k.from = before[k.from]
			}
			if k.from >= 0 {
				kept = append(kept, k)
			}
		}
		l.links = kept
		if t == len(b.layers)-1 {
			for i, place := range place {
				if place >= 0 && b.chooser == nil {
					b.span[place] = b.span[i]
				}
			}
			b.span = b.span[:min(int(n), len(b.span))]
		}
		b.nodes -= size - int(n)
		l.renumber(place, int(n))
		if before = place; t == 0 {
			b.place = place
			b.restart()
		}
	}
	return nil
}

// Drop drops the states after the last frame that keep does not want, and counts them as lost. A
// state from which ε arcs lead to one that is kept stays.
func (b *Beam) Drop(keep func(state int32) bool) {
	l := &b.layers[len(b.layers)-1]
	b.place = rows.Resized(b.place, len(l.state))
	for i, state := range l.state {
		b.place[i] = -1
		if keep(state) {
			b.place[i] = 0
		}
	}
	l.reachBack(b.place)
	n := int32(0)
	for i, place := range b.place {
		if place < 0 {
			b.lose(l.alpha[i])
			continue
		}
		if b.place[i] = n; b.chooser == nil {
			b.span[n] = b.span[i]
		}
		n++
	}
	b.nodes -= len(l.state) - int(n)
	b.span = b.span[:min(int(n), len(b.span))]
	l.renumber(b.place, int(n))
	if len(b.layers) == 1 {
		b.restart()
	}
}

// Nodes yields the state of each node of the lattice, nodes without a way on excluded, frame by
// frame.
func (b *Beam) Nodes(yield func(state int32) bool) {
	b.sweep()
	for t := range b.layers {
		for _, state := range b.layers[t].state {
			if !yield(state) {
				return
			}
		}
	}
}

// Renumber tells the search that the machine gives its states other numbers from now on. It
// calls number for the old number of the state of each of Nodes. A lazy machine can so forget the states that are out of use.
func (b *Beam) Renumber(number func(state int32) int32) error {
	b.sweep()
	for t := range b.layers {
		for n, state := range b.layers[t].state {
			b.layers[t].state[n] = number(state)
		}
	}
	b.ahead, b.span = b.ahead[:0], b.span[:0]
	if b.chooser != nil {
		return nil
	}
	for _, state := range b.layers[len(b.layers)-1].state {
		if err := b.list(state); err != nil {
			b.err = nested.Errorf("frames: beam: %w", err)
			return b.err
		}
	}
	return nil
}

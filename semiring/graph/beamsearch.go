package graph

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/numbering"
	"example.org/pathsum/semiring/internal/rows"
)

// BeamOptions are the options of Beam; nil stands for the zero value, which keeps all states.
type BeamOptions[W any] struct {
	// Width is the number of states that are kept per layer; 0: no limit.
	Width int
	// Margin, in nats, is the greatest difference between the best score of a layer, or stage,
	// and the score of a kept state; 0: no limit.
	Margin float64
	// Layer returns the layer of a state; every arc must lead to a later layer. nil: the layer is
	// the number of arcs from a start, and a state may be in several layers.
	Layer func(s int32) int
	// Stage returns the stage of a layer, which never decreases from one layer to the next.
	// Margin then counts from the best score so far in the layers of a stage, such as the layers
	// that have read the same input and written more and more output. nil: each layer is a stage.
	Stage func(layer int) int
	// Heuristic estimates the sum over the continuations from state s; the score is the log mass
	// of forward weight ⊗ estimate. nil: One.
	Heuristic func(s int32) W
	// MaxLayers is the number of layers after which the search stops; 0: no limit.
	MaxLayers int
	// MaxStates is the limit on the number of states kept; 0 stands for
	// ten million.
	MaxStates int
}

// Beam returns the part of m that a beam search keeps: layer by layer, the states of the best
// scores (Lowerre 1976). The caller chooses the query: BestPath of its Graph is the usual result
// of a beam search, PathSum the pruned path sum, Posteriors the pruned posteriors.
//
// Unless Dropped is 0, the result is approximate: its paths are paths of m with their weights,
// but others, even better ones, may be missing, so a sum of probabilities is a lower bound. The
// states of Graph are in topological order.
//
// The score of a state is the log mass (semiring.Probabilistic, in nats) of its forward weight over
// the states kept: of the best way to it in a selective ring, of all ways in a ring that adds.
// Among equal scores the states met first are kept.
//
// The error wraps semiring.ErrCapability if the ring is not Probabilistic, and ErrOrder if an arc
// does not lead to a later layer. It wraps semiring.ErrNotFinite if a score is NaN, and
// semiring.ErrLimit if more than MaxStates states are kept. It wraps the error of ctx once ctx is
// done. If m fails, it is the error of m.
//
// It takes O(a + n + k log k) on average for n states met, their a arcs and k states kept.
func Beam[W any](ctx context.Context, m Implicit[W], opts *BeamOptions[W]) (*Expansion[W], error) {
	prober, err := semiring.Require[semiring.Probabilistic[W]](m.Semiring())
	if err != nil {
		return nil, nested.Errorf("graph: beam: %w", err)
	}
	b := &beam[W]{m: m, ring: m.Semiring(), prober: prober, pending: map[int]*layer[W]{}, beamStorage: rows.Borrowed[beamStorage[W]]()}
	defer b.repay()
	if opts != nil {
		b.BeamOptions = *opts
	}
	if b.MaxStates <= 0 {
		b.MaxStates = defaultMaxStates
	}
	p, err := b.run(ctx)
	if err != nil {
		return nil, nested.Errorf("graph: beam: %w", err)
	}
	return p, nil
}

// beam is a run of Beam.
type beam[W any] struct {
	BeamOptions[W]
	m       Implicit[W]
	ring    semiring.Semiring[W]
	prober  semiring.Probabilistic[W]
	pending map[int]*layer[W] // layers with states that have been met
	order   []int             // their numbers, descending

	stage int     // of the last layer
	best  float64 // the best score of its layers

	part   Expansion[W]
	final  []W
	starts []Start[W]
	*beamStorage[W]
}

// partArc is an arc of the part under construction.
type partArc[W any] struct {
	from int32
	Arc[W]
}

func (b *beam[W]) run(ctx context.Context) (*Expansion[W], error) {
	for _, start := range b.m.AppendStarts(nil) {
		if b.ring.IsZero(start.Weight) {
			continue
		}
		number := 0
		if b.Layer != nil {
			number = b.Layer(start.State)
		}
		l := b.at(number)
		start.State = b.enter(l, start.State, start.Weight)
		l.starts = append(l.starts, start)
	}
	for layers := 0; len(b.order) > 0; layers++ {
		number := b.order[len(b.order)-1]
		l := b.pending[number]
		if layers == b.MaxLayers && layers > 0 {
			for _, number := range b.order {
				b.part.Dropped += len(b.pending[number].alpha)
			}
			break
		}
		b.order = b.order[:len(b.order)-1]
		delete(b.pending, number)
		if b.Stage == nil || b.Stage(number) != b.stage || layers == 0 {
			b.best = math.Inf(-1)
		}
		if b.Stage != nil {
			b.stage = b.Stage(number)
		}
		if err := b.prune(l); err != nil {
			return nil, err
		}
		for _, n := range l.kept {
			if l.place[n]%64 == 0 {
				if err := ctx.Err(); err != nil {
					return nil, err
				}
			}
			if err := b.expand(l, n, number); err != nil {
				return nil, err
			}
		}
		b.free = append(b.free, l)
	}
	if err := failure(b.m); err != nil {
		return nil, err
	}
	return b.freeze()
}

// expand enters the targets of the arcs from state n of layer l, which has the given number.
func (b *beam[W]) expand(l *layer[W], n int32, number int) error {
	state, alpha, from := l.met.State(n), l.alpha[n], l.place[n]
	b.buf = b.m.AppendArcs(b.buf[:0], state)
	next, to := (*layer[W])(nil), number
	for i, a := range b.buf {
		if b.ring.IsZero(a.Weight) {
			continue
		}
		target := number + 1
		if b.Layer != nil {
			if target = b.Layer(a.To); target <= number {
				return fmt.Errorf("%w: arc %d of state %d leads from layer %d to state %d of layer %d",
					ErrOrder, i, state, number, a.To, target)
			}
		}
		if target != to {
			next, to = b.at(target), target
		}
		a.To = b.enter(next, a.To, b.ring.Times(alpha, a.Weight))
		next.arcs = append(next.arcs, partArc[W]{from, a})
	}
	return nil
}

// freeze returns the part.
func (b *beam[W]) freeze() (*Expansion[W], error) {
	row := make([]int32, len(b.final)+1)
	for _, a := range b.arcs {
		row[a.from+1]++
	}
	for s := range b.final {
		row[s+1] += row[s]
	}
	p := &b.part
	p.In, p.Out = make([]int32, len(b.arcs)), make([]int32, len(b.arcs))
	to, weight := make([]int32, len(b.arcs)), make([]W, len(b.arcs))
	next := slices.Clone(row)
	for _, a := range b.arcs {
		e := next[a.from]
		next[a.from]++
		p.In[e], p.Out[e], to[e], weight[e] = a.In, a.Out, a.To, a.Weight
	}
	var err error
	p.Graph, err = New(b.ring, row, to, weight, b.starts, b.final)
	return p, err
}

// beamStorage holds the storage of a run of Beam that is not part of its result.
type beamStorage[W any] struct {
	free []*layer[W]
	arcs []partArc[W]
	buf  []Arc[W]
}

// repay returns the storage of b to the pool.
func (b *beam[W]) repay() {
	for _, l := range b.pending { // of a run that was cut off
		b.free = append(b.free, l)
	}
	b.arcs = b.arcs[:0]
	rows.Repaid(b.beamStorage)
}

// layer holds states that have been met: their forward weights, and the arcs and starts that lead
// to them.
type layer[W any] struct {
	met    numbering.Table
	alpha  []W
	arcs   []partArc[W] // to: number in met
	starts []Start[W]   // State: number in met

	score []float64
	kept  []int32 // numbers in met
	place []int32 // per number: state of the part; −1: dropped
}

// at returns the pending layer of the given number.
func (b *beam[W]) at(number int) *layer[W] {
	l := b.pending[number]
	if l != nil {
		return l
	}
	if n := len(b.free); n > 0 {
		l, b.free = b.free[n-1], b.free[:n-1]
		l.met.Reset()
		l.alpha, l.arcs, l.starts = l.alpha[:0], l.arcs[:0], l.starts[:0]
	} else {
		l = new(layer[W])
	}
	b.pending[number] = l
	b.order = insertDescending(b.order, number)
	return l
}

// insertDescending adds x to s, which is in descending order.
func insertDescending(s []int, x int) []int {
	i, _ := slices.BinarySearchFunc(s, x, func(x, y int) int { return cmp.Compare(y, x) })
	return slices.Insert(s, i, x)
}

// enter adds weight to the forward weight of a state and returns its number.
func (b *beam[W]) enter(l *layer[W], state int32, weight W) int32 {
	n, fresh := l.met.Of(state)
	if fresh {
		l.alpha = append(l.alpha, weight)
	} else {
		l.alpha[n] = b.ring.Plus(l.alpha[n], weight)
	}
	return n
}

// prune chooses the states to keep and adds them to the part.
func (b *beam[W]) prune(l *layer[W]) error {
	l.score, l.kept = rows.Resized(l.score, len(l.alpha)), l.kept[:0]
	for n, alpha := range l.alpha {
		if b.Heuristic != nil {
			alpha = b.ring.Times(alpha, b.Heuristic(l.met.State(int32(n))))
		}
		score := b.prober.Log(alpha)
		if score != score || math.IsInf(score, 1) {
			return fmt.Errorf("%w: state %d scores %v", semiring.ErrNotFinite, l.met.State(int32(n)), score)
		}
		l.score[n] = score
		b.best = max(b.best, score)
	}
	for n, score := range l.score {
		if !math.IsInf(score, -1) && (b.Margin <= 0 || score >= b.best-b.Margin) {
			l.kept = append(l.kept, int32(n))
		}
	}
	if b.Width > 0 && len(l.kept) > b.Width {
		l.kept = rows.KeepBest(l.kept, l.score, b.Width)
	}
	if len(b.part.State)+len(l.kept) > b.MaxStates {
		return fmt.Errorf("%w: more than %d states are kept", semiring.ErrLimit, b.MaxStates)
	}
	b.part.Dropped += len(l.alpha) - len(l.kept)
	l.place = rows.Resized(l.place, len(l.alpha))
	for n := range l.place {
		l.place[n] = -1
	}
	for _, n := range l.kept {
		l.place[n] = int32(len(b.part.State))
		b.part.State = append(b.part.State, l.met.State(n))
		b.final = append(b.final, b.m.Final(l.met.State(n)))
	}
	for _, a := range l.arcs {
		if a.To = l.place[a.To]; a.To >= 0 {
			b.arcs = append(b.arcs, a)
		}
	}
	for _, start := range l.starts {
		if start.State = l.place[start.State]; start.State >= 0 {
			b.starts = append(b.starts, start)
		}
	}
	return nil
}

package frames

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
	"example.org/pathsum/semiring/internal/numbering"
	"example.org/pathsum/semiring/internal/rows"
)

// defaultMaxNodes is the limit on nodes by default: a gigabyte, with two or three arcs per node.
const defaultMaxNodes = 10_000_000

// BeamOptions are the options of NewBeam; nil stands for the zero value, which keeps all states.
type BeamOptions struct {
	// Width is the number of states that are kept in each frame; 0 means no limit.
	Width int
	// Margin, in nats, is the greatest difference between the best score of a frame and the score
	// of a kept state; 0 means no limit.
	Margin float64
	// If Best is true, a forward weight is the weight of the best path to a state; otherwise it
	// is the sum over all paths to it.
	Best bool
	// Heuristic estimates the weight of the continuations of a state, up to a common factor. The
	// score of a state is its forward weight times the estimate. nil means 1.
	Heuristic func(state int32) semiring.ScaledFloat
	// FutureBound bounds the weight of continuations; Beam.Lost assumes it.
	FutureBound FutureBound
	// MaxNodes is the limit on the nodes of the lattice; 0 stands for ten million.
	MaxNodes int
}

// FutureBound is an assumption about a machine: its paths from any state to the end that read n
// symbols weigh at most State·Frameⁿ together. The zero value assumes 1: the arcs and the end of a
// state weigh at most 1 together, as in a Markov chain. It is not checked.
type FutureBound struct {
	// PerString applies the assumption separately to the paths of each string of n symbols. It
	// holds for a topology that reads each string on at most one path, composed with a language
	// model.
	PerString bool
	// State and Frame are factors of the bound; 0 stands for 1.
	State, Frame float64
}

// Chooser is a machine without ε arcs that can omit arcs that are too weak for a search.
type Chooser interface {
	graph.Implicit[semiring.ScaledFloat]
	// AppendChosen appends the arcs of AppendArcs(s) to dst. It may omit arcs, preferably arcs to
	// new states, if their weight times emission[In−1] times the heuristic of their target state
	// is less than least. lost is at least the sum of weight times emission over the omitted
	// arcs.
	AppendChosen(dst []graph.Arc[semiring.ScaledFloat], s int32, emission []semiring.ScaledFloat,
		least semiring.ScaledFloat) (arcs []graph.Arc[semiring.ScaledFloat], lost semiring.ScaledFloat)
}

// Beam searches the product of emissions and a machine frame by frame. Push adds emissions in
// pieces of any size; the result is bit-identical for any division into pieces.
//
// In each frame it keeps the states of the best scores (Lowerre 1976), with all arcs between
// them. The kept part is a Lattice, a graph to which all queries apply. Its path sum is a lower
// bound of the path sum of the product, and with Lost an upper bound. Without Width and Margin,
// the lattice is the whole product.
//
// A Beam belongs to one goroutine, and so does its machine.
type Beam struct {
	o       BeamOptions
	m       graph.Implicit[semiring.ScaledFloat]
	chooser Chooser // m, if m is a Chooser
	symbols int
	err     error // error of an earlier call
	ratio   semiring.ScaledFloat
	state   semiring.ScaledFloat // FutureBound.State
	frame   semiring.ScaledFloat // FutureBound.Frame

	first  int                                 // the number of frames read before layers[0]
	starts []graph.Start[semiring.ScaledFloat] // of layers[0]; State: a node
	layers []layer
	nodes  int // of all layers
	most   int // the greatest number of nodes of a layer so far
	sum    int // the number of nodes of layers, dropped ones included
	lost   semiring.ScaledFloat

	ahead   []graph.Arc[semiring.ScaledFloat] // arcs out of the last layer
	span    []bounds                          // per node of the last layer: its part of ahead
	row     []semiring.ScaledFloat            // the weights of a frame
	top     semiring.ScaledFloat              // the best score of the states entered, minus Margin
	least   semiring.ScaledFloat              // a lower bound of the score that a state requires
	ranked  int                               // number of entered states when Width set least
	met     numbering.Table                   // the states met in a frame
	entered layer                             // the layer under construction
	*order
}

// bounds is a range of a slice.
type bounds struct{ lo, hi int32 }

// NewBeam returns a search that has read no frame. The machine m reads emissions of the given
// number of symbols: input label v+1 reads symbol v, and label 0, ε, no frame.
//
// The error wraps nested.ErrInvalid for invalid options, and semiring.ErrShape for a label beyond
// the symbols. It wraps semiring.ErrNegative or semiring.ErrNotFinite for a weight that is not a
// finite number ≥ 0, semiring.ErrLimit for too many nodes, and semiring.ErrDiverges for a
// divergent cycle of ε arcs. Errors of m and ctx are returned, too.
func NewBeam(ctx context.Context, m graph.Implicit[semiring.ScaledFloat], symbols int, o *BeamOptions) (*Beam, error) {
	nonnil.Check("frames: NewBeam", "context", ctx, "machine", m)
	b := &Beam{m: m, symbols: symbols, order: new(order)}
	if o != nil {
		b.o = *o
	}
	w := &b.o.FutureBound
	for _, x := range []*float64{&w.State, &w.Frame} {
		if *x == 0 {
			*x = 1
		}
	}
	switch {
	case symbols <= 0:
		return nil, nested.Errorf("frames: beam: %w: %d symbols", semiring.ErrShape, symbols)
	case b.o.Width < 0 || b.o.MaxNodes < 0:
		return nil, nested.Errorf("frames: beam: %w: a width of %d and at most %d nodes, want numbers ≥ 0",
			nested.ErrInvalid, b.o.Width, b.o.MaxNodes)
	case !(b.o.Margin >= 0):
		return nil, nested.Errorf("frames: beam: %w: a margin of %v nats, want a number ≥ 0", nested.ErrInvalid, b.o.Margin)
	case !(w.State > 0) || math.IsInf(w.State, 0) || !(w.Frame > 0) || math.IsInf(w.Frame, 0):
		return nil, nested.Errorf("frames: beam: %w: bounds of %v and %v, want finite numbers > 0", nested.ErrInvalid, w.State, w.Frame)
	}
	if b.o.MaxNodes == 0 {
		b.o.MaxNodes = defaultMaxNodes
	}
	if b.o.Margin > 0 {
		b.ratio = semiring.ScaledFromLog(-b.o.Margin)
	}
	b.state, b.frame = semiring.NewScaled(w.State), semiring.NewScaled(w.Frame)
	b.chooser, _ = m.(Chooser)
	if err := b.begin(ctx); err != nil {
		return nil, nested.Errorf("frames: beam: %w", err)
	}
	return b, nil
}

// begin makes the layer of the starts.
func (b *Beam) begin(ctx context.Context) error {
	l := &b.entered
	for _, start := range b.m.AppendStarts(nil) {
		if err := check(start.Weight); err != nil {
			return nested.Errorf("frames: state %d: initial weight: %w", start.State, err)
		}
		if start.Weight.IsZero() {
			continue
		}
		start.State = b.enter(start.State, start.Weight)
		b.starts = append(b.starts, start)
	}
	place, err := b.keep(l)
	if err != nil {
		return err
	}
	kept := b.starts[:0]
	for _, start := range b.starts {
		if start.State = place[start.State]; start.State >= 0 {
			kept = append(kept, start)
		}
	}
	b.starts = kept
	return b.finish(ctx)
}

// Push reads the frames of e after the frames read so far. The error is as for NewBeam and names
// the frame; it wraps semiring.ErrShape for a wrong number of symbols. After an error, all calls
// return this error. Each frame takes O(a + n) time on average for n states met and a arcs of the
// states kept.
func (b *Beam) Push(ctx context.Context, e *Emissions) error {
	nonnil.Check("frames: Beam.Push", "context", ctx, "emissions", e)
	if b.err != nil {
		return b.err
	}
	if e.Symbols() != b.symbols {
		return nested.Errorf("frames: beam: %w: emissions of %d symbols for a machine of %d", semiring.ErrShape, e.Symbols(), b.symbols)
	}
	for t := range e.Frames() {
		if err := b.step(ctx, e, t); err != nil {
			b.err = nested.Errorf("frames: beam: frame %d: %w", b.Frames(), err)
			return b.err
		}
	}
	return nil
}

// step reads frame t of e.
func (b *Beam) step(ctx context.Context, e *Emissions, t int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	var sum, top semiring.ScaledFloat
	b.row = b.row[:0]
	for v := range b.symbols {
		w := e.Weight(t, v)
		b.row = append(b.row, w)
		if sum = sum.Add(w); w.Cmp(top) > 0 {
			top = w
		}
	}
	factor := top
	if b.o.FutureBound.PerString && !b.o.Best {
		factor = sum
	}
	b.lost = b.lost.Mul(factor).Mul(b.frame)
	if err := b.advance(); err != nil {
		return err
	}
	if _, err := b.keep(&b.entered); err != nil {
		return err
	}
	return b.finish(ctx)
}

// advance enters the states that arcs with a symbol reach from the last layer. Arcs that are too
// weak by themselves are dropped at once.
func (b *Beam) advance() error {
	b.met.Reset()
	b.top, b.least, b.ranked = semiring.ScaledFloat{}, semiring.ScaledFloat{}, 0
	last := &b.layers[len(b.layers)-1]
	if b.chooser == nil {
		for n, alpha := range last.alpha {
			b.follow(int32(n), alpha, b.ahead[b.span[n].lo:b.span[n].hi])
		}
		return nil
	}
	for _, n := range b.bestFirst(last) {
		alpha := last.alpha[n]
		arcs, lost := b.chooser.AppendChosen(b.ahead[:0], last.state[n], b.row, b.least.Div(alpha))
		b.ahead = arcs
		for i := range arcs {
			if err := b.check(last.state[n], i, &arcs[i]); err != nil {
				return err
			}
		}
		b.lose(alpha.Mul(lost))
		b.follow(n, alpha, arcs)
		b.rank()
	}
	return failure(b.m)
}

// follow enters the states that arcs lead to from node n of the last layer.
func (b *Beam) follow(n int32, alpha semiring.ScaledFloat, arcs []graph.Arc[semiring.ScaledFloat]) {
	l := &b.entered
	for i := range arcs {
		a := &arcs[i]
		if a.In == 0 {
			continue
		}
		weight := a.Weight.Mul(b.row[a.In-1])
		x := alpha.Mul(weight)
		if x.IsZero() {
			continue
		}
		if b.o.Margin > 0 {
			score := b.scored(x, a.To)
			if score.Mul(b.ratio).Cmp(b.top) > 0 {
				b.top = score.Mul(b.ratio)
			} else if score.Cmp(b.top) < 0 {
				b.lose(x)
				continue
			}
		}
		to := b.enter(a.To, x)
		l.links = append(l.links, link{from: n, to: to, in: a.In, out: a.Out, weight: weight})
	}
	if b.top.Cmp(b.least) > 0 {
		b.least = b.top
	}
}

// bestFirst returns the nodes of a layer by their scores.
func (b *Beam) bestFirst(l *layer) []int32 {
	score := make([]semiring.ScaledFloat, len(l.state))
	for n, alpha := range l.alpha {
		score[n] = b.scored(alpha, l.state[n])
	}
	b.kept = rows.Sorted(b.kept, len(l.state), func(i, j int32) int { return cmp.Or(score[j].Cmp(score[i]), cmp.Compare(i, j)) })
	return b.kept
}

// rank raises least to the score required to be among the Width best states entered so far. It
// does so each time that their number has doubled.
func (b *Beam) rank() {
	l, width := &b.entered, b.o.Width
	if width == 0 || len(l.state) < b.ranked+width || len(l.state) < 2*width {
		return
	}
	b.ranked = len(l.state)
	b.score, b.place = rows.Resized(b.score, len(l.state)), rows.Resized(b.place, len(l.state))
	for n, alpha := range l.alpha {
		b.score[n], b.place[n] = b.scored(alpha, l.state[n]).Log(), int32(n)
	}
	worst := math.Inf(1)
	for _, n := range rows.KeepBest(b.place, b.score, width) {
		worst = min(worst, b.score[n])
	}
	if least := semiring.ScaledFromLog(worst); least.Cmp(b.least) > 0 {
		b.least = least
	}
}

// scored returns the score of a state with a forward weight.
func (b *Beam) scored(alpha semiring.ScaledFloat, state int32) semiring.ScaledFloat {
	if b.o.Heuristic != nil {
		return alpha.Mul(b.o.Heuristic(state))
	}
	return alpha
}

// enter adds a weight to the forward weight of a state and returns its number.
func (b *Beam) enter(state int32, weight semiring.ScaledFloat) int32 {
	l := &b.entered
	n, fresh := b.met.Of(state)
	if fresh {
		l.state, l.alpha = append(l.state, state), append(l.alpha, weight)
	} else {
		l.alpha[n] = b.plus(l.alpha[n], weight)
	}
	return n
}

// plus is the sum over two paths.
func (b *Beam) plus(x, y semiring.ScaledFloat) semiring.ScaledFloat {
	switch {
	case !b.o.Best:
		return x.Add(y)
	case x.Cmp(y) < 0:
		return y
	}
	return x
}

// lose counts a forward weight as dropped.
func (b *Beam) lose(alpha semiring.ScaledFloat) { b.lost = b.plus(b.lost, alpha) }

// check returns an error unless w is a finite number ≥ 0.
func check(w semiring.ScaledFloat) error {
	switch {
	case !w.IsFinite():
		return fmt.Errorf("%w: %v", semiring.ErrNotFinite, w)
	case w.Mant < 0:
		return fmt.Errorf("%w: %v", semiring.ErrNegative, w)
	}
	return nil
}

// Frames returns the number of frames read.
func (b *Beam) Frames() int { return b.first + len(b.layers) - 1 }

// Kept returns the logarithm of the weight of all paths that are kept and end after the last
// frame: their sum, or the greatest weight by BeamOptions.Best. −Inf if there is no such path.
func (b *Beam) Kept() float64 {
	var total semiring.ScaledFloat
	for state, alpha := range b.States {
		total = b.plus(total, alpha.Mul(b.m.Final(state)))
	}
	return total.Log()
}

// Lost returns the logarithm of an upper bound of the weight of all paths that were dropped, with
// the frames read so far: the forward weights of the dropped states, times a bound of their
// continuations (see FutureBound). In each frame this is the greatest emission, or with
// FutureBound.PerString the sum of the emissions. So the path sum is at least e^Kept, and at most
// e^Kept + e^Lost; by BeamOptions.Best, the best path weighs at most the greater of the two. −Inf
// if no path was dropped. Rounding is not included.
func (b *Beam) Lost() float64 { return b.lost.Mul(b.state).Log() }

// States yields the states kept after the last frame with their forward weights, in a fixed
// order.
func (b *Beam) States(yield func(state int32, alpha semiring.ScaledFloat) bool) {
	last := &b.layers[len(b.layers)-1]
	for n, state := range last.state {
		if !yield(state, last.alpha[n]) {
			return
		}
	}
}

// BeamSize holds the current and past size of a search.
type BeamSize struct {
	Nodes int     // of the lattice
	Max   int     // the greatest number of states kept in a frame
	Mean  float64 // the mean number of states kept in a frame
}

// Size returns the size of the search.
func (b *Beam) Size() BeamSize {
	return BeamSize{Nodes: b.nodes, Max: b.most, Mean: float64(b.sum) / float64(b.Frames()+1)}
}

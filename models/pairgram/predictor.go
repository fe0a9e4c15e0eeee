package pairgram

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"

	"example.org/pathsum/internal/graphs"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/models/nbest"
	"example.org/pathsum/models/ngram"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// PredictorOptions are the choices in Model.Predictor. A nil *PredictorOptions and the zero
// value of each field mean the default.
type PredictorOptions struct {
	// Width is the number of contexts kept at each place (default 40).
	Width int
	// Margin, in nats, is the largest distance of a kept arc or context to the best (default 8).
	Margin float64
	// Insertions is the greatest number of consecutive chunks without a source symbol (default 3).
	Insertions int
}

func (o *PredictorOptions) complete() error {
	if o.Width < 0 || !(o.Margin >= 0) || o.Insertions < 0 || o.Insertions > 1<<10 {
		return nested.Errorf("pairgram: %w: predictor options %+v", ErrInvalid, *o)
	}
	o.Width, o.Margin, o.Insertions = cmp.Or(o.Width, 40), cmp.Or(o.Margin, 8), cmp.Or(o.Insertions, 3)
	return nil
}

// Predictor finds the targets of sources. It is an nbest.Predictor, whose probabilities are p(x,
// y). It is safe for concurrent use.
type Predictor struct {
	model    *Model
	options  PredictorOptions
	searches sync.Pool
	scorers  sync.Pool
}

var _ nbest.Predictor = (*Predictor)(nil)

// Predictor returns a predictor of m. The error wraps ErrInvalid.
func (m *Model) Predictor(opts *PredictorOptions) (*Predictor, error) {
	p := &Predictor{model: m}
	if opts != nil {
		p.options = *opts
	}
	if err := p.options.complete(); err != nil {
		return nil, err
	}
	if r := m.ranges[0]; r.lo == r.hi {
		p.options.Insertions = 0
	}
	return p, nil
}

// Model returns the model of p.
func (p *Predictor) Model() *Model { return p.model }

// Lattice returns the part of x ∘ C ∘ N that the beam search kept: a graph whose paths are
// sequences of chunks that spell x, in the order in which the model reads them, with their
// probabilities. The labels In and Out of an arc are its chunk. Some states may be dead ends. The
// error wraps nbest.ErrUnknown for an unknown symbol, with its position, or semiring.ErrLimit, or
// is the error of ctx.
func (p *Predictor) Lattice(ctx context.Context, x []int32) (*graph.Expansion[semiring.ScaledFloat], error) {
	nonnil.Check("pairgram: Lattice", "context", ctx)
	if err := p.model.check(x); err != nil {
		return nil, err
	}
	if (len(x)+1)*(p.options.Insertions+1) > math.MaxInt32/2 {
		return nil, nested.Errorf("pairgram: %w: a source of %d symbols", semiring.ErrLimit, len(x))
	}
	s, ok := p.searches.Get().(*search)
	if !ok {
		s = new(search)
	}
	defer p.searches.Put(s)
	s.set(p.model, &p.options, x)
	part, err := graphs.Beam(ctx, s, &graph.BeamOptions[semiring.ScaledFloat]{
		Width: p.options.Width, Margin: p.options.Margin, Layer: s.layer, Stage: s.stage,
	})
	if err != nil {
		return nil, nested.Errorf("pairgram: %w", err)
	}
	return part, nil
}

// Best returns the n most probable targets of x, the most probable first, each once and with ln of
// the sum over the sequences of chunks that the search kept. If the search kept fewer targets, it
// returns all of them: an empty list and no error if x cannot be divided into chunks. LogProb
// computes the exact sum. For sources of hundreds of symbols, too many targets may be nearly as
// good as the best. The probability of the best sequence of chunks then replaces the sum. Errors
// are as for Lattice.
func (p *Predictor) Best(ctx context.Context, x []int32, n int) ([]nbest.Candidate, error) {
	nonnil.Check("pairgram: Best", "context", ctx)
	part, err := p.Lattice(ctx, x)
	if err != nil {
		return nil, err
	}
	return p.model.best(part, n)
}

// best returns the n targets of the greatest weight in part, whose arcs are chunks.
func (m *Model) best(part *graph.Expansion[semiring.ScaledFloat], n int) ([]nbest.Candidate, error) {
	g, labels, err := m.spell(part)
	if err != nil {
		return nil, nested.Errorf("pairgram: %w", err)
	}
	all, _, err := nbest.Best(g, labels, n, 0)
	if err != nil {
		return nil, nested.Errorf("pairgram: %w", err)
	}
	if m.reversed {
		for _, c := range all {
			slices.Reverse(c.Labels)
		}
	}
	return all, nil
}

// LogProb returns ln p(x, y) exactly, summed over all divisions of the pair into chunks. It is −Inf
// if the pair cannot be divided. The error wraps semiring.ErrLimit for strings that are too long.
// O(|x|·|y|) times the number of contexts per position.
func (p *Predictor) LogProb(x, y []int32) (float64, error) {
	s, ok := p.scorers.Get().(*scorer)
	if !ok {
		s = newScorer(p.model)
	}
	defer p.scorers.Put(s)
	return s.logProb(p.model, x, y)
}

var _ nbest.Rescorer = (*Predictor)(nil)

// LogProbs returns LogProb of x with each of ys, up to rounding. Targets that begin alike, or end
// alike for a model that reads backward, share the work, so it takes a part of the time of LogProb
// for each. Errors are as for LogProb, or the error of ctx.
func (p *Predictor) LogProbs(ctx context.Context, x []int32, ys [][]int32) ([]float64, error) {
	nonnil.Check("pairgram: LogProbs", "context", ctx)
	if err := ctx.Err(); err != nil {
		return nil, nested.Errorf("pairgram: %w", err)
	}
	s, ok := p.scorers.Get().(*scorer)
	if !ok {
		s = newScorer(p.model)
	}
	defer p.scorers.Put(s)
	return s.logProbs(p.model, x, ys)
}

// spell returns the graph of part in which each arc has at most one target symbol, 0 for none: an
// arc with several becomes a chain of arcs.
func (m *Model) spell(part *graph.Expansion[semiring.ScaledFloat]) (*graph.Graph[semiring.ScaledFloat], []int32, error) {
	g := part.Graph
	labels := make([]int32, g.NumArcs())
	extra := 0
	for e, n := range part.Out {
		y := m.chunks.chunk(n).Target
		if len(y) > 0 {
			labels[e] = m.symbol(y, 0)
		}
		extra += max(0, len(y)-1)
	}
	if extra == 0 {
		return g, labels, nil
	}
	one, states := semiring.NewScaled(1), g.NumStates()
	row, to := slices.Grow(slices.Clone(g.Row()), extra), slices.Grow(slices.Clone(g.To()), extra)
	weight, final := slices.Grow(slices.Clone(g.Weights()), extra), make([]semiring.ScaledFloat, states+extra)
	copy(final, g.Finals())
	for e, n := range part.Out {
		y := m.chunks.chunk(n).Target
		for i := 1; i < len(y); i++ {
			// The last arc of the current chain leads to a new state, whose arc continues the
			// chain.
			at := e
			if i > 1 {
				at = len(to) - 1
			}
			end := to[at]
			to[at] = int32(len(row) - 1)
			to, weight, labels = append(to, end), append(weight, one), append(labels, m.symbol(y, i))
			row = append(row, int32(len(to)))
		}
	}
	spelled, err := graphs.New(g.Ring(), row, to, weight, slices.Clone(g.Starts()), final)
	return spelled, labels, err
}

// symbol returns the i-th symbol of y in the order of the model.
func (m *Model) symbol(y []int32, i int) int32 {
	if m.reversed {
		i = len(y) - 1 - i
	}
	return y[i]
}

// search is the lazy machine x ∘ C ∘ N of a source x, the chunks and their n-gram model: a state
// consists of the number of symbols read, the number of insertions since the last of them, and the
// context. In and Out of an arc are the chunk. It omits arcs that are worse than the best arc of
// their state by more than margin. A beam would drop most of them immediately, in particular
// insertions, which have layers of their own.
//
// fst.Compose of the three has the same paths if no arc is omitted. It steps the n-grams chunk by
// chunk, not for all chunks with the same source, and cannot omit arcs.
type search struct {
	*Model
	length     int // of x
	source     pieces
	insertions int
	margin     float64

	places places // layers, which order states by the symbols read and then by insertions
	next   []ngram.Successor
	groups []group
}

// set makes s the machine of x and reuses its storage.
func (s *search) set(m *Model, o *PredictorOptions, x []int32) {
	s.Model, s.length, s.insertions, s.margin = m, len(x), o.Insertions, o.Margin
	s.source.reach = 0
	for _, size := range m.chunks.sizes {
		s.source.reach = max(s.source.reach, size.Source)
	}
	s.source.read(x, m.chunks.source.find)
	s.places.Reset()
}

// Semiring, AppendStarts, Final and AppendArcs implement graph.Implicit.
func (s *search) Semiring() semiring.Semiring[semiring.ScaledFloat] { return semiring.Scaled{} }

func (s *search) AppendStarts(dst []graph.Start[semiring.ScaledFloat]) []graph.Start[semiring.ScaledFloat] {
	return append(dst, graph.Start[semiring.ScaledFloat]{State: s.places.enter(0, s.grams.Start()), Weight: semiring.NewScaled(1)})
}

func (s *search) Final(state int32) semiring.ScaledFloat {
	layer, context := s.places.place(state)
	if s.stage(int(layer)) < s.length {
		return semiring.ScaledFloat{}
	}
	return history{s.grams}.End(context)
}

func (s *search) AppendArcs(dst []graph.Arc[semiring.ScaledFloat], state int32) []graph.Arc[semiring.ScaledFloat] {
	at, context := s.places.place(state)
	each := int32(s.insertions + 1) // layers for each symbol
	read := int(at / each)
	s.next, s.groups = s.next[:0], s.groups[:0]
	// The best chunk usually reads a symbol; chunks far worse than it need not be collected.
	for a := min(s.source.reach, s.length-read); a >= 0; a-- {
		layer := int32(read+a) * each
		if a == 0 {
			if layer = at + 1; layer%each == 0 {
				continue
			}
		}
		from := read
		if s.reversed {
			from = s.length - read - a
		}
		if piece := s.source.at(from, a); piece >= 0 && s.ranges[piece].lo < s.ranges[piece].hi {
			s.next = s.grams.AppendSuccessors(s.next, context, s.ranges[piece].lo, s.ranges[piece].hi, s.margin)
			s.groups = append(s.groups, group{layer, len(s.next)})
		}
	}
	least := math.Inf(-1)
	for _, n := range s.next {
		least = max(least, n.LogProb-s.margin)
	}
	i := 0
	for _, g := range s.groups {
		for ; i < g.end; i++ {
			if n := &s.next[i]; n.LogProb >= least && !math.IsInf(n.LogProb, -1) {
				dst = append(dst, graph.Arc[semiring.ScaledFloat]{
					In: n.Symbol, Out: n.Symbol, To: s.places.enter(g.layer, n.Next), Weight: semiring.ScaledFromLog(n.LogProb),
				})
			}
		}
	}
	return dst
}

// group contains the successors, up to index end, that lead to a layer.
type group struct {
	layer int32
	end   int
}

// layer returns the layer of a state.
func (s *search) layer(state int32) int {
	layer, _ := s.places.place(state)
	return int(layer)
}

// stage returns the number of symbols read in a layer.
func (s *search) stage(layer int) int { return layer / (s.insertions + 1) }

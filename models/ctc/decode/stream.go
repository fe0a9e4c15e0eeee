package decode

import (
	"context"
	"math"
	"slices"

	"example.org/pathsum/internal/graphs"
	"example.org/pathsum/internal/keytable"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/frames"
)

// Report describes the outcome of a search.
type Report struct {
	// Frames is the number of frames read.
	Frames int
	// Exact reports whether the texts are certainly the best of all texts, in the right order:
	// the dropped weight cannot change them, and Options.Work was enough.
	Exact bool
	// Kept is the logarithm of the weight of all texts that were kept. The weight of all texts is
	// at least e^Kept.
	Kept float64
	// Lost is the logarithm of a bound of the weight that was dropped: the weight of all texts is
	// at most e^Kept + e^Lost, and every text weighs at most e^LogProb + e^Lost. −Inf means that
	// no text was dropped. The bound assumes that Language and Letters are probabilities that sum
	// to at most 1, and that Machine has weights of at most 1. A topology that is not frozen is
	// assumed to be from package ctc. A bonus makes the bound loose, by a factor per frame, and
	// so does a lexicon without separators and without a language model.
	Lost float64
	// Size is the size of the search.
	Size frames.BeamSize
}

// checkInterval is the number of frames after which a stream tries to shorten its lattice.
const checkInterval = 64

// mostStates is the number of states that are added before a stream removes unused states.
const mostStates = 1 << 17

// Stream reads frames that arrive in pieces. Its results do not depend on the pieces: they are
// bit-identical to the results of Decode for all frames together. It belongs to one goroutine.
//
// It keeps the lattice of the last frames, between half of Options.Horizon and twice as many plus
// 64, and the labels and words that were read before. If the texts that are kept differ in a part
// that is older, the best text decides it, and Report.Lost includes the weight of the others.
type Stream struct {
	d       *Predictor
	ctx     context.Context
	p       *product
	b       *frames.Beam
	settled reads   // before the lattice
	symbols []int32 // of settled, up to the root of the contexts
	size    int     // number of states after the last removal
	err     error
}

// Online returns a stream that has read no frame. Canceling the context stops it. The error wraps
// ErrInvalid if Options.Beam has neither Width nor Margin, without which a stream would grow
// without limit.
func (d *Predictor) Online(ctx context.Context) (*Stream, error) {
	nonnil.Check("decode: Online", "context", ctx)
	if d.isExact() {
		return nil, nested.Errorf("decode: online: %w: Options.Beam has neither a width nor a margin", ErrInvalid)
	}
	return d.stream(ctx)
}

func (d *Predictor) isExact() bool { return d.o.Beam.Width == 0 && d.o.Beam.Margin == 0 }

func (d *Predictor) stream(ctx context.Context) (*Stream, error) {
	s := &Stream{d: d, ctx: ctx, p: newProduct(d, false, nil)}
	var err error
	if s.b, err = s.p.search(ctx, d.o.Beam); err != nil {
		return nil, nested.Errorf("decode: %w", err)
	}
	return s, nil
}

// search returns a search of the product.
func (p *product) search(ctx context.Context, o frames.BeamOptions) (*frames.Beam, error) {
	o.FutureBound = p.d.ways
	if o.Width > 0 || o.Margin > 0 {
		o.Heuristic = p.heuristic
	}
	return frames.NewBeam(ctx, p, p.d.topology.symbols, &o)
}

// Push reads frames. The error wraps semiring.ErrShape if they and the topology have different
// numbers of symbols, or else the error of the context or of semiring/frames.Beam.Push. After an
// error, all calls return this error.
func (s *Stream) Push(e *frames.Emissions) error {
	nonnil.Check("decode: Stream.Push", "emissions", e)
	if s.err != nil {
		return s.err
	}
	for lo := 0; lo < e.Frames(); {
		hi := min(e.Frames(), lo+checkInterval-s.b.Frames()%checkInterval)
		if err := s.b.Push(s.ctx, e.Slice(lo, hi)); err != nil {
			s.err = nested.Errorf("decode: %w", err)
			return s.err
		}
		lo = hi
		if s.b.Frames()%checkInterval == 0 {
			if err := s.settle(); err != nil {
				s.err = nested.Errorf("decode: %w", err)
				return s.err
			}
		}
	}
	return nil
}

// settle shortens the lattice if it is longer than the horizon, and removes unused contexts.
func (s *Stream) settle() error {
	length, horizon := s.b.Frames()-s.b.First(), s.d.o.Horizon
	if length > horizon {
		if err := s.shorten(length > 2*horizon); err != nil {
			return err
		}
	}
	if len(s.p.states.Keys()) > s.size+max(mostStates, s.size) {
		return s.clean(0)
	}
	return nil
}

// shorten discards the lattice up to the last frame, at least half the horizon ago, up to which
// all kept texts agree. If there is no such frame and must is true, it drops texts to make one.
func (s *Stream) shorten(must bool) error {
	x, err := s.b.Lattice()
	if err != nil {
		return err
	}
	last := s.b.Frames() - max(s.d.o.Horizon/2, 1)
	type reading struct{ position, past int32 }
	at, common := -1, reading{}
	current, same := reading{}, false
	frame := int32(-1)
	for i, state := range x.State {
		if int(x.Frames[i]) > last {
			break
		}
		_, position, past := s.p.parts(state)
		r := reading{position, past}
		if x.Frames[i] != frame {
			frame, current, same = x.Frames[i], r, true
		} else if r != current {
			same = false
		}
		// The last state of a frame decides.
		if same && (i+1 == len(x.State) || x.Frames[i+1] != frame) && int(frame) > s.b.First() {
			at, common = int(frame), current
		}
	}
	if at < 0 && !must {
		return nil
	}
	open, err := open(x)
	if err != nil {
		return err
	}
	path, err := graphs.BestPath(open.Graph.WithSemiring(semiring.Viterbi{}))
	if err != nil || path.Start < 0 {
		return err
	}
	if at < 0 {
		state := path.Start
		for _, k := range path.Arcs {
			if int(x.Frames[state]) == last {
				break
			}
			state = x.Graph.To()[k]
		}
		_, common.position, common.past = s.p.parts(x.State[state])
		at = last
	}
	o, err := newOccurrences(s.p, open)
	if err != nil {
		return err
	}
	before := len(s.settled.list)
	s.settled.extend(s.p, x, path, at)
	if err := o.judge(&s.settled, before); err != nil {
		return err
	}
	if err := s.b.Forget(at, func(state int32) bool {
		_, position, past := s.p.parts(state)
		return reading{position, past} == common
	}); err != nil {
		return err
	}
	s.symbols = append(s.symbols, s.p.symbols(common.past)...)
	return s.clean(common.past)
}

// clean removes unused contexts and states. All used contexts begin with root.
func (s *Stream) clean(root int32) error {
	var used []int32
	last := int32(-1)
	for state := range s.b.Nodes {
		if _, _, past := s.p.parts(state); past != last {
			last = past
			used = append(used, past)
		}
	}
	err := s.b.Renumber(s.p.renumber(root, used))
	s.size = len(s.p.states.Keys())
	return err
}

// renumber removes all states, and all contexts except those from root to used contexts. It
// returns a function that maps the old number of a state to its new number.
func (p *product) renumber(root int32, used []int32) func(int32) int32 {
	number := p.retain(root, used)
	place, state := p.places.Keys(), p.states.Keys()
	p.places, p.states = keytable.Table[uint64]{}, keytable.Table[uint64]{}
	return func(old int32) int32 {
		at, past := keytable.Unpair(state[old])
		topology, position := at, int32(0)
		if n := p.d.positions; n > 0 {
			topology, position = at/n, at%n
		} else {
			topology, position = keytable.Unpair(place[at])
		}
		return p.state(topology, position, number[past])
	}
}

// open returns a lattice that may end in each of its last states.
func open(x *frames.Lattice) (*frames.Lattice, error) {
	final := make([]weight, len(x.State))
	for s := len(final) - 1; s >= 0 && x.Frames[s] == x.Frames[len(final)-1]; s-- {
		final[s] = semiring.NewScaled(1)
	}
	return ending(x, final)
}

// ending returns a lattice of sums with other final weights.
func ending(x *frames.Lattice, final []weight) (*frames.Lattice, error) {
	g, err := x.Graph.WithSemiring(semiring.Scaled{}).WithWeights(x.Graph.Weights(), x.Graph.Starts(), final)
	return &frames.Lattice{Graph: g, State: x.State, Frames: x.Frames, In: x.In, Out: x.Out}, err
}

// Best returns the best text so far; its last word may be incomplete. Its LogProb does not
// include the end of the text, and its Posterior is among the texts so far. If no text is left,
// it is empty, with a Posterior of 0. Best takes time proportional to the size of the lattice.
func (s *Stream) Best() (Text, error) {
	if s.err != nil {
		return Text{}, s.err
	}
	list, _, err := s.texts(1, true)
	if err != nil {
		return Text{}, nested.Errorf("decode: %w", err)
	}
	if len(list) == 0 {
		return Text{LogProb: math.Inf(-1)}, nil
	}
	return list[0], nil
}

// Final returns the common part of all kept texts, which further frames do not change. With a
// lexicon it consists of complete words and separators. It takes time proportional to the number
// of states of the last frame.
func (s *Stream) Final() string {
	common := int32(-1)
	for state := range s.b.States {
		_, _, past := s.p.parts(state)
		if common < 0 {
			common = past
		} else {
			common = s.p.common(common, past)
		}
	}
	if common < 0 {
		return s.d.spell(s.symbols)
	}
	return s.d.spell(slices.Concat(s.symbols, s.p.symbols(common)))
}

// Report returns the report of the search so far. Exact means that no text was dropped.
func (s *Stream) Report() *Report {
	r := &Report{Frames: s.b.Frames(), Kept: s.b.Kept(), Lost: s.b.Lost(), Size: s.b.Size()}
	r.Exact = math.IsInf(r.Lost, -1)
	return r
}

// Close returns the n best texts of all frames. The list is shorter if fewer texts were kept, and
// empty if the frames cannot be read as any text. The stream cannot be used afterwards.
func (s *Stream) Close(n int) ([]Text, *Report, error) {
	if s.err != nil {
		return nil, nil, s.err
	}
	list, exact, err := s.texts(n, false)
	if err != nil {
		return nil, nil, nested.Errorf("decode: %w", err)
	}
	r := s.Report()
	r.Exact = exact
	s.err = nested.Errorf("decode: %w: the stream is closed", ErrInvalid)
	return list, r, nil
}

// group holds the states of the last frame with the same text.
type group struct {
	states []int32 // of the lattice
	weight weight
	score  weight
}

// texts returns the n best texts, open or ended ones, and whether they are certainly the best of
// all texts and in order.
func (s *Stream) texts(n int, isOpen bool) (list []Text, exact bool, err error) {
	x, err := s.b.Lattice()
	if err != nil {
		return nil, false, err
	}
	if isOpen {
		if x, err = open(x); err != nil {
			return nil, false, err
		}
	}
	groups, total := s.groups(x, isOpen)
	if total.IsZero() || n <= 0 {
		return nil, total.IsZero() && math.IsInf(s.b.Lost(), -1), nil
	}
	exact = s.areCertain(groups[:min(n+1, len(groups))], n)
	if x, err = ending(x, x.Graph.Finals()); err != nil {
		return nil, false, err
	}
	o, err := newOccurrences(s.p, x)
	if err != nil {
		return nil, false, err
	}
	if s.d.o.Beam.Best { // other alignments have weights, too
		total = o.total
	}
	for _, g := range groups[:min(n, len(groups))] {
		t, err := s.textOf(x, g, o)
		if err != nil {
			return nil, false, err
		}
		t.LogProb = g.weight.Log()
		if t.Posterior, err = share(t.LogProb, total.Log(), 8*s.b.Frames()); err != nil {
			return nil, false, err
		}
		list = append(list, t)
	}
	return list, exact, nil
}

// groups returns the texts of the last states of a lattice, the best first, and their sum.
func (s *Stream) groups(x *frames.Lattice, isOpen bool) (groups []group, total weight) {
	n := 0
	for range s.b.States {
		n++
	}
	number, final := map[[2]int32]int{}, x.Graph.Finals()
	at := int32(len(x.State) - n)
	for state, alpha := range s.b.States {
		_, position, past := s.p.parts(state)
		w := alpha.Mul(final[at])
		at++
		if w.IsZero() {
			continue
		}
		key := [2]int32{past, 0}
		if isOpen {
			key[1] = position
		}
		k, ok := number[key]
		if !ok {
			k = len(groups)
			number[key] = k
			groups = append(groups, group{})
		}
		g := &groups[k]
		g.states = append(g.states, at-1)
		g.weight = s.plus(g.weight, w)
		g.score = g.weight
		if isOpen {
			g.score = g.weight.Mul(s.p.heuristic(state))
		}
	}
	for _, g := range groups {
		total = total.Add(g.weight)
	}
	slices.SortStableFunc(groups, func(a, b group) int { return b.score.Cmp(a.score) })
	return groups, total
}

func (s *Stream) plus(a, b weight) weight {
	if s.d.o.Beam.Best {
		if a.Cmp(b) < 0 {
			return b
		}
		return a
	}
	return a.Add(b)
}

// areCertain reports whether the first n of the best groups are the best of all texts in this
// order, regardless of the lost weight.
func (s *Stream) areCertain(groups []group, n int) bool {
	lost := semiring.ScaledFromLog(s.b.Lost())
	if lost.IsZero() {
		return true
	}
	for i, g := range groups[:min(n, len(groups))] {
		rival := lost
		if i+1 < len(groups) {
			rival = s.plus(groups[i+1].weight, lost)
		}
		if g.weight.Cmp(rival) <= 0 {
			return false
		}
	}
	return n <= len(groups)
}

// textOf returns the text of a group with its best alignment.
func (s *Stream) textOf(x *frames.Lattice, g group, o *occurrences) (Text, error) {
	final := make([]weight, len(x.State))
	for _, state := range g.states {
		final[state] = x.Graph.Finals()[state]
	}
	of, err := ending(x, final)
	if err != nil {
		return Text{}, err
	}
	path, err := graphs.BestPath(of.Graph.WithSemiring(semiring.Viterbi{}))
	if err != nil {
		return Text{}, err
	}
	r := reads{list: slices.Clone(s.settled.list), open: s.settled.open}
	r.extend(s.p, x, path, math.MaxInt)
	if err := o.judge(&r, len(s.settled.list)); err != nil {
		return Text{}, err
	}
	return s.d.text(&r), nil
}

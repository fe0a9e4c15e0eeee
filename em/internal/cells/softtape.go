package cells

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"example.org/pathsum/em/internal/soft"
	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/frames"
)

// softTape is the way of pairs of one soft string and one unknown string. The
// cascade is condensed to an acceptor of the soft string. Its ε-arcs are kept: a
// frames.Graph sums over them. A cell is the start of a path at a state, an arc, or the end of a
// path at a state.
//
// Arcs have labels, and the arcs of a frames.Graph have columns. So there is a graph for every
// list of column labels among the examples, with the same cells.
type softTape struct {
	states int
	arcs   []softArc
	handle []expr.W // per cell: starts, then arcs, then ends
	every  *reader  // for one column per label, in ascending order

	// State of the current E step.
	values   []semiring.ScaledFloat // per cell
	tangents []float64              // per cell; nil without second derivatives
	beta     float64                // the temperature
	step     int                    // its number

	mu      sync.Mutex         // guards readers, and the weights of their graphs
	readers map[string]*reader // by the labels of columns
}

// softArc identifies a cell that is an arc.
type softArc struct{ from, to, label int32 }

// reader is the graph for columns with certain labels.
type reader struct {
	graph    *frames.Graph
	arcs     []int32      // per arc of the graph: its index in softTape.arcs
	tangents frames.Parts // with second derivatives
	step     int          // the E step of the graph's weights
}

// mostReaders is the maximum number of readers that are kept at a time.
const mostReaders = 64

// newSoftTape returns the way of an acceptor of the soft string, and the expressions of its cells.
// merged reports whether a cell may stand for several arcs.
func newSoftTape(space *expr.Space, f *fst.FST[expr.W], limit int) (_ way, cells []expr.W, merged bool, err error) {
	t := &softTape{states: f.NumStates(), readers: map[string]*reader{}}
	g := f.Graph()
	entries := make([]entry[softArc], 0, f.NumArcs())
	for p := range int32(t.states) {
		for e := g.Row()[p]; e < g.Row()[p+1]; e++ {
			entries = append(entries, entry[softArc]{softArc{p, g.To()[e], f.In()[e]}, g.Weights()[e]})
		}
	}
	entries, merged = combine(space, entries, func(a, b softArc) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.label, b.label), cmp.Compare(a.to, b.to))
	})
	if size := 2*t.states + len(entries); size > limit {
		return nil, nil, false, fmt.Errorf("%w: %d cells", semiring.ErrLimit, size)
	}
	begin, double := starts(space, f)
	t.handle = begin
	var labels []int32
	for _, e := range entries {
		t.arcs, t.handle = append(t.arcs, e.place), append(t.handle, e.weight)
		if e.place.label != fst.Epsilon {
			labels = append(labels, e.place.label)
		}
	}
	t.handle = append(t.handle, g.Finals()...)
	slices.Sort(labels)
	if labels = slices.Compact(labels); len(labels) == 0 {
		return nil, nil, false, errClosed // it reads no frame
	}
	if t.every, err = t.reader(labels); err != nil {
		return nil, nil, false, err
	}
	t.readers[keyOf(labels)] = t.every
	return t, t.handle, merged || double, nil
}

// reader returns the graph for columns with these labels, without weights. It omits the arcs whose
// label has no column.
func (t *softTape) reader(labels []int32) (*reader, error) {
	column := make(map[int32]int32, len(labels)+1)
	for v, l := range labels {
		column[l] = int32(v)
	}
	column[fst.Epsilon] = frames.Epsilon
	r := new(reader)
	var arcs []frames.Arc
	for k, a := range t.arcs {
		if v, ok := column[a.label]; ok {
			arcs, r.arcs = append(arcs, frames.Arc{From: a.from, To: a.to, Symbol: v}), append(r.arcs, int32(k))
		}
	}
	var err error
	r.graph, err = frames.New(t.states, len(labels), arcs)
	return r, err
}

// weigh sets the weights of r from the values of cells.
func (t *softTape) weigh(r *reader, values []semiring.ScaledFloat) error {
	arcs := make([]semiring.ScaledFloat, len(r.arcs))
	for i, k := range r.arcs {
		arcs[i] = values[t.states+int(k)]
	}
	return r.graph.SetWeights(frames.Weights{Initial: values[:t.states], Arc: arcs, Final: values[len(values)-t.states:]})
}

// softArcs is the number of arcs of a lattice that take as much time as one arc in a frame. An arc
// of a lattice has its own expression, the product with the constant weight of the label.
const softArcs = .2

// visited assumes that paths may reach all states.
func (t *softTape) visited(x Strings) float64 {
	return softArcs * float64(x.Soft.Emissions.Frames()) * float64(len(t.arcs))
}

func (t *softTape) begin(values []semiring.ScaledFloat, tangents []float64, temperature float64) error {
	t.step++
	t.values, t.tangents, t.beta = values, tangents, temperature
	return t.refresh(t.every)
}

// refresh sets the weights and tangents of r for the current E step.
func (t *softTape) refresh(r *reader) error {
	if r.step == t.step {
		return nil
	}
	if err := t.weigh(r, t.values); err != nil {
		return err
	}
	r.step = t.step
	if t.tangents != nil {
		r.tangents = t.parts(t.tangents, make([]float64, len(r.arcs)))
		for i, k := range r.arcs {
			r.tangents.Arc[i] = t.tangents[t.states+int(k)]
		}
	}
	return nil
}

// current returns the graph for columns with these labels, with the weights of the current E step.
func (t *softTape) current(labels []int32) (*reader, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	key := keyOf(labels)
	r := t.readers[key]
	if r == nil {
		var err error
		if r, err = t.reader(labels); err != nil {
			return nil, err
		}
		if len(t.readers) == mostReaders {
			clear(t.readers)
		}
		t.readers[key] = r
	}
	return r, t.refresh(r)
}

// parts returns the numbers of starts and ends in cells, and arcs, as parts of a graph.
func (t *softTape) parts(cells, arcs []float64) frames.Parts {
	return frames.Parts{Initial: cells[:t.states], Arc: arcs, Final: cells[len(cells)-t.states:]}
}

// keyOf returns labels as the key of a map.
func keyOf(labels []int32) string {
	key := make([]byte, 0, 4*len(labels))
	for _, l := range labels {
		key = append(key, byte(l), byte(l>>8), byte(l>>16), byte(l>>24))
	}
	return string(key)
}

func (t *softTape) hire() Summer {
	return &softSummer{softTape: t, counts: make([]float64, len(t.handle))}
}

// softSummer is the summer of a softTape.
type softSummer struct {
	*softTape
	scratch           frames.Scratch
	counts, curvature []float64 // per cell
	used              bool      // whether some count or curvature may be nonzero
	// Per arc of a reader; all 0 between sums.
	arcUses, arcChange []float64

	last   *reader // the reader of the last soft string
	labels []int32 // of its columns
	at     int     // the E step
}

// find returns the reader of a soft string.
func (s *softSummer) find(x *soft.String) (*reader, error) {
	if s.last != nil && s.at == s.step && slices.Equal(s.labels, x.Labels) {
		return s.last, nil
	}
	r, err := s.current(x.Labels)
	if err != nil {
		return nil, err
	}
	s.last, s.labels, s.at = r, append(s.labels[:0], x.Labels...), s.step
	return r, nil
}

func (s *softSummer) Sum(x Strings, weight float64, best bool) (total semiring.ScaledFloat, arcs int64, err error) {
	r, err := s.find(x.Soft)
	if err != nil {
		return total, 0, err
	}
	e, err := x.Soft.Tempered(s.beta)
	if err != nil {
		return total, 0, err
	}
	if best {
		total, err = s.best(r, e, weight)
	} else {
		total, err = s.all(r, e, weight)
	}
	s.used = s.used || err == nil && !total.IsZero()
	return total, int64(e.Frames()) * int64(r.graph.NumArcs()), err
}

// all counts the cells of all paths.
func (s *softSummer) all(r *reader, e *frames.Emissions, weight float64) (semiring.ScaledFloat, error) {
	s.arcUses = atLeast(s.arcUses, len(r.arcs))
	uses := s.parts(s.counts, s.arcUses[:len(r.arcs)])
	if s.tangents == nil {
		total, err := r.graph.Counts(e, weight, uses, nil, &s.scratch)
		s.collect(r, uses, s.counts)
		return total, err
	}
	s.curvature, s.arcChange = atLeast(s.curvature, len(s.counts)), atLeast(s.arcChange, len(r.arcs))
	change := s.parts(s.curvature, s.arcChange[:len(r.arcs)])
	total, err := r.graph.HessianVector(e, r.tangents, weight, uses, change, &s.scratch)
	s.collect(r, uses, s.counts)
	s.collect(r, change, s.curvature)
	return total, err
}

// collect adds the numbers of the arcs of a reader to their cells, and clears them.
func (s *softSummer) collect(r *reader, of frames.Parts, cells []float64) {
	for i, k := range r.arcs {
		cells[s.states+int(k)] += of.Arc[i]
	}
	clear(of.Arc)
}

// atLeast returns at least n zeros: x, which contains only zeros, if it is long enough.
func atLeast(x []float64, n int) []float64 {
	if len(x) < n {
		return make([]float64, n)
	}
	return x
}

// best counts the cells of the best path.
func (s *softSummer) best(r *reader, e *frames.Emissions, weight float64) (semiring.ScaledFloat, error) {
	path, err := r.graph.BestPath(e, &s.scratch)
	if err != nil || path.Start < 0 || path.Weight.IsZero() {
		return semiring.ScaledFloat{}, err
	}
	state := path.Start
	s.counts[state] += weight
	for _, i := range path.Arcs {
		k := r.arcs[i]
		s.counts[s.states+int(k)] += weight
		state = s.arcs[k].to
	}
	s.counts[len(s.counts)-s.states+int(state)] += weight
	return path.Weight, nil
}

func (s *softSummer) Drain(run Run) {
	if !s.used {
		return
	}
	if s.tangents == nil {
		run(0, s.counts, nil)
	} else {
		run(0, s.counts, s.curvature)
		clear(s.curvature)
	}
	clear(s.counts)
	s.used = false
}

// Relates sets the weight 1 for arcs that may have a weight, and a smaller one for ε-arcs,
// so that sums over their cycles converge.
func (s *softSummer) Relates(x Strings) bool {
	r, err := s.reader(x.Soft.Labels)
	if err != nil {
		panic(fmt.Sprintf("cells: a graph that was made once: %v", err))
	}
	values := ones(s.handle)
	silent := make([]int, s.states)
	for _, a := range s.arcs {
		if a.label == fst.Epsilon {
			silent[a.from]++
		}
	}
	for k, a := range s.arcs {
		if a.label == fst.Epsilon {
			values[s.states+k] = semiring.NewScaled(1 / float64(2*silent[a.from]))
		}
	}
	if err := s.weigh(r, values); err != nil {
		panic(fmt.Sprintf("cells: weights 1 and less: %v", err))
	}
	total, err := r.graph.PathSum(x.Soft.Emissions, &s.scratch)
	if err != nil {
		panic(fmt.Sprintf("cells: a sum of weights 1 and less: %v", err))
	}
	return !total.IsZero()
}

package cells

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync"

	"example.org/pathsum/em/internal/soft"
	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/frames"
)

// softTape is the way of pairs of which one string is soft and the other is not known. Of the
// cascade remains an acceptor of the soft string. Its arcs that read nothing are kept: a
// frames.Graph sums over them. A cell is how a path begins at a state, an arc, or how a path
// ends at a state.
//
// Arcs have labels, and the arcs of a frames.Graph have columns. So there is a graph for every
// list of labels that the columns of examples have, with the same cells.
type softTape struct {
	states int
	arcs   []softArc
	handle []expr.W // per cell: those of starts, arcs and ends
	every  *reader  // as if there were a column for each label, in their order

	// Of the current E step.
	values []semiring.ScaledFloat // per cell
	beta   float64                // the temperature
	step   int                    // its number

	mu      sync.Mutex         // guards readers, and the weights of their graphs
	readers map[string]*reader // by the labels of columns
}

// softArc is the place of a cell that is an arc.
type softArc struct{ from, to, label int32 }

// reader is the graph for columns with certain labels.
type reader struct {
	graph *frames.Graph
	arcs  []int32 // per arc of the graph: its number in softTape.arcs
	step  int     // the E step whose weights the graph has
}

// mostReaders is the greatest number of readers that are kept at a time.
const mostReaders = 64

// errCurved sends second derivatives to lattices.
var errCurved = errors.New("no second derivatives by frames")

// newSoftTape returns the way of an acceptor of the soft string, and the expressions of its cells.
// merged says that a cell may stand for several arcs.
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
		return nil, nil, false, errClosed // there is no frame that it reads
	}
	if t.every, err = t.reader(labels); err != nil {
		return nil, nil, false, err
	}
	t.readers[keyOf(labels)] = t.every
	return t, t.handle, merged || double, nil
}

// reader returns the graph for columns with these labels, without weights. It lacks the arcs whose
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

// weights returns the values of the cells as weights of the graph of r.
func (t *softTape) weights(r *reader, values []semiring.ScaledFloat) frames.Weights {
	ends := len(values) - t.states
	arcs := make([]semiring.ScaledFloat, len(r.arcs))
	for i, k := range r.arcs {
		arcs[i] = values[t.states+int(k)]
	}
	return frames.Weights{Initial: values[:t.states], Arc: arcs, Final: values[ends:]}
}

// softArcs is how many arcs of a lattice take the time of an arc in a frame. Each of the former
// has an expression of its own, the product with the constant that is the label's weight.
const softArcs = .2

// visited ignores that paths may reach few of the states.
func (t *softTape) visited(x Strings) float64 {
	return softArcs * float64(x.Soft.Emissions.Frames()) * float64(len(t.arcs))
}

func (t *softTape) begin(values []semiring.ScaledFloat, tangents []float64, temperature float64) error {
	if tangents != nil {
		return errCurved
	}
	t.step++
	t.values, t.beta = values, temperature
	t.every.step = t.step
	return t.every.graph.SetWeights(t.weights(t.every, values))
}

// current returns the graph for columns with these labels, with the weights of the E step.
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
	if r.step != t.step {
		if err := r.graph.SetWeights(t.weights(r, t.values)); err != nil {
			return nil, err
		}
		r.step = t.step
	}
	return r, nil
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
	scratch frames.Scratch
	counts  []float64 // per cell
	used    bool      // whether they are not all 0
	arcUses []float64 // per arc of a reader, 0 between sums

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
	if n := len(r.arcs); len(s.arcUses) < n {
		s.arcUses = make([]float64, n)
	}
	uses, ends := s.arcUses[:len(r.arcs)], len(s.counts)-s.states
	total, err := r.graph.Counts(e, weight, frames.Parts{Initial: s.counts[:s.states], Arc: uses, Final: s.counts[ends:]}, nil, &s.scratch)
	for i, k := range r.arcs {
		s.counts[s.states+int(k)] += uses[i]
	}
	clear(uses)
	return total, err
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
	if s.used {
		run(0, s.counts, nil)
		clear(s.counts)
		s.used = false
	}
}

// Relates gives arcs that may have a weight the weight 1, and those that read nothing less, so
// that cycles of them have a sum.
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
	if err := r.graph.SetWeights(s.weights(r, values)); err != nil {
		panic(fmt.Sprintf("cells: weights 1 and less: %v", err))
	}
	total, err := r.graph.PathSum(x.Soft.Emissions, &s.scratch)
	if err != nil {
		panic(fmt.Sprintf("cells: a sum of weights 1 and less: %v", err))
	}
	return !total.IsZero()
}

package cells

import (
	"cmp"
	"slices"
	"sync"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/keytable"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/grid"
)

// relation is the way of pairs of two known strings. The cascade is condensed to
// one machine without arcs ε:ε, so that derivations are paths of a grid. A cell is the start of a
// path at a state, an arc, or the end of a path at a state.
type relation struct {
	machine *grid.Machine
	handle  []expr.W // per cell: starts, then arcs, then ends
	arcs    []grid.Arc
	scratch grid.Scratch // of visited

	tangents grid.Parts // nil without second derivatives

	related func() *grid.Machine // the same with weights 1, for cells that may have a weight
	// If there are more than fewCells: starts and the arcs with the input ε, then a run of arcs
	// for each other input label, and ends.
	runs []cellRun
	read keytable.Table[int32] // these input labels: number k has run k+1
}

// cellRun is a run of cells first, …, end−1. A shard need not use all of them.
type cellRun struct{ first, end int32 }

// fewCells is the largest number of cells that form a single run.
const fewCells = 1 << 12

// newRelation makes the machine of the grid, and returns the expressions of its cells. merged
// reports whether a cell may stand for several arcs.
func newRelation(space *expr.Space, f *fst.FST[expr.W]) (_ way, cells []expr.W, merged bool, err error) {
	r := new(relation)
	g, states := f.Graph(), f.NumStates()
	arcs := make([]entry[grid.Arc], 0, f.NumArcs())
	for p := range int32(states) {
		for e := g.Row()[p]; e < g.Row()[p+1]; e++ {
			arcs = append(arcs, entry[grid.Arc]{grid.Arc{From: p, To: g.To()[e], X: f.In()[e], Y: f.Out()[e]}, g.Weights()[e]})
		}
	}
	arcs, merged = combine(space, arcs, func(a, b grid.Arc) int {
		return cmp.Or(cmp.Compare(a.X, b.X), cmp.Compare(a.Y, b.Y), cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	begin, double := starts(space, f)
	r.handle = slices.Grow(begin, len(arcs)+states)
	r.arcs = make([]grid.Arc, 0, len(arcs))
	r.runs = []cellRun{{0, int32(states)}}
	for k, a := range arcs {
		r.arcs, r.handle = append(r.arcs, a.place), append(r.handle, a.weight)
		if x := a.place.X; x != fst.Epsilon && (k == 0 || x != arcs[k-1].place.X) {
			r.read.Number(x)
			r.runs = append(r.runs, cellRun{first: int32(states + k)})
		}
		r.runs[len(r.runs)-1].end = int32(states + k + 1)
	}
	r.runs = append(r.runs, cellRun{int32(len(r.handle)), int32(len(r.handle) + states)})
	r.handle = append(r.handle, g.Finals()...)
	if len(r.handle) <= fewCells {
		r.runs = []cellRun{{0, int32(len(r.handle))}}
	}
	r.related = sync.OnceValue(r.relate)
	r.machine, err = grid.New(states, r.arcs)
	return r, r.handle, merged || double, err
}

func (r *relation) visited(x Strings) float64 { return float64(r.size(x, &r.scratch)) }

// size returns the number of arcs of the grid of x. For a machine of one state it counts the arcs
// that are looked up for each pair of labels.
func (r *relation) size(x Strings, s *grid.Scratch) int64 {
	if n, m := int64(len(x.In)), int64(len(x.Out)); r.machine.NumStates() == 1 {
		return 3*n*m + n + m
	}
	_, arcs := r.machine.GridSize(x.In, x.Out, s)
	return arcs
}

// weights returns the values of the cells as weights of the machine.
func (r *relation) weights(values []semiring.ScaledFloat) grid.Weights {
	n, ends := r.machine.NumStates(), len(values)-r.machine.NumStates()
	return grid.Weights{Initial: values[:n], Arc: values[n:ends], Final: values[ends:]}
}

// parts splits a vector with an entry per cell into parts of the machine. It returns no parts for
// nil.
func (r *relation) parts(x []float64) grid.Parts {
	if x == nil {
		return grid.Parts{}
	}
	n, ends := r.machine.NumStates(), len(x)-r.machine.NumStates()
	return grid.Parts{Initial: x[:n], Arc: x[n:ends], Final: x[ends:]}
}

func (r *relation) begin(values []semiring.ScaledFloat, tangents []float64, _ float64) error {
	r.tangents = r.parts(tangents)
	return r.machine.SetWeights(r.weights(values))
}

// relate returns a machine whose path sum is nonzero if and only if there is a path.
func (r *relation) relate() *grid.Machine {
	m, err := grid.New(r.machine.NumStates(), r.arcs)
	if err == nil {
		err = m.SetWeights(r.weights(ones(r.handle)))
	}
	if err != nil {
		panic(err) // it succeeded before
	}
	return m
}

func (r *relation) hire() Summer {
	return &relationSummer{relation: r, counts: make([]float64, len(r.handle)), used: make([]bool, len(r.runs))}
}

// relationSummer is the summer of a relation.
type relationSummer struct {
	*relation
	scratch           grid.Scratch
	counts, curvature []float64 // per cell
	used              []bool    // per run: whether some count may be nonzero
	path              []int32
}

func (s *relationSummer) Sum(x Strings, weight float64, best bool) (total semiring.ScaledFloat, arcs int64, err error) {
	m, in, out := s.machine, x.In, x.Out
	arcs = s.size(x, &s.scratch)
	switch {
	case best:
		total, err = s.best(in, out, weight)
	case s.tangents.Arc != nil:
		if s.curvature == nil {
			s.curvature = make([]float64, len(s.counts))
		}
		total, err = m.HessianVector(in, out, s.tangents, weight, s.parts(s.counts), s.parts(s.curvature), &s.scratch)
	default:
		total, err = m.Counts(in, out, weight, s.parts(s.counts), &s.scratch)
	}
	if err == nil && !total.IsZero() {
		s.use(in)
	}
	return total, arcs, err
}

// use marks the cells that derivations reading the labels in may use.
func (s *relationSummer) use(in []int32) {
	s.used[0], s.used[len(s.used)-1] = true, true
	if len(s.used) == 1 {
		return
	}
	for _, l := range in {
		s.used[1+s.read.Find(l)] = true
	}
}

// best counts the cells of the best path.
func (s *relationSummer) best(in, out []int32, weight float64) (total semiring.ScaledFloat, err error) {
	var state int32
	s.path, state, total, err = s.machine.BestPath(s.path[:0], in, out, &s.scratch)
	if err != nil || total.IsZero() {
		return total, err
	}
	n := int32(s.machine.NumStates())
	s.counts[state] += weight
	for _, k := range s.path {
		s.counts[n+k] += weight
		state = s.arcs[k].To
	}
	s.counts[int32(len(s.counts))-n+state] += weight
	return total, nil
}

func (s *relationSummer) Drain(run Run) {
	for n, used := range s.used {
		if !used {
			continue
		}
		lo, hi := s.runs[n].first, s.runs[n].end
		for n+1 < len(s.used) && s.used[n+1] { // as one
			n++
			hi, s.used[n] = s.runs[n].end, false
		}
		if s.tangents.Arc == nil {
			run(lo, s.counts[lo:hi], nil)
		} else {
			run(lo, s.counts[lo:hi], s.curvature[lo:hi])
			clear(s.curvature[lo:hi])
		}
		clear(s.counts[lo:hi])
	}
	clear(s.used)
}

func (s *relationSummer) Relates(x Strings) bool {
	return !s.related().PathSum(x.In, x.Out, &s.scratch).IsZero()
}

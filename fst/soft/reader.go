package soft

import (
	"math/rand/v2"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/frames"
	"example.org/pathsum/semiring/graph"
)

// Reader is a machine whose input tape reads soft strings. It is safe for concurrent use, if each
// goroutine has its own frames.Scratch.
type Reader struct {
	fst   *fst.FST[semiring.ScaledFloat]
	graph *frames.Graph
}

// New returns a reader of the input tape of m: input label v+1 reads column v of emissions with the
// given number of symbols, and ε reads no frame. To read by the output tape, pass fst.Invert(m).
// New expands m with options o and adds up starts at the same state, also for best paths.
//
// The error wraps fst.ErrInvalid for a label that has no column, and is otherwise as for fst.Expand
// and for frames.New and SetWeights: ErrNegative and ErrNotFinite of package semiring for a weight
// that is not a number ≥ 0, and ErrDiverges for a cycle of ε arcs whose sum diverges. O(states +
// arcs) time and memory.
func New(m fst.Machine[semiring.ScaledFloat], symbols int, o *fst.Options) (*Reader, error) {
	nonnil.Check("soft: New", "machine", m)
	f, err := fst.Expand(m, o)
	if err != nil {
		return nil, nested.Errorf("soft: New: %w", err)
	}
	g := f.Graph()
	arcs := make([]frames.Arc, 0, f.NumArcs())
	w := frames.Weights{Initial: make([]semiring.ScaledFloat, f.NumStates()), Arc: g.Weights(), Final: g.Finals()}
	for _, s := range g.Starts() {
		w.Initial[s.State] = w.Initial[s.State].Add(s.Weight)
	}
	for s := range int32(f.NumStates()) {
		for k := g.Row()[s]; k < g.Row()[s+1]; k++ {
			label := f.In()[k]
			if int(label) > symbols {
				return nil, nested.Errorf("soft: New: %w: arc %d of state %d reads %s, want labels up to %d for as many columns",
					fst.ErrInvalid, k-g.Row()[s], s, f.InSymbols().Describe(label), symbols)
			}
			arcs = append(arcs, frames.Arc{From: s, To: g.To()[k], Symbol: label - 1})
		}
	}
	if f.NumStates() == 0 { // frames.New wants a state, without a start
		w.Initial, w.Final = make([]semiring.ScaledFloat, 1), make([]semiring.ScaledFloat, 1)
	}
	r := &Reader{fst: f}
	if r.graph, err = frames.New(len(w.Initial), symbols, arcs); err != nil {
		return nil, nested.Errorf("soft: New: %w", err)
	}
	if err := r.graph.SetWeights(w); err != nil {
		return nil, nested.Errorf("soft: New: %w", err)
	}
	return r, nil
}

// FST returns the machine to whose states and arcs the reader's results refer.
func (r *Reader) FST() *fst.FST[semiring.ScaledFloat] { return r.fst }

// Graph returns the reader without its output tape: arc k is arc k of FST. A machine without states
// has a graph of one state and no start. SetWeights changes the reader's answers, and not FST.
func (r *Reader) Graph() *frames.Graph { return r.graph }

// PathSum returns the sum over all paths that read e, which is 0 without a path. Errors, time and
// memory are as for Graph.PathSum of package frames.
func (r *Reader) PathSum(e *frames.Emissions, s *frames.Scratch) (semiring.ScaledFloat, error) {
	z, err := r.graph.PathSum(e, s)
	return z, wrapped("PathSum", err)
}

// Counts returns the PathSum. It adds weight times the expected uses of the starts, arcs and ends
// of FST to uses, and weight times the probability that frame t is read as symbol v to gamma:
// frames × symbols numbers, frame by frame, or nil. All else is as for Graph.Counts of package
// frames.
func (r *Reader) Counts(e *frames.Emissions, weight float64, uses frames.Parts, gamma []float64, s *frames.Scratch) (semiring.ScaledFloat, error) {
	z, err := r.graph.Counts(e, weight, uses, gamma, s)
	return z, wrapped("Counts", err)
}

func wrapped(op string, err error) error {
	if err == nil {
		return nil
	}
	return nested.Errorf("soft: %s: %w", op, err)
}

// Path is a path of a reader through emissions: In has the label that each frame is read as, Out
// the labels written. States are states of FST, and Arcs the arcs between them.
type Path struct {
	fst.Path[semiring.ScaledFloat]
	Arcs []int32
	// OutFrames contains, per label of Out, the frame during which it is written. For a label on an
	// arc that reads ε this is the next frame, or the number of frames at the end.
	OutFrames []int32
}

// Best returns the best path. The error wraps graph.ErrNoPath if no path reads e. Time and memory
// are as for Graph.BestPath of package frames.
func (r *Reader) Best(e *frames.Emissions, s *frames.Scratch) (Path, error) {
	p, err := r.graph.BestPath(e, s)
	if err == nil && p.Start < 0 {
		err = graph.ErrNoPath
	}
	if err != nil {
		return Path{}, wrapped("Best", err)
	}
	return r.path(p), nil
}

// Sample returns n random paths, each drawn with a probability of its weight divided by the
// PathSum. The error wraps graph.ErrNoPath if that is 0. Time and memory are as for Graph.Sample of
// package frames.
func (r *Reader) Sample(e *frames.Emissions, n int, src rand.Source, s *frames.Scratch) ([]Path, error) {
	nonnil.Check("soft: Sample", "source", src)
	drawn, err := r.graph.Sample(e, n, src, s)
	if err == nil && n > 0 && len(drawn) == 0 {
		err = graph.ErrNoPath
	}
	if err != nil {
		return nil, wrapped("Sample", err)
	}
	paths := make([]Path, len(drawn))
	for i, p := range drawn {
		paths[i] = r.path(p)
	}
	return paths, nil
}

// BestPaths returns the best n paths, or all if there are fewer, best first. Different paths may
// have the same labels. It writes the product of the machine and e, with frames × arcs arcs, and
// then takes time as graph.BestPaths does. Errors are as for that and for PathSum.
func (r *Reader) BestPaths(e *frames.Emissions, n int) ([]Path, error) {
	product, arc, err := r.graph.Product(e)
	if err != nil {
		return nil, wrapped("BestPaths", err)
	}
	all, err := graph.BestPaths(product.WithSemiring(semiring.Viterbi{}))
	if err != nil {
		return nil, wrapped("BestPaths", err)
	}
	var paths []Path
	for p := range all {
		if len(paths) >= n || p.Weight.IsZero() {
			break
		}
		q := frames.Path{Start: p.Start, Weight: p.Weight}
		frame := int32(0)
		for _, k := range p.Arcs {
			q.Arcs, q.Frames = append(q.Arcs, arc[k]), append(q.Frames, frame)
			if r.fst.In()[arc[k]] != fst.Epsilon {
				frame++
			}
		}
		paths = append(paths, r.path(q))
	}
	return paths, nil
}

// path adds labels to a path.
func (r *Reader) path(p frames.Path) Path {
	path := Path{Arcs: p.Arcs}
	path.Weight = p.Weight
	path.States = append(path.States, p.Start)
	for i, k := range p.Arcs {
		if x := r.fst.In()[k]; x != fst.Epsilon {
			path.In = append(path.In, x)
		}
		if y := r.fst.Out()[k]; y != fst.Epsilon {
			path.Out, path.OutFrames = append(path.Out, y), append(path.OutFrames, p.Frames[i])
		}
		path.States = append(path.States, r.fst.Graph().To()[k])
	}
	return path
}

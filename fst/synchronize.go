package fst

import (
	"fmt"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// Synchronize returns a machine with the relation of m whose paths read and write in step: up
// to some point on every path, each arc reads a label and writes a label, except arcs ε:ε;
// after it, arcs only read or only write. A state of the result contains the labels that were
// read or written ahead. Any ring is allowed. A frozen machine is trimmed first (Connect).
//
// The result can be expanded only if m has bounded delay, the number of labels by which paths
// get ahead on one tape. That is the case if cycles read as many labels as they write. If the
// delay is unbounded, graph.Search finds the best paths. Err wraps semiring.ErrLimit if the
// number of states and arcs created so far, plus the number of labels that states are ahead,
// exceeds o.Limit. Time and memory are proportional to these numbers.
//
// Mohri, "Edit-distance of weighted automata: general definitions and algorithms"
// (2003).
func Synchronize[W any](m Machine[W], o *Options) Machine[W] {
	return lazily("Synchronize", func() (Machine[W], error) { return synchronize(m, o.resolved().Limit), nil }, m)
}

func synchronize[W any](m Machine[W], limit int) Machine[W] {
	if f, ok := m.(*FST[W]); ok {
		m = connect(f)
	}
	z := newSynchronizer(m)
	return newOnDemand("Synchronize", m, z.draft, z.delays.len, func(s int32) error {
		if z.step(z.states[s]); len(z.draft.final)+len(z.draft.arcs.to)+z.ahead > limit {
			return fmt.Errorf("%w: more than %d states, arcs and labels ahead, and state %d has %d of these", semiring.ErrLimit, limit, s, len(z.states[s].ahead))
		}
		return nil
	})
}

// delay is a state of the result: a state of the machine, or −1 after its end, and the labels
// that have been read but not written yet, or written but not read yet.
type delay struct {
	state   int32
	written bool // whether they have been written
	ahead   []int32
}

type synchronizer[W any] struct {
	m      Machine[W]
	delays *byteTable
	states []delay
	ahead  int // labels in all states
	draft  *draft[W]
	arcs   []Arc[W]
	key    []byte
	in     []int32
	out    []int32
}

// newSynchronizer returns a synchronizer with the initial states of the result.
func newSynchronizer[W any](m Machine[W]) *synchronizer[W] {
	z := &synchronizer[W]{m: m, delays: newByteTable(), draft: new(draft[W])}
	for _, s := range m.AppendStarts(nil) {
		z.draft.start(z.at(delay{state: s.State}), s.Weight)
	}
	return z
}

// at returns the number of a state.
func (z *synchronizer[W]) at(x delay) int32 {
	z.key = appendNumber(z.key[:0], x.state)
	if x.written && len(x.ahead) > 0 {
		z.key = append(z.key, 1)
	}
	for _, l := range x.ahead {
		z.key = appendNumber(z.key, l)
	}
	n, isNew := z.delays.number(z.key)
	if isNew {
		x.ahead = append([]int32(nil), x.ahead...)
		z.states = append(z.states, x)
		z.ahead += len(x.ahead)
	}
	return n
}

// step creates the arcs of a state.
func (z *synchronizer[W]) step(x delay) {
	m, ring := z.m, z.m.Semiring()
	switch {
	case x.state < 0 && len(x.ahead) == 0:
		z.draft.state(ring.One())
		return
	case x.state < 0:
		z.draft.state(ring.Zero())
		z.move(x, Epsilon, Epsilon, -1, ring.One())
		return
	case len(x.ahead) == 0:
		z.draft.state(m.Final(x.state))
	default:
		z.draft.state(ring.Zero())
		if w := m.Final(x.state); !ring.IsZero(w) {
			z.move(x, Epsilon, Epsilon, -1, w)
		}
	}
	z.arcs = m.AppendArcs(z.arcs[:0], x.state)
	for _, a := range z.arcs {
		z.move(x, a.In, a.Out, a.To, a.Weight)
	}
}

// move adds the arc for an arc in:out from x to a state of the machine. If to is −1, it reads
// or writes a label that is ahead.
func (z *synchronizer[W]) move(x delay, in, out, to int32, w W) {
	z.in, z.out = z.in[:0], z.out[:0]
	if x.written {
		z.out = append(z.out, x.ahead...)
	} else {
		z.in = append(z.in, x.ahead...)
	}
	z.in, z.out = appendLabel(z.in, in), appendLabel(z.out, out)
	read, write := z.in, z.out
	in, out = Epsilon, Epsilon
	if len(read) > 0 && (len(write) > 0 || to < 0) {
		in, read = read[0], read[1:]
	}
	if len(write) > 0 && (in != Epsilon || to < 0) {
		out, write = write[0], write[1:]
	}
	next := delay{state: to, ahead: read}
	if len(write) > 0 {
		next = delay{state: to, written: true, ahead: write}
	}
	addArc(&z.draft.arcs, in, out, z.at(next), w)
}

// NormalizeEpsilon returns a machine with the relation of m in which arcs that have ε on the
// given tape come last: no path has such an arc before an arc with a label on the tape. For the
// input tape, the result never writes without reading before its first label or between labels.
// If m writes on arcs that read ε, the output moves to later arcs that read labels, and the
// rest to the end. Arcs ε:ε are removed. If m is already normalized and has no arcs ε:ε, only
// its states are renumbered.
//
// Requirements are as for RemoveEpsilon. Some relations of machines have no such form, and some
// forms are not found. Consider a cycle whose arcs all have ε on the tape and a label on the
// other, and which an arc with a label on the tape may follow. Such a cycle delays arbitrarily
// many labels, and the error wraps semiring.ErrDiverges. The error wraps semiring.ErrLimit if
// the result, before arcs ε:ε are removed, has more states, arcs and delayed labels than
// o.Limit. This happens, for example, if another cycle delays more labels in each round. Other
// errors are as for RemoveEpsilon. Time and memory are proportional to these numbers, plus the
// cost of RemoveEpsilon.
//
// Mohri, "Generic ε-removal and input ε-normalization algorithms for weighted
// transducers" (2002), §5.
func NormalizeEpsilon[W any](m Machine[W], tape Tape, o *Options) (*FST[W], error) {
	return computed("NormalizeEpsilon", m, o, func(f *FST[W], o Options) (*FST[W], error) {
		if tape == Input {
			return normalizeEpsilon(f, o.Limit)
		}
		g, err := normalizeEpsilon(f.Inverse(), o.Limit)
		if err != nil {
			return nil, err
		}
		return g.Inverse(), nil
	})
}

// normalizeEpsilon is NormalizeEpsilon for the input tape.
func normalizeEpsilon[W any](f *FST[W], limit int) (*FST[W], error) {
	f = connect(f)
	waits, err := waiting(f)
	if err != nil {
		return nil, err
	}
	z := &normalizer[W]{f: f, waits: waits, numbers: newByteTable(), draft: new(draft[W])}
	for _, s := range f.starts {
		z.draft.start(z.at(s.State, ready, nil), s.Weight)
	}
	for n := 0; n < len(z.states); n++ {
		if z.step(z.states[n]); len(z.draft.final)+len(z.draft.arcs.to)+z.labels > limit {
			return nil, fmt.Errorf("%w: more than %d states, arcs and labels put off, of which state %d has %d", semiring.ErrLimit, limit, n, len(z.states[n].late))
		}
	}
	g, err := z.draft.freezeLike(f)
	if err != nil {
		return nil, err
	}
	return whole(removeEpsilon[W](g, limit))
}

// waiting returns the states from which an arc that reads a label can be reached along arcs
// that read ε. The error wraps semiring.ErrDiverges if a cycle on such a path writes: the cycle
// has negative cost.
func waiting[W any](f *FST[W]) ([]bool, error) {
	var (
		costs  semiring.Tropical
		row    = []int32{0}
		to     []int32
		paid   []semiring.Cost
		starts []graph.Start[semiring.Cost]
		final  = make([]semiring.Cost, f.NumStates())
	)
	for s := range final {
		starts = append(starts, graph.Start[semiring.Cost]{State: int32(s)})
		final[s] = costs.Zero()
		for e := f.labels.row[s]; e < f.labels.row[s+1]; e++ {
			switch {
			case f.arcs.in[e] != Epsilon:
				final[s] = 0
			case f.arcs.out[e] == Epsilon:
				to, paid = append(to, f.arcs.to[e]), append(paid, 0)
			default:
				to, paid = append(to, f.arcs.to[e]), append(paid, -1)
			}
		}
		row = append(row, int32(len(to)))
	}
	g, err := graph.New(costs, row, to, paid, starts, final)
	if err == nil {
		_, err = graph.PathSum(g)
	}
	if err != nil {
		return nil, nested.Errorf("before an arc with a label, a cycle has ε on one tape alone: %w", err)
	}
	return g.Coaccessible(), nil
}

// phase determines the arcs that may follow in a state of the normalized machine.
type phase byte

const (
	ready  phase = iota // anything: a label has just been read, or the path is empty
	moving              // another arc that reads a label
	ending              // no arc that reads a label
)

// lag is a state of the normalized machine: a state of the given machine, and the labels that
// are still to be written.
type lag struct {
	state int32
	phase phase
	late  []int32
}

// normalizer creates the normalized machine, with arcs ε:ε along the paths to arcs that read.
type normalizer[W any] struct {
	f       *FST[W]
	waits   []bool
	numbers *byteTable
	states  []lag
	labels  int // number of late labels in all states
	draft   *draft[W]
	key     []byte
	word    []int32
}

// at returns the number of a state.
func (z *normalizer[W]) at(state int32, p phase, late []int32) int32 {
	z.key = append(appendNumber(z.key[:0], state), byte(p))
	for _, l := range late {
		z.key = appendNumber(z.key, l)
	}
	n, isNew := z.numbers.number(z.key)
	if isNew {
		z.states = append(z.states, lag{state, p, append([]int32(nil), late...)})
		z.labels += len(late)
	}
	return n
}

// step creates the arcs of a state.
func (z *normalizer[W]) step(x lag) {
	f, a := z.f, &z.draft.arcs
	reads, ends := x.phase != ending, x.phase != moving
	z.draft.state(f.ring.Zero())
	switch {
	case ends && len(x.late) > 0:
		addArc(a, Epsilon, x.late[0], z.at(x.state, ending, x.late[1:]), f.ring.One())
		ends = false
	case ends:
		z.draft.final[len(z.draft.final)-1] = f.final[x.state]
	}
	for e := f.labels.row[x.state]; e < f.labels.row[x.state+1]; e++ {
		in, out, to, w := f.arcs.in[e], f.arcs.out[e], f.arcs.to[e], f.arcs.w[e]
		z.word = appendLabel(append(z.word[:0], x.late...), out)
		switch {
		case in != Epsilon && reads && len(z.word) > 0:
			addArc(a, in, z.word[0], z.at(to, ready, z.word[1:]), w)
		case in != Epsilon && reads:
			addArc(a, in, Epsilon, z.at(to, ready, nil), w)
		case in == Epsilon && reads && z.waits[to]:
			addArc(a, Epsilon, Epsilon, z.at(to, moving, z.word), w)
		}
		if in == Epsilon && ends {
			addArc(a, Epsilon, out, z.at(to, ending, nil), w)
		}
	}
}

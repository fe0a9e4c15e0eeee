package fst

import (
	"fmt"
	"maps"
	"slices"

	"example.org/pathsum/internal/keytable"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
)

// Replace returns root with every arc that writes a label of parts replaced by the machine for
// that label, whose arcs are replaced in turn: a recursive transition network. An arc (p,
// x:A/w, q) becomes arcs of weight w ⊗ λ to the initial states of a copy of A, and arcs of
// weight ρ from its final states to q. All of them are ε:ε unless o specifies other labels. Any
// ring is allowed; the order of multiplication is kept.
//
// Machines that are not frozen are expanded first, within DefaultLimit. Err wraps ErrMismatch
// if rings or symbols differ, and ErrInvalid if ε is to be replaced. Calls nested deeper than
// o.Depth have no arcs, and Err wraps semiring.ErrLimit; this happens if a machine that calls
// itself is expanded. If o returns a negative label, the arcs are omitted and Err wraps
// ErrInvalid. The result has a state per state of a machine and sequence of calls that lead
// there. If machines call several others, the number of states is exponential in the depth.
func Replace[W any](root Machine[W], parts map[int32]Machine[W], o *Calls) Machine[W] {
	labels := slices.Sorted(maps.Keys(parts))
	machines := []Machine[W]{root}
	for _, label := range labels {
		machines = append(machines, parts[label])
	}
	nonnil.Check("fst: Replace", "root", root)
	for i, m := range machines[1:] {
		nonnil.Check("fst: Replace", fmt.Sprintf("machine for label %d", labels[i]), m)
	}
	return lazily("Replace", func() (Machine[W], error) {
		var frozen []*FST[W]
		for _, m := range machines {
			f, err := opened("Replace", m, nil)
			if err != nil {
				return Failed(root.Semiring(), err), nil
			}
			frozen = append(frozen, f)
		}
		return replace(frozen, labels, o.resolved())
	}, machines...)
}

// replace is Replace for machines, where the first is the root and the others replace the given
// labels.
func replace[W any](machines []*FST[W], labels []int32, calls Calls) (Machine[W], error) {
	if slices.Contains(labels, Epsilon) {
		return nil, fmt.Errorf("%w: a machine for ε", ErrInvalid)
	}
	in, out, err := alike(machines)
	if err != nil {
		return nil, err
	}
	r := &replacement[W]{
		names: names{"Replace", in, out}, labels: append([]int32{Epsilon}, labels...), called: map[int32]int32{},
		machines: machines, calls: calls, depths: []int32{0},
	}
	r.stacks.List(bottom)
	states := 0
	for i, f := range machines {
		if i > 0 {
			r.called[r.labels[i]] = int32(i)
		}
		states += f.NumStates()
	}
	if states > maxLimit {
		return nil, fmt.Errorf("%w: %d states", semiring.ErrLimit, states)
	}
	for i, f := range r.machines {
		r.first = append(r.first, int32(len(r.owner)))
		for range f.NumStates() {
			r.owner = append(r.owner, int32(i))
		}
	}
	return r, nil
}

// replacement is the result of Replace.
type replacement[W any] struct {
	names
	machines []*FST[W]
	labels   []int32         // per machine: the label that calls it, ε for the root
	first    []int32         // per machine: the global number of its first state
	owner    []int32         // per global state: its machine
	called   map[int32]int32 // label → machine
	calls    Calls
	stacks   keytable.Table[uint64] // 0 is the bottom: the stack below, and the state to return to
	depths   []int32                // per stack
	states   keytable.Table[uint64] // stack, global state
	buf      []Start[W]
	err      error
}

// bottom is a key that no other stack has.
const bottom = 1<<64 - 1

// Err returns the error for calls that were nested too deep, which wraps semiring.ErrLimit, or
// for a negative label, which wraps ErrInvalid.
func (r *replacement[W]) Err() error { return r.err }

func (r *replacement[W]) fail(format string, args ...any) {
	r.err = failure("Replace", fmt.Errorf(format, args...), r.machines[0])
}

// Semiring returns the ring of the weights.
func (r *replacement[W]) Semiring() semiring.Semiring[W] { return r.machines[0].ring }

// at returns the number of state s of machine m under a stack.
func (r *replacement[W]) at(stack, m, s int32) int32 { return r.under(stack, r.first[m]+s) }

// under returns the number of a global state under a stack.
func (r *replacement[W]) under(stack, state int32) int32 {
	n, _ := r.states.Number(keytable.Pair(stack, state))
	return n
}

// where returns the stack and the machine of a state of the result, and the state of that
// machine.
func (r *replacement[W]) where(state int32) (stack, m, s int32) {
	stack, s = keytable.Unpair(r.states.Keys()[state])
	m = r.owner[s]
	return stack, m, s - r.first[m]
}

// AppendStarts appends the initial states to dst.
func (r *replacement[W]) AppendStarts(dst []Start[W]) []Start[W] {
	n := len(dst)
	dst = r.machines[0].AppendStarts(dst)
	for i := range dst[n:] {
		dst[n+i].State = r.at(0, 0, dst[n+i].State)
	}
	return dst
}

// Final returns the final weight of state s, Zero if s is not final.
func (r *replacement[W]) Final(state int32) W {
	stack, m, s := r.where(state)
	if stack > 0 {
		return r.Semiring().Zero()
	}
	return r.machines[m].final[s]
}

// AppendArcs appends the arcs that leave state s to dst.
func (r *replacement[W]) AppendArcs(dst []Arc[W], state int32) []Arc[W] {
	stack, m, s := r.where(state)
	f, ring := r.machines[m], r.Semiring()
	if w := f.final[s]; stack > 0 && !ring.IsZero(w) {
		if in, out := r.calls.Leave(r.labels[m]); r.accepts(in, out, m) {
			dst = append(dst, Arc[W]{In: in, Out: out, To: r.under(keytable.Unpair(r.stacks.Keys()[stack])), Weight: w})
		}
	}
	for e := f.labels.row[s]; e < f.labels.row[s+1]; e++ {
		to := f.arcs.to[e]
		in, out, w := f.arcs.in[e], f.arcs.out[e], f.arcs.w[e]
		if called, ok := r.called[out]; ok {
			dst = r.call(dst, Arc[W]{In: in, Out: out, To: r.first[m] + to, Weight: w}, called, stack)
			continue
		}
		dst = append(dst, Arc[W]{In: in, Out: out, To: r.at(stack, m, to), Weight: w})
	}
	return dst
}

// call appends the arcs into machine m for an arc a that calls it. a.To is a global state.
func (r *replacement[W]) call(dst []Arc[W], a Arc[W], m, below int32) []Arc[W] {
	if int(r.depths[below]) == r.calls.Depth {
		if r.err == nil {
			r.fail("%w: calls nested deeper than %d, on the way to %s", semiring.ErrLimit, r.calls.Depth, r.place(a.To))
		}
		return dst
	}
	in, out := r.calls.Enter(a.In, a.Out)
	if !r.accepts(in, out, m) {
		return dst
	}
	stack, fresh := r.stacks.Number(keytable.Pair(below, a.To))
	if fresh {
		r.depths = append(r.depths, r.depths[below]+1)
	}
	r.buf = r.machines[m].AppendStarts(r.buf[:0])
	for _, s := range r.buf {
		dst = append(dst, Arc[W]{In: in, Out: out, To: r.at(stack, m, s.State), Weight: r.Semiring().Times(a.Weight, s.Weight)})
	}
	return dst
}

// accepts reports whether the labels of an arc into or out of machine m are valid.
func (r *replacement[W]) accepts(in, out, m int32) bool {
	valid := in >= 0 && out >= 0
	if !valid && r.err == nil {
		r.fail("%w: labels %d:%d for calls of %s", ErrInvalid, in, out, r.outSymbols.Describe(r.labels[m]))
	}
	return valid
}

// place describes a global state for messages.
func (r *replacement[W]) place(state int32) string {
	m := r.owner[state]
	at := fmt.Sprintf("state %d of the ", state-r.first[m])
	if m == 0 {
		return at + "root"
	}
	return at + "machine for " + r.outSymbols.Describe(r.labels[m])
}

// Calls configures the calls of Replace; nil stands for the zero value.
type Calls struct {
	// Depth bounds the nesting of calls; 0 stands for 1000.
	Depth int
	// Enter returns the labels of the arcs into a machine, given the labels of the arc that
	// calls it; nil makes them ε. With
	//
	//	func(_, out int32) (int32, int32) { return fst.Epsilon, out }
	//
	// and a corresponding Leave, the output of a path is its derivation in brackets.
	Enter func(in, out int32) (int32, int32)
	// Leave returns the labels of the arcs back, given the label that the machine replaces; nil
	// makes them ε.
	Leave func(label int32) (in, out int32)
}

// resolved returns o with defaults filled in.
func (o *Calls) resolved() Calls {
	r := Calls{
		Depth: 1000,
		Enter: func(_, _ int32) (int32, int32) { return Epsilon, Epsilon },
		Leave: func(int32) (int32, int32) { return Epsilon, Epsilon },
	}
	if o == nil {
		return r
	}
	if o.Depth > 0 {
		r.Depth = o.Depth
	}
	if o.Enter != nil {
		r.Enter = o.Enter
	}
	if o.Leave != nil {
		r.Leave = o.Leave
	}
	return r
}

package fst

import (
	"fmt"

	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
)

// MergeBisimilar returns Connect(f) with states that are bisimilar made one: those that
// have the same final weight and, for every pair of labels and every class of bisimilar
// states, arcs whose weights have the same sum. f need not be deterministic, and ε is a
// label like any other. The relation stays, with no more states and arcs than f has. The
// result need not be the smallest machine: other states may have the same relation, too.
// Of a deterministic acceptor with its weights pushed toward the initial state, it is what
// Minimize makes.
//
// Weights within o.Delta count as equal; the result has those of the first state of a
// class, which keep their order, and arcs in the order of labels, parallel ones added up.
// To merge states of the same past rather than future, go by Reverse; states whose futures
// have the same weights but for a factor are bisimilar after PushWeights.
//
// The ring must be a semiring.Keyer in which ⊗ distributes over ⊕ from both sides, or the
// error wraps semiring.ErrCapability; o.Limit does not matter. With n states, m arcs and at
// most d arcs that leave a state, it takes O(m·d·log d·log n), and little more than O(m) as
// a rule.
//
// P. Buchholz, "Bisimulation relations for weighted automata" (2008); J. Jacobs and
// T. Wißmann, "Fast coalgebraic bisimilarity minimization" (2023).
func MergeBisimilar[W any](f *FST[W], o *Options) (*FST[W], error) {
	nonnil.Check("fst: MergeBisimilar", "machine", f)
	if err := semiring.RequireSide(f.ring, semiring.BothSides); err != nil {
		return nil, fmt.Errorf("fst: bisimulation: %w", err)
	}
	keyer, err := semiring.Require[semiring.Keyer[W]](f.ring)
	if err != nil {
		return nil, fmt.Errorf("fst: bisimulation: %w", err)
	}
	b := &bisimulation[W]{f: Connect(f), keyer: keyer, delta: o.resolved().Delta}
	b.refine()
	return b.merged()
}

// bisimulation makes classes of states finer until the states of each are bisimilar.
type bisimulation[W any] struct {
	f       *FST[W]
	keyer   semiring.Keyer[W]
	delta   float64
	classes *partition
	arcs    []Arc[W]
	key     []byte
}

// refine finds the coarsest classes. In a class, all states have the same signature but
// those that are marked, whose arcs lead to states that have changed their class since.
func (b *bisimulation[W]) refine() {
	n := b.f.NumStates()
	p := newPartition(make([]int32, n), min(n, 1))
	b.classes = p
	for s := range int32(n) {
		p.mark(s)
	}
	row, from, _ := b.f.Graph().Incoming()
	var moved []int32
	for done := p.len(); len(p.touched) > 0; {
		signatures := newByteTable()
		p.divide(func(s int32) int32 {
			n, _ := signatures.number(b.signature(s))
			return n
		})
		for ; done < p.len(); done++ {
			moved = append(moved[:0], p.of(done)...) // whose order marks change
			for _, s := range moved {
				for _, q := range from[row[s]:row[s+1]] {
					if !p.isMarked(q) {
						p.mark(q)
					}
				}
			}
		}
	}
}

// signature returns a key of the final weight of state s and of what its arcs with the same
// labels to each class weigh together, if not Zero.
func (b *bisimulation[W]) signature(s int32) []byte {
	ring := b.f.ring
	b.key = b.key[:0]
	if w := b.f.final[s]; !ring.IsZero(w) {
		b.key = appendKey(b.key, b.keyer, w, b.delta)
	}
	b.arcs = b.f.AppendArcs(b.arcs[:0], s)
	for i, a := range b.arcs {
		b.arcs[i].To = b.classes.set[a.To]
	}
	b.arcs = united(ring, b.arcs)
	n := int32(0)
	for _, a := range b.arcs {
		if ring.IsZero(a.Weight) {
			continue
		}
		b.key = appendNumber(appendNumber(appendNumber(b.key, a.In), a.Out), a.To)
		b.key = appendKey(b.key, b.keyer, a.Weight, b.delta)
		n++
	}
	return appendNumber(b.key, n)
}

// merged returns the quotient of what is left of the machine if the states of a class, but
// for the first, neither end nor go on.
func (b *bisimulation[W]) merged() (*FST[W], error) {
	f, d := b.f, new(draft[W])
	number := make([]int32, b.classes.len()) // by class, plus one
	class := make([]int32, f.NumStates())
	count := int32(0)
	for s, c := range b.classes.set {
		first := number[c] == 0
		if first {
			count++
			number[c] = count
			d.state(f.final[s])
		} else {
			d.state(f.ring.Zero())
		}
		for e := f.labels.row[s]; e < f.labels.row[s+1] && first; e++ {
			d.arcs.add(f.arcs.in[e], f.arcs.out[e], f.arcs.to[e], f.arcs.w[e])
		}
		class[s] = number[c] - 1
	}
	d.starts = f.starts
	g, err := d.freezeLike(f)
	if err != nil {
		return nil, err
	}
	if g, err = Quotient(g, class); err != nil {
		return nil, err
	}
	return Connect(g), nil
}

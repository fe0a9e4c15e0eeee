package fst

import (
	"cmp"
	"math"
	"slices"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// MergeBisimilar returns Connect(m) with bisimilar states merged. Two states are bisimilar if
// they have the same final weight and, for every pair of labels and every class of bisimilar
// states, their arcs have the same sum of weights. m need not be deterministic, and ε is a
// label like any other. The result has the relation of m, and at most its number of states and
// arcs. It need not be the smallest such machine: other states may have the same relation, too.
// For a deterministic acceptor whose weights are pushed toward the initial state, the result is
// the same as for Minimize.
//
// Weights within o.Delta count as equal. The result keeps the weights of the first state of
// each class, and these states keep their order; arcs are sorted by label, and parallel arcs
// are added up. To merge states with the same past instead of the same future, apply it to
// Reverse. States whose futures have the same weights up to a factor are bisimilar after
// PushWeights.
//
// The ring must be a semiring.Keyer in which ⊗ distributes over ⊕ from both sides, or the error
// wraps semiring.ErrCapability. o.Limit bounds only the expansion of m. With n states, m arcs
// and at most d arcs that leave a state, it takes O(m·d·log d·log n), and usually little more
// than O(m).
//
// P. Buchholz, "Bisimulation relations for weighted automata" (2008); J. Jacobs and
// T. Wißmann, "Fast coalgebraic bisimilarity minimization" (2023).
func MergeBisimilar[W any](m Machine[W], o *Options) (*FST[W], error) {
	return computed("MergeBisimilar", m, o, mergeBisimilar[W])
}

func mergeBisimilar[W any](f *FST[W], o Options) (*FST[W], error) {
	if err := semiring.RequireSide(f.ring, semiring.BothSides); err != nil {
		return nil, err
	}
	keyer, err := semiring.Require[semiring.Keyer[W]](f.ring)
	if err != nil {
		return nil, err
	}
	b := &bisimulation[W]{f: connect(f), keyer: keyer, delta: o.Delta}
	b.refine()
	return b.merged()
}

// bisimulation refines classes of states until the states of each class are bisimilar.
type bisimulation[W any] struct {
	f       *FST[W]
	keyer   semiring.Keyer[W]
	delta   float64
	classes *partition
	arcs    []Arc[W]
	key     []byte
}

// refine finds the coarsest classes. In a class, all unmarked states have the same signature.
// Marked states have arcs to states whose class has changed since.
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

// signature returns a key of the final weight of state s and of the sums of its arc weights,
// for each pair of labels and each target class, omitting sums that are Zero.
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

// merged returns the quotient of the machine in which the first state of each class keeps its
// final weight and arcs, and the other states lose theirs.
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
			addArc(&d.arcs, f.arcs.in[e], f.arcs.out[e], f.arcs.to[e], f.arcs.w[e])
		}
		class[s] = number[c] - 1
	}
	d.starts = f.starts
	g, err := d.freezeLike(f)
	if err != nil {
		return nil, err
	}
	if g, err = quotient(g, class); err != nil {
		return nil, err
	}
	return connect(g), nil
}

// partition is a partition of 0 … n−1 into sets that only get finer.
type partition struct {
	elements    []int32 // set by set
	place       []int32 // of each element in elements
	set         []int32 // of each element
	first, past []int32 // set i is elements[first[i]:past[i]]
	marked      []int32 // elements of each set that are marked; they come first
	touched     []int32 // sets with marked elements
}

// newPartition returns the partition by class. classes is the number of classes; all must
// occur.
func newPartition(class []int32, classes int) *partition {
	n := len(class)
	p := &partition{
		elements: make([]int32, n), place: make([]int32, n), set: class,
		first: make([]int32, classes, n), past: make([]int32, classes, n), marked: make([]int32, classes, n),
	}
	for _, c := range class {
		p.past[c]++
	}
	sum := int32(0)
	for c, size := range p.past {
		p.first[c], p.past[c] = sum, sum
		sum += size
	}
	for x, c := range class {
		p.elements[p.past[c]] = int32(x)
		p.place[x] = p.past[c]
		p.past[c]++
	}
	return p
}

func (p *partition) len() int { return len(p.first) }

// of returns the elements of set i.
func (p *partition) of(i int) []int32 { return p.elements[p.first[i]:p.past[i]] }

// mark marks x, which is not marked yet.
func (p *partition) mark(x int32) {
	s := p.set[x]
	i, j := p.place[x], p.first[s]+p.marked[s]
	y := p.elements[j]
	p.elements[i], p.elements[j] = y, x
	p.place[y], p.place[x] = i, j
	if p.marked[s] == 0 {
		p.touched = append(p.touched, s)
	}
	p.marked[s]++
}

// isMarked reports whether x is marked.
func (p *partition) isMarked(x int32) bool {
	s := p.set[x]
	return p.place[x] < p.first[s]+p.marked[s]
}

// split divides every set with marks into its marked elements and the others, and removes all
// marks. The smaller part becomes a new set.
func (p *partition) split() {
	for _, s := range p.touched {
		middle := p.first[s] + p.marked[s]
		p.marked[s] = 0
		if middle == p.past[s] {
			continue
		}
		lo, hi := p.first[s], middle
		if middle-p.first[s] <= p.past[s]-middle {
			p.first[s] = middle
		} else {
			lo, hi = middle, p.past[s]
			p.past[s] = middle
		}
		for _, x := range p.elements[lo:hi] {
			p.set[x] = int32(len(p.first))
		}
		p.first, p.past, p.marked = append(p.first, lo), append(p.past, hi), append(p.marked, 0)
	}
	p.touched = p.touched[:0]
}

// divide divides the set whose marks are oldest into groups of its elements and removes its
// marks. The largest group keeps the number of the set. All unmarked elements belong to one
// group; group is called for only one of them.
func (p *partition) divide(group func(x int32) int32) {
	set := p.touched[0]
	p.touched = p.touched[1:]
	lo, middle, hi := p.first[set], p.first[set]+p.marked[set], p.past[set]
	p.marked[set] = 0
	if hi-lo == 1 {
		return
	}
	rest := int32(-1)
	if middle < hi {
		rest = group(p.elements[middle])
	}
	type member struct{ element, group int32 }
	marked := make([]member, 0, middle-lo)
	for _, x := range p.elements[lo:middle] {
		g := group(x)
		if g == rest {
			g = math.MaxInt32 // next to the unmarked elements
		}
		marked = append(marked, member{x, g})
	}
	slices.SortFunc(marked, func(a, b member) int { return cmp.Compare(a.group, b.group) })
	cuts := []int32{lo}
	for i, m := range marked {
		p.elements[lo+int32(i)], p.place[m.element] = m.element, lo+int32(i)
		if i > 0 && m.group != marked[i-1].group {
			cuts = append(cuts, lo+int32(i))
		}
	}
	if last := marked[len(marked)-1]; middle < hi && last.group != math.MaxInt32 {
		cuts = append(cuts, middle)
	}
	p.cut(set, append(cuts, hi))
}

// cut divides a set at the given indexes of elements; the first and the last are its ends.
func (p *partition) cut(set int32, places []int32) {
	largest := 1
	for i := 2; i < len(places); i++ {
		if places[i]-places[i-1] > places[largest]-places[largest-1] {
			largest = i
		}
	}
	for i := 1; i < len(places); i++ {
		lo, hi := places[i-1], places[i]
		if i == largest {
			p.first[set], p.past[set] = lo, hi
			continue
		}
		for _, x := range p.elements[lo:hi] {
			p.set[x] = int32(len(p.first))
		}
		p.first, p.past, p.marked = append(p.first, lo), append(p.past, hi), append(p.marked, 0)
	}
}

// refine returns the coarsest refinement of the given classes of the states of g in which all
// members of a class have arcs of the same names to the same classes. A state must not have two
// arcs with the same name. refine overwrites class and name; their values are less than classes
// and names, and all values occur.
//
// A. Valmari, "Fast brief practical DFA minimization" (2012): the arcs are partitioned as well
// as the states, by name and class of the target.
func refine[W any](g *graph.Graph[W], class []int32, classes int, name []int32, names int) []int32 {
	source := make([]int32, g.NumArcs())
	for s, lo := range g.Row()[:g.NumStates()] {
		for e := lo; e < g.Row()[s+1]; e++ {
			source[e] = int32(s)
		}
	}
	row, _, arc := g.Incoming()
	states, arcs := newPartition(class, classes), newPartition(name, names)
	done := 1 // sets of states by which arcs have been split, plus one
	for i := 0; i < arcs.len(); i++ {
		for _, e := range arcs.of(i) {
			states.mark(source[e])
		}
		states.split()
		for ; done < states.len(); done++ {
			for _, s := range states.of(done) {
				for n := row[s]; n < row[s+1]; n++ {
					arcs.mark(arc[n])
				}
			}
			arcs.split()
		}
	}
	return states.set
}

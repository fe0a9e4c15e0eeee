package frames

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/rows"
)

// layout is the order in which sums traverse the graph, independent of its weights.
//
// States have positions 0, 1, … such that ε steps lead to later positions. A node is a state and
// a symbol by which an arc enters it: all arcs to a node have the same emission. The arcs between
// a state and a node are one step, and so are the ε arcs between two states. Each step has a
// slot: first the diagonals, in which position p has at most a step to node p + offset, then all
// other steps to nodes, then steps to states.
//
// States on common cycles of ε arcs are a knot. No step leads from a knot to itself. Instead,
// each state of the knot has the steps of all of its states, with weights that include the paths
// inside the knot.
type layout struct {
	position []int32 // per state
	state    []int32 // per position
	leaving  []int32 // per position: its first one of leaves; and the end
	leaves   []int32 // arcs, by the positions that they leave

	nodeTo, nodeSymbol []int32 // per node: position and symbol
	nodeRow            []int32 // per position: its first node; and the end
	single             bool    // the positions of the nodes are consecutive numbers

	margin, stride int     // slots of a diagonal: margin, one per position, margin
	offsets        []int32 // per diagonal
	firstLoose     int     // slot of the first step to a node that is in no diagonal
	looseRow       []int32 // per position: its first one less firstLoose; and the end
	looseNode      []int32
	firstEpsilon   int     // slot of the first step to a state
	epsilonRow     []int32 // per position: its first one less firstEpsilon; and the end
	epsilonTo      []int32 // position
	slots          int

	partRow []int32 // per slot: its first part; and the end
	parts   []int32 // arcs
	knot    []int32 // per position: its knot, or −1
	knots   [][]int32
	inKnot  []int32 // per position: its place in its knot
}

// step leads from a position to a node or to a position by an arc of its own state, or of its knot.
type step struct{ from, to, arc int32 }

// compile makes the layout.
func (g *Graph) compile() error {
	g.order()
	g.findNodes()
	var emitting, epsilon []step
	for k, a := range g.arcs {
		from, to := g.position[a.From], g.position[a.To]
		list := &emitting
		if a.Symbol == Epsilon {
			if g.sameKnot(from, to) {
				continue
			}
			list = &epsilon
		} else {
			to = g.nodeOf(to, a.Symbol)
		}
		if g.knot[from] < 0 {
			*list = append(*list, step{from, to, int32(k)})
			continue
		}
		for _, p := range g.knots[g.knot[from]] {
			*list = append(*list, step{p, to, int32(k)})
		}
	}
	if n := len(emitting) + len(epsilon); n > math.MaxInt32/4 {
		return fmt.Errorf("%w: %d steps, including the steps of ε cycles", semiring.ErrLimit, n)
	}
	g.findLeaves()
	order := func(a, b step) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to), cmp.Compare(a.arc, b.arc))
	}
	slices.SortFunc(emitting, order)
	slices.SortFunc(epsilon, order)
	g.place(emitting, epsilon)
	return nil
}

func (g *Graph) sameKnot(p, q int32) bool { return g.knot[p] >= 0 && g.knot[p] == g.knot[q] }

// order computes the positions of states: sorted by the greatest number of preceding components,
// then by the greatest number of preceding knots on ε arcs, then by state number.
func (g *Graph) order() {
	all, _, _ := g.depths(func(Arc) bool { return true })
	epsilon, knots, knotOf := g.depths(func(a Arc) bool { return a.Symbol == Epsilon })
	g.state = make([]int32, g.states)
	for q := range g.state {
		g.state[q] = int32(q)
	}
	slices.SortFunc(g.state, func(p, q int32) int {
		return cmp.Or(cmp.Compare(all[p], all[q]), cmp.Compare(epsilon[p], epsilon[q]), cmp.Compare(p, q))
	})
	g.position, g.knot, g.inKnot = make([]int32, g.states), make([]int32, g.states), make([]int32, g.states)
	g.knots = make([][]int32, knots)
	for p, q := range g.state {
		g.position[q] = int32(p)
		if g.knot[p] = knotOf[q]; knotOf[q] >= 0 {
			members := &g.knots[knotOf[q]]
			g.inKnot[p] = int32(len(*members))
			*members = append(*members, int32(p))
		}
	}
}

// findLeaves lists the arcs by the positions that they leave.
func (g *Graph) findLeaves() {
	g.leaving, g.leaves = make([]int32, g.states+1), make([]int32, len(g.arcs))
	for k, a := range g.arcs {
		g.leaves[k] = int32(k)
		g.leaving[g.position[a.From]+1]++
	}
	for p := range g.states {
		g.leaving[p+1] += g.leaving[p]
	}
	slices.SortFunc(g.leaves, func(a, b int32) int {
		return cmp.Or(cmp.Compare(g.position[g.arcs[a].From], g.position[g.arcs[b].From]), cmp.Compare(a, b))
	})
}

// depths considers the arcs for which counts returns true. It returns, per state, the length of
// the longest path of components to the state's component. It also returns the number of
// components with cycles, and the cyclic component of each state, or −1.
func (g *Graph) depths(counts func(a Arc) bool) (depth []int32, cyclic int, cycle []int32) {
	row, to := make([]int32, g.states+1), []int32(nil)
	for _, a := range g.arcs {
		if counts(a) {
			row[a.From+1]++
		}
	}
	for q := range g.states {
		row[q+1] += row[q]
	}
	to = make([]int32, row[g.states])
	next := slices.Clone(row)
	for _, a := range g.arcs {
		if counts(a) {
			to[next[a.From]] = a.To
			next[a.From]++
		}
	}
	t := &rows.Topology{Row: row, To: to}
	components, of := t.Components(), t.ComponentOf()
	depth, cycle = make([]int32, g.states), make([]int32, g.states)
	for q := range cycle {
		cycle[q] = -1
	}
	deepest := make([]int32, components.Len())
	for i := range components.Len() {
		lo, hi := components.Bounds(i)
		for p := lo; p < hi; p++ {
			q := components.State(p)
			depth[q] = deepest[i]
			for _, r := range to[row[q]:row[q+1]] {
				if j := of[r]; int(j) != i {
					deepest[j] = max(deepest[j], deepest[i]+1)
				}
			}
			if components.Loop != nil && components.Loop[i] {
				cycle[q] = int32(cyclic)
			}
		}
		if components.Loop != nil && components.Loop[i] {
			cyclic++
		}
	}
	return depth, cyclic, cycle
}

// findNodes makes the nodes, in the order of positions and symbols.
func (g *Graph) findNodes() {
	type node struct{ to, symbol int32 }
	var nodes []node
	for _, a := range g.arcs {
		if a.Symbol != Epsilon {
			nodes = append(nodes, node{g.position[a.To], a.Symbol})
		}
	}
	slices.SortFunc(nodes, func(a, b node) int {
		return cmp.Or(cmp.Compare(a.to, b.to), cmp.Compare(a.symbol, b.symbol))
	})
	nodes = slices.Compact(nodes)
	g.nodeRow = make([]int32, g.states+1)
	for _, n := range nodes {
		g.nodeTo, g.nodeSymbol = append(g.nodeTo, n.to), append(g.nodeSymbol, n.symbol)
		g.nodeRow[n.to+1]++
	}
	for p := range g.states {
		g.nodeRow[p+1] += g.nodeRow[p]
	}
	n := len(nodes)
	g.single = n > 0 && int(nodes[n-1].to-nodes[0].to) == n-1 && len(slices.CompactFunc(nodes, func(a, b node) bool { return a.to == b.to })) == n
}

// nodeOf returns the node of a position and a symbol.
func (g *Graph) nodeOf(p, symbol int32) int32 {
	lo := g.nodeRow[p]
	i, _ := slices.BinarySearch(g.nodeSymbol[lo:g.nodeRow[p+1]], symbol)
	return lo + int32(i)
}

// place gives steps, in order, their slots.
func (g *Graph) place(emitting, epsilon []step) {
	g.findDiagonals(emitting)
	nodes := len(g.nodeTo)
	g.margin = max(g.states-nodes, nodes-g.states)
	far := 0
	for _, d := range g.offsets {
		far = max(far, int(max(d, -d)))
	}
	g.margin += far
	g.stride = g.states + 2*g.margin
	g.firstLoose = len(g.offsets) * g.stride

	g.looseRow, g.epsilonRow = make([]int32, g.states+1), make([]int32, g.states+1)
	type placed struct{ slot, arc int32 }
	var all []placed
	for i, s := range emitting {
		if d, ok := slices.BinarySearch(g.offsets, s.to-s.from); ok {
			all = append(all, placed{int32(d*g.stride + g.margin + int(s.from)), s.arc})
			continue
		}
		// The steps before this one with the same ends are in no diagonal either.
		if i == 0 || emitting[i-1].from != s.from || emitting[i-1].to != s.to {
			g.looseNode = append(g.looseNode, s.to)
			g.looseRow[s.from+1]++
		}
		all = append(all, placed{int32(g.firstLoose + len(g.looseNode) - 1), s.arc})
	}
	g.firstEpsilon = g.firstLoose + len(g.looseNode)
	for i, s := range epsilon {
		if i == 0 || epsilon[i-1].from != s.from || epsilon[i-1].to != s.to {
			g.epsilonTo = append(g.epsilonTo, s.to)
			g.epsilonRow[s.from+1]++
		}
		all = append(all, placed{int32(g.firstEpsilon + len(g.epsilonTo) - 1), s.arc})
	}
	g.slots = g.firstEpsilon + len(g.epsilonTo)
	for p := range g.states {
		g.looseRow[p+1] += g.looseRow[p]
		g.epsilonRow[p+1] += g.epsilonRow[p]
	}
	slices.SortStableFunc(all, func(a, b placed) int { return cmp.Compare(a.slot, b.slot) })
	g.partRow = make([]int32, g.slots+1)
	for _, a := range all {
		g.parts = append(g.parts, a.arc)
		g.partRow[a.slot+1]++
	}
	for s := range g.slots {
		g.partRow[s+1] += g.partRow[s]
	}
}

// mostDiagonals is the greatest number of diagonals.
const mostDiagonals = 8

// findDiagonals chooses offsets for which at least a quarter of the states have steps. Diagonals
// take memory for all states and margins; margins must not be larger than the states.
func (g *Graph) findDiagonals(emitting []step) {
	if len(g.nodeTo) > 2*g.states {
		return
	}
	offsets := make([]int32, 0, len(emitting))
	for i, s := range emitting {
		if i == 0 || emitting[i-1].from != s.from || emitting[i-1].to != s.to {
			offsets = append(offsets, s.to-s.from)
		}
	}
	slices.Sort(offsets)
	for lo := 0; lo < len(offsets); {
		hi := lo
		for hi < len(offsets) && offsets[hi] == offsets[lo] {
			hi++
		}
		if d := offsets[lo]; 4*(hi-lo) >= g.states && int(max(d, -d)) <= g.states && len(g.offsets) < mostDiagonals {
			g.offsets = append(g.offsets, d)
		}
		lo = hi
	}
}

// from returns the position that the step of a slot leads from.
func (g *Graph) from(slot int32) int32 {
	at := int(slot)
	switch {
	case at < g.firstLoose:
		return int32(at%g.stride - g.margin)
	case at < g.firstEpsilon:
		return rowOf(g.looseRow, slot-int32(g.firstLoose))
	default:
		return rowOf(g.epsilonRow, slot-int32(g.firstEpsilon))
	}
}

// rowOf returns the row that contains an element.
func rowOf(row []int32, at int32) int32 {
	i, _ := slices.BinarySearch(row, at+1)
	return int32(i - 1)
}

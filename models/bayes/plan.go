package bayes

import (
	"errors"
	"maps"
	"slices"
	"sync"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/forest"
)

// ErrWide is wrapped by the error for a network whose elimination takes tables of too
// many entries: what is hidden is too entangled for exact inference.
var ErrWide = errors.New("elimination too wide")

// maxEdges bounds the entries of all tables of an elimination.
const maxEdges = 1 << 24

// plan is the elimination of the discrete variables that are hidden in a row: the
// forest of all their assignments, up to its weights. One edge multiplies the entries of
// all families without hidden variables and derives the root; below it, there is a node
// for each entry of a message and an edge for each state of the variable that the
// message has summed over.
type plan struct {
	steps             []step
	edge, tail, tails []int32
	use               []int32 // the factors of edge e are factors[use[e]:use[e+1]]
	factors           []factor
	shape             *forest.Forest[semiring.ScaledFloat] // its topology
}

// step is the elimination of a variable.
type step struct {
	variable int
	first    int32 // its edges begin here: entry by entry, state by state
	end      int32
}

// factor is an entry of a family, to which its observed variables are yet to be added.
type factor struct{ family, index int32 }

// plans are the plans that a network has made, by what is hidden.
type plans struct {
	mu  sync.Mutex
	of  map[string]*plan
	sum int // of edges
}

// keptEdges bounds the edges of the plans that a network keeps.
const keptEdges = 1 << 22

// plan returns the plan for the cells that are missing in r.
func (n *Network) plan(r Row) (*plan, error) {
	key := make([]byte, (len(r)+7)/8)
	var hidden []int
	for v, x := range r {
		if n.Discrete(v) && x != x {
			key[v/8] |= 1 << (v % 8)
			hidden = append(hidden, v)
		}
	}
	n.plans.mu.Lock()
	defer n.plans.mu.Unlock()
	if p := n.plans.of[string(key)]; p != nil {
		return p, nil
	}
	p, err := n.newPlan(hidden)
	if err != nil {
		return nil, err
	}
	if n.plans.sum += len(p.tail); n.plans.of == nil || n.plans.sum > keptEdges {
		n.plans.of, n.plans.sum = make(map[string]*plan), len(p.tail)
	}
	n.plans.of[string(key)] = p
	return p, nil
}

// newPlan returns the plan for the hidden variables.
func (n *Network) newPlan(hidden []int) (*plan, error) {
	b := &planner{n: n, plan: &plan{use: []int32{0}, edge: []int32{0}, tail: []int32{0}}, state: make([]int, len(n.variables))}
	b.order, b.scopes = n.eliminationOrder(hidden)
	if err := b.check(); err != nil {
		return nil, err
	}
	b.assign()
	for i := range b.order {
		b.eliminate(i)
	}
	b.factors, b.tails = b.appendFactors(len(b.order)), b.appendTails(len(b.order))
	b.closeEdge()
	b.edge = append(b.edge, b.edges())
	shape, err := forest.New(semiring.Scaled{}, b.edge, b.tail, b.tails, make([]semiring.ScaledFloat, b.edges()),
		[]forest.Root[semiring.ScaledFloat]{{Node: int32(len(b.edge) - 2), Weight: semiring.NewScaled(1)}})
	if err != nil {
		return nil, nested.Errorf("bayes: %w", err)
	}
	b.shape = shape
	return b.plan, nil
}

// planner builds a plan. Steps are numbered in the order of elimination; what is left
// at the end belongs to a last step, which eliminates nothing.
type planner struct {
	*plan
	n        *Network
	order    []int
	scopes   [][]int // of the message of each step
	families [][]int // by step
	from     [][]int // the steps that send it a message
	node     []int32 // of the first entry of each message
	at       []int   // the step that eliminates each variable, the last one if it is observed
	state    []int   // of the hidden variables, in the entry at hand
}

func (b *planner) check() error {
	total := 0.
	for i, v := range b.order {
		entries := float64(b.n.size(v))
		for _, u := range b.scopes[i] {
			entries *= float64(b.n.size(u))
		}
		if total += entries; total > maxEdges {
			return nested.Errorf("bayes: %w: more than %d entries at %s and the %d variables that it is then tied to",
				ErrWide, maxEdges, b.n.variables[v].Name, len(b.scopes[i]))
		}
	}
	return nil
}

// assign gives each family and each message to the first step that eliminates one of
// its variables.
func (b *planner) assign() {
	last := len(b.order)
	b.families, b.from, b.node = make([][]int, last+1), make([][]int, last+1), make([]int32, last)
	b.at = make([]int, len(b.n.variables))
	for v := range b.at {
		b.at[v] = last
	}
	for i, v := range b.order {
		b.at[v] = i
	}
	first := func(variables []int) int {
		step := last
		for _, v := range variables {
			step = min(step, b.at[v])
		}
		return step
	}
	for f, s := range b.n.scopes {
		i := first(s.variables)
		b.families[i] = append(b.families[i], f)
	}
	for i, s := range b.scopes {
		to := first(s)
		b.from[to] = append(b.from[to], i)
	}
}

func (b *planner) edges() int32 { return int32(len(b.tail) - 1) }

// closeEdge ends an edge whose factors and tails have been appended.
func (b *planner) closeEdge() {
	b.tail, b.use = append(b.tail, int32(len(b.tails))), append(b.use, int32(len(b.factors)))
}

// eliminate appends the nodes and edges of step i.
func (b *planner) eliminate(i int) {
	v := b.order[i]
	b.node[i] = int32(len(b.edge) - 1)
	first := b.edges()
	scope := b.scopes[i]
	for _, u := range scope {
		b.state[u] = 0
	}
	for more := true; more; more = b.next(scope) {
		for x := range b.n.size(v) {
			b.state[v] = x
			b.factors, b.tails = b.appendFactors(i), b.appendTails(i)
			b.closeEdge()
		}
		b.edge = append(b.edge, b.edges())
	}
	b.steps = append(b.steps, step{v, first, b.edges()})
}

// next goes to the next assignment to the variables, the last changing fastest; false
// after the last.
func (b *planner) next(variables []int) bool {
	for _, v := range slices.Backward(variables) {
		if b.state[v]++; b.state[v] < b.n.size(v) {
			return true
		}
		b.state[v] = 0
	}
	return false
}

// appendFactors appends the factors of an edge of step i.
func (b *planner) appendFactors(i int) []factor {
	factors := b.factors
	for _, f := range b.families[i] {
		index := 0
		for k, v := range b.n.scopes[f].variables {
			if b.at[v] < len(b.order) {
				index += b.n.scopes[f].stride[k] * b.state[v]
			}
		}
		factors = append(factors, factor{int32(f), int32(index)})
	}
	return factors
}

// appendTails appends the tails of an edge of step i: the entries of the messages
// that it receives.
func (b *planner) appendTails(i int) []int32 {
	tails := b.tails
	for _, j := range b.from[i] {
		entry := 0
		for _, v := range b.scopes[j] {
			entry = entry*b.n.size(v) + b.state[v]
		}
		tails = append(tails, b.node[j]+int32(entry))
	}
	return tails
}

// eliminationOrder returns an order in which to sum over the hidden variables, and with
// each the variables that its messages depend on, in ascending order. In each step it
// takes the variable whose neighbours lack the fewest edges among each other (min-fill);
// of equals the one with the smallest table, and of those the first.
func (n *Network) eliminationOrder(hidden []int) (order []int, messages [][]int) {
	neighbours := n.moral(hidden)
	price := make(map[int]price, len(hidden))
	for _, v := range hidden {
		price[v] = n.price(neighbours, v)
	}
	left := slices.Clone(hidden)
	for len(left) > 0 {
		best := 0
		for i, v := range left {
			if price[v].less(price[left[best]]) {
				best = i
			}
		}
		v := left[best]
		left = slices.Delete(left, best, best+1)
		scope := slices.Sorted(maps.Keys(neighbours[v]))
		for _, u := range scope {
			delete(neighbours[u], v)
		}
		changed := slices.Clone(scope)
		if price[v].fill > 0 {
			for _, u := range scope {
				changed = slices.AppendSeq(changed, maps.Keys(neighbours[u]))
				for _, w := range scope {
					if u != w {
						neighbours[u][w] = true
					}
				}
			}
			slices.Sort(changed)
			changed = slices.Compact(changed)
		}
		for _, u := range changed {
			price[u] = n.price(neighbours, u)
		}
		order, messages = append(order, v), append(messages, scope)
	}
	return order, messages
}

// price is what it takes to eliminate a variable: the edges that its neighbours lack, and
// the entries of its table.
type price struct {
	fill    int
	entries float64
}

func (p price) less(q price) bool {
	return p.fill < q.fill || p.fill == q.fill && p.entries < q.entries
}

func (n *Network) price(neighbours map[int]map[int]bool, v int) price {
	p := price{entries: float64(n.size(v))}
	for u := range neighbours[v] {
		p.entries *= float64(n.size(u)) // sizes are whole: the order does not matter below 2⁵³
		for w := range neighbours[v] {
			if u < w && !neighbours[u][w] {
				p.fill++
			}
		}
	}
	return p
}

// moral returns the neighbours of each hidden variable: those that it shares a family
// with.
func (n *Network) moral(hidden []int) map[int]map[int]bool {
	neighbours := make(map[int]map[int]bool, len(hidden))
	for _, v := range hidden {
		neighbours[v] = make(map[int]bool)
	}
	for _, s := range n.scopes {
		for _, u := range s.variables {
			for _, v := range s.variables {
				if neighbours[u] != nil && neighbours[v] != nil && u != v {
					neighbours[u][v] = true
				}
			}
		}
	}
	return neighbours
}

// above returns the network of v, the variables that r holds and all that these depend on,
// with the number of v in it and the cells of r. The other variables are not observed, and
// none of these depends on them, so that they sum to 1 whatever these are.
func (n *Network) above(v int, r Row) (*Network, int, Row) {
	wanted := []int{v}
	for u, x := range r {
		if x == x {
			wanted = append(wanted, u)
		}
	}
	number := make([]int, len(n.variables)) // in the smaller network, −1: not there
	for u := range number {
		number[u] = -1
	}
	taken := make([]bool, len(n.families))
	var variables []Variable
	var families []Family
	row := Row{}
	for len(wanted) > 0 {
		i := n.of[wanted[len(wanted)-1]]
		wanted = wanted[:len(wanted)-1]
		if taken[i] {
			continue
		}
		taken[i] = true
		f := n.families[i].clone()
		for _, u := range f.Children {
			number[u] = len(variables)
			variables, row = append(variables, n.variables[u]), append(row, r[u])
		}
		families = append(families, f)
		wanted = append(append(wanted, f.Parents...), f.Regressors...)
	}
	for _, f := range families {
		for _, part := range [][]int{f.Children, f.Parents, f.Regressors} {
			for k, u := range part {
				part[k] = number[u]
			}
		}
	}
	m, err := New(variables, families)
	if err != nil {
		panic("bayes: " + err.Error())
	}
	return m, number[v], row
}

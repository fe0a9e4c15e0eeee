package bayes

import (
	"fmt"
	"slices"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/forest"
)

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
		return nil, fmt.Errorf("bayes: %w", err)
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
			return fmt.Errorf("bayes: %w: more than %d entries at %s and the %d variables that it is then tied to",
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

// appendFactors returns factors with those of an edge of step i.
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

// appendTails returns tails with those of an edge of step i: the entries of the messages
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

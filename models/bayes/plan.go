package bayes

import (
	"errors"
	"math"
	"slices"
	"sync"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/forest"
)

// ErrTreewidth is wrapped by the error for a query whose elimination takes tables of more entries
// than the limit (WithMaxEntries): the hidden variables are too densely connected for exact
// inference.
var ErrTreewidth = errors.New("elimination too wide")

// plan is the elimination of the variables of a question: the forest of all their assignments,
// without its weights. One edge multiplies the entries of all functions without hidden variables
// and derives the root. Below it, there is a node for each entry of a message and an edge for each
// state of the variable that the message sums over.
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

// factor is an entry of a function, to whose index the observed variables are added later.
type factor struct{ function, index int32 }

// question selects the variables to eliminate from a product of functions.
type question struct {
	*product
	functions []int // ascending; the others are removed
	hidden    []int // the variables that are eliminated first, ascending
	last      []int // the variables eliminated after all of these, ascending
}

// all returns the question that sums over the missing discrete cells of r and keeps all functions.
func (p *product) all(r Row) *question {
	return &question{product: p, functions: span(len(p.scopes)), hidden: p.hidden(r)}
}

// span returns 0 … n−1.
func span(n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = i
	}
	return s
}

// key identifies a question among the questions about the same product.
func (q *question) key() string {
	n, m := (len(q.variables)+7)/8, (len(q.scopes)+7)/8
	key := make([]byte, 2*n+m)
	set := func(bits []byte, numbers []int) {
		for _, i := range numbers {
			bits[i/8] |= 1 << (i % 8)
		}
	}
	set(key, q.hidden)
	set(key[n:], q.last)
	set(key[2*n:], q.functions)
	return string(key)
}

// plans contains the plans made for a product, by the key of the question.
type plans struct {
	mu  sync.Mutex
	of  map[string]*plan
	sum int // of edges
}

// keptEdges bounds the total number of edges of the kept plans.
const keptEdges = 1 << 22

// plan returns the plan of the question.
func (q *question) plan() (*plan, error) {
	key, plans := q.key(), &q.plans
	plans.mu.Lock()
	defer plans.mu.Unlock()
	if p := plans.of[key]; p != nil {
		return p, nil
	}
	p, err := q.newPlan()
	if err != nil {
		return nil, err
	}
	if plans.sum += len(p.tail); plans.of == nil || plans.sum > keptEdges {
		plans.of, plans.sum = make(map[string]*plan), len(p.tail)
	}
	plans.of[key] = p
	return p, nil
}

func (q *question) newPlan() (*plan, error) {
	b := &planner{question: q, plan: &plan{use: []int32{0}, edge: []int32{0}, tail: []int32{0}}, state: make([]int, len(q.variables))}
	b.order = q.order()
	b.assign()
	if err := b.check(); err != nil {
		return nil, err
	}
	last := len(b.order.variables)
	for i := range last {
		b.eliminate(i)
	}
	b.factors, b.tails = b.appendFactors(last), b.appendTails(last)
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

// planner builds a plan. Steps are numbered in the order of elimination. The remaining functions
// belong to a last step, which does not eliminate a variable.
type planner struct {
	*plan
	*question
	order     order
	functions [][]int // by step
	from      [][]int // the steps that send it a message
	node      []int32 // of the first entry of each message
	at        []int   // the step that eliminates each variable, the last one if it is observed
	state     []int   // of the hidden variables, in the current entry
}

// check returns an error if the tables have too many entries, or their entries too many factors in
// all.
func (b *planner) check() error {
	if o := b.order; o.entries > float64(b.most) {
		v := o.variables[o.widest]
		return nested.Errorf("bayes: %w: %.4g entries of tables, more than the limit of %d (WithMaxEntries), most of them of %s and the %d variables that it is then tied to",
			ErrTreewidth, o.entries, b.most, b.variables[v].Name, len(o.messages[o.widest]))
	}
	factors := 0.
	for i, v := range b.order.variables {
		entries := float64(b.size(v))
		for _, u := range b.order.messages[i] {
			entries *= float64(b.size(u))
		}
		factors += entries * float64(len(b.functions[i])+len(b.from[i]))
	}
	if factors > math.MaxInt32 {
		return nested.Errorf("bayes: %w: %.4g factors in all entries of tables, want at most %d", ErrTreewidth, factors, math.MaxInt32)
	}
	return nil
}

// assign assigns each function and each message to the first step that eliminates one of its
// variables.
func (b *planner) assign() {
	last := len(b.order.variables)
	b.functions, b.from, b.node = make([][]int, last+1), make([][]int, last+1), make([]int32, last)
	b.at = make([]int, len(b.variables))
	for v := range b.at {
		b.at[v] = last
	}
	for i, v := range b.order.variables {
		b.at[v] = i
	}
	first := func(variables []int) int {
		step := last
		for _, v := range variables {
			step = min(step, b.at[v])
		}
		return step
	}
	for _, f := range b.question.functions {
		i := first(b.scopes[f].variables)
		b.functions[i] = append(b.functions[i], f)
	}
	for i, s := range b.order.messages {
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
	v := b.order.variables[i]
	b.node[i] = int32(len(b.edge) - 1)
	first := b.edges()
	scope := b.order.messages[i]
	for _, u := range scope {
		b.state[u] = 0
	}
	for more := true; more; more = b.next(scope) {
		for x := range b.size(v) {
			b.state[v] = x
			b.factors, b.tails = b.appendFactors(i), b.appendTails(i)
			b.closeEdge()
		}
		b.edge = append(b.edge, b.edges())
	}
	b.steps = append(b.steps, step{v, first, b.edges()})
}

// next advances to the next assignment to the variables, the last changing fastest. It returns
// false after the last.
func (b *planner) next(variables []int) bool {
	for _, v := range slices.Backward(variables) {
		if b.state[v]++; b.state[v] < b.size(v) {
			return true
		}
		b.state[v] = 0
	}
	return false
}

// appendFactors appends the factors of an edge of step i.
func (b *planner) appendFactors(i int) []factor {
	factors := b.factors
	for _, f := range b.functions[i] {
		index := 0
		for k, v := range b.scopes[f].variables {
			if b.at[v] < len(b.order.variables) {
				index += b.scopes[f].stride[k] * b.state[v]
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
		for _, v := range b.order.messages[j] {
			entry = entry*b.size(v) + b.state[v]
		}
		tails = append(tails, b.node[j]+int32(entry))
	}
	return tails
}

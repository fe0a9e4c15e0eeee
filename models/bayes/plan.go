package bayes

import (
	"errors"
	"sync"

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

// factor is an entry of a family, the observed variables of which are yet to be added.
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

package phylo

import (
	"context"
	"fmt"
	"io"
	"slices"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/em"
	"example.org/pathsum/models/phylo/msa"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// kernel maps parameters to the weights of the table, and uses of weights to counts of parameters.
type kernel interface {
	// String returns a description of its constants, which identifies a checkpoint of training.
	fmt.Stringer
	// size returns the size of the table.
	size() int
	// weights sets the table, except the fixed entries.
	weights(table []semiring.ScaledFloat, theta []float64) error
	// count adds the expected uses of weights to counts, per parameter.
	count(counts, theta, uses []float64) error
}

// probabilities is the kernel of parameters that are the weights themselves.
type probabilities struct {
	params *em.Params
	of     []int32 // per weight, its parameter; nil: each parameter is one weight
}

func (probabilities) String() string { return "probabilities" }

func (k probabilities) size() int {
	if k.of == nil {
		return int(fixedHandles) + k.params.Len()
	}
	return int(fixedHandles) + len(k.of)
}

func (k probabilities) weights(table []semiring.ScaledFloat, theta []float64) error {
	table = table[fixedHandles:]
	values := k.params.Values(theta)
	if k.of == nil {
		copy(table, values)
	}
	for i, p := range k.of {
		table[i] = values[p]
	}
	return nil
}

func (k probabilities) count(counts, _, uses []float64) error {
	uses = uses[fixedHandles:]
	if k.of == nil {
		floats.Add(counts, uses)
	}
	for i, p := range k.of {
		counts[p] += uses[i]
	}
	return nil
}

// Likelihood is the log likelihood of an alignment under a model, as a function of the model's
// parameters: an em.Likelihood. Its examples are the columns. Equal columns, or windows, are
// evaluated once. It does not support best trees or second derivatives (semiring.ErrCapability). A
// column of probability 0 is an error of an E step that wraps em.ErrUnderivable.
type Likelihood struct {
	em.Likelihood
	params  *em.Params
	kernel  kernel
	tree    *Tree
	at      []place // per column
	parts   []*sites
	shards  int
	reducer *em.Reducer[worker, struct{}] // for posteriors
}

// Shards depend on the data alone. Their number is limited to keep many workers busy, with enough
// patterns in each shard to use a forest efficiently.
const (
	maxShards  = 64
	shardLanes = 256
)

// shardsOf returns the number of shards for the parts of an alignment.
func shardsOf(parts []*sites) int {
	n := 0
	for _, s := range parts {
		n = max(n, min(maxShards, (s.patterns()+shardLanes-1)/shardLanes))
	}
	return n
}

// newLikelihood returns the likelihood of an alignment whose columns are at places in parts,
// divided into shards.
func newLikelihood(p *em.Params, k kernel, tree *Tree, at []place, parts []*sites, shards int) *Likelihood {
	l := &Likelihood{params: p, kernel: k, tree: tree, at: at, parts: parts, shards: shards}
	for _, s := range parts {
		s.index, s.key = nil, nil // all patterns have been added
	}
	hire := func() *worker { return new(worker) }
	l.reducer = em.NewReducer[worker, struct{}](hire)
	l.Likelihood = em.Sharded[*pass, worker]{
		Package:     "phylo",
		Params:      p,
		Shards:      l.shards,
		Fingerprint: l.fingerprint,
		Tempered:    true,
		Size:        k.size,
		Begin: func(q em.Query) (*pass, error) {
			table, err := l.table(q.Theta, q.Temperature)
			return &pass{table, q.Theta}, err
		},
		NewWorker: hire,
		Visit:     l.visit,
		Backpropagate: func(p *pass, uses, counts expr.Dual) error {
			return k.count(counts.Value, p.theta, uses.Value)
		},
	}.Likelihood()
	return l
}

// fingerprint writes the tree and the patterns.
func (l *Likelihood) fingerprint(w io.Writer) {
	fmt.Fprintf(w, "phylo %v %v %d\n", l.tree, l.kernel, len(l.at))
	for _, s := range l.parts {
		fmt.Fprintf(w, "%d %d %d %v\n", s.width, s.species, s.cells, s.weight)
	}
}

// table returns the weights at theta, each to the power beta.
func (l *Likelihood) table(theta []float64, beta float64) ([]semiring.ScaledFloat, error) {
	table := make([]semiring.ScaledFloat, l.kernel.size())
	table[1] = semiring.NewScaled(1)
	if err := l.kernel.weights(table, theta); err != nil {
		return nil, err
	}
	if beta != 1 {
		for k := int(fixedHandles); k < len(table); k++ {
			table[k] = table[k].Pow(beta)
		}
	}
	return table, nil
}

// pass is an E step. It counts the uses of the entries of the table.
type pass struct {
	table []semiring.ScaledFloat
	theta []float64
}

// visit adds the contribution of the patterns of a shard to a.
func (l *Likelihood) visit(_ context.Context, w *worker, p *pass, shard int, a *em.Tally) ([]em.Summer, error) {
	a.Zeros(len(p.table), false)
	a.Examples = len(l.at)*(shard+1)/l.shards - len(l.at)*shard/l.shards
	for _, s := range l.parts {
		lo, hi := s.shard(shard, l.shards)
		if err := w.visit(s, p.table, lo, hi, a); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// LogProb returns ln of the probability of the alignment at theta, the log likelihood that an E
// step finds, without the time for its counts. It uses a number of workers (0: GOMAXPROCS), which
// does not affect the result. Errors are as for an E step. LogProb, Posteriors and Expect must not
// be called concurrently.
func (l *Likelihood) LogProb(ctx context.Context, theta []float64, workers int) (float64, error) {
	table, err := l.tableAt(theta)
	if err != nil {
		return 0, err
	}
	byShard := make([]float64, l.shards)
	err = l.reducer.Sum(ctx, workers, 0, l.shards, func(w *worker, shard int, _ *struct{}) error {
		for _, s := range l.parts {
			lo, hi := s.shard(shard, l.shards)
			if err := w.sum(s, table, lo, hi); err != nil {
				return err
			}
			w.addLogs(&byShard[shard], s, lo)
		}
		return nil
	}, func(int, *struct{}) {})
	return floats.Sum(byShard), err
}

// tableAt returns the weights at theta, or an error if theta is invalid.
func (l *Likelihood) tableAt(theta []float64) ([]semiring.ScaledFloat, error) {
	if err := l.params.Check(theta); err != nil {
		return nil, err
	}
	return l.table(theta, 1)
}

// Average returns the average of posteriors of the bases at a node and a column by
// several models of the same alignment.
func Average(p []*Posteriors, node, column int) (q [msa.NumBases]float64) {
	for _, m := range p {
		for b, x := range m.Base(node, column) {
			q[b] += x / float64(len(p))
		}
	}
	return q
}

// Posteriors holds the probability of each base at some nodes of a tree and all columns of an
// alignment, given all observations.
type Posteriors struct {
	of     *Likelihood
	number []int       // per node, its index among the requested nodes, or −1
	nodes  int         // number of requested nodes
	states [][]float64 // per part: by pattern, node and state
}

// Base returns the probabilities of the bases at a node and a column. It panics if the node was not
// requested.
func (p *Posteriors) Base(node, column int) (q [msa.NumBases]float64) {
	if p.number[node] < 0 {
		panic(fmt.Sprintf("phylo: the posteriors of node %d were not asked for", node))
	}
	at := p.of.at[column]
	s := p.of.parts[at.part]
	n := s.layout.states()
	first := (int(at.pattern)*p.nodes + p.number[node]) * n
	for state, x := range p.states[at.part][first : first+n] {
		if b := s.layout.base(state, int(at.side)); b >= 0 {
			q[b] += x
		}
	}
	return q
}

// Posteriors returns the posteriors at theta of the bases at some nodes of the tree, nil for all,
// by a number of workers (0: GOMAXPROCS). They take memory for the states of a pattern, 4, or 16
// for each column but the first, times patterns times nodes. Errors are as for an E step. LogProb,
// Posteriors and Expect must not be called concurrently.
func (l *Likelihood) Posteriors(ctx context.Context, theta []float64, nodes []int, workers int) (*Posteriors, error) {
	table, err := l.tableAt(theta)
	if err != nil {
		return nil, err
	}
	if nodes == nil {
		for v := range l.tree.Nodes {
			nodes = append(nodes, v)
		}
	}
	p := &Posteriors{of: l, number: make([]int, len(l.tree.Nodes)), nodes: len(nodes)}
	for v := range p.number {
		p.number[v] = slices.Index(nodes, v)
	}
	for _, s := range l.parts {
		p.states = append(p.states, make([]float64, s.patterns()*p.nodes*s.layout.states()))
	}
	err = l.reducer.Sum(ctx, workers, 0, l.shards, func(w *worker, shard int, _ *struct{}) error {
		for i, s := range l.parts {
			lo, hi := s.shard(shard, l.shards)
			if err := p.visit(w, i, table, lo, hi); err != nil {
				return err
			}
		}
		return nil
	}, func(int, *struct{}) {})
	if err != nil {
		return nil, err
	}
	return p, nil
}

// visit computes the posteriors of some patterns of a part.
func (p *Posteriors) visit(w *worker, part int, table []semiring.ScaledFloat, lo, hi int) error {
	s := p.of.parts[part]
	n, lanes := s.layout.states(), hi-lo
	byState, uses := w.zeros(p.nodes*n*lanes, len(table))
	for v, number := range p.number {
		if number < 0 {
			continue
		}
		s.layout.each(v, func(state int, h handle) {
			uses[h] = byState[(number*n+state)*lanes:][:lanes] // shared by several weights
		})
	}
	if err := w.byLane(s, table, lo, hi, nil, uses); err != nil {
		return err
	}
	states := p.states[part][lo*p.nodes*n : hi*p.nodes*n]
	for k := range p.nodes * n {
		for lane, x := range byState[k*lanes : (k+1)*lanes] {
			states[lane*p.nodes*n+k] = x
		}
	}
	return nil
}

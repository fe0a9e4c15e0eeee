package phylo

import (
	"context"
	"fmt"
	"slices"

	"example.org/pathsum/models/phylo/msa"
	"example.org/pathsum/semiring"
)

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

// Posteriors holds the probability of each base at some nodes of a tree and all columns
// of an alignment, given all that was observed.
type Posteriors struct {
	of     *Likelihood
	number []int       // per node, its number among those asked for, or −1
	nodes  int         // asked for
	states [][]float64 // per part: by pattern, node and state
}

// Base returns the probabilities of the bases at a node and a column. It panics if the
// node was not asked for.
func (p *Posteriors) Base(node, column int) (q [msa.NumBases]float64) {
	if p.number[node] < 0 {
		panic(fmt.Sprintf("phylo: the posteriors of node %d were not asked for", node))
	}
	at := p.of.at[column]
	s := p.of.parts[at.part]
	n := s.layout.states()
	first := (int(at.pattern)*p.nodes + p.number[node]) * n
	for state, x := range p.states[at.part][first : first+n] {
		q[s.base(state, int(at.side))] += x
	}
	return q
}

// Posteriors returns the posteriors at theta of the bases at some nodes of the tree, nil
// for all, on so many goroutines (0: GOMAXPROCS). They take memory for the states of a
// pattern, 4 or 16, times patterns times nodes. Errors are those of an E step. One call at
// a time, of this or of Expect.
func (l *Likelihood) Posteriors(ctx context.Context, theta []float64, nodes []int, workers int) (*Posteriors, error) {
	if err := l.params.Check(theta); err != nil {
		return nil, err
	}
	table, err := l.table(theta, 1)
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
	return p, l.reducer.Sum(ctx, workers, 0, l.shards, func(w *worker, shard int, _ *struct{}) error {
		for i, s := range l.parts {
			lo, hi := s.shard(shard, l.shards)
			if err := p.visit(w, i, table, lo, hi); err != nil {
				return err
			}
		}
		return nil
	}, func(int, *struct{}) {})
}

// visit finds the posteriors of some patterns of a part.
func (p *Posteriors) visit(w *worker, part int, table []semiring.ScaledFloat, lo, hi int) error {
	s := p.of.parts[part]
	n, lanes := s.layout.states(), hi-lo
	byState, uses := w.zeros(p.nodes*n*lanes, len(table))
	for v, number := range p.number {
		if number < 0 {
			continue
		}
		s.layout.each(v, func(state int, h handle) {
			uses[h] = byState[(number*n+state)*lanes:][:lanes] // the same for several weights
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

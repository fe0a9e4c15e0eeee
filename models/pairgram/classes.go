package pairgram

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/internal/graphs"
	"example.org/pathsum/internal/machines"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/graph"
)

// Classes is a mixture of memoryless models of aligned pairs: each pair belongs to a hidden class,
// which determines the probabilities of all its chunks.
//
// The idea: some dictionaries have several authors, each with consistent conventions within a word:
// [i] for the letter i in one word, and [ɪ] in another. An n-gram of chunks forgets the convention
// after a few symbols, the class does not. Train a Model for each class, with pairs weighted by
// their posterior probability of the class, and combine these models with nbest.NewMixture.
type Classes struct {
	// Params has the group of the probabilities of the classes, followed by a group of chunk
	// probabilities for each class; Theta is in this order.
	Params *em.Params
	Theta  []float64

	aligner *Aligner
	class   *em.Group
	chunk   []*em.Group
	first   []expr.W   // per class: its probability
	weight  [][]expr.W // per class and chunk: its probability times its prior
}

// disturbance bounds the difference of the ln of a chunk's probability from the aligner's at the
// start, so that classes differ.
const disturbance = 1

// Classes returns n untrained classes of pairs with the chunks of a. Initially they are equally
// probable, each with a's probabilities of chunks, randomly disturbed. The error wraps ErrInvalid
// unless n is in 1 … 100.
func (a *Aligner) Classes(n int, src rand.Source) (*Classes, error) {
	nonnil.Check("pairgram: Classes", "source of randomness", src)
	if n < 1 || n > 100 {
		return nil, nested.Errorf("pairgram: %w: %d classes, want 1 to 100", ErrInvalid, n)
	}
	c := &Classes{Params: em.NewParams(), aligner: a, weight: make([][]expr.W, n)}
	c.class = c.Params.Group("class", n, em.Multinomial{})
	rng, space := rand.New(src), c.Params.Space()
	for k := range n {
		c.first = append(c.first, c.class.Weight(k))
		g := c.Params.Group(fmt.Sprint("chunk in class ", k+1), len(a.Theta), em.Multinomial{})
		start, sum := make([]float64, len(a.Theta)), 0.0
		c.weight[k] = make([]expr.W, len(start))
		for i, p := range a.Theta {
			start[i] = p * math.Exp(disturbance*(2*rng.Float64()-1))
			sum += start[i]
			c.weight[k][i] = space.Times(g.Weight(i), space.Const(semiring.NewScaled(a.prior[i])))
		}
		for i := range start {
			start[i] /= sum
		}
		g.SetStart(start)
		c.chunk = append(c.chunk, g)
	}
	c.Theta = c.Params.Start()
	return c, nil
}

// Len returns the number of classes.
func (c *Classes) Len() int { return len(c.chunk) }

// Probs returns the probabilities of the classes.
func (c *Classes) Probs() []float64 { return c.class.In(c.Theta) }

// Likelihood returns the likelihood of pairs, for em.Fit: a pair's probability is the sum over all
// classes and all divisions into chunks. Errors are as for NewAligner.
func (c *Classes) Likelihood(pairs []Pair) (em.Excluder, error) {
	if err := check(pairs); err != nil {
		return nil, err
	}
	chunks := c.aligner.chunks
	return cascade.Derivations{
		Examples: len(pairs),
		Graph: func(i int) (*graph.Graph[expr.W], error) {
			p := &pairs[i]
			return c.graph(chunks.lattice(newReader(chunks.sizes), p.Source, p.Target))
		},
		Weight:      func(i int) float64 { return pairs[i].weight() },
		Name:        func(i int) string { return pairs[i].Name },
		Underivable: em.Skip,
	}.Likelihood(c.Params)
}

// graph returns a copy of l for each class, starting with the probability of the class.
func (c *Classes) graph(l *lattice) (*graph.Graph[expr.W], error) {
	states, arcs := l.numStates(), len(l.to)
	row, to := make([]int32, 1, c.Len()*states+1), make([]int32, 0, c.Len()*arcs)
	weight, final := make([]expr.W, 0, c.Len()*arcs), make([]expr.W, c.Len()*states)
	var starts []graph.Start[expr.W]
	for k := range c.Len() {
		first := int32(k * states)
		starts = append(starts, graph.Start[expr.W]{State: first, Weight: c.first[k]})
		for s := range states {
			for e := l.row[s]; e < l.row[s+1]; e++ {
				to, weight = append(to, first+l.to[e]), append(weight, c.weight[k][l.chunk[e]-1])
			}
			row = append(row, int32(len(to)))
			final[int(first)+s] = expr.Zero
		}
		final[int(first)+states-1] = expr.One
	}
	return machines.ExprGraph(c.Params.Space(), row, to, weight, starts, final)
}

// Fit estimates the probabilities of classes and chunks and stores the result in Theta. By default
// it starts at Theta. It returns the result of em.Fit. A nil opts means 20 iterations.
func (c *Classes) Fit(ctx context.Context, pairs []Pair, opts *em.Options) (*em.Result, error) {
	l, err := c.Likelihood(pairs)
	if err != nil {
		return nil, err
	}
	if opts == nil {
		opts = &em.Options{Iterations: 20, Tolerance: -1}
	}
	return em.FitFrom(ctx, l, &c.Theta, opts)
}

// Posteriors returns the probabilities of the classes given a pair, or Probs if the pair cannot be
// divided into chunks. The error is as for NewAligner. O(|x|·|y|·classes).
func (c *Classes) Posteriors(p *Pair) ([]float64, error) {
	if err := p.check(0); err != nil {
		return nil, err
	}
	chunks := c.aligner.chunks
	l := chunks.lattice(newReader(chunks.sizes), p.Source, p.Target)
	all, total := make([]semiring.ScaledFloat, c.Len()), semiring.ScaledFloat{}
	ring := semiring.Scaled{}
	weight := make([]semiring.ScaledFloat, chunks.Len())
	for k, g := range c.chunk {
		for i, theta := range g.In(c.Theta) {
			weight[i] = semiring.NewScaled(theta * c.aligner.prior[i])
		}
		lattice, err := weigh(l, ring, weight)
		if err != nil {
			return nil, nested.Errorf("pairgram: %w", err)
		}
		sum, err := graphs.PathSum(lattice)
		if err != nil {
			return nil, nested.Errorf("pairgram: %w", err)
		}
		all[k] = ring.Times(semiring.NewScaled(c.Probs()[k]), sum)
		total = ring.Plus(total, all[k])
	}
	posterior := make([]float64, c.Len())
	for k, x := range all {
		if total.IsZero() {
			posterior[k] = c.Probs()[k]
		} else {
			posterior[k] = math.Exp(x.Log() - total.Log())
		}
	}
	return posterior, nil
}

// Split returns training pairs for a Model of each class: all pairs, each weighted by its posterior
// probability of the class times its own weight. If the posterior is below least, the weight is 0.
// The error is as for NewAligner. O(Σ |x|·|y|·classes) time and O(pairs·classes) memory.
func (c *Classes) Split(pairs []Pair, least float64) ([][]Pair, error) {
	all := make([][]Pair, c.Len())
	for k := range all {
		all[k] = slices.Clone(pairs)
	}
	for i := range pairs {
		posterior, err := c.Posteriors(&pairs[i])
		if err != nil {
			return nil, err
		}
		for k, p := range posterior {
			if p < least {
				p = 0
			}
			all[k][i].Weight = em.Times(p * pairs[i].Weight.Float64())
		}
	}
	return all, nil
}

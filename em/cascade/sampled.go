package cascade

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"

	"example.org/pathsum/em"
	"example.org/pathsum/em/internal/digest"
	"example.org/pathsum/internal/machines"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/forest"
	"example.org/pathsum/semiring/graph"
)

// Sampling says how a sampled E step draws.
type Sampling struct {
	// Draws is the number of derivations that are drawn of each example, ≥ 1.
	Draws int
	// Seed selects the draws. They depend on θ, too, so that each E step has others, and the
	// same query has the same.
	Seed uint64
}

// Sampled returns the likelihood of Derivations.Likelihood with sampled E steps, those of Monte
// Carlo EM (Wei and Tanner 1990). Counts are the mean over derivations drawn from the posterior of
// each example, in place of the expectation. With one draw that is stochastic EM
// (Celeux and Diebolt 1985). Counts are unbiased, and their variance falls as 1/Draws.
//
// An exact E step costs less and has no noise: the path sum, from which draws are made, is
// what both need, and the log likelihood returned is exact. Sampling is for what noise does: EM
// that is to leave a saddle point or a poor local maximum, and a measure of what an approximation
// by draws would lose. It is an em.Heuristic, as an M step may lower the objective. Use few
// Iterations and a Tolerance of −1, go on with an exact E step, or average what
// the last iterations found.
//
// There are no best paths and no second derivatives. Graphs and forests are made again for each E
// step, whatever CacheBytes says. It takes time in proportion to their arcs, and to the draws times
// the length of a derivation. Errors are as for Derivations.Likelihood, or wrap em.ErrInvalid for
// less than one draw, or if there are Arguments.
func (x Derivations) Sampled(p *em.Params, s Sampling) (em.Likelihood, error) {
	nonnil.Check("cascade: Derivations.Sampled", "parameters", p)
	if s.Draws < 1 {
		return nil, nested.Errorf("cascade: %w: %d draws of each example, want at least 1", em.ErrInvalid, s.Draws)
	}
	if x.Arguments != nil {
		return nil, nested.Errorf("cascade: %w: forests with arguments have no sampled E step; give each example a forest of its own", em.ErrInvalid)
	}
	g, err := newGiven(x, p) // which checks the examples, and writes them
	if err != nil {
		return nil, err
	}
	space := p.Space()
	sharded := em.Sharded[drawing, struct{}]{
		Package: "cascade",
		Params:  p,
		Fingerprint: func(w io.Writer) {
			g.write(digest.To{Writer: w})
			fmt.Fprintln(w, "sampled", s.Draws, s.Seed)
		},
		Tempered:    true,
		Underivable: x.Underivable,
		Size:        space.Len,
		Begin: func(q em.Query) (drawing, error) {
			ps, err := newPass(nil, p, nil, q)
			return drawing{ps, s, s.seed(q.Theta)}, err
		},
		Cut:    g.corpus.cut,
		Weight: x.weight,
		Sum: func(_ *struct{}, d drawing, i int, weight float64, t *em.Tally) (float64, error) {
			if x.Graph != nil {
				of, err := x.Graph(i)
				if err != nil {
					return 0, err
				}
				return d.paths(of, space, i, weight, t)
			}
			of, err := x.Forest(i)
			if err != nil {
				return 0, err
			}
			return d.trees(of, space, i, weight, t)
		},
		Backpropagate: func(d drawing, handles, params expr.Dual) error {
			d.backpropagate(space, handles, params)
			return nil
		},
	}
	if x.Name != nil {
		sharded.Name = x.Name
	}
	return sampled{sharded.Excluder()}, nil
}

// seed returns a seed for the draws at theta.
func (s Sampling) seed(theta []float64) uint64 {
	h := fnv.New64a()
	binary.Write(h, binary.LittleEndian, s.Seed)
	binary.Write(h, binary.LittleEndian, theta)
	return h.Sum64()
}

// sampled is a likelihood with sampled E steps.
type sampled struct{ em.Excluder }

// Heuristic reports that an M step may lower the objective.
func (sampled) Heuristic() bool { return true }

// drawing is a sampled E step.
type drawing struct {
	pass
	Sampling
	seed uint64
}

// value returns the value of an expression of the Params' Space.
func (d *drawing) value(w expr.W) semiring.ScaledFloat { return d.values[w] }

// known returns an error unless of is there and has weights of the Params' Space that were made
// before the E step.
func (d *drawing) known(missing bool, ring semiring.Semiring[expr.W], space *expr.Space) error {
	if missing || ring != semiring.Semiring[expr.W](space) {
		return fmt.Errorf("%w: there are no derivations, or their weights are not of the Params' Space", em.ErrInvalid)
	}
	if n := space.Len() - len(d.values); n != 0 {
		return fmt.Errorf("%w: %d new expressions were made during an E step, which has the values of those before", em.ErrInvalid, n)
	}
	return nil
}

// paths adds the mean uses of the paths drawn of example i, times its weight, and returns the ln of
// the path sum.
func (d *drawing) paths(of *graph.Graph[expr.W], space *expr.Space, i int, weight float64, t *em.Tally) (float64, error) {
	if of == nil {
		return 0, d.known(true, nil, space)
	}
	if err := d.known(false, of.Ring(), space); err != nil {
		return 0, err
	}
	t.Arcs += int64(of.NumArcs())
	g := machines.EvaluatedGraph(of, semiring.Scaled{}, d.value)
	total, err := machines.ScaledGraphs.PathSum(g)
	if err != nil || total.IsZero() {
		return total.Log(), err
	}
	sampler, err := machines.ScaledGraphs.NewSampler(g)
	if err != nil {
		return 0, err
	}
	share, src := weight/float64(d.Draws), rand.NewPCG(d.seed, uint64(i))
	for range d.Draws {
		path := sampler.Sample(src)
		d.start(of, g, path.Start, share, t)
		last := path.Start
		for _, a := range path.Arcs {
			t.Counts[of.Weights()[a]] += share
			last = of.To()[a]
		}
		t.Counts[of.Finals()[last]] += share
	}
	return total.Log(), nil
}

// start counts the start weights of a state, among which a path through it does not choose.
func (d *drawing) start(of *graph.Graph[expr.W], g *graph.Graph[semiring.ScaledFloat], state int32, share float64, t *em.Tally) {
	var sum semiring.ScaledFloat
	for _, s := range g.Starts() {
		if s.State == state {
			sum = sum.Add(s.Weight)
		}
	}
	for k, s := range g.Starts() {
		if s.State == state {
			t.Counts[of.Starts()[k].Weight] += share * s.Weight.Div(sum).Float64()
		}
	}
}

// trees is paths for a forest.
func (d *drawing) trees(of *forest.Forest[expr.W], space *expr.Space, i int, weight float64, t *em.Tally) (float64, error) {
	if of == nil {
		return 0, d.known(true, nil, space)
	}
	if err := d.known(false, of.Ring(), space); err != nil {
		return 0, err
	}
	t.Arcs += int64(of.NumEdges())
	f := machines.EvaluatedForest(of, semiring.Scaled{}, d.value)
	total, err := machines.ScaledForests.TreeSum(f)
	if err != nil || total.IsZero() {
		return total.Log(), err
	}
	sampler, err := machines.ScaledForests.NewSampler(f)
	if err != nil {
		return 0, err
	}
	share, src := weight/float64(d.Draws), rand.NewPCG(d.seed, uint64(i))
	for range d.Draws {
		tree := sampler.Sample(src)
		d.root(of, f, tree.Root, share, t)
		for _, e := range tree.Edges {
			t.Counts[of.Weights()[e]] += share
		}
	}
	return total.Log(), nil
}

// root counts the weights of a root, among which a tree does not choose.
func (d *drawing) root(of *forest.Forest[expr.W], f *forest.Forest[semiring.ScaledFloat], node int32, share float64, t *em.Tally) {
	var sum semiring.ScaledFloat
	for _, r := range f.Roots() {
		if r.Node == node {
			sum = sum.Add(r.Weight)
		}
	}
	for k, r := range f.Roots() {
		if r.Node == node {
			t.Counts[of.Roots()[k].Weight] += share * r.Weight.Div(sum).Float64()
		}
	}
}

package graph

import (
	"cmp"
	"errors"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/internal/choice"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/typename"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/derivation"
	"example.org/pathsum/semiring/internal/solve"
	"example.org/pathsum/semiring/internal/weights"
)

// ErrNoPath is returned when a function needs a random path of a graph without paths.
var ErrNoPath = errors.New("graph has no path")

// randomPaths returns the paths of g as derivations. A path is a Markov chain: it takes a start,
// and then in every state it takes an arc or ends, each in proportion to the mass of the paths
// that make this choice. For every ring of the graph the masses are in Scaled, in which they
// cannot underflow and derivatives may be negative.
func randomPaths[W any](g *Graph[W]) *derivation.Source {
	return newRandomPaths(g.topology, startStates(g), func() (*Graph[semiring.ScaledFloat], error) { return masses(g) })
}

// newRandomPaths is randomPaths for the masses of a graph with the given topology and start
// states.
func newRandomPaths(t *topology, starts []int32, masses func() (*Graph[semiring.ScaledFloat], error)) *derivation.Source {
	paths := structure(t)
	return &derivation.Source{
		Structure: paths, Name: "graph", Entries: starts, Empty: ErrNoPath,
		Kinds: derivation.Kinds{{Name: "starts", N: len(starts)}, {Name: "arcs", N: len(t.To)}, {Name: "final weights", N: t.NumStates()}},
		Open: func() (derivation.Distribution, error) {
			m, err := masses()
			if err != nil {
				return derivation.Distribution{}, err
			}
			s, beta, err := usefulBackward(m)
			if err != nil {
				return derivation.Distribution{}, err
			}
			var x []semiring.ScaledFloat
			return derivation.Distribution{
				Entry: startMasses(m), Option: m.weight, End: m.final, Inside: beta, Total: total(m, beta),
				Posterior: func() (derivation.Uses, error) {
					p := new(Posterior[semiring.ScaledFloat])
					resize(p, m)
					if err := posteriors(p, s, semiring.Scaled{}, beta); err != nil {
						return derivation.Uses{}, err
					}
					return derivation.Uses{Numbers: derivation.Numbers{Entry: p.Start, Option: p.Arc, End: p.Final}, Node: p.State}, nil
				},
				Solve: func(n int, y []semiring.ScaledFloat, down bool) error {
					if x == nil {
						x = make([]semiring.ScaledFloat, t.NumStates())
					}
					return sumInside(s, paths.Cycles[n], x, y, down)
				},
			}, nil
		},
	}
}

// structure returns a topology as the structure of derivations, which end where paths begin.
func structure(t *topology) derivation.Structure {
	s := derivation.Structure{Row: t.Row, Tails: t.To, Order: t.ReverseOrder()}
	c := t.Components()
	for i := c.Len() - 1; i >= 0 && c.Cyclic(); i-- {
		if lo, hi := c.Bounds(i); c.Loop[i] {
			s.Cycles = append(s.Cycles, derivation.Span{Lo: c.N - hi, Hi: c.N - lo})
		}
	}
	return s
}

// sumInside is derivation.Distribution.Solve for the component at the positions span of the
// reverse order. x holds a zero per state.
func sumInside(s *solver[semiring.ScaledFloat], span derivation.Span, x, y []semiring.ScaledFloat, down bool) error {
	states := s.g.topology.ReverseOrder()[span.Lo:span.Hi]
	for i, state := range states {
		x[state] = y[i]
	}
	by := solve.BackwardInside[semiring.ScaledFloat]
	if down {
		by = solve.ForwardInside[semiring.ScaledFloat]
	}
	err := by(s.cyclic, x, int(s.g.topology.ComponentOf()[states[0]]))
	for i, state := range states {
		y[i], x[state] = x[state], semiring.ScaledFloat{}
	}
	return err
}

// startStates returns the state of every start entry.
func startStates[W any](g *Graph[W]) []int32 {
	states := make([]int32, len(g.starts))
	for i, start := range g.starts {
		states[i] = start.State
	}
	return states
}

// startMasses returns the mass of every start entry.
func startMasses(m *Graph[semiring.ScaledFloat]) []semiring.ScaledFloat {
	masses := make([]semiring.ScaledFloat, len(m.starts))
	for i, start := range m.starts {
		masses[i] = start.Weight
	}
	return masses
}

// masses checks every weight and returns g over Scaled.
func masses[W any](g *Graph[W]) (*Graph[semiring.ScaledFloat], error) {
	mass := weights.MassOf(g.ring)
	if mass == nil {
		return nil, nested.Errorf("graph: random paths: %w: weights of %s are not probabilities that ⊕ adds",
			semiring.ErrCapability, typename.Of(g.ring))
	}
	m, ok := any(g).(*Graph[semiring.ScaledFloat])
	if _, same := any(g.ring).(semiring.Scaled); !ok || !same {
		m = Map(g, semiring.Scaled{}, mass.Of)
	}
	if err := checkMasses(m); err != nil {
		return nil, err
	}
	return m, nil
}

// checkMasses returns an error for the first weight of m that is not a mass.
func checkMasses(m *Graph[semiring.ScaledFloat]) error {
	return cmp.Or(
		derivation.CheckMasses("graph: arc %d weighs %v", m.weight),
		derivation.CheckMasses("graph: start %d weighs %v", startMasses(m)),
		derivation.CheckMasses("graph: state %d has final weight %v", m.final))
}

// Parts holds a number for every part of a graph that may belong to a path. A nil slice stands
// for zeros.
type Parts struct {
	Start []float64 // per start entry
	Arc   []float64 // per arc
	Final []float64 // per state: for ending there
}

// Values gives every part of a graph a vector of Dim numbers. The value of a path
// is the sum over its parts: its start entry, its arcs, and the state where it ends.
type Values struct {
	Dim               int
	Start, Arc, Final semiring.Rows
}

// Entropy returns −Σ p ln p, in nats, over the paths of g, drawn in proportion to
// their weights. Parallel arcs and parallel starts make different paths.
//
// It is the sum over states of the expected number of visits times the entropy of the choice
// there. All terms are non-negative, so there is no cancellation, even if choices are nearly
// certain. The ring's weights must be probabilities that ⊕ adds, and not negative. The cost is
// Posteriors and one logarithm per arc. The error wraps semiring.ErrCapability,
// semiring.ErrNegative, semiring.ErrNotFinite, ErrNoPath, or is as for PathSum.
func Entropy[W any](g *Graph[W]) (float64, error) { return CrossEntropy(g, g) }

// CrossEntropy returns −Σ p ln q, in nats, over paths with probability p in one graph and q in
// the other, which must have the same arcs and start states: the expected length of a path of p
// in a code designed for q. It is +Inf if q lacks some path of p. Accuracy and cost are as for
// Entropy. The error wraps semiring.ErrShape if the graphs differ in more than their weights, or
// is as for Entropy of either.
func CrossEntropy[W any](p, q *Graph[W]) (float64, error) { return compare(p, q, choice.CrossEntropy) }

// KullbackLeibler returns Σ p ln(p/q), in nats, over paths with probability p in one graph and q
// in the other, which must have the same arcs and start states. It is never negative, 0 for
// graphs of the same weights, and +Inf if q lacks some path of p. Paths of q that p lacks only
// reduce the probability of the others.
//
// It is the sum over states of the expected number of visits in p times the divergence of the
// choice there. That divergence is a sum of non-negative terms p·(x − ln(1+x)) with 1 + x = q/p.
// A divergence D has an error of about √D roundings of probabilities, so about half of its digits
// are right at D = 1e-16. The error of a difference of entropies is roundings of entropies. Cost
// and errors are as for CrossEntropy.
func KullbackLeibler[W any](p, q *Graph[W]) (float64, error) {
	return compare(p, q, choice.Divergence)
}

// compare sums a comparison of choices over the states of a random path of p.
func compare[W any](p, q *Graph[W], local derivation.Comparison) (float64, error) {
	a := randomPaths(p)
	b := a
	if p != q {
		b = randomPaths(q)
	}
	return derivation.Compare(a, b, local, "arcs and start states")
}

// Mean returns the expected value of a random path of g, drawn in proportion to its weight: v.Dim
// numbers. The value of a path is the sum of the values v of its parts.
//
// It carries no vectors along the paths (J. Eisner, Parameter estimation for probabilistic
// finite-state transducers, ACL 2002, §5): the cost is Posteriors and one operation per non-zero
// of v. The ring's weights must be probabilities that ⊕ adds and not negative. The error wraps
// semiring.ErrCapability, semiring.ErrNegative, semiring.ErrNotFinite, ErrNoPath,
// semiring.ErrShape if v does not match the graph, or is as for PathSum.
func Mean[W any](g *Graph[W], v Values) ([]float64, error) {
	return randomPaths(g).Mean(v.Dim, v.Start, v.Arc, v.Final)
}

// Covariance returns mean and covariance matrix, v.Dim × v.Dim, of the value of a random path of
// g, drawn in proportion to its weight. The value of a path is the sum of the values v of its
// parts.
//
// Column j is the derivative of the mean if weights are tilted by component j: a backward and a
// forward pass over plain numbers (see HessianVector). This takes O(Dim · (states + arcs +
// non-zeros of v)) time, and memory for states, arcs and non-zeros. Vectors carried along the
// paths would take the same time, and Dim numbers per state. Variances are sums of squares and
// never negative. The other covariances are sums of values of one component times covariances of
// the other with the use of a part, and so lose digits if great values cancel along every path.
//
// Conditions and errors are as for Mean.
func Covariance[W any](g *Graph[W], v Values) ([]float64, *mat.SymDense, error) {
	return randomPaths(g).Covariance(v.Dim, v.Start, v.Arc, v.Final)
}

// HessianVector returns H·v, where H is the matrix of second derivatives of ln Z, the logarithm
// of the path sum, with respect to the logarithms of all start, arc and final weights. Posteriors
// returns the gradient.
//
// Let N be the number of times that a random path uses each part, and V the sum of v along the
// path. The gradient is E[N], H is the covariance of N, and H·v = Cov(N, V): the rate at which
// each expected count grows if weights are multiplied by 1 + ε·v. With respect to the weights w
// themselves, the gradient is E[N]/w and the product is (H·(v/w) − E[N]·v/w)/w, part by part.
//
// Each product takes one backward and one forward pass in addition to Posteriors, without a
// second factorization of cyclic components: about twice the time. The mean of V is subtracted
// step by step instead of at the end, so a V whose mean is much greater than its deviation loses
// few digits.
//
// The ring's weights must be probabilities that ⊕ adds, and not negative. The error wraps
// semiring.ErrCapability, semiring.ErrNegative, semiring.ErrNotFinite, ErrNoPath,
// semiring.ErrShape if v does not match the graph, or is as for PathSum.
func HessianVector[W any](g *Graph[W], v Parts) (Parts, error) {
	_, product, err := PosteriorsAlong(g, v)
	return product, err
}

// PosteriorsAlong returns the posteriors of g, with the total in Scaled, and their derivative
// along v, which is HessianVector(g, v). It takes the time of HessianVector.
func PosteriorsAlong[W any](g *Graph[W], v Parts) (*Posterior[semiring.ScaledFloat], Parts, error) {
	total, p, x, err := randomPaths(g).Along(derivation.Numbers{Entry: v.Start, Option: v.Arc, End: v.Final})
	if err != nil {
		return nil, Parts{}, err
	}
	return &Posterior[semiring.ScaledFloat]{total, p.Option, p.Node, p.Entry, p.End}, Parts{x.Entry, x.Option, x.End}, nil
}

// Sampler draws random paths of one graph, each with probability weight / total. It is immutable,
// and so safe for concurrent use if every goroutine has its own source of random numbers.
type Sampler[W any] struct {
	g       *Graph[W]
	lambda  []W // per state: the sum of its start weights
	sampler *derivation.Sampler
}

// NewSampler returns a sampler of g. The ring's weights must be probabilities that ⊕ adds, and
// not negative; the total and cycles may have any finite mass. It takes a backward pass and 8
// bytes per arc.
//
// The error wraps semiring.ErrCapability, semiring.ErrNegative,
// semiring.ErrNotFinite, ErrNoPath, or is as for PathSum.
func NewSampler[W any](g *Graph[W]) (*Sampler[W], error) {
	d, err := randomPaths(g).Distribution()
	if err != nil {
		return nil, err
	}
	return &Sampler[W]{g, startWeights(g), derivation.NewSampler(d)}, nil
}

// Sample draws a path. The same random numbers give the same path: it uses one for the start, and
// one per state. The weight of the path includes all starts at its first state. It takes O(length
// · log degree). At a state, choices of probability below 2⁻⁵³ may never be taken, and choices of
// probability 0 are never taken.
func (s *Sampler[W]) Sample(src rand.Source) Path[W] {
	g, r := s.g, rand.New(src)
	ring, to := g.ring, g.To()
	q := g.starts[s.sampler.Entry(r)].State
	p := Path[W]{Start: q, Weight: s.lambda[q]}
	for {
		e := s.sampler.Option(q, r)
		if e < 0 {
			p.Weight = ring.Times(p.Weight, g.final[q])
			return p
		}
		p.Arcs = append(p.Arcs, e)
		p.Weight = ring.Times(p.Weight, g.weight[e])
		q = to[e]
	}
}

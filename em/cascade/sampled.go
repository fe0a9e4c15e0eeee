package cascade

import (
	"encoding/binary"
	"hash/fnv"
	"math/rand/v2"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
)

// Sampling configures the draws of a sampled E step.
type Sampling struct {
	// Draws is the number of derivations drawn for each example, ≥ 1.
	Draws int
	// Seed selects the draws. They also depend on θ, so that draws differ between E steps but are
	// equal for equal queries.
	Seed uint64
}

// Sampled returns the likelihood of Problem.Likelihood with sampled E steps, as in Monte Carlo EM
// (Wei and Tanner 1990). Counts are the mean over derivations drawn from the posterior of each
// example, instead of the expectation. With one draw it is stochastic EM (Celeux and Diebolt
// 1985). Counts are unbiased, and their variance falls as 1/Draws. They have the same bits for
// any number of workers. The draws of an example depend on its index, and so on the order of the
// data.
//
// An exact E step is as fast and has no noise: both need the path sum, and the returned log
// likelihood is exact. Use sampled E steps for their noise, with which EM may leave a saddle
// point or a poor local maximum, or to measure the loss of an approximation by draws. The
// likelihood is an em.Heuristic, because an M step may lower the objective. Use few Iterations
// and a Tolerance of −1. Then continue with exact E steps or average the parameters of the last
// iterations.
//
// Best paths and second derivatives are not available. Each example has a lattice, for any
// Data.Strategy. An E step takes time in proportion to the arcs of the lattices, and to the draws
// times the length of a derivation. Errors are as for Problem.Likelihood; they wrap em.ErrInvalid
// for less than one draw, or for Data.Pruning. Errors of an E step may also wrap
// semiring.ErrNegative for a weight below 0.
func (p Problem) Sampled(data Data, s Sampling) (em.Excluder, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	if data.Pruning != nil {
		return nil, nested.Errorf("cascade: %w: draws from examples with Pruning; draw from whole lattices", em.ErrInvalid)
	}
	data.Strategy = ByLattice
	c, err := newCascade(p, data)
	if err != nil {
		return nil, err
	}
	c.corpus.sampling = &s
	return sampled{c.likelihood()}, nil
}

// Sampled returns the likelihood of Derivations.Likelihood with sampled E steps, as
// Problem.Sampled does for lattices. Errors are as for Derivations.Likelihood; they wrap
// em.ErrInvalid for less than one draw.
func (x Derivations) Sampled(p *em.Params, s Sampling) (em.Excluder, error) {
	nonnil.Check("cascade: Derivations.Sampled", "parameters", p)
	if err := s.check(); err != nil {
		return nil, err
	}
	g, err := newGiven(x, p)
	if err != nil {
		return nil, err
	}
	g.corpus.sampling = &s
	return sampled{g.corpus.likelihood(nil)}, nil
}

// check returns an error if s is invalid.
func (s Sampling) check() error {
	if s.Draws < 1 {
		return nested.Errorf("cascade: %w: %d draws of each example, want at least 1", em.ErrInvalid, s.Draws)
	}
	return nil
}

// at returns the draws of an E step at theta.
func (s *Sampling) at(theta []float64) draws {
	if s == nil {
		return draws{}
	}
	h := fnv.New64a()
	binary.Write(h, binary.LittleEndian, s.Seed)
	binary.Write(h, binary.LittleEndian, theta)
	return draws{s.Draws, h.Sum64()}
}

// draws configures the random derivations of an E step, n per example. If n = 0, the E step is
// exact.
type draws struct {
	n    int
	seed uint64
}

// of returns the source of the draws of example i.
func (d draws) of(i int32) rand.Source { return rand.NewPCG(d.seed, uint64(i)) }

// sampled is a likelihood with sampled E steps. It does not implement em.Divisible: a process
// with a part of the data numbers its examples from 0, and so would make other draws.
type sampled struct{ em.Excluder }

// Heuristic reports that an M step may lower the objective.
func (sampled) Heuristic() bool { return true }

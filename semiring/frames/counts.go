package frames

import (
	"fmt"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/layers"
)

// Scratch is working storage for the methods of a Graph. Its zero value is ready for use; one
// goroutine uses it at a time, for any number of graphs and emissions.
type Scratch struct {
	pass   pass
	flow   flow
	layers layers.Scratch
}

// PathSum returns Z, the sum over all paths, which is 0 without a path. It takes O(frames × arcs)
// and memory for two rows of states.
//
// The error wraps semiring.ErrShape if e and g have different numbers of symbols, and
// semiring.ErrNotFinite if Z is too great for a semiring.ScaledFloat.
func (g *Graph) PathSum(e *Emissions, s *Scratch) (semiring.ScaledFloat, error) {
	if err := g.check(e); err != nil {
		return semiring.ScaledFloat{}, err
	}
	p := &s.pass
	p.start(g, e, false, false)
	if !p.backward() {
		return semiring.ScaledFloat{}, nil
	}
	total, _, err := p.total()
	return total, err
}

// total returns Z, after backward, and Z without the factors that all paths share.
func (p *pass) total() (total, inner semiring.ScaledFloat, err error) {
	add := semiring.ScaledFloat.Add
	if p.best {
		add = greater
	}
	lo, hi := p.g.reach.band(0, p.e.frames)
	b, s := p.row(0), p.basis(0)
	for q := lo; q < hi; q++ {
		if w := p.g.w.Initial[p.g.state[q]]; !w.IsZero() && b[q] != 0 {
			inner = add(inner, w.Mul(semiring.NewScaled(b[q]).Mul(powerOf2(s[q]))))
		}
	}
	total = inner.Mul(powerOf2(p.c))
	for _, top := range p.e.top {
		total = total.Mul(top)
	}
	if !total.IsFinite() || total.IsZero() && !inner.IsZero() {
		return semiring.ScaledFloat{}, inner, nested.Errorf("frames: %w: the sum over all paths is out of range", semiring.ErrNotFinite)
	}
	return total, inner, nil
}

// Counts returns Z, the sum over all paths. It adds weight times the expected uses of the parts
// of the graph to uses, and weight times γ_t(v), the probability that frame t is read as symbol
// v, to gamma: frames × symbols numbers, frame by frame, or nil. γ is ∂ ln Z/∂ ln E[t][v], and
// sums to 1 in each frame. If Z is 0, or there is an error, uses and gamma are unchanged. It
// takes O(frames × arcs) time. Memory is proportional to frames × states or, if this is more than
// 2²⁰, to √frames × states.
//
// Errors are as for PathSum. Counts panics if a slice that is not nil has the wrong length.
func (g *Graph) Counts(e *Emissions, weight float64, uses Parts, gamma []float64, s *Scratch) (semiring.ScaledFloat, error) {
	if err := g.check(e); err != nil {
		return semiring.ScaledFloat{}, err
	}
	if gamma != nil && len(gamma) != len(e.weight) {
		panic(fmt.Sprintf("frames: Counts: %d numbers for %d frames of %d symbols", len(gamma), e.frames, e.symbols))
	}
	g.checkParts("Counts", uses)
	p := &s.pass
	p.start(g, e, false, true)
	if !p.backward() {
		return semiring.ScaledFloat{}, nil
	}
	total, inner, err := p.total()
	if err != nil || inner.IsZero() {
		return total, err
	}
	f := &s.flow
	f.start(p, uses.Arc != nil)
	f.begin(inner, weight, uses.Initial)
	for i := range p.segments() {
		f.flush()
		f.enter(i)
		for t := p.lo; t < p.hi; t++ {
			if gamma == nil {
				f.step(t)
				continue
			}
			f.gamma = zeros(f.gamma, e.symbols)
			f.step(t)
			for v, x := range f.gamma {
				gamma[t*e.symbols+v] += weight * x
			}
		}
	}
	f.flush()
	if uses.Arc != nil || uses.Final != nil {
		f.distribute(weight, uses)
	}
	return total, nil
}

// checkParts panics unless each slice of p is nil or has a number per part.
func (g *Graph) checkParts(method string, p Parts) {
	if n := len(p.Initial); p.Initial != nil && n != g.states {
		panic(fmt.Sprintf("frames: %s: %d numbers for starts at %d states", method, n, g.states))
	}
	if n := len(p.Arc); p.Arc != nil && n != len(g.arcs) {
		panic(fmt.Sprintf("frames: %s: %d numbers for %d arcs", method, n, len(g.arcs)))
	}
	if n := len(p.Final); p.Final != nil && n != g.states {
		panic(fmt.Sprintf("frames: %s: %d numbers for ends at %d states", method, n, g.states))
	}
}

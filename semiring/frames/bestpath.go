package frames

import (
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
)

// Path is a path of a Graph through emissions.
type Path struct {
	Start  int32                // its first state; −1 if there is no path
	Arcs   []int32              // its arcs in the graph, ε arcs included, in order
	Frames []int32              // per arc: the number of frames read before it, which is its frame
	Weight semiring.ScaledFloat // 0 if there is no path
}

// BestPath returns the path of the greatest weight; of several, the same one each time. Time,
// memory and errors are as for Counts.
func (g *Graph) BestPath(e *Emissions, s *Scratch) (Path, error) {
	if err := g.check(e); err != nil {
		return Path{Start: -1}, err
	}
	p := &s.pass
	p.start(g, e, true, true)
	if !p.backward() {
		return Path{Start: -1}, nil
	}
	total, inner, err := p.total()
	if err != nil || inner.IsZero() {
		return Path{Start: -1}, err
	}
	t := trace{pass: p, path: Path{Weight: total}}
	t.start()
	for i := range p.segments() {
		p.enter(i)
		if err := t.follow(); err != nil {
			return Path{Start: -1}, nested.Errorf("frames: cycles of ε arcs: %w", err)
		}
	}
	return t.path, nil
}

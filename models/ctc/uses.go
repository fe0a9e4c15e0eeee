package ctc

import (
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/frames"
)

// uses holds derivatives by the logarithms of the weights of the machines, for the parts that the
// caller requests. A nil *uses means that the caller requests no such derivatives.
type uses struct {
	loss                             *Loss
	topology, denominator, smoothing frames.Parts
}

func isWanted(p frames.Parts) bool { return p.Initial != nil || p.Arc != nil || p.Final != nil }

// newUses returns zeros for the parts in g, or nil for g without parts.
func newUses(l *Loss, g *Gradients) *uses {
	if !isWanted(g.Topology) && !isWanted(g.Denominator) && !isWanted(g.Smoothing) {
		return nil
	}
	return &uses{l, like(g.Topology), like(g.Denominator), like(g.Smoothing)}
}

func like(p frames.Parts) frames.Parts {
	of := func(x []float64) []float64 {
		if x == nil {
			return nil
		}
		return make([]float64, len(x))
	}
	return frames.Parts{Initial: of(p.Initial), Arc: of(p.Arc), Final: of(p.Final)}
}

// zeros returns zeros for the parts of u, in old if that is not nil.
func (u *uses) zeros(old *uses) *uses {
	if u == nil {
		return nil
	}
	if old == nil {
		return &uses{u.loss, like(u.topology), like(u.denominator), like(u.smoothing)}
	}
	for _, p := range []frames.Parts{old.topology, old.denominator, old.smoothing} {
		clear(p.Initial)
		clear(p.Arc)
		clear(p.Final)
	}
	return old
}

// addTo adds u to the parts that g has.
func (u *uses) addTo(g *Gradients) {
	if u == nil {
		return
	}
	for _, x := range [][2]frames.Parts{{g.Topology, u.topology}, {g.Denominator, u.denominator}, {g.Smoothing, u.smoothing}} {
		for _, y := range [][2][]float64{{x[0].Initial, x[1].Initial}, {x[0].Arc, x[1].Arc}, {x[0].Final, x[1].Final}} {
			for i, d := range y[1] {
				y[0][i] += d
			}
		}
	}
}

// of returns the parts of the acceptor in a graph.
func (u *uses) of(s *static) frames.Parts {
	switch s {
	case u.loss.denominator:
		return u.denominator
	case u.loss.smoothing:
		return u.smoothing
	}
	return frames.Parts{}
}

// wants reports whether the uses of the parts of a graph are requested.
func (u *uses) wants(s *static) bool {
	return u != nil && (isWanted(u.topology) || isWanted(u.of(s)))
}

// add adds the uses of the parts of a graph to the parts of the two machines from which the graph
// is made.
func (u *uses) add(s *static, parts frames.Parts) {
	for _, x := range []struct {
		to  frames.Parts
		arc []int32
		of  int
	}{{u.topology, s.topology, 0}, {u.of(s), s.acceptor, 1}} {
		if x.to.Arc != nil {
			for k, n := range x.arc {
				if n >= 0 {
					x.to.Arc[n] += parts.Arc[k]
				}
			}
		}
		for state, of := range s.state {
			if x.to.Initial != nil {
				x.to.Initial[of[x.of]] += parts.Initial[state]
			}
			if x.to.Final != nil {
				x.to.Final[of[x.of]] += parts.Final[state]
			}
		}
	}
}

// checkParts checks the lengths of the parts of g.
func (l *Loss) checkParts(g *Gradients) error {
	check := func(name string, p frames.Parts, states, arcs int) error {
		for _, x := range []struct {
			name string
			n    int
			want int
		}{{"starts", len(p.Initial), states}, {"arcs", len(p.Arc), arcs}, {"ends", len(p.Final), states}} {
			if x.n != 0 && x.n != x.want {
				return nested.Errorf("%w: %d derivatives of %s of the %s, want %d", semiring.ErrShape, x.n, x.name, name, x.want)
			}
		}
		return nil
	}
	if isWanted(g.Topology) && l.column == nil {
		return nested.Errorf("%w: derivatives with respect to the weights of a topology of %d columns, which is not stored", semiring.ErrLimit, l.of.Symbols)
	}
	if err := check("topology", g.Topology, l.reader.states, len(l.column)); err != nil {
		return err
	}
	for _, x := range []struct {
		*static
		name string
		p    frames.Parts
	}{{l.denominator, "denominator", g.Denominator}, {l.smoothing, "smoothing", g.Smoothing}} {
		switch {
		case x.static == nil && isWanted(x.p):
			return nested.Errorf("%w: derivatives by the weights of the %s, which the loss does not have", ErrInvalid, x.name)
		case x.static != nil:
			if err := check(x.name, x.p, x.states, x.arcs); err != nil {
				return err
			}
		}
	}
	return nil
}

package fst

import (
	"fmt"

	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
)

// Reverse returns the machine of the reversed strings: ⟦Reverse(f)⟧(x, y) is the
// reverse of ⟦f⟧(x reversed, y reversed). State s stays state s; initial and
// final states change places. Weights stay as they are in a commutative ring;
// another ring must be a semiring.Reverser, or the error wraps
// semiring.ErrCapability. O(states + arcs).
func Reverse[W any](f *FST[W]) (*FST[W], error) {
	nonnil.Check("fst: Reverse", "machine", f)
	turn, ok := semiring.ReverseOf(f.ring)
	if !ok {
		return nil, fmt.Errorf("fst: %w: %T is neither commutative nor a Reverser", semiring.ErrCapability, f.ring)
	}
	d := new(draft[W])
	row, from, arc := f.Graph().Incoming()
	for s, w := range f.final {
		d.state(f.ring.Zero())
		if !f.ring.IsZero(w) {
			d.start(int32(s), turn(w))
		}
		for k := row[s]; k < row[s+1]; k++ {
			e := arc[k]
			d.arcs.add(f.arcs.in[e], f.arcs.out[e], from[k], turn(f.arcs.w[e]))
		}
	}
	for _, s := range f.starts {
		d.final[s.State] = f.ring.Plus(d.final[s.State], turn(s.Weight))
	}
	return d.freezeLike(f)
}

// freezeLike is freeze, with the ring and the symbols of f.
func (d *draft[W]) freezeLike(f *FST[W]) (*FST[W], error) {
	g, err := d.freeze(f.ring)
	if err != nil {
		return nil, err
	}
	g.inSymbols, g.outSymbols = f.inSymbols, f.outSymbols
	return g, nil
}

// Connect returns f without what is on no path from an initial to a final state:
// states, arcs and starts, those of weight Zero included. States keep their
// order. Any ring will do. O(states + arcs).
func Connect[W any](f *FST[W]) *FST[W] {
	nonnil.Check("fst: Connect", "machine", f)
	g := f.Graph()
	useful := g.Accessible()
	position := make([]int32, len(useful))
	n := int32(0)
	for s, final := range g.Coaccessible() {
		useful[s] = useful[s] && final
		position[s] = n
		if useful[s] {
			n++
		}
	}
	d := new(draft[W])
	for s, w := range f.final {
		if !useful[s] {
			continue
		}
		d.state(w)
		for e := f.labels.row[s]; e < f.labels.row[s+1]; e++ {
			if to := f.arcs.to[e]; useful[to] && !f.ring.IsZero(f.arcs.w[e]) {
				d.arcs.add(f.arcs.in[e], f.arcs.out[e], position[to], f.arcs.w[e])
			}
		}
	}
	for _, s := range f.starts {
		if useful[s.State] && !f.ring.IsZero(s.Weight) {
			d.start(position[s.State], s.Weight)
		}
	}
	return part(d, f)
}

// part freezes d, a part of f.
func part[W any](d *draft[W], f *FST[W]) *FST[W] {
	g, err := d.freezeLike(f)
	if err != nil {
		panic(err.Error()) // it has no more states and arcs than f
	}
	g.unit = f.unit
	return g
}

// ArcSortIn returns f with the arcs of every state in the order of their input
// labels, then output labels; it is f itself if they are so already. Composition
// needs no sorting; text output and the eye may. Any ring will do. O(m log d), d
// the largest out-degree.
func ArcSortIn[W any](f *FST[W]) *FST[W] {
	nonnil.Check("fst: ArcSortIn", "machine", f)
	return inOrderOf(f, f.labels.indexIn())
}

// ArcSortOut is ArcSortIn with the tapes exchanged.
func ArcSortOut[W any](f *FST[W]) *FST[W] {
	nonnil.Check("fst: ArcSortOut", "machine", f)
	return inOrderOf(f, f.labels.indexOut())
}

func inOrderOf[W any](f *FST[W], x *index) *FST[W] {
	if len(x.arc) == 0 {
		return f
	}
	d := &draft[W]{row: append([]int32{}, x.row[:len(f.final)]...), starts: f.starts, final: f.final}
	for _, e := range x.arc {
		d.arcs.add(f.arcs.in[e], f.arcs.out[e], f.arcs.to[e], f.arcs.w[e])
	}
	return part(d, f)
}

package synchronous

import (
	"example.org/pathsum/fst"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/forest"
)

// MaxCells is the greatest number of pairs of a span of the source and a span of the target. It
// allows two sentences of 21 words each, or of 10 and 43 words, or a sentence of 360 words whose
// other side is unknown. A grammar of many rules reaches the limits of forest.Deduction earlier
// (semiring.ErrLimit).
const MaxCells = 1 << 16

// kind is the meaning of an item.
type kind uint8

const (
	derived    kind = iota // symbol x derives i … j of the source and k … l of the target
	sourceWord             // an arc of the source reads the label x from i to j
	targetWord             // an arc of the target reads it from k to l
	starting               // the lattice x, 0 for the source, starts at i
	ending                 // the lattice x ends there
	whole                  // a derivation of the example
)

// item is a node of the forest of an example. Positions are states of tapes.
type item struct {
	kind       kind
	x          int32
	i, j, k, l int16
}

// deduction makes charts example by example.
type deduction struct {
	g *Grammar
	*forest.Deduction[item, expr.W]
}

// The names of rules of the deduction, which determine the order of a derivation.
var ruleNames = [2]string{straight: "straight", inverted: "inverted"}

func newDeduction(g *Grammar) *deduction {
	type place struct{ source, target int16 }
	d := &deduction{g, forest.NewDeduction[item](g.Params.Space())}
	d.Rule("unary", func(a item) {
		if a.kind != derived {
			return
		}
		for _, p := range g.unary[a.x] {
			d.Derive(item{derived, p.left, a.i, a.j, a.k, a.l}, p.weight, a)
		}
	})
	is := func(a item, set map[int32]bool) bool { return a.kind == derived && set[a.x] }
	forest.Join(d.Deduction, ruleNames[straight],
		func(a item) (place, bool) { return place{a.j, a.l}, is(a, g.first[straight]) },
		func(b item) (place, bool) { return place{b.i, b.k}, is(b, g.second[straight]) },
		func(a, b item) {
			for _, p := range g.binary[straight][[2]int32{a.x, b.x}] {
				d.Derive(item{derived, p.left, a.i, b.j, a.k, b.l}, p.weight, a, b)
			}
		})
	forest.Join(d.Deduction, ruleNames[inverted],
		func(a item) (place, bool) { return place{a.j, a.k}, is(a, g.first[inverted]) },
		func(b item) (place, bool) { return place{b.i, b.l}, is(b, g.second[inverted]) },
		func(a, b item) {
			for _, p := range g.binary[inverted][[2]int32{a.x, b.x}] {
				d.Derive(item{derived, p.left, a.i, b.j, b.k, a.l}, p.weight, a, b)
			}
		})
	return d
}

// run returns the chart of an example.
func (d *deduction) run(in input) (*forest.Chart[item, expr.W], error) {
	switch {
	case in.source.free:
		d.pairs(in, d.g.pairs)
	default:
		for _, x := range append([]int32{fst.Epsilon}, in.source.labels...) {
			d.pairs(in, d.g.from[x])
		}
	}
	for _, a := range in.source.arcs {
		d.Derive(item{kind: sourceWord, x: a.label, i: a.from, j: a.to}, a.weight)
	}
	for _, a := range in.target.arcs {
		d.Derive(item{kind: targetWord, x: a.label, k: a.from, l: a.to}, a.weight)
	}
	for tape, t := range []*tape{in.source, in.target} {
		for _, s := range t.starts {
			d.Derive(item{kind: starting, x: int32(tape), i: s.state}, s.weight)
		}
		for _, s := range t.finals {
			d.Derive(item{kind: ending, x: int32(tape), i: s.state}, s.weight)
		}
	}
	d.ends(in)
	return d.Run(item{kind: whole})
}

// pairs derives pairs of words at all positions.
func (d *deduction) pairs(in input, list []pair) {
	for _, p := range list {
		targets := in.target.where(p.target)
		if len(targets) == 0 {
			continue
		}
		x := d.g.pairOf[p]
		for _, s := range in.source.where(p.source) {
			for _, t := range targets {
				var tails []item
				if in.source.weighs && p.source != fst.Epsilon {
					tails = append(tails, item{kind: sourceWord, x: p.source, i: s.from, j: s.to})
				}
				if in.target.weighs && p.target != fst.Epsilon {
					tails = append(tails, item{kind: targetWord, x: p.target, k: t.from, l: t.to})
				}
				d.Derive(item{derived, x, s.from, s.to, t.from, t.to}, expr.One, tails...)
			}
		}
	}
}

// ends derives the example from the start symbol.
func (d *deduction) ends(in input) {
	x := d.g.number[d.g.start]
	for _, i := range in.source.starts {
		for _, j := range in.source.finals {
			for _, k := range in.target.starts {
				for _, l := range in.target.finals {
					tails := []item{{derived, x, i.state, j.state, k.state, l.state}}
					if in.source.weighs {
						tails = append(tails, item{kind: starting, i: i.state}, item{kind: ending, i: j.state})
					}
					if in.target.weighs {
						tails = append(tails, item{kind: starting, x: 1, i: k.state}, item{kind: ending, x: 1, i: l.state})
					}
					d.Derive(item{kind: whole}, expr.One, tails...)
				}
			}
		}
	}
}

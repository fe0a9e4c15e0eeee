package grammar

import (
	"example.org/pathsum/em"
	"example.org/pathsum/semiring/expr"
)

// dmv contains the parameters of the dependency model with valence (Klein and Manning 2004): the
// tag of the root; for each head and side the tags of its arguments; and the choice of a further
// argument, for the first and for later ones.
type dmv struct {
	space *expr.Space
	root  *em.Group
	// By the tag of the head and the side, 0 for left; choices also by adjacency, 1 before the
	// first argument. Parameter 0 of a choice is to stop.
	arguments [][2]*em.Group
	choices   [][2][2]*em.Group
}

const stopping, going = 0, 1

// sides are the names of the sides, and valence the names of the choices by adjacency.
var (
	sides   = [2]string{"left", "right"}
	valence = [2]string{"more", "first"}
)

func newDMV(p *em.Params, tags *symbols) *dmv {
	d := &dmv{space: p.Space()}
	group := func(title string, n int, name func(int) string) *em.Group {
		g := p.Group(title, n, em.Multinomial{})
		g.SetNames(name)
		return g
	}
	d.root = group("root", tags.len(), tags.name)
	for h := range tags.len() {
		head := tags.name(h)
		var a [2]*em.Group
		var c [2][2]*em.Group
		for s, side := range sides {
			a[s] = group(head+" "+side, tags.len(), tags.name)
			for v := range c[s] {
				c[s][v] = group(head+" "+side+" "+valence[v], 2, func(i int) string { return [2]string{"stop", "go"}[i] })
			}
		}
		d.arguments, d.choices = append(d.arguments, a), append(d.choices, c)
	}
	d.weights()
	return d
}

// weights creates the weights of all parts, so that their handles do not depend on sentences.
func (d *dmv) weights() {
	makeWeights(d.groups())
	for head := range d.arguments {
		for side := range sides {
			for _, adjacent := range []bool{true, false} {
				for argument := range d.arguments {
					d.take(int32(head), side, adjacent, int32(argument))
				}
			}
		}
	}
}

// makeWeights creates the weights of all parameters of groups.
func makeWeights(groups []*em.Group) {
	for _, g := range groups {
		for i := range g.Len() {
			g.Weight(i)
		}
	}
}

// take returns the weight of a head that takes an argument.
func (d *dmv) take(head int32, side int, adjacent bool, argument int32) expr.W {
	return d.space.Times(d.choice(head, side, adjacent).Weight(going), d.arguments[head][side].Weight(int(argument)))
}

// groups returns all groups.
func (d *dmv) groups() []*em.Group {
	list := []*em.Group{d.root}
	for head, a := range d.arguments {
		list = append(list, a[0], a[1])
		for _, c := range d.choices[head] {
			list = append(list, c[0], c[1])
		}
	}
	return list
}

// choice returns the group of the choice between stopping and taking an argument.
func (d *dmv) choice(head int32, side int, adjacent bool) *em.Group {
	v := 0
	if adjacent {
		v = 1
	}
	return d.choices[head][side][v]
}

// weight returns the weight of a part in a sentence.
func (d *dmv) weight(p part, tags []int32) expr.W {
	head := tags[p.x]
	switch p.what {
	case root:
		return d.root.Weight(int(head))
	case stopLeft:
		return d.choice(head, 0, p.adjacent).Weight(stopping)
	case stopRight:
		return d.choice(head, 1, p.adjacent).Weight(stopping)
	}
	side := 0
	if p.y > p.x {
		side = 1
	}
	return d.take(head, side, p.adjacent, tags[p.y])
}

package rx

import (
	"slices"
	"strconv"

	"example.org/pathsum/semiring"
)

// Group is the weights of the alternatives of a choice: Weight(i) for i from 0 to
// Len()−1. Of a coin, 0 is heads and 1 tails. An *em.Group is one.
type Group[W any] interface {
	Len() int
	Weight(i int) W
}

// Weights is a Group of weights that are known.
type Weights[W any] []W

// Len returns the number of weights.
func (g Weights[W]) Len() int { return len(g) }

// Weight returns weight i.
func (g Weights[W]) Weight(i int) W { return g[i] }

// group is a Group that is in use.
type group[W any] struct {
	weights Group[W]
	labels  []string // of its alternatives
	first   position // where it was used first
}

// sides are the labels of a coin, those of a choice without names.
var sides = []string{"", ""}

// weightsOf returns the weights of the alternatives of n in the group name, which
// n is the first or a later one to use.
func (c *Compiler[W]) weightsOf(n *node, name string, labels []string) ([]W, error) {
	g := c.groups[name]
	if g == nil {
		var err error
		if g, err = c.newGroup(name, labels); err != nil {
			return nil, err
		}
		g.first = n.pos
		c.groups[name] = g
	}
	weights := make([]W, len(labels))
	for i, label := range labels {
		at := i // unnamed alternatives are told apart by their order
		if label != "" {
			at = slices.Index(g.labels, label)
		}
		if len(labels) != len(g.labels) || at < 0 || (label == "") != (g.labels[at] == "") {
			return nil, invalid(ErrGroup, "%s has %s, but %s %s", name, alternatives(labels), alternatives(g.labels), g.first)
		}
		weights[i] = g.weights.Weight(at)
	}
	return weights, nil
}

func (c *Compiler[W]) newGroup(name string, labels []string) (*group[W], error) {
	if c.Groups == nil {
		return nil, invalid(ErrGroup, "%s has no weights: Compiler.Groups is nil", name)
	}
	weights := c.Groups(name, len(labels))
	if weights == nil {
		return nil, invalid(ErrGroup, "there is no %s", name)
	}
	if weights.Len() != len(labels) {
		return nil, invalid(ErrGroup, "%s has %s, but %d weights", name, alternatives(labels), weights.Len())
	}
	return &group[W]{weights: weights, labels: labels}, nil
}

// alternatives describes the alternatives of a group for an error message.
func alternatives(labels []string) string {
	s := strconv.Itoa(len(labels)) + " alternatives"
	for i, label := range labels {
		switch {
		case label == "":
		case i == 0:
			s += " " + label
		default:
			s += ", " + label
		}
	}
	return s
}

// String returns where p is.
func (p position) String() string {
	if p.line == 0 {
		return "elsewhere"
	}
	return "at " + strconv.Itoa(p.line) + ":" + strconv.Itoa(p.column)
}

// probability returns the weights of n's probability p and of 1−p; of the latter
// there is none for a number that is a weight.
func (c *Compiler[W]) probability(n *node) (yes, no W, err error) {
	p := n.prob
	if p.coin == "" {
		if yes, err = c.constant(p.number); err == nil && n.op != weight {
			no, err = c.constant(1 - p.number)
		}
		return yes, no, err
	}
	w, err := c.weightsOf(n, p.coin, sides)
	switch {
	case err != nil:
		return yes, no, err
	case p.tails:
		return w[1], w[0], nil
	}
	return w[0], w[1], nil
}

// constant returns the weight that stands for x.
func (c *Compiler[W]) constant(x float64) (W, error) {
	switch {
	case x == 0:
		return c.ring.Zero(), nil
	case x == 1:
		return c.ring.One(), nil
	case c.number == nil:
		return c.ring.Zero(), invalid(semiring.ErrCapability, "%T has no weight that stands for the number %v", c.ring, x)
	}
	return c.number(semiring.NewScaled(x)), nil
}

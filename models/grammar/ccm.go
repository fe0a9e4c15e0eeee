package grammar

import (
	"example.org/pathsum/em"
	"example.org/pathsum/semiring/expr"
)

// ccm contains the parameters of the constituent-context model (Klein and Manning 2002): the
// probabilities of yields, the tags of a span, and of contexts, the tags on either side of it, for
// constituents and for distituents. Parameter 0 of each group is for yields or contexts that do not
// occur in the sentences that the model was made for.
type ccm struct {
	space *expr.Space
	table *table
	// Indexed by isNot and is.
	yields, contexts [2]*em.Group
}

const isNot, is = 0, 1

func newCCM(p *em.Params, smoothing Smoothing, t *table) *ccm {
	c := &ccm{space: p.Space(), table: t}
	for b, pseudo := range [2]float64{smoothing.Distituent, smoothing.Constituent} {
		what := [2]string{"distituent", "constituent"}[b]
		c.yields[b] = p.Group("yield of "+what, len(t.yield)+1, law(pseudo))
		c.contexts[b] = p.Group("context of "+what, len(t.context)+1, law(pseudo))
	}
	if smoothing.Distituent > 0 { // otherwise an unneeded ratio may have no value
		c.weights()
	}
	return c
}

// weights creates the weights of all parts, so that their handles do not depend on sentences.
func (c *ccm) weights() {
	makeWeights(c.groups())
	for _, groups := range []*[2]*em.Group{&c.yields, &c.contexts} {
		for number := range groups[is].Len() {
			c.ratio(groups, number)
		}
	}
}

// ratio returns the weight of a yield or context of a constituent relative to a distituent.
func (c *ccm) ratio(groups *[2]*em.Group, number int) expr.W {
	w, _ := c.space.RDiv(groups[is].Weight(number), groups[isNot].Weight(number))
	return w
}

// groups returns all groups.
func (c *ccm) groups() []*em.Group {
	return append(c.yields[:], c.contexts[:]...)
}

// weight returns the weight of a part in a sentence.
func (c *ccm) weight(p part, tags []int32) expr.W {
	i, j := int(p.x), int(p.y)
	number, groups := 0, &c.yields
	switch p.what {
	case yieldRatio, yieldBase:
		number = c.table.yieldOf(tags[i:j])
	default:
		number, groups = c.table.contextOf(tags, i, j), &c.contexts
	}
	switch p.what {
	case yieldRatio, contextRatio:
		return c.ratio(groups, number)
	}
	if proper(p.x, p.y, len(tags)) || !constituent(p.x, p.y) {
		return groups[isNot].Weight(number)
	}
	return groups[is].Weight(number)
}

// table numbers yields and contexts from 1; 0 is for unknown ones.
type table struct {
	yield   map[string]int32 // by key
	context map[[2]int32]int32
}

// newTable returns the table of all spans of sentences.
func newTable(sentences [][]int32) *table {
	t := &table{map[string]int32{}, map[[2]int32]int32{}}
	for _, tags := range sentences {
		for i := range len(tags) + 1 {
			for j := i; j <= len(tags); j++ {
				if k := key(tags[i:j]); t.yield[k] == 0 {
					t.yield[k] = int32(len(t.yield) + 1)
				}
				if c := beside(tags, i, j); t.context[c] == 0 {
					t.context[c] = int32(len(t.context) + 1)
				}
			}
		}
	}
	return t
}

func (t *table) yieldOf(tags []int32) int { return int(t.yield[key(tags)]) }

func (t *table) contextOf(tags []int32, i, j int) int { return int(t.context[beside(tags, i, j)]) }

// key returns tags as a string.
func key(tags []int32) string {
	b := make([]byte, 0, 3*len(tags))
	for _, t := range tags {
		b = append(b, byte(t), byte(t>>8), byte(t>>16))
	}
	return string(b)
}

// beside returns the tags beside a span, −1 for a boundary of the sentence.
func beside(tags []int32, i, j int) [2]int32 {
	c := [2]int32{-1, -1}
	if i > 0 {
		c[0] = tags[i-1]
	}
	if j < len(tags) {
		c[1] = tags[j]
	}
	return c
}

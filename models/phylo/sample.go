package phylo

import (
	"math/rand/v2"

	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/models/phylo/msa"
)

// Sample draws from src an alignment of the given number of columns at Theta, one run
// without missing cells:
// the first column as one without a partner, every other one as the right column of a
// pair whose left one is there already.
func (m *Pairs) Sample(columns int, src rand.Source) *msa.Alignment {
	nonnil.Check("phylo: Sample", "source of randomness", src)
	rng := rand.New(src)
	a := new(msa.Alignment)
	species := m.tree.Species()
	for _, v := range species {
		a.Species = append(a.Species, m.tree.Nodes[v].Name)
	}
	a.Rows = make([][]msa.Cell, len(species))
	before, now := make([]int, len(m.tree.Nodes)), make([]int, len(m.tree.Nodes))
	for j := range columns {
		for v := len(now) - 1; v >= 0; v-- { // parents before children
			now[v] = draw(m.distribution(j == 0, before, now, v), rng)
		}
		for i, v := range species {
			a.Rows[i] = append(a.Rows[i], msa.Base(now[v]))
		}
		before, now = now, before
	}
	return a
}

// distribution returns that of the base at a node, up to a factor, given its parent's now
// and, unless the column is the first, its own before.
func (m *Pairs) distribution(first bool, before, now []int, v int) []float64 {
	root := v == m.tree.Root()
	switch {
	case root && first:
		return m.Root().In(m.Theta)
	case root:
		return m.RootPair().In(m.Theta)[bases*before[v]:][:bases]
	case first:
		return m.First(v, now[m.tree.Nodes[v].Parent]).In(m.Theta)
	}
	return m.Second(v, before[v], now[m.tree.Nodes[v].Parent]).In(m.Theta)
}

// draw draws in proportion to weights.
func draw(weight []float64, rng *rand.Rand) int {
	sum := 0.0
	for _, w := range weight {
		sum += w
	}
	u := rng.Float64() * sum
	for i, w := range weight {
		if u -= w; u < 0 {
			return i
		}
	}
	return len(weight) - 1
}

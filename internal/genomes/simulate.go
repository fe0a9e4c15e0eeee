package genomes

import (
	"math/rand/v2"

	"example.org/pathsum/em"
	"example.org/pathsum/models/phylo"
)

// Mammals is the tree from which alignments are drawn. Its branch lengths are three times the
// lengths for coding sequences.
const Mammals = "(((human:.041,macaque:.05)primates:.139,(mouse:.12,rat:.116)rodents:.343)glires:.03," +
	"((dog:.226,horse:.15)ferae:.013,(cow:.195,pig:.166)ungulates:.079)laurasia:.03)mammals;"

// The drawn alignment has Columns columns.
const (
	Columns    = 5000
	cpg        = 20 // factor of the rate of transitions of a G after a C
	transition = 4  // factor of the rate of transitions
)

// Draw draws an alignment from the tree.
func Draw(seed uint64) (*Data, error) {
	t, err := phylo.ParseTree(Mammals)
	if err != nil {
		return nil, err
	}
	m, err := phylo.NewWindows(t, em.Multinomial{}, nil)
	if err != nil {
		return nil, err
	}
	const c, g, bases = 1, 2, 4
	changes := m.Changes(0)
	pairs := changes.RootPair().In(m.Theta)
	for i := range pairs {
		pairs[i] = .2 / bases
		if i/bases == i%bases { // a base tends to repeat
			pairs[i] = .4 / bases
		}
	}
	for v := range t.Root() {
		for from := range bases {
			mutate(changes.First(v, from).In(m.Theta), from, t.Nodes[v].Length, 1)
			for left := range bases {
				speed := 1.0
				if left == c && from == g {
					speed = cpg
				}
				mutate(changes.Second(v, left, from).In(m.Theta), from, t.Nodes[v].Length, speed)
			}
		}
	}
	return &Data{Tree: t, Seen: m.Sample(Columns, rand.NewPCG(seed, 2))}, nil
}

// mutate sets the distribution of the descendants of a base after a time, with transitions
// faster by the factor speed.
func mutate(p []float64, from int, time, speed float64) {
	const perTime = 1 / (transition + 2.) // of a transversion
	stay := 1.0
	for b := range p {
		rate := perTime
		switch {
		case b == from:
			continue
		case b == from^2: // A and G, C and T
			rate *= transition * speed
		}
		p[b] = rate * time / (1 + time*(1+speed)) // some share of what can change
		stay -= p[b]
	}
	p[from] = stay
}

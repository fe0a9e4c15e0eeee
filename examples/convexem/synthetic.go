package main

import (
	"math/rand/v2"
	"strings"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/models/bayes"
)

// structure says which parents each variable has: "H<AB" is H with the parents A and B.
type structure struct {
	variables []string
	hidden    []string
}

// structures are those of the synthetic networks.
var structures = map[string]*structure{
	"three-layers": {[]string{"A", "B", "G<A", "H<B", "C<G", "D<GH", "E<H"}, []string{"G", "H"}},
	"six-nodes":    {[]string{"A", "B", "H<AB", "C<H", "D<H", "E<CD"}, []string{"H"}},
	"naive-bayes":  {[]string{"H", "A<H", "B<H", "C<H", "D<H", "E<H", "F<H"}, []string{"H"}},
}

const (
	// values is the number of states of a variable of a synthetic network.
	values = 3
	// strength is by how much each configuration of the parents prefers a state.
	strength = 2
)

// synthetic returns the source of rows of networks with random tables, another one in
// each repeat.
func synthetic(name string) *source {
	s := structures[name]
	return &source{name: name, hidden: s.hidden, draw: func(rng *rand.Rand, train, test int) (*sample, error) {
		n, err := s.random(rng)
		if err != nil {
			return nil, err
		}
		return sampled(n, rng, train, test)
	}}
}

// random returns a network with random tables: rows are drawn uniformly from the simplex,
// and then prefer a state, each configuration of the parents another one, so that
// dependence is strong.
func (s *structure) random(rng *rand.Rand) (*bayes.Network, error) {
	number := make(map[string]int)
	var variables []bayes.Variable
	var families []bayes.Family
	for v, text := range s.variables {
		name, parents, _ := strings.Cut(text, "<")
		number[name] = v
		f := bayes.Family{Children: []int{v}}
		configurations := 1
		for _, p := range parents {
			f.Parents = append(f.Parents, number[string(p)])
			configurations *= values
		}
		var preferred []int
		for len(preferred) < configurations {
			preferred = append(preferred, rng.Perm(values)...)
		}
		for c := range configurations {
			row := make([]float64, values)
			for x := range row {
				row[x] = rng.ExpFloat64()
			}
			floats.Scale(1/floats.Sum(row), row)
			if parents == "" {
				floats.AddConst(1, row)
			} else {
				row[preferred[c]] += strength
			}
			floats.Scale(1/floats.Sum(row), row)
			f.Table = append(f.Table, row...)
		}
		variables, families = append(variables, bayes.Variable{Name: name, States: []string{"0", "1", "2"}}), append(families, f)
	}
	return bayes.New(variables, families)
}

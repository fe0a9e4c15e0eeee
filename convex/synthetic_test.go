package convex_test

import (
	"math/rand/v2"

	"example.org/pathsum/convex"
)

// draw returns a value with the given probabilities.
func draw(rng *rand.Rand, p []float64) int {
	u := rng.Float64()
	for i, x := range p {
		if u -= x; u < 0 {
			return i
		}
	}
	return len(p) - 1
}

// dirichlet returns probabilities from the Dirichlet distribution with integer parameters α.
func dirichlet(rng *rand.Rand, n, alpha int) []float64 {
	p := make([]float64, n)
	sum := 0.0
	for i := range p {
		for range alpha {
			p[i] += rng.ExpFloat64()
		}
		sum += p[i]
	}
	for i := range p {
		p[i] /= sum
	}
	return p
}

// sampled returns rows from a random naive Bayes model whose children each prefer one
// value for each value of the root, as strongly as strength says.
func sampled(rng *rand.Rand, rows, children, states int, strength float64) (x [][]int, root []int) {
	prior := dirichlet(rng, states, 10)
	tables := make([][][]float64, children)
	for j := range tables {
		prefer := rng.Perm(states)
		for h := range states {
			p := dirichlet(rng, states, 1)
			p[prefer[h]] += strength
			for i := range p {
				p[i] /= 1 + strength
			}
			tables[j] = append(tables[j], p)
		}
	}
	for range rows {
		h := draw(rng, prior)
		row := make([]int, children)
		for j := range row {
			row[j] = draw(rng, tables[j][h])
		}
		x, root = append(x, row), append(root, h)
	}
	return x, root
}

// ternary returns naive Bayes data of ternary variables.
func ternary(seed uint64, rows, children int, strength float64) []convex.Variable {
	x, _ := sampled(rand.New(rand.NewPCG(seed, 0)), rows, children, 3, strength)
	cards := make([]int, children)
	for j := range cards {
		cards[j] = 3
	}
	return naiveBayes(x, 3, cards)
}

// distinct returns the first n distinct rows of the same model.
func distinct(seed uint64, n, children int, strength float64) []convex.Variable {
	x, _ := sampled(rand.New(rand.NewPCG(seed, 0)), 100*n, children, 3, strength)
	seen := make(map[string]bool)
	var rows [][]int
	for _, row := range x {
		key := ""
		for _, v := range row {
			key += string(rune('0' + v))
		}
		if !seen[key] && len(rows) < n {
			seen[key] = true
			rows = append(rows, row)
		}
	}
	cards := make([]int, children)
	for j := range cards {
		cards[j] = 3
	}
	return naiveBayes(rows, 3, cards)
}

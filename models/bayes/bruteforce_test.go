package bayes_test

import (
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"

	"example.org/pathsum/models/bayes"
)

// bruteForce is the sum over all assignments to the missing discrete cells of a row.
type bruteForce struct {
	total  float64
	states [][]float64 // unnormalized posteriors, by variable
	best   float64
}

// probability returns P of a row whose discrete cells are known; missing continuous
// families are left out.
func probability(n *bayes.Network, r bayes.Row) float64 {
	p := 1.
	for _, f := range n.Families() {
		c := 0
		for _, v := range f.Parents {
			c = c*len(n.Variables()[v].States) + int(r[v])
		}
		if f.Table != nil {
			v := f.Children[0]
			p *= f.Table[c*len(n.Variables()[v].States)+int(r[v])]
		} else if x := r[f.Children[0]]; x == x {
			p *= density(f.Normals[c], f, r)
		}
	}
	return p
}

// density is that of a normal distribution of one or two numbers, given one at most.
func density(d bayes.Normal, f bayes.Family, r bayes.Row) float64 {
	u := 0.
	slope := make([]float64, len(f.Children))
	if len(f.Regressors) > 0 {
		u, slope = r[f.Regressors[0]], d.Slope
	}
	x := r[f.Children[0]] - d.Mean[0] - slope[0]*u
	if len(f.Children) == 1 {
		return math.Exp(-x*x/2/d.Covariance[0]) / math.Sqrt(2*math.Pi*d.Covariance[0])
	}
	y := r[f.Children[1]] - d.Mean[1] - slope[1]*u
	a, b, c := d.Covariance[0], d.Covariance[1], d.Covariance[3]
	det := a*c - b*b
	return math.Exp(-(c*x*x-2*b*x*y+a*y*y)/2/det) / (2 * math.Pi * math.Sqrt(det))
}

func enumerate(n *bayes.Network, r bayes.Row) bruteForce {
	b := bruteForce{states: make([][]float64, n.Len())}
	for v := range b.states {
		b.states[v] = make([]float64, len(n.Variables()[v].States))
	}
	for full, p := range completions(n, r) {
		b.total += p
		b.best = max(b.best, p)
		for u := range b.states {
			if n.Discrete(u) {
				b.states[u][int(full[u])] += p
			}
		}
	}
	return b
}

// completions yields all assignments to the missing discrete cells of a row, in one slice, with
// their probabilities.
func completions(n *bayes.Network, r bayes.Row) iter.Seq2[bayes.Row, float64] {
	return func(yield func(bayes.Row, float64) bool) {
		full := slices.Clone(r)
		var fill func(v int) bool
		fill = func(v int) bool {
			if v == n.Len() {
				return yield(full, probability(n, full))
			}
			if !n.Discrete(v) || r[v] == r[v] {
				return fill(v + 1)
			}
			for x := range n.Variables()[v].States {
				if full[v] = float64(x); !fill(v + 1) {
					return false
				}
			}
			return true
		}
		fill(0)
	}
}

// random returns a network of at most six discrete variables, some of whose parents
// come later in the order of numbers, and with continuous of at most three continuous
// ones, two of which are correlated.
func random(r *rand.Rand, continuous bool) *bayes.Network {
	size := 1 + r.IntN(6)
	variables, families := make([]bayes.Variable, size), make([]bayes.Family, size)
	order := r.Perm(size)
	for i, v := range order {
		variables[v] = bayes.Variable{Name: fmt.Sprint("V", v), States: []string{"a", "b", "c"}[:1+r.IntN(3)]}
		families[i] = bayes.Family{Children: []int{v}, Parents: some(r, order[:i])}
	}
	if continuous {
		names := []string{"x", "y", "z"}
		for _, name := range names {
			variables = append(variables, bayes.Variable{Name: name})
		}
		families = append(families,
			bayes.Family{Children: []int{size}, Parents: some(r, order)},
			bayes.Family{Children: []int{size + 1, size + 2}, Parents: some(r, order), Regressors: append([]int(nil), []int{size}[:r.IntN(2)]...)})
	}
	r.Shuffle(len(families), func(i, j int) { families[i], families[j] = families[j], families[i] })
	for i := range families {
		fillIn(r, variables, &families[i])
	}
	n, err := bayes.New(variables, families)
	if err != nil {
		panic(err)
	}
	return n
}

// some returns at most three of the variables.
func some(r *rand.Rand, from []int) []int {
	var chosen []int
	for _, i := range r.Perm(len(from))[:r.IntN(min(3, len(from))+1)] {
		chosen = append(chosen, from[i])
	}
	return chosen
}

// fillIn draws the numbers of a family; some probabilities are 0.
func fillIn(r *rand.Rand, variables []bayes.Variable, f *bayes.Family) {
	configurations := 1
	for _, p := range f.Parents {
		configurations *= len(variables[p].States)
	}
	k := len(variables[f.Children[0]].States)
	for range configurations {
		switch {
		case k > 0:
			row, sum := make([]float64, k), 0.
			for x := range row {
				if row[x] = r.ExpFloat64(); x > 0 && r.IntN(8) == 0 {
					row[x] = 0
				}
				sum += row[x]
			}
			for x := range row {
				row[x] /= sum
			}
			f.Table = append(f.Table, row...)
		case len(f.Children) == 1:
			f.Normals = append(f.Normals, bayes.Normal{Mean: []float64{r.NormFloat64()}, Covariance: []float64{.2 + r.Float64()}})
		default:
			c := .1 * r.NormFloat64()
			d := bayes.Normal{Mean: []float64{r.NormFloat64(), r.NormFloat64()}, Covariance: []float64{1, c, c, .7}}
			for range 2 * len(f.Regressors) {
				d.Slope = append(d.Slope, r.NormFloat64())
			}
			f.Normals = append(f.Normals, d)
		}
	}
}

// hide returns r with random cells missing; correlated ones go together, and with those
// that they are regressed on.
func hide(rng *rand.Rand, n *bayes.Network, r bayes.Row) bayes.Row {
	h := append(bayes.Row(nil), r...)
	for _, f := range n.Families() {
		if rng.IntN(2) == 0 {
			for _, v := range f.Children {
				h[v] = math.NaN()
			}
		}
	}
	for _, f := range n.Families() {
		if len(f.Regressors) > 0 && math.IsNaN(h[f.Regressors[0]]) {
			for _, v := range f.Children {
				h[v] = math.NaN()
			}
		}
	}
	return h
}

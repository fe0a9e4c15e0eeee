package phylo

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/likelihoodtest"
	"example.org/pathsum/models/phylo/msa"
)

// randomTree has so many species, inner nodes of two or three children or one, and
// lengths.
func randomTree(r *rand.Rand, species int) *Tree {
	var text []string
	for i := range species {
		text = append(text, fmt.Sprintf("s%d:%g", i, .05+r.Float64()))
	}
	for len(text) > 1 {
		n := min(len(text), 2+r.IntN(5)/4)
		r.Shuffle(len(text), func(i, j int) { text[i], text[j] = text[j], text[i] })
		joined := "(" + text[0]
		for _, t := range text[1:n] {
			joined += "," + t
		}
		joined += fmt.Sprintf("):%g", .05+r.Float64())
		if len(text) > n && r.IntN(6) == 0 {
			joined = fmt.Sprintf("(%s)n%d:%g", joined, len(text), r.Float64())
		}
		text = append(text[n:], joined)
	}
	t, err := ParseTree("[&R]" + text[0] + ";")
	if err != nil {
		panic(err)
	}
	return t
}

// randomAlignment has cells of all kinds.
func randomAlignment(r *rand.Rand, t *Tree, columns int) *msa.Alignment {
	a := new(msa.Alignment)
	for _, v := range t.Species() {
		row := make([]msa.Cell, columns)
		for j := range row {
			row[j] = msa.Base(r.IntN(bases))
			switch r.IntN(6) {
			case 0:
				row[j] = msa.Missing
			case 1:
				row[j] |= msa.Base(r.IntN(bases))
			}
		}
		a.Species, a.Rows = append(a.Species, t.Nodes[v].Name), append(a.Rows, row)
	}
	for j := range columns {
		if j == 0 || r.IntN(4) == 0 {
			a.Starts = append(a.Starts, j)
		}
	}
	return a
}

// each calls f with all bases of the nodes of a tree that the cells of some columns
// allow, column after column.
func each(t *Tree, a *msa.Alignment, columns []int, f func(x [][]int)) {
	x := make([][]int, len(columns))
	for i := range x {
		x[i] = make([]int, len(t.Nodes))
	}
	var choose func(n int)
	choose = func(n int) {
		if n == len(columns)*len(t.Nodes) {
			f(x)
			return
		}
		i, v := n/len(t.Nodes), n%len(t.Nodes)
		cell := msa.Missing
		if len(t.Nodes[v].Children) == 0 {
			cell = a.Rows[a.Row(t.Nodes[v].Name)][columns[i]]
		}
		for b := range bases {
			if cell.Has(b) {
				x[i][v] = b
				choose(n + 1)
			}
		}
	}
	choose(0)
}

// columnProbability is that of the bases of all nodes in a column by itself.
func columnProbability(t *Tree, x []int, root func(a int) float64, change func(v, a, b int) float64) float64 {
	p := root(x[t.Root()])
	for v := range t.Root() {
		p *= change(v, x[t.Nodes[v].Parent], x[v])
	}
	return p
}

// uses calls f for each parameter that the bases of a window, or of a column by itself, use.
func (c *Changes) uses(tree *Tree, x [][]int, f func(g *em.Group, i int)) {
	root := tree.Root()
	for j := range x {
		switch {
		case len(x) == 1:
			f(c.Root(), x[0][root])
		case j == 1:
			f(c.RootPair(), bases*x[0][root]+x[1][root])
		case j > 1:
			f(c.RootNext(x[j-1][root]), x[j][root])
		}
		for v := range root {
			above := x[j][tree.Nodes[v].Parent]
			if j == 0 {
				f(c.First(v, above), x[0][v])
			} else {
				f(c.Second(v, x[j-1][v], above), x[j][v])
			}
		}
	}
}

// probability is that of the columns of a window, or of one by itself.
func (c *Changes) probability(tree *Tree, theta []float64, x [][]int) float64 {
	p := 1.0
	c.uses(tree, x, func(g *em.Group, i int) { p *= g.In(theta)[i] })
	return p
}

// places returns the columns of each window of a way to make windows of n columns.
func places(a *msa.Alignment, way, n int) (p [][]int) {
	for r := range a.Runs() {
		lo, hi := a.Run(r)
		var window []int
		for j := lo; j < hi; j++ {
			window = append(window, j)
			if j+1 == hi || (j+1-lo-way)%n == 0 {
				p = append(p, window)
				window = nil
			}
		}
	}
	return p
}

func near(a, b, tolerance float64) bool {
	return math.Abs(a-b) <= tolerance*(1+max(math.Abs(a), math.Abs(b)))
}

// enumerate sums over all bases of the places of an alignment: the ln of the sum of
// weights, and the posteriors of the bases by column, node and base.
func enumerate(t *Tree, a *msa.Alignment, places [][]int, weight func(x [][]int) float64) (logSum float64, posterior [][][bases]float64) {
	posterior = make([][][bases]float64, a.Columns())
	for j := range posterior {
		posterior[j] = make([][bases]float64, len(t.Nodes))
	}
	for _, columns := range places {
		sum := 0.0
		each(t, a, columns, func(x [][]int) {
			w := weight(x)
			sum += w
			for i, j := range columns {
				for v, b := range x[i] {
					posterior[j][v][b] += w
				}
			}
		})
		for _, j := range columns {
			for v := range posterior[j] {
				for b := range bases {
					posterior[j][v][b] /= sum
				}
			}
		}
		logSum += a.Weight(columns[0]) * math.Log(sum)
	}
	return logSum, posterior
}

// compare compares likelihood and posteriors with sums over all bases.
func compare(t *testing.T, name string, l *Likelihood, a *msa.Alignment, theta []float64, beta float64, places [][]int, probability func(x [][]int) float64) {
	t.Helper()
	tempered, _ := enumerate(l.tree, a, places, func(x [][]int) float64 { return math.Pow(probability(x), beta) })
	e, err := l.Expect(t.Context(), em.Query{Theta: theta, Temperature: beta})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if !near(e.LogLikelihood, tempered, 1e-11) {
		t.Fatalf("%s: log likelihood %.15g, want %.15g", name, e.LogLikelihood, tempered)
	}
	want, posterior := enumerate(l.tree, a, places, probability)
	for _, workers := range []int{1, 3} {
		got, err := l.LogProb(t.Context(), theta, workers)
		if err != nil || !near(got, want, 1e-11) || beta == 1 && got != e.LogLikelihood {
			t.Fatalf("%s: %d workers: %.17g, %v, want %.17g, to the last bit of an E step", name, workers, got, err, want)
		}
	}
	p, err := l.Posteriors(t.Context(), theta, nil, 1)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	for j := range posterior {
		for v, q := range posterior[j] {
			for b, x := range p.Base(v, j) {
				if !near(x, q[b], 1e-10) {
					t.Fatalf("%s: column %d, node %d: posteriors %v, want %v", name, j, v, p.Base(v, j), q)
				}
			}
		}
	}
}

// differentiate compares the gradient in the coordinates of the laws with differences.
func differentiate(t *testing.T, name string, l em.Likelihood, theta []float64) {
	t.Helper()
	coordinates, err := l.Params().Coordinates(theta)
	if err != nil {
		t.Fatal(err)
	}
	at := func(x []float64) float64 {
		e, err := l.Expect(t.Context(), em.Query{Theta: coordinates.Theta(x)})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return e.LogLikelihood
	}
	e, err := l.Expect(t.Context(), em.Query{Theta: theta})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	likelihoodtest.Check(t, l, em.Query{Theta: theta})
	gradient, x := make([]float64, coordinates.Dim()), coordinates.Of(theta)
	coordinates.Gradient(gradient, theta, e.Counts)
	for i, g := range gradient {
		const h = 1e-3
		slope := 0.0
		for k, weight := range []float64{1, -8, 8, -1} {
			before := x[i]
			x[i] += h * []float64{-2, -1, 1, 2}[k]
			slope += weight * at(x) / (12 * h)
			x[i] = before
		}
		if !near(g, slope, 1e-8) {
			group, k := coordinates.Group(i)
			t.Fatalf("%s: derivative by coordinate %d of %s is %.12g, by differences %.12g", name, k, group.Name(0), g, slope)
		}
	}
}

func random(seed uint64) *rand.Rand { return graphtest.Rand(seed) }

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

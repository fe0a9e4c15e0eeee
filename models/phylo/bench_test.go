package phylo

import (
	"fmt"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/benchtime"
	"example.org/pathsum/models/phylo/msa"
)

// BenchmarkExpect makes an E step of both submodels for eight species; ns per column. By
// hand is the same by loops over dense matrices of 16 × 16 changes, without merging
// columns that look alike, and with nothing against underflow.
func BenchmarkExpect(b *testing.B) {
	for _, columns := range []int{5000, 20000} {
		a := drawn(mammals, columns)
		m := must(NewWindows(mammals, em.Multinomial{}, nil))
		run := func(name string, f func()) {
			b.Run(fmt.Sprintf("%d/%s", columns, name), func(b *testing.B) {
				f()
				b.ReportAllocs()
				defer benchtime.Per(b, columns, "column")()
				for b.Loop() {
					f()
				}
			})
		}
		l := must(m.Independent(a))
		run("own", func() { must(l.Expect(b.Context(), em.Query{Theta: m.Theta, Workers: 1})) })
		average := must(m.Averaged(a))
		run("averaged", func() { must(average.Expect(b.Context(), em.Query{Theta: m.Theta, Workers: 1})) })
		hand := m.byHand()
		run("hand", func() {
			for way := range m.Submodels() {
				for j := way; j+1 < a.Columns(); j += 2 {
					hand.pair(a, j)
				}
			}
		})
		columnsModel := must(NewColumns(mammals, REV(a.Frequencies())))
		single := must(columnsModel.Likelihood(a))
		run("single", func() { must(single.Expect(b.Context(), em.Query{Theta: columnsModel.Theta, Workers: 1})) })
	}
}

// dense are loops by hand over the states of pairs.
type dense struct {
	tree             *Tree
	rows             []int // per node
	change           [][pairs][pairs]float64
	root             [pairs]float64
	low, up, outside [][pairs]float64
	count            [][pairs][pairs]float64
}

func (m *Windows) byHand() *dense {
	n := len(m.tree.Nodes)
	d := &dense{tree: m.tree, rows: make([]int, n), change: make([][pairs][pairs]float64, n), count: make([][pairs][pairs]float64, n),
		low: make([][pairs]float64, n), up: make([][pairs]float64, n), outside: make([][pairs]float64, n)}
	for i, v := range m.tree.Species() {
		d.rows[v] = i
	}
	copy(d.root[:], m.Changes(0).RootPair().In(m.Theta))
	for v := range m.tree.Root() {
		for x := range pairs {
			for y := range pairs {
				d.change[v][x][y] = m.Changes(0).First(v, x/bases).In(m.Theta)[y/bases] * m.Changes(0).Second(v, y/bases, x%bases).In(m.Theta)[y%bases]
			}
		}
	}
	return d
}

// pair sums over a pair of columns and counts its changes.
func (d *dense) pair(a *msa.Alignment, j int) {
	root := d.tree.Root()
	for v, n := range d.tree.Nodes {
		for x := range pairs {
			d.low[v][x] = 1
			if len(n.Children) == 0 {
				row := a.Rows[d.rows[v]]
				if !row[j].Has(x/bases) || !row[j+1].Has(x%bases) {
					d.low[v][x] = 0
				}
			}
			for _, c := range n.Children {
				d.low[v][x] *= d.up[c][x]
			}
		}
		if v == root {
			break
		}
		for x := range pairs {
			sum := 0.0
			for y, p := range d.change[v][x] {
				sum += p * d.low[v][y]
			}
			d.up[v][x] = sum
		}
	}
	total := 0.0
	for x, p := range d.root {
		total += p * d.low[root][x]
	}
	for x, p := range d.root {
		d.outside[root][x] = p / total
	}
	for v := root - 1; v >= 0; v-- {
		parent := d.tree.Nodes[v].Parent
		clear(d.outside[v][:])
		for x := range pairs {
			above := d.outside[parent][x]
			for _, c := range d.tree.Nodes[parent].Children {
				if c != v {
					above *= d.up[c][x]
				}
			}
			if above == 0 {
				continue
			}
			for y, p := range d.change[v][x] {
				w := above * p
				d.outside[v][y] += w
				d.count[v][x][y] += w * d.low[v][y]
			}
		}
	}
}

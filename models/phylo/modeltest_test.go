package phylo

import (
	"context"
	"io"
	"iter"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/modeltest"
	"example.org/pathsum/models/phylo/msa"
)

// site is a column of an alignment: a cell for each species of a tree, in their order.
type site struct {
	cells  []msa.Cell
	weight float64
}

// aligned returns the alignment of sites that are not beside each other.
func aligned(t *Tree, sites ...site) *msa.Alignment {
	a := new(msa.Alignment)
	for i, v := range t.Species() {
		row := make([]msa.Cell, len(sites))
		for j, s := range sites {
			row[j] = s.cells[i]
		}
		a.Species, a.Rows = append(a.Species, t.Nodes[v].Name), append(a.Rows, row)
	}
	for j, s := range sites {
		a.Starts, a.Weights = append(a.Starts, j), append(a.Weights, s.weight)
	}
	return a
}

// randomSite has cells of all kinds.
func randomSite(rng *rand.Rand, m *Columns) site {
	a := randomAlignment(rng, m.tree, 1)
	s := site{weight: 1}
	for _, v := range m.tree.Species() {
		s.cells = append(s.cells, a.Rows[a.Row(m.tree.Nodes[v].Name)][0])
	}
	return s
}

// hiddenBases yields the bases of all nodes, and their probability.
func (m *Columns) hiddenBases(s site) iter.Seq2[[]int, float64] {
	return func(yield func([]int, float64) bool) {
		probability := m.probability(m.Theta)
		each(m.tree, aligned(m.tree, s), []int{0}, func(x [][]int) {
			list := make([]int, len(x[0]))
			for v, b := range x[0] {
				list[v] = bases*v + b
			}
			yield(list, probability(x))
		})
	}
}

func (m *Columns) posteriors(s site) ([]float64, error) {
	l, err := m.Likelihood(aligned(m.tree, s))
	if err != nil {
		return nil, err
	}
	p, err := l.Posteriors(context.Background(), m.Theta, nil, 1)
	if err != nil {
		return nil, err
	}
	var list []float64
	for v := range m.tree.Nodes {
		q := p.Base(v, 0)
		list = append(list, q[:]...)
	}
	return list, nil
}

// promises are those of a process.
func promises(process func(rng *rand.Rand) Process) modeltest.Model[*Columns, site] {
	return modeltest.Model[*Columns, site]{
		New: func(rng *rand.Rand) *Columns {
			m := must(NewColumns(randomTree(rng, 2+rng.IntN(2)), process(rng)))
			m.Theta = m.Params.Random(rng)
			return m
		},
		Example:   randomSite,
		Enumerate: (*Columns).hiddenBases,
		LogProb: func(m *Columns, s site) (float64, error) {
			l, err := m.Likelihood(aligned(m.tree, site{s.cells, 1}))
			if err != nil {
				return 0, err
			}
			return l.LogProb(context.Background(), m.Theta, 1)
		},
		Posteriors: (*Columns).posteriors,
		Likelihood: func(m *Columns, data []site, _ em.Policy) (em.Likelihood, error) {
			return m.Likelihood(aligned(m.tree, data...))
		},
		Fit: func(ctx context.Context, m *Columns, data []site, opts *em.Options) (*em.Result, error) {
			return m.Fit(ctx, aligned(m.tree, data...), opts)
		},
		Theta:  func(m *Columns) []float64 { return m.Theta },
		Weigh:  func(s site, weight float64) site { return site{s.cells, weight} },
		Merged: true,
		// Columns that look alike are added up in the order in which they come, and the rates of
		// a file are set right.
		Rounding: 1e-12,
		Lacks: map[string]string{
			"Best": "a likelihood of columns has no best trees", "Viterbi": "a likelihood of columns has no best trees",
			"Curvature": "a likelihood of columns has no second derivatives",
			"Sample":    "only windows draw alignments: TestFit",
		},
	}
}

func TestPromisesOfFree(t *testing.T) {
	const positive, noRates = "all changes have a positive probability", "a matrix for each branch has no rates, which .mod files want"
	m := promises(func(*rand.Rand) Process { return GeneralMarkov{} })
	m.Lacks["Impossible"], m.Lacks["Save"], m.Lacks["Load"] = positive, noRates, noRates
	modeltest.Check(t, m)
}

// TestPromisesOfReversible has a base of frequency 0.
func TestPromisesOfReversible(t *testing.T) {
	m := promises(func(rng *rand.Rand) Process {
		f := [bases]float64{.1 + rng.Float64(), .1 + rng.Float64(), .1 + rng.Float64()}
		sum := f[0] + f[1] + f[2]
		for b := range f {
			f[b] /= sum
		}
		p := []Reversible{HKY85(f), REV(f)}[rng.IntN(2)]
		p.RateClasses = 1 + rng.IntN(3)
		return p
	})
	m.Impossible = func(rng *rand.Rand, c *Columns) site {
		s := randomSite(rng, c)
		s.cells[0] = msa.Base(3)
		return s
	}
	m.Example = func(rng *rand.Rand, c *Columns) site {
		s := randomSite(rng, c)
		for i := range s.cells {
			if s.cells[i] == msa.Base(3) {
				s.cells[i] = msa.Missing
			}
		}
		return s
	}
	m.Save = func(c *Columns, w io.Writer) error { return c.SaveMod(w) }
	m.Load = LoadMod
	m.Lacks["Skipped"] = "a column of probability 0 is an error"
	modeltest.Check(t, m)
}

package genomes

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"

	"example.org/pathsum/internal/text"
	"example.org/pathsum/internal/tsv"
	"example.org/pathsum/models/phylo"
	"example.org/pathsum/models/phylo/msa"
)

// Data are an alignment, its tree, and its hidden cells.
type Data struct {
	Tree   *phylo.Tree
	Seen   *msa.Alignment // without the hidden cells
	Hidden []Cell
}

// Nodes returns the node of the tree for each row of the alignment, -1 for a species that is
// not in the tree.
func (d *Data) Nodes() []int {
	nodes := make([]int, len(d.Seen.Species))
	for i, name := range d.Seen.Species {
		nodes[i] = d.Tree.Node(name)
	}
	return nodes
}

// Cell is a hidden cell and its true base.
type Cell struct{ Column, Node, Base int }

// hiddenShare is the fraction of the observed cells that are hidden without -mask.
const hiddenShare = .2

// hide hides the cells of a file.
func (d *Data) hide(name string) error {
	for row, err := range tsv.RowsOf(name, 3, 3) {
		if err != nil {
			return err
		}
		if err := d.hideCell(row.Columns); err != nil {
			return &text.Error{File: name, Line: row.Line, Err: err}
		}
	}
	if len(d.Hidden) == 0 {
		return fmt.Errorf("%s: no cells", name)
	}
	return nil
}

func (d *Data) hideCell(columns []string) error {
	j, err := strconv.Atoi(columns[0])
	if err != nil || j < 0 || j >= d.Seen.Columns() {
		return fmt.Errorf("column %q, want a number below %d", columns[0], d.Seen.Columns())
	}
	row, node := d.Seen.Row(columns[1]), d.Tree.Node(columns[1])
	if row < 0 || node < 0 {
		return fmt.Errorf("species %q is not in the alignment, or not in the tree", columns[1])
	}
	b, ok := d.Seen.Rows[row][j].Observed()
	if !ok || columns[2] != msa.Bases[b:b+1] {
		return fmt.Errorf("%s has %c in column %d, not %s", columns[1], d.Seen.Rows[row][j].Symbol(), j, columns[2])
	}
	d.Seen.Rows[row][j] = msa.Missing
	d.Hidden = append(d.Hidden, Cell{j, node, b})
	return nil
}

// hideSome hides cells drawn at random.
func (d *Data) hideSome(seed uint64) error {
	rng := rand.New(rand.NewPCG(seed, 1))
	nodes := d.Nodes()
	for i, row := range d.Seen.Rows {
		node := nodes[i]
		for j, c := range row {
			if b, ok := c.Observed(); ok && node >= 0 && rng.Float64() < hiddenShare {
				row[j] = msa.Missing
				d.Hidden = append(d.Hidden, Cell{j, node, b})
			}
		}
	}
	if len(d.Hidden) == 0 {
		return errors.New("the alignment has no cells to hide")
	}
	slices.SortFunc(d.Hidden, func(a, b Cell) int {
		if a.Column != b.Column {
			return a.Column - b.Column
		}
		return a.Node - b.Node
	})
	return nil
}

// Predictor returns the probabilities of the bases at a node of the tree and a column.
type Predictor func(node, column int) [msa.NumBases]float64

// Best returns the first of the most probable bases.
func Best(q [msa.NumBases]float64) int { return slices.Index(q[:], slices.Max(q[:])) }

// Accuracy returns the fraction of hidden cells that are predicted correctly.
func (d *Data) Accuracy(predict Predictor) float64 {
	right := 0
	for _, c := range d.Hidden {
		if Best(predict(c.Node, c.Column)) == c.Base {
			right++
		}
	}
	return float64(right) / float64(len(d.Hidden))
}

// Nearest predicts the base of the nearest species, by the branch lengths of a tree, that has a
// base in the column, or the most frequent base if all are missing.
func Nearest(d *Data, t *phylo.Tree) Predictor {
	species := t.Species()
	order := make([][]int, len(t.Nodes)) // rows, for each species
	for _, v := range species {
		others := slices.Clone(species)
		slices.SortStableFunc(others, func(a, b int) int {
			return cmp.Compare(t.Distance(v, a), t.Distance(v, b))
		})
		for _, u := range others {
			order[v] = append(order[v], d.Seen.Row(t.Nodes[u].Name))
		}
	}
	frequencies := d.Seen.Frequencies()
	return func(node, column int) (q [msa.NumBases]float64) {
		for _, row := range order[node] {
			if b, ok := d.Seen.Rows[row][column].Observed(); ok {
				q[b] = 1
				return q
			}
		}
		return frequencies
	}
}

package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"example.org/pathsum/internal/text"
	"example.org/pathsum/internal/tsv"
	"example.org/pathsum/models/phylo"
	"example.org/pathsum/models/phylo/msa"
)

// data are an alignment, its tree, and what is hidden of it.
type data struct {
	tree   *phylo.Tree
	seen   *msa.Alignment // without the hidden cells
	hidden []cell
}

// cell is a hidden cell and its true base.
type cell struct{ column, node, base int }

// hiddenShare is the share of the observed cells that are hidden without -mask.
const hiddenShare = .2

// load reads or draws the data.
func (x *experiment) load() (*data, error) {
	if *x.data == "" {
		d, err := simulate(*x.seed)
		if err != nil {
			return nil, err
		}
		return d, d.hideSome(*x.seed)
	}
	a, err := x.rules().ReadFile(*x.data)
	if err != nil {
		return nil, err
	}
	d := &data{seen: a}
	if x.saved.Loads() {
		d.tree, err = phylo.ParseTree(x.model.Tree)
	} else {
		d.tree, err = readTree(*x.tree, *x.data, phylo.Newick{NegativeAsZero: *x.negative})
	}
	if err != nil {
		return nil, err
	}
	if *x.blocks != "" {
		if a.Starts, err = readBlocks(*x.blocks, a.Columns()); err != nil {
			return nil, err
		}
	}
	if *x.mask == "" {
		return d, d.hideSome(*x.seed)
	}
	return d, d.hide(*x.mask)
}

// refused is the choice of -dots and -repeats by which they are errors.
const refused = "refused"

// rules returns how alignments are read.
func (x *experiment) rules() msa.Options {
	return msa.Options{
		Dots:    map[string]msa.Dots{"first": msa.DotsFirst, "unknown": msa.DotsMissing}[*x.dots],
		Repeats: map[string]msa.Repeats{"best": msa.BestRow, "consensus": msa.Consensus}[*x.repeats],
	}
}

// mostTrees bounds the bytes of a file of trees.
const mostTrees = 1 << 30

// readTree reads a tree, or that of a table of trees whose name the alignment's begins
// with.
func readTree(name, alignment string, rules phylo.Newick) (*phylo.Tree, error) {
	r, err := text.Open(name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	content, err := text.ReadAll(r, text.Name(name), mostTrees) // once: it may be a pipe
	if err != nil {
		return nil, err
	}
	if !isTable(content) {
		t, err := rules.Parse(content)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return t, nil
	}
	for row, err := range tsv.Rows(strings.NewReader(content), name, 1, 2) {
		if err != nil {
			return nil, err
		}
		if len(row.Columns) < 2 || row.Columns[0] != strings.SplitN(filepath.Base(alignment), ".", 2)[0] {
			continue
		}
		t, err := rules.Parse(row.Columns[1])
		if err != nil {
			return nil, &text.Error{File: name, Line: row.Line, Err: err}
		}
		return t, nil
	}
	return nil, fmt.Errorf("%s: no tree has the name that %s begins with", name, filepath.Base(alignment))
}

// isTable reports whether a text is a table of trees: its first line has a tab, and no tree begins
// there.
func isTable(content string) bool {
	first, _, _ := strings.Cut(strings.TrimSpace(content), "\n")
	return strings.Contains(first, "\t") && !strings.ContainsAny(first[:1], "([") && !strings.HasPrefix(strings.ToLower(first), "#nexus")
}

// readBlocks reads the first columns of runs.
func readBlocks(name string, columns int) ([]int, error) {
	var starts []int
	for row, err := range tsv.RowsOf(name, 1, 1) {
		if err != nil {
			return nil, err
		}
		j, err := strconv.Atoi(strings.TrimSpace(row.Columns[0]))
		switch n := len(starts); {
		case err != nil || j < 0 || j >= columns:
			err = fmt.Errorf("%q, want a column below %d", row.Columns[0], columns)
		case n == 0 && j != 0:
			err = fmt.Errorf("the first run begins at column %d, want 0", j)
		case n > 0 && j <= starts[n-1]:
			err = fmt.Errorf("column %d after %d, want ascending columns", j, starts[n-1])
		}
		if err != nil {
			return nil, &text.Error{File: name, Line: row.Line, Err: err}
		}
		starts = append(starts, j)
	}
	if starts == nil {
		return nil, fmt.Errorf("%s: no columns", name)
	}
	return starts, nil
}

// hide hides the cells of a file.
func (d *data) hide(name string) error {
	for row, err := range tsv.RowsOf(name, 3, 3) {
		if err != nil {
			return err
		}
		if err := d.hideCell(row.Columns); err != nil {
			return &text.Error{File: name, Line: row.Line, Err: err}
		}
	}
	if len(d.hidden) == 0 {
		return fmt.Errorf("%s: no cells", name)
	}
	return nil
}

func (d *data) hideCell(columns []string) error {
	j, err := strconv.Atoi(columns[0])
	if err != nil || j < 0 || j >= d.seen.Columns() {
		return fmt.Errorf("column %q, want a number below %d", columns[0], d.seen.Columns())
	}
	row, node := d.seen.Row(columns[1]), d.tree.Node(columns[1])
	if row < 0 || node < 0 {
		return fmt.Errorf("species %q is not in the alignment, or not in the tree", columns[1])
	}
	b, ok := d.seen.Rows[row][j].Observed()
	if !ok || columns[2] != msa.Bases[b:b+1] {
		return fmt.Errorf("%s has %c in column %d, not %s", columns[1], d.seen.Rows[row][j].Symbol(), j, columns[2])
	}
	d.seen.Rows[row][j] = msa.Missing
	d.hidden = append(d.hidden, cell{j, node, b})
	return nil
}

// hideSome hides cells drawn at random.
func (d *data) hideSome(seed uint64) error {
	rng := rand.New(rand.NewPCG(seed, 1))
	for i, row := range d.seen.Rows {
		node := d.tree.Node(d.seen.Species[i])
		for j, c := range row {
			if b, ok := c.Observed(); ok && node >= 0 && rng.Float64() < hiddenShare {
				row[j] = msa.Missing
				d.hidden = append(d.hidden, cell{j, node, b})
			}
		}
	}
	if len(d.hidden) == 0 {
		return errors.New("the alignment has no cells to hide")
	}
	slices.SortFunc(d.hidden, func(a, b cell) int {
		if a.column != b.column {
			return a.column - b.column
		}
		return a.node - b.node
	})
	return nil
}

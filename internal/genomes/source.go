package genomes

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"example.org/pathsum/internal/program"
	"example.org/pathsum/internal/text"
	"example.org/pathsum/internal/tsv"
	"example.org/pathsum/models/phylo"
	"example.org/pathsum/models/phylo/msa"
)

// Source reads or draws data as the flags specify.
type Source struct {
	data, tree, mask, blocks *string
	dots, repeats            *string
	negative                 *bool
	seed                     *uint64
}

// refused is the value of -dots and -repeats that makes them errors.
const refused = "refused"

// NewSource declares the flags of data: -data, -tree, -mask, -blocks, -dots, -repeats,
// -negative and -seed. The seed is for drawing and hiding. All except -data and -seed require
// -data; the program must declare whether -data requires -tree.
func NewSource(p *program.Program) *Source {
	s := &Source{
		data:     p.Input("data", "read `FILE` instead of drawing an alignment: FASTA, MAF or PHAST's SS, by the end of its name; .gz is read directly"),
		tree:     p.Input("tree", "and the tree from `FILE`: Newick, or lines name<TAB>Newick, the tree whose name begins the name of -data"),
		dots:     p.Choice("dots", "the meaning of a dot in -data", refused, "first", "unknown"),
		repeats:  p.Choice("repeats", "the row to use if a species has several in a block of -data", refused, "best", "consensus"),
		negative: p.Flags.Bool("negative", false, "take negative branch lengths of -tree, as neighbour joining finds them, as 0"),
		mask:     p.Input("mask", "hide and predict the cells in `FILE`, column<TAB>species<TAB>base, columns from 0; without it, 20 % of all observed cells are drawn"),
		blocks:   p.Input("blocks", "read the first column of each contiguous run from `FILE`, one a line, from 0: columns of different runs are not neighbours"),
		seed:     p.Seed(),
	}
	p.About(program.AboutData, "dots repeats negative")
	for _, flag := range []string{"tree", "mask", "blocks", "dots", "repeats", "negative"} {
		p.Needs(flag, "data")
	}
	return s
}

// Read reads or draws the data, and hides some of them. The tree is t, or the tree of -tree if
// t is nil. It reports changes made in reading.
func (s *Source) Read(r *program.Run, t *phylo.Tree) (*Data, error) {
	if *s.data == "" {
		d, err := Draw(*s.seed)
		if err != nil {
			return nil, err
		}
		return d, d.hideSome(*s.seed)
	}
	a, err := s.rules().ReadFile(*s.data)
	if err != nil {
		return nil, err
	}
	if t == nil {
		if t, err = readTree(*s.tree, *s.data, phylo.Newick{NegativeAsZero: *s.negative}); err != nil {
			return nil, err
		}
	}
	a = t.Select(a)
	for _, remark := range slices.Concat(a.Remarks, t.Remarks) {
		r.Warn("%s", remark)
	}
	if *s.blocks != "" {
		if a.Starts, err = readBlocks(*s.blocks, a.Columns()); err != nil {
			return nil, err
		}
	}
	d := &Data{Tree: t, Seen: a}
	if *s.mask == "" {
		return d, d.hideSome(*s.seed)
	}
	return d, d.hide(*s.mask)
}

// rules returns the options for reading alignments.
func (s *Source) rules() msa.Options {
	return msa.Options{
		Dots:    map[string]msa.Dots{"first": msa.DotsFirst, "unknown": msa.DotsMissing}[*s.dots],
		Repeats: map[string]msa.Repeats{"best": msa.BestRow, "consensus": msa.Consensus}[*s.repeats],
	}
}

// mostTrees bounds the bytes of a file of trees.
const mostTrees = 1 << 30

// readTree reads a tree. From a table of trees it takes the tree whose name is a prefix of the
// alignment's name.
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
// there. Lines before it may be comments, which begin with #.
func isTable(content string) bool {
	for line := range strings.Lines(strings.TrimSpace(content)) {
		nexus := strings.HasPrefix(strings.ToLower(line), "#nexus")
		if nexus || !strings.HasPrefix(line, "#") {
			return strings.Contains(line, "\t") && !strings.ContainsAny(line[:1], "([") && !nexus
		}
	}
	return false
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

package phylo

import (
	"fmt"
	"slices"
	"strings"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/models/phylo/msa"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/batch"
)

// rowsOf returns, for each species of the tree, its row in the alignment. The error wraps
// ErrInvalid and names the species missing on one side.
func rowsOf(t *Tree, a *msa.Alignment) ([]int, error) {
	if err := a.Check(); err != nil {
		return nil, nested.Errorf("phylo: %w", err)
	}
	var rows []int
	var lost []string
	for _, v := range t.Species() {
		row := a.Row(t.Nodes[v].Name)
		if row < 0 {
			lost = append(lost, t.Nodes[v].Name)
		}
		rows = append(rows, row)
	}
	var extra []string
	for i, name := range a.Species {
		if !slices.Contains(rows, i) {
			extra = append(extra, name)
		}
	}
	if len(lost)+len(extra) > 0 {
		hint := ""
		if len(lost) == 0 {
			hint = "; Tree.Select leaves them out"
		}
		return nil, nested.Errorf("phylo: %w: species of the tree that the alignment lacks: %s; of the alignment that the tree lacks: %s%s",
			ErrInvalid, list(lost), list(extra), hint)
	}
	return rows, nil
}

// Select returns a without the species that are not in the tree, which its Remarks name. If all
// species are in the tree it returns a. It shares the rows of a. Properties of the result, such as
// Frequencies, refer to the remaining rows only. Species that are missing in a still cause an error
// in functions that take the alignment.
func (t *Tree) Select(a *msa.Alignment) *msa.Alignment {
	nonnil.Check("phylo: Tree.Select", "tree", t, "alignment", a)
	known := map[string]bool{}
	for _, v := range t.Species() {
		known[t.Nodes[v].Name] = true
	}
	selected := *a
	selected.Species, selected.Rows = nil, nil
	var extra []string
	for i, name := range a.Species {
		if !known[name] {
			extra = append(extra, name)
		} else if selected.Species = append(selected.Species, name); i < len(a.Rows) {
			selected.Rows = append(selected.Rows, a.Rows[i])
		}
	}
	if extra == nil {
		return a
	}
	selected.Remarks = append(slices.Clip(a.Remarks), "species of the alignment that the tree lacks are left out: "+list(extra))
	return &selected
}

// checkWeights returns an error unless some column of an alignment has a positive weight.
func checkWeights(a *msa.Alignment) error {
	if err := a.Check(); err != nil {
		return nested.Errorf("phylo: %w", err)
	}
	err := em.CheckWeights(a.Columns(), func(j int) em.Skipped {
		return em.Skipped{Index: j, Name: fmt.Sprintf("column %d", j), Weight: a.Weight(j)}
	})
	if err != nil {
		return nested.Errorf("phylo: %w", err)
	}
	return nil
}

func list(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// sites contains the places of an alignment, windows of width neighbouring columns, that go through
// one forest. Equal places are one pattern.
type sites struct {
	lanes   *batch.Lanes
	layout  layout
	width   int
	species int
	cells   []msa.Cell // by pattern, species and column of the place
	weight  []float64  // per pattern, its number of occurrences
	first   []int      // per pattern, the first column of its first place
	index   map[string]int32
	key     []byte
}

// add adds the place that begins at a column and returns its pattern.
func (s *sites) add(a *msa.Alignment, rows []int, column int) int32 {
	s.key = s.key[:0]
	for _, row := range rows {
		for k := range s.width {
			s.key = append(s.key, byte(a.Rows[row][column+k]))
		}
	}
	p, known := s.index[string(s.key)]
	if !known {
		p = int32(len(s.weight))
		s.index[string(s.key)] = p
		s.weight, s.first = append(s.weight, 0), append(s.first, column)
		for _, c := range s.key {
			s.cells = append(s.cells, msa.Cell(c))
		}
	}
	s.weight[p] += a.Weight(column)
	return p
}

func newSites(lanes *batch.Lanes, l layout, width, species int) *sites {
	return &sites{lanes: lanes, layout: l, width: width, species: species, index: map[string]int32{}}
}

// patterns returns the number of patterns.
func (s *sites) patterns() int { return len(s.weight) }

// shard returns the patterns of shard i of n.
func (s *sites) shard(i, n int) (lo, hi int) {
	return s.patterns() * i / n, s.patterns() * (i + 1) / n
}

// fill sets the values of leaves for the patterns lo, …, hi−1, as lanes from 0: 1 for the states
// that the cells allow. It extends leaf if necessary.
func (s *sites) fill(leaf [][]float64, lo, hi int) [][]float64 {
	n := 1 << (2 * s.width)
	leaf = slices.Grow(leaf[:0], n*s.species)[:n*s.species] // with the storage of earlier calls
	for i := range leaf {
		leaf[i] = grow(leaf[i], hi-lo)
	}
	for i := range s.species {
		for state, values := range leaf[n*i : n*(i+1)] {
			for lane := range values {
				cells := s.cells[((lo+lane)*s.species+i)*s.width:][:s.width]
				values[lane] = 1
				for k, c := range cells {
					if !c.Has(state >> (2 * (s.width - 1 - k)) % bases) {
						values[lane] = 0
					}
				}
			}
		}
	}
	return leaf
}

// grow returns s with the given length, its content undefined.
func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/4)
	}
	return s[:n]
}

// place is the location of a column: the part of a likelihood, the pattern, and the index of the
// column in it.
type place struct {
	part, side uint8
	pattern    int32
}

// worker runs patterns through forests; it is not safe for concurrent use.
type worker struct {
	leaf    [][]float64
	total   []semiring.ScaledFloat
	store   []float64   // of uses by pattern
	uses    [][]float64 // per entry of the table
	scratch batch.LanesScratch
}

// zeros returns n zeros in w's storage, and a nil slice for each entry of the table.
func (w *worker) zeros(n, entries int) ([]float64, [][]float64) {
	w.store, w.uses = grow(w.store, n), grow(w.uses, entries)
	clear(w.store)
	clear(w.uses)
	return w.store, w.uses
}

// visit adds the contribution of the patterns lo, …, hi−1 to a.
func (w *worker) visit(s *sites, table []semiring.ScaledFloat, lo, hi int, a *em.Tally) error {
	w.leaf, w.total = s.fill(w.leaf, lo, hi), grow(w.total, hi-lo)
	err := s.lanes.Counts(table, w.leaf, 0, hi-lo, s.weight[lo:hi], a.Counts, w.total, &w.scratch)
	if err := w.check(s, lo, s.weight, err); err != nil {
		return err
	}
	a.Arcs += int64(hi-lo) * int64(s.lanes.NumEdges())
	w.addLogs(&a.LogLikelihood, s, lo)
	return nil
}

// sum computes the probabilities of the patterns lo, …, hi−1.
func (w *worker) sum(s *sites, table []semiring.ScaledFloat, lo, hi int) error {
	w.leaf, w.total = s.fill(w.leaf, lo, hi), grow(w.total, hi-lo)
	err := s.lanes.TreeSums(table, w.leaf, 0, hi-lo, w.total, &w.scratch)
	return w.check(s, lo, s.weight, err)
}

// addLogs adds the log likelihoods of the columns of the last patterns, from lo on, to sum.
func (w *worker) addLogs(sum *float64, s *sites, lo int) {
	for lane, total := range w.total {
		if s.weight[lo+lane] > 0 {
			*sum += s.weight[lo+lane] * total.Log()
		}
	}
}

// byLane adds to uses, for weights whose slice is not nil, their expected uses by
// pattern, from pattern lo on. weight is as in check.
func (w *worker) byLane(s *sites, table []semiring.ScaledFloat, lo, hi int, weight []float64, uses [][]float64) error {
	w.leaf, w.total = s.fill(w.leaf, lo, hi), grow(w.total, hi-lo)
	err := s.lanes.CountsByLane(table, w.leaf, 0, hi-lo, uses, w.total, &w.scratch)
	return w.check(s, lo, weight, err)
}

// check returns err, or the error for a pattern of probability 0, from pattern lo on. It is allowed
// for patterns of weight 0, unless weight is nil.
func (w *worker) check(s *sites, lo int, weight []float64, err error) error {
	if err != nil {
		return nested.Errorf("phylo: patterns from %d: %w", lo, err)
	}
	for lane, total := range w.total {
		if total.IsZero() && (weight == nil || weight[lo+lane] > 0) {
			return nested.Errorf("phylo: %w: column %d", em.ErrUnderivable, s.first[lo+lane])
		}
	}
	return nil
}

package phylo

import (
	"fmt"
	"slices"
	"strings"

	"example.org/pathsum/models/phylo/msa"
	"example.org/pathsum/semiring/batch"
)

// rowsOf returns for each species of the tree its row in the alignment. The error wraps
// ErrInvalid and names the species that one side lacks.
func rowsOf(t *Tree, a *msa.Alignment) ([]int, error) {
	if err := a.Check(); err != nil {
		return nil, err
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
		return nil, fmt.Errorf("phylo: %w: species of the tree that the alignment lacks: %s; of the alignment that the tree lacks: %s",
			ErrInvalid, list(lost), list(extra))
	}
	return rows, nil
}

func list(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// sites are places of an alignment, each of so many neighbouring columns, that go
// through one forest. Places that look alike are one pattern.
type sites struct {
	lanes   *batch.Lanes
	layout  layout
	width   int
	species int
	cells   []msa.Cell // by pattern, species and column of the place
	weight  []float64  // per pattern, how often it occurs
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

// patterns returns how many there are.
func (s *sites) patterns() int { return len(s.weight) }

// shard returns the patterns of shard i of n.
func (s *sites) shard(i, n int) (lo, hi int) {
	return s.patterns() * i / n, s.patterns() * (i + 1) / n
}

// fill sets the values of leaves for the patterns lo, …, hi−1, as lanes from 0: 1 for
// the states that the cells allow. leaf grows as need be.
func (s *sites) fill(leaf [][]float64, lo, hi int) [][]float64 {
	n := s.layout.states()
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
					if !c.Has(s.base(state, k)) {
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

// place says where a column is: in which part of a likelihood, in which pattern, and
// which of its columns it is.
type place struct {
	part, side uint8
	pattern    int32
}

// base returns the base that a state has in a column of a place.
func (s *sites) base(state, column int) int {
	for range s.width - 1 - column {
		state /= bases
	}
	return state % bases
}

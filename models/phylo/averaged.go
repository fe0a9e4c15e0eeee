package phylo

import (
	"context"
	"fmt"
	"io"

	"example.org/pathsum/em"
	"example.org/pathsum/em/agree"
	"example.org/pathsum/models/phylo/msa"
	"example.org/pathsum/semiring"
)

// Averaged returns parameter-approximate product EM of the submodels with averaged
// statistics: see agree.Averaged. Where columns are of different pairs, their posteriors
// are multiplied, as the bases are independent there given what was observed. In memory
// the posteriors of a pattern take 640 bytes per branch, and in time an iteration takes
// several times as much as submodels by themselves. Errors are as for Likelihoods.
func (m *Pairs) Averaged(a *msa.Alignment) (em.Likelihood, error) {
	ways, err := m.Likelihoods(a)
	if err != nil {
		return nil, err
	}
	var both []agree.Submodel
	for _, l := range ways {
		s := &submodel{Likelihood: l, m: m, a: a, first: make([]bool, a.Columns())}
		for r := range a.Runs() {
			lo, _ := a.Run(r)
			s.first[lo] = true
		}
		both = append(both, s)
	}
	return agree.Averaged(em.Fail, both...)
}

// submodel is a way to make pairs, as an agree.Submodel. Its examples are the columns,
// its features are numbered as the parameters: changes along branches and, with the
// column on the left, changes in context.
type submodel struct {
	*Likelihood
	m     *Pairs
	a     *msa.Alignment
	first []bool // per column, whether it begins a run
	// As Begin found them: per part, by pattern, the expected uses of the parameters,
	// and the sum of all trees.
	uses  [][]float64
	total [][]semiring.ScaledFloat
}

// Examples returns the number of columns.
func (s *submodel) Examples() int { return len(s.at) }

// Example returns column i.
func (s *submodel) Example(i int) em.Skipped {
	return em.Skipped{Index: i, Name: fmt.Sprintf("column %d", i), Weight: s.a.Weight(i)}
}

// Fingerprint writes the alignment.
func (s *submodel) Fingerprint(w io.Writer) {
	s.Likelihood.Fingerprint(w)
	fmt.Fprintln(w, s.a.Starts, s.at)
}

// Begin finds the posteriors of all patterns.
func (s *submodel) Begin(q em.Query) error {
	if q.EStep != em.Marginal {
		return fmt.Errorf("phylo: %w: an E step other than %v", semiring.ErrCapability, em.Marginal)
	}
	table, err := s.table(q.Theta, q.Temperature)
	if err != nil {
		return err
	}
	n := s.params.Len()
	if s.uses == nil {
		for _, p := range s.parts {
			s.uses = append(s.uses, make([]float64, n*p.patterns()))
			s.total = append(s.total, make([]semiring.ScaledFloat, p.patterns()))
		}
	}
	return s.reducer.Sum(context.Background(), q.Workers, 0, s.shards, func(w *worker, shard int, _ *struct{}) error {
		for part, p := range s.parts {
			lo, hi := p.shard(shard, s.shards)
			byLane, uses := w.zeros(len(table)*(hi-lo), len(table))
			for k := int(fixedHandles); k < len(table); k++ {
				uses[k] = byLane[k*(hi-lo) : (k+1)*(hi-lo)]
			}
			if err := w.byLane(p, table, lo, hi, p.weight, uses); err != nil {
				return err
			}
			copy(s.total[part][lo:hi], w.total)
			for k := range n {
				for lane, x := range uses[int(fixedHandles)+k] {
					s.uses[part][(lo+lane)*n+k] = x
				}
			}
		}
		return nil
	}, func(int, *struct{}) {})
}

// Infer returns a new inference.
func (s *submodel) Infer() agree.Inference {
	n := s.params.Len()
	return &inference{submodel: s, mu: make([]float64, n), before: make([]float64, n), counts: make([]float64, n)}
}

// inference is one goroutine's part of the E steps of a submodel.
type inference struct {
	*submodel
	mu     []float64
	before []float64 // of the column before by itself
	column int       // last asked for
	counts []float64 // since they were drained; a column uses most parameters
}

// of returns the expected uses of the parameters in the place of a column.
func (s *submodel) of(column int) []float64 {
	p, n := s.at[column], s.params.Len()
	return s.uses[p.part][int(p.pattern)*n:][:n]
}

// Posterior returns what is to be known of a column: of the changes in it by itself, and of
// its changes in the context of the column before, if it has one. A pair's sum belongs to
// its left column.
func (f *inference) Posterior(column int) (agree.Posterior, error) {
	f.column = column
	p, uses := f.at[column], f.of(column)
	clear(f.mu)
	f.single(f.mu, p, uses)
	if !f.first[column] {
		if p.side == 1 {
			f.m.right(f.mu, uses)
		} else {
			f.across(column)
		}
	}
	if p.side == 1 {
		return agree.Posterior{Features: f.mu, Total: semiring.NewScaled(1)}, nil
	}
	return agree.Posterior{Features: f.mu, Total: f.total[p.part][p.pattern], Arcs: int64(f.parts[p.part].lanes.NumEdges())}, nil
}

// parameter returns the number of the parameter that is the weight h.
func parameter(h handle) int { return int(h - fixedHandles) }

// right copies what a pair says of its right column in context.
func (m *Pairs) right(dst, uses []float64) {
	root := m.at.root(0, 0)
	copy(dst[parameter(root):][:pairs], uses[parameter(root):])
	second := m.at.second(0, 0, 0, 0)
	copy(dst[parameter(second):], uses[parameter(second):])
}

// single sets what the place p, with the expected uses of weights, says of one of its
// columns by itself.
func (s *submodel) single(dst []float64, p place, uses []float64) {
	t := s.m.at
	root, first := parameter(t.single().root(0, 0)), parameter(t.first(0, 0, 0))
	changes := t.branches * pairs
	if p.side == 0 {
		copy(dst[first:first+changes], uses[first:])
	}
	if p.part == unpaired {
		copy(dst[root:root+bases], uses[root:])
		return
	}
	for a := range bases {
		for b := range bases {
			dst[root+[]int{a, b}[p.side]] += uses[parameter(t.root(a, b))]
		}
	}
	for v := range t.branches {
		for left := 0; left < bases && p.side == 1; left++ {
			second := uses[parameter(t.second(v, left, 0, 0)):][:pairs]
			for change, x := range second {
				dst[first+v*pairs+change] += x
			}
		}
	}
}

// across sets what a column and the one before, of another pair, say of changes in
// context.
func (f *inference) across(column int) {
	t := f.m.at
	before := f.before
	clear(before)
	f.single(before, f.at[column-1], f.of(column-1))
	root, first := parameter(t.single().root(0, 0)), parameter(t.first(0, 0, 0))
	for a := range bases {
		for b := range bases {
			f.mu[parameter(t.root(a, b))] = before[root+a] * f.mu[root+b]
		}
	}
	for v := range t.branches {
		changes := f.mu[first+v*pairs:][:pairs]
		for left := range bases {
			below := 0.0 // of the base at the lower end in the column before
			for a := range bases {
				below += before[first+v*pairs+bases*a+left]
			}
			second := f.mu[parameter(t.second(v, left, 0, 0)):][:pairs]
			for change, x := range changes {
				second[change] = below * x
			}
		}
	}
}

// Count counts what the place of the column last asked for has of its parameters.
func (f *inference) Count(mu []float64, weight float64) {
	t := f.m.at
	p := f.at[f.column]
	add := func(from handle, n int) {
		for i := parameter(from); i < parameter(from)+n; i++ {
			f.counts[i] += weight * mu[i]
		}
	}
	switch {
	case p.side == 1:
		add(t.root(0, 0), pairs)
		add(t.second(0, 0, 0, 0), t.branches*bases*pairs)
		return
	case p.part == unpaired:
		add(t.single().root(0, 0), bases)
	}
	add(t.first(0, 0, 0), t.branches*pairs)
}

// Drain moves the counts to t.
func (f *inference) Drain(t *em.Tally) {
	t.Run(0, f.counts, nil)
	clear(f.counts)
}

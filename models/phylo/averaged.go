package phylo

import (
	"context"
	"fmt"
	"io"

	"example.org/pathsum/em"
	"example.org/pathsum/em/agree"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/models/phylo/msa"
	"example.org/pathsum/semiring"
)

// Averaged returns parameter-approximate product EM of the submodels with averaged statistics: see
// agree.Averaged. Posteriors of columns in different windows are multiplied, since their bases are
// independent given the observations. The posteriors of a pattern take 640 bytes per branch, 1152
// for windows of three columns. An iteration takes several times as long as iterations of the
// separate submodels. Errors are as for Likelihoods.
func (m *Windows) Averaged(a *msa.Alignment) (em.Likelihood, error) {
	ways, err := m.Likelihoods(a)
	if err != nil {
		return nil, err
	}
	var all []agree.Submodel
	for way, l := range ways {
		s := &submodel{Likelihood: l, window: m.at[way], from: m.ways[way].RootPair().First(), a: a, first: make([]bool, a.Columns())}
		if m.at[way].columns > 2 {
			s.next = m.ways[way].RootNext(0).First() - s.from
		}
		for r := range a.Runs() {
			lo, _ := a.Run(r)
			s.first[lo] = true
		}
		all = append(all, s)
	}
	return agree.Averaged(em.Fail, all...)
}

// submodel is one division into windows, as an agree.Submodel. Its examples are the columns. Its
// features are numbered like the parameters of pairs: changes along branches and, with the column
// on the left, the bases at the root and changes in context.
type submodel struct {
	*Likelihood
	window windowTable
	from   int // index of its first parameter
	next   int // offset of the parameters of the first RootNext from its features
	a      *msa.Alignment
	first  []bool // per column, whether it begins a run
	// Computed by Begin: per part, by pattern, the expected uses of the weights, and the sum of all
	// trees.
	uses  [][]float64
	total [][]semiring.ScaledFloat
}

// features returns the number of features.
func (s *submodel) features() int { return int(s.window.next(2, 0, 0) - s.window.from) }

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

// Begin computes the posteriors of all patterns.
func (s *submodel) Begin(q em.Query) error {
	if q.EStep != em.Marginal {
		return nested.Errorf("phylo: %w: an E step other than %v", semiring.ErrCapability, em.Marginal)
	}
	table, err := s.table(q.Theta, q.Temperature)
	if err != nil {
		return err
	}
	n, from := s.window.size(), int(s.window.from)
	if s.uses == nil {
		for _, p := range s.parts {
			s.uses = append(s.uses, make([]float64, n*p.patterns()))
			s.total = append(s.total, make([]semiring.ScaledFloat, p.patterns()))
		}
	}
	return s.reducer.Sum(context.Background(), q.Workers, 0, s.shards, func(w *worker, shard int, _ *struct{}) error {
		for part, p := range s.parts {
			lo, hi := p.shard(shard, s.shards)
			byLane, uses := w.zeros(n*(hi-lo), len(table))
			for k := range n {
				uses[from+k] = byLane[k*(hi-lo) : (k+1)*(hi-lo)]
			}
			if err := w.byLane(p, table, lo, hi, p.weight, uses); err != nil {
				return err
			}
			copy(s.total[part][lo:hi], w.total)
			for k := range n {
				for lane, x := range uses[from+k] {
					s.uses[part][(lo+lane)*n+k] = x
				}
			}
		}
		return nil
	}, func(int, *struct{}) {})
}

// Infer returns a new inference.
func (s *submodel) Infer() agree.Inference {
	n := s.features()
	return &inference{submodel: s, mu: make([]float64, n), before: make([]float64, n), counts: make([]float64, max(n, s.next+pairs))}
}

// inference is the state of one goroutine in the E steps of a submodel.
type inference struct {
	*submodel
	mu     []float64
	before []float64 // of the previous column alone
	column int       // last requested
	counts []float64 // since the last Drain; a column uses most parameters
}

// of returns the expected uses of the weights at the place of a column.
func (s *submodel) of(column int) []float64 {
	p, n := s.at[column], s.window.size()
	return s.uses[p.part][int(p.pattern)*n:][:n]
}

// Posterior returns the posterior of a column: of its own changes, and of its changes in the
// context of the previous column, if there is one. A window's sum belongs to its first column.
func (f *inference) Posterior(column int) (agree.Posterior, error) {
	f.column = column
	p, uses := f.at[column], f.of(column)
	clear(f.mu)
	f.single(f.mu, p, uses)
	if !f.first[column] {
		if p.side > 0 {
			f.inContext(f.mu, p, uses)
		} else {
			f.across(column)
		}
	}
	if p.side > 0 {
		return agree.Posterior{Features: f.mu, Total: semiring.NewScaled(1)}, nil
	}
	return agree.Posterior{Features: f.mu, Total: f.total[p.part][p.pattern], Arcs: int64(f.parts[p.part].lanes.NumEdges())}, nil
}

// number returns the index of a weight in the uses of a submodel. Features have the same indices:
// the features of a column and its predecessor are at the weights of a window's second column.
func (s *submodel) number(h handle) int { return int(h - s.window.from) }

// pair returns the index of the first weight of the bases at the root of a column and its
// predecessor in its window.
func (s *submodel) pair(column int) int {
	if column == 1 {
		return s.number(s.window.root(0, 0))
	}
	return s.number(s.window.next(column, 0, 0))
}

// inContext copies the posteriors of a column and its predecessor in a window.
func (s *submodel) inContext(dst []float64, p place, uses []float64) {
	t := s.window
	copy(dst[s.pair(1):][:pairs], uses[s.pair(int(p.side)):])
	copy(dst[s.number(t.second(1, 0, 0, 0, 0)):], uses[s.number(t.second(int(p.side), 0, 0, 0, 0)):])
}

// single sets the posteriors of one column of the place p alone, given the expected uses of
// weights.
func (s *submodel) single(dst []float64, p place, uses []float64) {
	t := s.window
	root, first := s.number(t.single().root(0, 0)), s.number(t.first(0, 0, 0))
	changes := t.branches * pairs
	if p.side == 0 {
		copy(dst[first:first+changes], uses[first:])
		if p.part == 0 {
			copy(dst[root:root+bases], uses[root:])
			return
		}
	}
	pair := uses[s.pair(max(1, int(p.side))):][:pairs]
	for i, x := range pair {
		base := i % bases
		if p.side == 0 {
			base = i / bases
		}
		dst[root+base] += x
	}
	for v := 0; v < t.branches && p.side > 0; v++ {
		for left := range bases {
			second := uses[s.number(t.second(int(p.side), v, left, 0, 0)):][:pairs]
			for change, x := range second {
				dst[first+v*pairs+change] += x
			}
		}
	}
}

// across sets the posteriors of changes in context for a column whose predecessor is in another
// window.
func (f *inference) across(column int) {
	t := f.window
	before := f.before
	clear(before)
	f.single(before, f.at[column-1], f.of(column-1))
	root, first := f.number(t.single().root(0, 0)), f.number(t.first(0, 0, 0))
	for a := range bases {
		for b := range bases {
			f.mu[f.number(t.root(a, b))] = before[root+a] * f.mu[root+b]
		}
	}
	for v := range t.branches {
		changes := f.mu[first+v*pairs:][:pairs]
		for left := range bases {
			below := 0.0 // of the base at the lower end in the previous column
			for a := range bases {
				below += before[first+v*pairs+bases*a+left]
			}
			second := f.mu[f.number(t.second(1, v, left, 0, 0)):][:pairs]
			for change, x := range changes {
				second[change] = below * x
			}
		}
	}
}

// Count adds the counts of the parameters at the place of the last requested column.
func (f *inference) Count(mu []float64, weight float64) {
	t := f.window
	p := f.at[f.column]
	add := func(to, from, n int) {
		for i, x := range mu[from : from+n] {
			f.counts[to+i] += weight * x
		}
	}
	root, first, second := f.number(t.single().root(0, 0)), f.number(t.first(0, 0, 0)), f.number(t.second(1, 0, 0, 0, 0))
	switch {
	case p.side == 0:
		add(first, first, t.branches*pairs)
		if p.part == 0 {
			add(root, root, bases)
		}
		return
	case p.side == 1:
		add(f.pair(1), f.pair(1), pairs)
	default:
		add(f.next, f.pair(1), pairs)
	}
	add(second, second, t.branches*bases*pairs)
}

// Drain moves the counts to t.
func (f *inference) Drain(t *em.Tally) {
	t.Run(int32(f.from), f.counts, nil)
	clear(f.counts)
}

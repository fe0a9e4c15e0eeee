package cells_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"example.org/pathsum/em/internal/cells"
	"example.org/pathsum/em/internal/soft"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/sumtest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/frames"
)

// numEntries is the number of entries of the table of weights: 0, 1, and a parameter each.
const numEntries = 12

var errNoValues = errors.New("cells of finite weights have no values")

// indexed is a machine whose weights are entries of a table, and strings.
type indexed struct {
	kind    cells.Kind
	x       cells.Strings
	space   *expr.Space
	used    *expr.Subset
	machine *fst.FST[expr.W]
	entries []expr.W // per entry

	possible []map[int32]float64 // labels per frame, of a soft string

	mu     sync.Mutex             // guards everything but summers and what they share
	of     *cells.Cells           // nil: no strings have a derivation
	values []semiring.ScaledFloat // per expression
	begun  bool                   // whether the expressions have values
	fault  error                  // the reason if not
}

// newIndexed returns a machine with strings of up to most labels, which are known or soft. The
// machine has no cycles that read or write nothing of these strings.
func newIndexed(r *rand.Rand, most int, soft bool) *indexed {
	m := &indexed{kind: cells.Kind(r.IntN(3)), space: expr.New(), entries: []expr.W{expr.Zero, expr.One}}
	if soft {
		m.kind = cells.SoftOutput + cells.Kind(r.IntN(2))
	}
	for k := range int32(numEntries - 2) {
		m.entries = append(m.entries, m.space.Param(k))
	}
	weight := func() expr.W {
		if r.IntN(8) == 0 {
			return expr.Zero
		}
		return m.entries[1+r.IntN(numEntries-1)]
	}
	n := 1 + r.Int32N(3)
	b := fst.NewBuilder(m.space)
	b.AllowZero()
	for range n {
		b.SetFinal(b.AddState(), weight())
	}
	for p := range n {
		b.AddStart(p, weight())
	}
	for range 2 + 3*n {
		p, a := r.Int32N(n), fst.Arc[expr.W]{In: r.Int32N(3), Out: r.Int32N(3), Weight: weight(), To: r.Int32N(n)}
		if in, out := known(m.kind, a.In, a.Out); in == fst.Epsilon && out == fst.Epsilon && a.To <= p {
			continue
		}
		b.AddArc(p, a)
	}
	var err error
	if m.machine, err = b.Freeze(); err != nil {
		panic(err)
	}
	m.used = m.space.NewSubset()
	m.used.Add(m.entries...)
	addWeights(m.used, m.machine)
	text := func() (x []int32) {
		for range r.IntN(most + 1) {
			x = append(x, 1+r.Int32N(2))
		}
		return x
	}
	if soft {
		m.x.Soft, m.possible = softString(r, 1+r.IntN(most), func() float64 { return 1 })
	} else {
		m.x.In, m.x.Out = known(m.kind, text(), text())
	}
	m.of = m.compile()
	return m
}

// softString returns a soft string of the labels 2, 1 and 9, and the weights of labels per frame.
// weight draws the nonzero weights.
func softString(r *rand.Rand, n int, weight func() float64) (*soft.String, []map[int32]float64) {
	labels := []int32{2, 1, 9}
	var p []float64
	var possible []map[int32]float64
	for range n {
		these, one := map[int32]float64{}, r.IntN(len(labels))
		for v, l := range labels {
			w := 0.0
			if v == one || r.IntN(2) == 0 {
				w = weight()
				these[l] = w
			}
			p = append(p, w)
		}
		possible = append(possible, these)
	}
	e, err := frames.Probabilities(n, len(labels), p, &frames.Options{Unnormalized: true})
	if err != nil {
		panic(err)
	}
	x, err := soft.New(e, labels)
	if err != nil {
		panic(err)
	}
	return x, possible
}

// compile returns new cells, or nil if there are no derivations.
func (m *indexed) compile() *cells.Cells {
	of, err := cells.Compile(m.kind, m.used, []*fst.FST[expr.W]{m.machine}, 1<<16)
	if err != nil {
		return nil
	}
	return of
}

// known returns the arguments for input and output whose strings are known, zero for others.
func known[T any](kind cells.Kind, in, out T) (knownIn, knownOut T) {
	if kind != cells.Output && kind != cells.SoftOutput {
		knownIn = in
	}
	if kind != cells.Input && kind != cells.SoftInput {
		knownOut = out
	}
	return knownIn, knownOut
}

// ways returns the entries of all paths that have the known strings.
func (m *indexed) ways() (ways [][]int32, ok bool) {
	if len(m.x.In)+len(m.x.Out) > 6 {
		return nil, false
	}
	g := m.machine.Graph()
	entry := func(w expr.W) int32 { return int32(slices.Index(m.entries, w)) }
	var follow func(way []int32, s int32, x cells.Strings, frame int)
	follow = func(way []int32, s int32, x cells.Strings, frame int) {
		if w := g.Finals()[s]; len(x.In)+len(x.Out) == 0 && frame == len(m.possible) && w != expr.Zero {
			ways = append(ways, append(slices.Clone(way), entry(w)))
		}
		for e := g.Row()[s]; e < g.Row()[s+1] && len(ways) <= 500; e++ {
			in, out := known(m.kind, m.machine.In()[e], m.machine.Out()[e])
			rest := x
			if m.possible != nil {
				frame := frame
				if l := in + out; l != fst.Epsilon {
					if frame == len(m.possible) || m.possible[frame][l] == 0 {
						continue
					}
					frame++
				}
				if w := g.Weights()[e]; w != expr.Zero {
					follow(append(slices.Clone(way), entry(w)), g.To()[e], rest, frame)
				}
				continue
			}
			if in != fst.Epsilon {
				if len(x.In) == 0 || x.In[0] != in {
					continue
				}
				rest.In = x.In[1:]
			}
			if out != fst.Epsilon {
				if len(x.Out) == 0 || x.Out[0] != out {
					continue
				}
				rest.Out = x.Out[1:]
			}
			if w := g.Weights()[e]; w != expr.Zero {
				follow(append(slices.Clone(way), entry(w)), g.To()[e], rest, 0)
			}
		}
	}
	for _, s := range g.Starts() {
		if s.Weight != expr.Zero {
			follow([]int32{entry(s.Weight)}, s.State, m.x, 0)
		}
	}
	return ways, len(ways) <= 500
}

// weigh begins an E step of counts. Expressions may only lack values if an entry is not finite, or
// if one is negative and a string is soft.
func (m *indexed) weigh(table []semiring.ScaledFloat) (err error) {
	m.values, err = m.space.Evaluate(nil, table[2:])
	m.begun = err == nil && m.of.Begin(m.values, nil, 1, false)
	negative := func(w semiring.ScaledFloat) bool { return w.Mant < 0 }
	m.fault = semiring.ErrNotFinite
	switch finite := !slices.ContainsFunc(table, func(w semiring.ScaledFloat) bool { return !w.IsFinite() }); {
	case finite && !m.begun && m.x.Soft != nil && slices.ContainsFunc(table, negative):
		m.fault = semiring.ErrNegative
	case finite && !m.begun:
		return errors.Join(err, errNoValues)
	}
	return nil
}

// summing is the state for queries about a machine of entries.
type summing struct {
	of     *cells.Cells
	summer cells.Summer
}

// drain adds a summer's counts of uses, converted from cells to entries, to count. If the
// expressions have tangents, it adds their derivatives to change.
func (m *indexed) drain(of *cells.Cells, summer cells.Summer, tangents []float64, count, change []float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	ofCells := expr.Dual{Value: make([]float64, of.Len()), Change: make([]float64, of.Len())}
	summer.Drain(func(first int32, counts, curvature []float64) {
		copy(ofCells.Value[first:], counts)
		copy(ofCells.Change[first:], curvature)
	})
	n := len(m.values)
	uses := expr.Dual{Value: make([]float64, n), Change: make([]float64, n)}
	if tangents == nil {
		ofCells.Change = nil
		of.Backpropagate(ofCells, expr.Dual{Value: uses.Value})
		m.space.Backpropagate(m.values, uses.Value, count[2:])
	} else {
		of.Backpropagate(ofCells, uses)
		m.space.BackpropagateAlong(m.values, tangents, uses, expr.Dual{Value: count[2:], Change: change[2:]})
	}
}

func (m *indexed) counts(weight float64, count []float64, s *summing) (semiring.ScaledFloat, error) {
	if !m.begun {
		return semiring.ScaledFloat{}, m.fault
	}
	if s.of != m.of {
		s.of, s.summer = m.of, m.of.Hire()
	}
	total, _, err := s.summer.Sum(m.x, weight, false)
	m.drain(m.of, s.summer, nil, count, nil)
	return total, err
}

// along begins a separate E step, with tangents.
func (m *indexed) along(v []float64, weight float64, count, change []float64, _ *summing) (semiring.ScaledFloat, error) {
	if !m.begun {
		return semiring.ScaledFloat{}, m.fault
	}
	m.mu.Lock()
	of := m.compile()
	tangents := m.space.Tangents(nil, m.values, v[2:], 1)
	begun := of.Begin(m.values, tangents, 1, false)
	m.mu.Unlock()
	if !begun {
		return semiring.ScaledFloat{}, errNoValues
	}
	summer := of.Hire()
	total, _, err := summer.Sum(m.x, weight, false)
	m.drain(of, summer, tangents, count, change)
	return total, err
}

func TestIndexedMachines(t *testing.T)     { checkIndexed(t, false) }
func TestIndexedSoftMachines(t *testing.T) { checkIndexed(t, true) }

func checkIndexed(t *testing.T, soft bool) {
	var refused error
	if soft {
		refused = semiring.ErrNegative
	}
	sumtest.Check(t, sumtest.Storage[summing]{
		New: func(r *rand.Rand, most int) (*sumtest.Machine[summing], bool) {
			m := newIndexed(r, most, soft)
			return &sumtest.Machine[summing]{
				Ways: m.ways, Weigh: m.weigh,
				Sum: func(s *summing) (semiring.ScaledFloat, error) {
					return m.counts(1, make([]float64, numEntries), s)
				},
				Counts: m.counts, Along: m.along,
			}, m.of != nil && m.of.Hire().Relates(m.x)
		},
		Small: 3, Large: 12, Entries: numEntries, Spread: 1e4, // beyond, ∞ · 0 may be NaN
		Allocates: true, Negative: refused,
	})
}

// Best derivations have the greatest weight, if a cell is an arc.
func TestBest(t *testing.T)     { checkBest(t, false) }
func TestSoftBest(t *testing.T) { checkBest(t, true) }

func checkBest(t *testing.T, soft bool) {
	tried := 0
	for seed := range trials.Seeds(500) {
		r := rand.New(rand.NewPCG(seed, 2))
		m := newIndexed(r, 3, soft)
		ways, ok := m.ways()
		if !ok || m.of == nil {
			continue
		}
		table := make([]semiring.ScaledFloat, numEntries)
		for k := range table[1:] {
			table[1+k] = semiring.NewScaled(r.Float64())
		}
		table[1] = semiring.NewScaled(1)
		if err := m.weigh(table); err != nil {
			t.Fatal(err)
		}
		if !m.of.Begin(m.values, nil, 1, true) {
			continue // a cell may be several arcs
		}
		var best semiring.ScaledFloat
		var uses []float64
		for _, way := range ways {
			weight, count := semiring.NewScaled(1), make([]float64, numEntries)
			for _, k := range way {
				weight = weight.Mul(table[k])
				count[k] += 2
			}
			if weight.Cmp(best) > 0 {
				best, uses = weight, count
			}
		}
		summer := m.of.Hire()
		got, _, err := summer.Sum(m.x, 2, true)
		if err != nil || math.Abs(got.Sub(best).Float64()) > 1e-12*best.Float64() {
			t.Fatalf("seed %d: best derivation weighs %v, %v, want %v", seed, got, err, best)
		}
		if best.IsZero() {
			continue
		}
		tried++
		count := make([]float64, numEntries)
		m.drain(m.of, summer, nil, count, nil)
		if !slices.Equal(count[2:], uses[2:]) {
			t.Fatalf("seed %d: uses %v, want %v", seed, count, uses)
		}
	}
	if tried < 30 {
		t.Errorf("only %d best derivations", tried)
	}
}

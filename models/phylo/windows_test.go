package phylo

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/models/phylo/msa"
	"example.org/pathsum/semiring"
)

// randomWindows returns a model of a tree so small that all bases of its windows can be
// listed, at random parameters, and an alignment.
func randomWindows(seed uint64, columns int) (*Windows, *msa.Alignment) {
	r := random(seed)
	tree := randomTree(r, 2)
	if r.IntN(3) == 0 {
		tree = must(ParseTree("[&R](a,b,c);"))
	}
	o := &WindowOptions{SeparateParams: r.IntN(2) == 0}
	if seed%4 == 0 {
		o.Columns = 3
		tree = must(ParseTree("[&R](a,b);"))
	}
	m := must(NewWindows(tree, em.Multinomial{}, o))
	m.Theta = m.Params.Random(r)
	return m, randomAlignment(r, tree, 1+r.IntN(columns))
}

func TestWindows(t *testing.T) {
	for seed := range trials.Seeds(300) {
		m, a := randomWindows(seed, 6)
		ways := must(m.Likelihoods(a))
		for way, l := range ways {
			for _, beta := range []float64{1, 2, .5} {
				compare(t, fmt.Sprintf("seed %d, way %d, β %g", seed, way, beta), l, a, m.Theta, beta, places(a, way, len(ways)),
					func(x [][]int) float64 { return m.Changes(way).probability(m.tree, m.Theta, x) })
			}
		}
	}
}

func TestWindowsGradient(t *testing.T) {
	for seed := range trials.Seeds(8) {
		m, a := randomWindows(seed, 6)
		differentiate(t, fmt.Sprintf("seed %d", seed), must(m.Independent(a)), m.Theta)
	}
}

// Averaged statistics are what the enumeration of all hidden bases of all columns says.
func TestAveraged(t *testing.T) {
	for seed := range trials.Seeds(40) {
		m, _ := randomWindows(seed, 1)
		a := randomAlignment(random(seed), m.tree, 4)
		for v := range a.Rows { // few unknown bases
			for j := range a.Rows[v] {
				if (v+j)%3 > 0 {
					a.Rows[v][j] = msa.Base(j % bases)
				}
			}
		}
		l := must(m.Averaged(a))
		e := must(l.Expect(t.Context(), em.Query{Theta: m.Theta}))
		counts, logLikelihood := m.averaged(a)
		if !near(e.LogLikelihood, logLikelihood, 1e-11) {
			t.Fatalf("seed %d: %v, want %v", seed, e.LogLikelihood, logLikelihood)
		}
		for i, c := range counts {
			if !near(e.Counts[i], c, 1e-10) {
				t.Fatalf("seed %d: %s is used %v times, want %v", seed, m.Params.Name(int32(i)), e.Counts[i], c)
			}
		}
	}
}

// averaged lists all bases: the objective, and the counts of all ways under the average
// of the distributions of all, each to the power of how many these are.
func (m *Windows) averaged(a *msa.Alignment) (counts []float64, logLikelihood float64) {
	all := make([]int, a.Columns())
	for j := range all {
		all[j] = j
	}
	counts = make([]float64, m.Params.Len())
	ways := m.Submodels()
	for q := range ways {
		weight := func(x [][]int) float64 {
			w := 1.0
			for _, columns := range places(a, q, ways) {
				p := m.Changes(q).probability(m.tree, m.Theta, x[columns[0]:columns[len(columns)-1]+1])
				w *= math.Pow(p, float64(ways))
			}
			return w
		}
		sum := 0.0
		each(m.tree, a, all, func(x [][]int) { sum += weight(x) })
		logLikelihood += math.Log(sum) / float64(ways)
		each(m.tree, a, all, func(x [][]int) {
			share := weight(x) / sum / float64(ways)
			for way := range ways {
				for _, columns := range places(a, way, ways) {
					m.Changes(way).countUses(m.tree, counts, x[columns[0]:columns[len(columns)-1]+1], share)
				}
			}
		})
	}
	return counts, logLikelihood
}

// countUses adds what the bases of a window use.
func (c *Changes) countUses(tree *Tree, counts []float64, x [][]int, weight float64) {
	c.uses(tree, x, func(g *em.Group, i int) { g.In(counts)[i] += weight })
}

// mammals is a tree of eight species.
var mammals = must(ParseTree("(((Homo:0.0137,Macaca:0.0166):0.0463,(Mus:0.0399,Rattus:0.0387):0.114):0.0102,((Canis:0.0754,Equus:0.0501):0.0043,(Bos:0.065,Sus:0.0554):0.0263):0.0102);"))

// drawn returns an alignment of a random model of a tree, some of it missing.
func drawn(tree *Tree, columns int) *msa.Alignment {
	m := must(NewWindows(tree, em.Multinomial{}, nil))
	r := random(1)
	for i, g := range m.Params.Groups() {
		if i < 2 {
			continue
		}
		p := g.In(m.Theta)
		at := (i - 2) % bases // the base that stays, with probability .9
		sum := 0.0
		for b := range p {
			if p[b] = r.Float64(); b == at {
				p[b] = 0
			}
			sum += p[b]
		}
		for b := range p {
			p[b] *= .1 / sum
		}
		p[at] = .9
	}
	a := m.Sample(columns, r)
	for _, row := range a.Rows {
		for j := range row {
			if r.IntN(5) == 0 {
				row[j] = msa.Missing
			}
		}
	}
	a.Starts = []int{0, columns / 3, columns / 2}
	return a
}

// With its own statistics no objective falls, and annealed training ends where independent
// training does.
func TestFit(t *testing.T) {
	a := drawn(mammals, 1500)
	ends := map[int]float64{}
	for _, squared := range []int{0, 2} {
		m := must(NewWindows(mammals, em.Multinomial{}, nil))
		m.Squared = squared
		var seen []int
		r := must(m.Fit(t.Context(), a, &em.Options{Iterations: 30, Tolerance: -1, Observer: func(v em.Event) { seen = append(seen, v.Iteration) }}))
		if len(r.Objective) != 30+squared || !slices.IsSorted(r.Objective[:squared]) || !slices.IsSorted(r.Objective[squared:]) {
			t.Errorf("objectives %v", r.Objective)
		}
		if seen[len(seen)-1] != 29+squared {
			t.Errorf("observed iterations %v", seen)
		}
		ends[squared] = r.LogLikelihood
	}
	if !near(ends[0], ends[2], 1e-3) {
		t.Errorf("log likelihoods %v", ends)
	}
	m := must(NewWindows(mammals, em.Multinomial{}, nil))
	l := must(m.ParameterApproximate(a))
	r := must(em.Fit(t.Context(), l, &em.Options{Iterations: 5}))
	if !slices.IsSorted(r.Objective) {
		t.Errorf("objectives %v", r.Objective)
	}
	average := must(em.Fit(t.Context(), must(m.Averaged(a)), &em.Options{Iterations: 3}))
	if !near(average.Objective[0], r.Objective[0], 1e-12) || average.Objective[2] < average.Objective[0] {
		t.Errorf("averaged statistics: %v, own: %v", average.Objective, r.Objective)
	}
}

// Whatever the number of workers, and however often it is interrupted, training comes to
// the same bits.
func TestFitAgain(t *testing.T) {
	a := drawn(mammals, 1500)
	whole := must(NewWindows(mammals, em.Multinomial{}, nil))
	whole.Squared = 2
	want := must(whole.Fit(t.Context(), a, &em.Options{Iterations: 4, Tolerance: -1, Workers: 1}))
	file := filepath.Join(t.TempDir(), "state")
	for _, stop := range []int{1, 3, 100} {
		m := must(NewWindows(mammals, em.Multinomial{}, nil))
		m.Squared = 2
		ctx, cancel := context.WithCancel(t.Context())
		r, err := m.Fit(ctx, a, &em.Options{Iterations: 4, Tolerance: -1, Workers: 2, Checkpoint: file, Observer: func(v em.Event) {
			if v.Iteration == stop {
				cancel()
			}
		}})
		cancel()
		if stop < 100 {
			if !errors.Is(err, context.Canceled) || r == nil || r.Status != em.Canceled {
				t.Fatalf("canceled at iteration %d: %v, %v", stop, r, err)
			}
			continue
		}
		if err != nil || !slices.Equal(r.Objective, want.Objective) || !slices.Equal(m.Theta, whole.Theta) {
			t.Errorf("objectives %v, want %v, error %v", r.Objective, want.Objective, err)
		}
	}
}

// TestWindowsRefuse: questions that have no answer; TestMessages has trees and alignments.
func TestWindowsRefuse(t *testing.T) {
	m := must(NewWindows(must(ParseTree("(a,(b,c));")), em.Multinomial{}, nil))
	row := []msa.Cell{1, 2}
	a := &msa.Alignment{Species: []string{"a", "b", "c"}, Rows: [][]msa.Cell{row, row, {2, 2}}}
	l := must(m.Likelihoods(a))[0]
	for _, q := range []em.Query{{EStep: em.Viterbi}, {Tangent: make([]float64, m.Params.Len())}} {
		q.Theta = m.Theta
		if _, err := l.Expect(t.Context(), q); !errors.Is(err, semiring.ErrCapability) {
			t.Errorf("%+v: error %v", q.EStep, err)
		}
	}
	zero := slices.Clone(m.Theta)
	for v := range m.tree.Root() {
		for b := range bases {
			p := m.Changes(0).First(v, b).In(zero)
			clear(p)
			p[b] = 1 // nothing changes, but c differs
		}
	}
	if _, err := l.Expect(t.Context(), em.Query{Theta: zero}); !errors.Is(err, em.ErrUnderivable) || !contains(err, "column 0") {
		t.Errorf("error %v", err)
	}
	if _, err := l.LogProb(t.Context(), zero, 1); !errors.Is(err, em.ErrUnderivable) || !contains(err, "column 0") {
		t.Errorf("LogProb: %v", err)
	}
	if _, err := l.LogProb(t.Context(), zero[1:], 1); !errors.Is(err, em.ErrParameter) {
		t.Errorf("LogProb of a Theta too short: %v", err)
	}
	if _, err := l.Posteriors(t.Context(), zero, nil, 1); !errors.Is(err, em.ErrUnderivable) {
		t.Errorf("error %v", err)
	}
	if _, err := l.Posteriors(t.Context(), zero[1:], nil, 1); !errors.Is(err, em.ErrParameter) {
		t.Errorf("error %v", err)
	}
}

// Options out of range are refused; parameters are shared unless submodels have their own.
func TestWindowOptions(t *testing.T) {
	for _, columns := range []int{-1, 1, MaxColumns + 1} {
		if _, err := NewWindows(mammals, em.Multinomial{}, &WindowOptions{Columns: columns}); !errors.Is(err, em.ErrInvalid) {
			t.Errorf("windows of %d columns: error %v", columns, err)
		}
	}
	for columns := 2; columns <= MaxColumns; columns++ {
		shared := must(NewWindows(mammals, em.Multinomial{}, &WindowOptions{Columns: columns}))
		own := must(NewWindows(mammals, em.Multinomial{}, &WindowOptions{Columns: columns, SeparateParams: true}))
		if shared.Submodels() != columns || shared.Changes(0) != shared.Changes(columns-1) || own.Changes(0) == own.Changes(columns-1) {
			t.Errorf("%d columns: submodels share parameters where they have their own, or not where they do not", columns)
		}
		if own.Params.Len() != columns*shared.Params.Len() {
			t.Errorf("%d columns: %d parameters, and %d if they are shared", columns, own.Params.Len(), shared.Params.Len())
		}
	}
}

// TestUnequalShards: submodels with different numbers of patterns have as many shards, and go
// together.
func TestUnequalShards(t *testing.T) {
	m := must(NewWindows(mammals, em.Multinomial{}, nil))
	a := drawn(mammals, 1700)
	found := false
	for columns := 1000; columns < a.Columns() && !found; columns += 10 {
		some := &msa.Alignment{Species: a.Species}
		for _, row := range a.Rows {
			some.Rows = append(some.Rows, row[:columns])
		}
		ways := must(m.Likelihoods(some))
		if found = shardsOf(ways[0].parts) != shardsOf(ways[1].parts); !found {
			continue
		}
		sum := 0.0
		for _, l := range ways {
			sum += must(l.Expect(t.Context(), em.Query{Theta: m.Theta})).LogLikelihood
			if x := must(l.LogProb(t.Context(), m.Theta, 0)); !near(x, must(l.Expect(t.Context(), em.Query{Theta: m.Theta})).LogLikelihood, 1e-12) {
				t.Errorf("LogProb %v", x)
			}
		}
		if got := must(must(m.Independent(some)).Expect(t.Context(), em.Query{Theta: m.Theta})).LogLikelihood; !near(got, sum, 1e-12) {
			t.Errorf("%d columns: log likelihood %v, want %v", columns, got, sum)
		}
	}
	if !found {
		t.Error("no alignment has unequal shards")
	}
}

package phylo

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/models/phylo/msa"
)

// listed is what sums over all sequences of bases say of a chain.
type listed struct {
	logProb    float64
	initial    []float64   // expected counts
	rows       [][]float64 // by state
	posteriors [][][bases]float64
}

// list lists the sequences of bases of each row and run of data, with the states of a chain of
// some order: the first also holds the bases before the run.
func (c *Chain) list(order int, data ChainData) listed {
	a, m := data.Alignment, c.Model
	states := 1 << (2 * order)
	out := listed{initial: make([]float64, states), rows: make([][]float64, states)}
	for s := range out.rows {
		out.rows[s] = make([]float64, bases)
	}
	frequency := a.Frequencies()
	for row, cells := range a.Rows {
		out.posteriors = append(out.posteriors, make([][bases]float64, a.Columns()))
		for run := range a.Runs() {
			lo, hi := a.Run(run)
			evidence := make([][bases]float64, hi-lo)
			for j := range evidence {
				if b, ok := cells[lo+j].Observed(); ok {
					evidence[j][b] = 1
					continue
				}
				for b, q := range data.Posterior(row, lo+j) {
					if q > 0 {
						evidence[j][b] = q / frequency[b]
					}
				}
			}
			type path struct {
				states []int
				weight float64
			}
			var paths []path
			sum := 0.0
			for first := range states {
				paths = append(paths, path{[]int{first}, m.Initial().In(m.Theta)[first] * evidence[0][first%bases]})
			}
			for j := 1; j < hi-lo; j++ {
				var longer []path
				for _, p := range paths {
					s := p.states[j-1]
					for b := range bases {
						if w := p.weight * m.Row(s).In(m.Theta)[b] * evidence[j][b]; w > 0 {
							longer = append(longer, path{append(slices.Clone(p.states), (s*bases+b)%states), w})
						}
					}
				}
				paths = longer
			}
			for _, p := range paths {
				sum += p.weight
			}
			weight := a.Weight(lo)
			if weight > 0 {
				out.logProb += weight * math.Log(sum)
			}
			for _, p := range paths {
				q := p.weight / sum
				out.initial[p.states[0]] += weight * q
				for j, s := range p.states {
					out.posteriors[row][lo+j][s%bases] += q
					if j > 0 {
						out.rows[p.states[j-1]][s%bases] += weight * q
					}
				}
			}
		}
	}
	return out
}

// chainAlignment is a random alignment, with rows that are alike, cells of all kinds, and, with
// weights, columns of weight 0 and of others. The first bases of the first row are all there are,
// as far as it has columns.
func chainAlignment(r *rand.Rand, weighted bool) *msa.Alignment {
	n, columns := 1+r.IntN(3), 1+r.IntN(5)
	a := new(msa.Alignment)
	for i := range n {
		row := make([]msa.Cell, columns)
		for j := range row {
			one, other := msa.Base(r.IntN(bases)), msa.Base(r.IntN(bases))
			row[j] = []msa.Cell{one, msa.Missing, one | other}[r.IntN(3)]
		}
		if i > 0 && r.IntN(3) == 0 {
			row = slices.Clone(a.Rows[i-1])
		}
		a.Species, a.Rows = append(a.Species, fmt.Sprint("s", i)), append(a.Rows, row)
	}
	for b := range min(bases, columns) {
		a.Rows[0][b] = msa.Base(b)
	}
	for j := range columns {
		if j == 0 || weighted || r.IntN(3) == 0 {
			a.Starts = append(a.Starts, j)
		}
		if weighted {
			a.Weights = append(a.Weights, []float64{0, 1, 2.5, 1e-3}[r.IntN(4)])
		}
	}
	return a
}

// A step of EM and posteriors of a chain are those of all sequences of bases, listed: for
// columns of weight 0, rows that are alike, a single column, ambiguity codes, and posteriors that
// are scaled by 1e±300, which do not matter.
func TestChainListed(t *testing.T) {
	done := 0
	for seed := range trials.Seeds(200) {
		r := random(seed)
		a := chainAlignment(r, seed%3 == 0)
		frequency := a.Frequencies()
		scale := []float64{1, 1e-300, 1e300}[seed%3]
		posterior := func(row, column int) (q [bases]float64) {
			r := random(seed + uint64(100*row+column))
			for b := range q {
				if q[b] = r.Float64(); frequency[b] == 0 || r.IntN(5) == 0 {
					q[b] = 0
				}
			}
			q[slices.IndexFunc(frequency[:], func(x float64) bool { return x > 0 })] += .1
			return q
		}
		scaled := func(row, column int) (q [bases]float64) {
			for b, x := range posterior(row, column) {
				q[b] = x * scale
			}
			return q
		}
		order := 1 + r.IntN(2)
		c := must(NewChain(order, em.Multinomial{}, a))
		c.Model.Theta = c.Model.Params.Random(r)
		want := c.list(order, ChainData{a, posterior})
		got, err := c.Posteriors(t.Context(), ChainData{a, scaled}, 1+r.IntN(3))
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for row := range want.posteriors {
			for j, q := range want.posteriors[row] {
				for b := range q {
					if !near(got[row][j][b], q[b], 1e-10) {
						t.Fatalf("seed %d: row %d, column %d: %v, want %v", seed, row, j, got[row][j], q)
					}
				}
			}
		}
		if a.Weights != nil && slices.Max(a.Weights) == 0 {
			continue // an error of training
		}
		done++
		before := slices.Clone(c.Model.Theta)
		fit, err := c.Fit(t.Context(), ChainData{a, scaled}, &em.Options{Iterations: 1, Tolerance: -1})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		shift := 0.0 // by the scale, of each hidden cell
		for _, cells := range a.Rows {
			for j, cell := range cells {
				if _, ok := cell.Observed(); !ok {
					shift += a.Weight(j) * math.Log(scale)
				}
			}
		}
		if !near(fit.Objective[0], want.logProb+shift, 1e-9) {
			t.Fatalf("seed %d: objective %.12g, want %.12g", seed, fit.Objective[0], want.logProb+shift)
		}
		check := func(g *em.Group, counts []float64) {
			sum := 0.0
			for _, x := range counts {
				sum += x
			}
			for k, x := range g.In(c.Model.Theta) {
				share := g.In(before)[k]
				if sum > 1e-12 {
					share = counts[k] / sum
				}
				if !near(x, share, 1e-8) {
					t.Fatalf("seed %d: %s is %v, want %v", seed, g.Name(k), x, share)
				}
			}
		}
		check(c.Model.Initial(), want.initial)
		for state, counts := range want.rows {
			check(c.Model.Row(state), counts)
		}
	}
	if done < 60 {
		t.Errorf("%d trials", done)
	}
}

// The transitions at the start are shares of what follows what, each counted once more.
func TestChainStartCounts(t *testing.T) {
	for seed := range trials.Seeds(100) {
		r := random(seed)
		a := chainAlignment(r, false)
		order := 1 + r.IntN(3)
		c := must(NewChain(order, em.Multinomial{}, a))
		for state := range 1 << (2 * order) {
			var want [bases]float64
			sum := 0.0
			for b := range want {
				want[b] = 1
				for _, cells := range a.Rows {
					for run := range a.Runs() {
						lo, hi := a.Run(run)
					next:
						for j := lo + order; j < hi; j++ {
							for k := range order + 1 { // the last base, and those of the state before it
								base := b
								if k > 0 {
									base = state >> (2 * (k - 1)) % bases
								}
								if cells[j-k] != msa.Base(base) {
									continue next
								}
							}
							want[b]++
						}
					}
				}
				sum += want[b]
			}
			for b, x := range c.Model.Row(state).In(c.Model.Theta) {
				if !near(x, want[b]/sum, 1e-14) {
					t.Fatalf("seed %d, state %d: %v, want %v/%v", seed, state, x, want, sum)
				}
			}
		}
	}
}

// A base that is observed nowhere is no error if no cell may have it.
func TestChainWithoutABase(t *testing.T) {
	a := rows("ACTNCA", "ACTTCA")
	without := func(int, int) [bases]float64 { return [bases]float64{.2, .3, 0, .5} }
	for _, order := range []int{1, 2} {
		c := must(NewChain(order, em.Multinomial{}, a))
		want := c.list(order, ChainData{a, without})
		got, err := c.Posteriors(t.Context(), ChainData{a, without}, 1)
		if err != nil || got[0][3][2] != 0 || !near(got[0][3][3], want.posteriors[0][3][3], 1e-12) {
			t.Errorf("%v, want %v: %v", got, want.posteriors, err)
		}
		if _, err := c.Fit(t.Context(), ChainData{a, without}, nil); err != nil {
			t.Error(err)
		}
	}
	c := must(NewChain(1, em.Multinomial{}, a))
	with := ChainData{a, func(int, int) [bases]float64 { return [bases]float64{.2, .3, .1, .4} }}
	if _, err := c.Fit(t.Context(), with, nil); !errors.Is(err, em.ErrInvalid) || !contains(err, "no G is observed") {
		t.Error(err)
	}
}

// Weights of 0 alone are an error of training, and posteriors do not depend on them.
func TestChainWeightless(t *testing.T) {
	a := rows("ACGTN")
	for j := range 5 {
		a.Starts, a.Weights = append(a.Starts, j), append(a.Weights, 0)
	}
	data := ChainData{a, func(int, int) [bases]float64 { return [bases]float64{.1, .2, .3, .4} }}
	c := must(NewChain(1, em.Multinomial{}, a))
	if r, err := c.Fit(t.Context(), data, nil); err == nil {
		t.Errorf("%+v", r)
	}
}

// Calls at once, and any number of workers, have the same bits; a context that is done ends a call
// with its cause and without a result.
func TestChainConcurrent(t *testing.T) {
	a := drawn(mammals, 300)
	data := ChainData{a, func(row, column int) [bases]float64 {
		r := random(uint64(1000*row + column))
		return [bases]float64{r.Float64(), r.Float64(), r.Float64(), r.Float64()}
	}}
	c := must(NewChain(2, em.Multinomial{}, a))
	want := must(c.Posteriors(t.Context(), data, 1))
	var all sync.WaitGroup
	for workers := range 4 {
		all.Go(func() {
			got, err := c.Posteriors(t.Context(), data, workers)
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%d workers: other bits, or %v", workers, err)
			}
		})
	}
	all.Wait()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if p, err := c.Posteriors(ctx, data, 2); p != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v", p, err)
	}
	theta := slices.Clone(c.Model.Theta)
	if r, err := c.Fit(ctx, data, nil); r != nil && r.Status != em.Canceled || !errors.Is(err, context.Canceled) || !slices.Equal(theta, c.Model.Theta) {
		t.Errorf("%+v, %v", r, err)
	}
}

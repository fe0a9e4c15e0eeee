package phylo

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/models/phylo/msa"
	"example.org/pathsum/semiring"
)

// The posteriors of a chain are those of all sequences of bases, listed.
func TestChain(t *testing.T) {
	for seed := range trials.Seeds(60) {
		r := random(seed)
		a := randomAlignment(r, must(ParseTree("(a,b);")), 1+r.IntN(4))
		order := 1 + r.IntN(2)
		for row, cells := range a.Rows { // each base is somewhere
			a.Rows[row] = append(cells, msa.Base(2*row), msa.Base(2*row+1))
		}
		posterior := func(row, column int) (q [bases]float64) {
			r := random(seed + uint64(100*row+column))
			for b := range q {
				q[b] = r.Float64()
			}
			return q
		}
		c := must(NewChain(order, em.Multinomial{}, a))
		m := c.Model
		m.Theta = m.Params.Random(r)
		got := must(c.Posteriors(t.Context(), ChainData{a, posterior}, 1))
		frequency := a.Frequencies()
		for row := range a.Rows {
			for run := range a.Runs() {
				lo, hi := a.Run(run)
				want, sum := make([][bases]float64, hi-lo), 0.0
				// The first state holds bases before the run as well.
				for x := range 1 << (2 * (hi - lo + order - 1)) {
					base := func(j int) int { return x >> (2 * (hi - lo - 1 - j)) % bases }
					state := func(j int) int { return x >> (2 * (hi - lo - 1 - j)) % (1 << (2 * order)) }
					w := m.Initial().In(m.Theta)[state(0)]
					for j := range hi - lo {
						if j > 0 {
							w *= m.Row(state(j - 1)).In(m.Theta)[base(j)]
						}
						cell := a.Rows[row][lo+j]
						switch b, ok := cell.Observed(); {
						case !ok:
							w *= posterior(row, lo+j)[base(j)] / frequency[base(j)]
						case b != base(j):
							w = 0
						}
					}
					sum += w
					for j := range want {
						want[j][base(j)] += w
					}
				}
				for j := range want {
					for b := range bases {
						if x := got[row][lo+j][b]; !near(x, want[j][b]/sum, 1e-10) {
							t.Fatalf("seed %d, row %d, column %d: %v, want %v", seed, row, lo+j, got[row][lo+j], want[j])
						}
					}
				}
			}
		}
	}
}

// A chain learns what follows what, also where bases are hidden.
func TestChainFit(t *testing.T) {
	a := &msa.Alignment{Species: []string{"x", "y"}, Rows: make([][]msa.Cell, 2)}
	r := random(1)
	for row := range a.Rows {
		for j := range 600 { // ACGACG…
			c := msa.Base(j % 3)
			if r.IntN(3) == 0 {
				c = msa.Missing
			}
			a.Rows[row] = append(a.Rows[row], c)
		}
	}
	a.Rows[0][0] = msa.Base(3)
	a.Starts = []int{0, 300}
	c := must(NewChain(2, em.Dirichlet{Alpha: 1.01}, a))
	data := ChainData{a, func(int, int) [bases]float64 { return [bases]float64{.25, .25, .25, .25} }}
	fit := must(c.Fit(t.Context(), data, &em.Options{Iterations: 20}))
	after := must(c.Posteriors(t.Context(), data, 2))
	if fit.Objective[0] >= fit.Last() || after[1][451][451%3] < .999 {
		t.Errorf("objectives %v, posteriors %v", fit.Objective, after[1][451])
	}
}

func TestChainRefuse(t *testing.T) {
	a := drawn(mammals, 10)
	flat := func(int, int) [bases]float64 { return [bases]float64{.25, .25, .25, .25} }
	for _, order := range []int{0, MaxOrder + 1} {
		if _, err := NewChain(order, em.Multinomial{}, a); !errors.Is(err, em.ErrInvalid) {
			t.Errorf("order %d: error %v", order, err)
		}
	}
	none := &msa.Alignment{Species: []string{"a"}, Rows: [][]msa.Cell{{1, 2, 8, msa.Missing}}}
	if _, err := must(NewChain(1, em.Multinomial{}, none)).Fit(t.Context(), ChainData{none, flat}, nil); !errors.Is(err, em.ErrInvalid) || !contains(err, "no G is observed") {
		t.Errorf("error %v", err)
	}
	if _, err := NewChain(1, em.Multinomial{}, &msa.Alignment{}); !errors.Is(err, msa.ErrInvalid) {
		t.Errorf("error %v", err)
	}
	for _, q := range [][bases]float64{{}, {-1, 1, 1, 1}, {math.NaN(), 1}, {math.Inf(1)}} {
		c, data := must(NewChain(1, em.Multinomial{}, a)), ChainData{a, func(int, int) [bases]float64 { return q }}
		if _, err := c.Fit(t.Context(), data, nil); !errors.Is(err, em.ErrInvalid) || !contains(err, "(Homo, columns from") {
			t.Errorf("posteriors %v: error %v", q, err)
		}
		if _, err := c.Posteriors(t.Context(), data, 1); !errors.Is(err, em.ErrInvalid) {
			t.Errorf("posteriors %v: error %v", q, err)
		}
	}
	if _, err := evident(4).Sample(nil, 0, nil); !errors.Is(err, semiring.ErrCapability) {
		t.Error(err)
	}
	if fmt.Sprint(evident(16)) != "evidence of 16 states" {
		t.Error(evident(16))
	}
}

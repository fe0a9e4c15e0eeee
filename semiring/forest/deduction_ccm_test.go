package forest_test

import (
	"math/big"
	"testing"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/forest"
)

// bracket is the item “the words i … j−1 are a constituent”.
type bracket struct{ i, j int }

// ccm returns the constituent-context model of Klein & Manning (2002): the binary
// bracketings of n words, weighed by their spans.
func ccm(space *expr.Space, ps *parameters, n int) *forest.Deduction[bracket, expr.W] {
	spans := properSpans(n)
	d := forest.NewDeduction[bracket](space)
	forest.Join(d, "constituent",
		func(a bracket) (int, bool) { return a.j, true },
		func(b bracket) (int, bool) { return b.i, true },
		func(a, b bracket) {
			phi := expr.One
			if p, ok := spans(a.i, b.j); ok {
				phi = space.Param(ps.number(p))
			}
			d.Derive(bracket{a.i, b.j}, phi, a, b)
		})
	for i := range n {
		d.Derive(bracket{i, i + 1}, expr.One)
	}
	return d
}

// ccmLoops is the same sum as loops over a chart.
func ccmLoops(ps *parameters, n int) complex128 {
	spans := properSpans(n)
	var I [9][9]complex128
	for width := 1; width <= n; width++ {
		for i := 0; i+width <= n; i++ {
			j := i + width
			if width == 1 {
				I[i][j] = 1
			}
			for k := i + 1; k < j; k++ {
				I[i][j] += I[i][k] * I[k][j]
			}
			if p, ok := spans(i, j); ok {
				I[i][j] *= ps.value(p)
			}
		}
	}
	return I[0][n]
}

func TestDeductionCCM(t *testing.T) {
	for seed := range trials.Seeds(40) {
		n := 1 + int(seed%8)
		space, ps := expr.New(), newParameters(graphtest.Rand(seed))
		c, err := ccm(space, ps, n).Run(bracket{0, n})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		checkExpectations(t, space, ps, c.Forest, func() complex128 { return ccmLoops(ps, n) })
		catalan := new(big.Int).Binomial(2*int64(n)-2, int64(n)-1)
		catalan.Div(catalan, big.NewInt(int64(n)))
		if got := numTrees(c.Forest); got.Cmp(catalan) != 0 {
			t.Errorf("%v bracketings of %d words, want %v", got, n, catalan)
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

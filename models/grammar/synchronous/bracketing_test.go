package synchronous

import (
	"fmt"
	"slices"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/forest"
)

// Of the permutations of n words brackets make as many as the great Schröder numbers are, each in
// one way: all but those that contain 2413 or 3142.
func TestSeparablePermutations(t *testing.T) {
	schroeder := []int{1: 1, 2: 2, 3: 6, 4: 22, 5: 90}
	for n := 1; n < len(schroeder); n++ {
		var pairs [][2][]string
		var source, target []string
		for i := range n {
			source, target = append(source, fmt.Sprint("x", i)), append(target, fmt.Sprint("y", i))
			pairs = append(pairs, [2][]string{source[i:], target[i:]})
		}
		rules := slices.DeleteFunc(Bracketing(pairs), func(r Rule) bool { // x0/y0, x1/y1, …
			return len(r.Source)+len(r.Target) < 2 || r.Left == "C" && r.Source[0][1:] != r.Target[0][1:]
		})
		g, err := New("S", rules, em.Multinomial{})
		if err != nil {
			t.Fatal(err)
		}
		made := 0
		var permute func(k int)
		permute = func(k int) {
			if k < n {
				for i := k; i < n; i++ {
					target[k], target[i] = target[i], target[k]
					permute(k + 1)
					target[k], target[i] = target[i], target[k]
				}
				return
			}
			in, err := g.input(Example{Source: Words(source...), Target: Words(target...)})
			if err != nil {
				t.Fatal(err)
			}
			c, err := newDeduction(g).run(in)
			if err != nil {
				t.Fatal(err)
			}
			sum, err := forest.TreeSum(forest.Map(c.Forest, semiring.Real{}, func(expr.W) float64 { return 1 }))
			if err != nil || sum > 1 {
				t.Errorf("%v has %v derivations, %v", target, sum, err)
			}
			made += int(sum)
		}
		permute(0)
		if made != schroeder[n] {
			t.Errorf("%d words: %d permutations, want %d", n, made, schroeder[n])
		}
	}
}

package oracle

import "slices"

// Permutations calls visit with all permutations of 0, …, n−1. The slice is valid until
// the next call.
func Permutations(n int, visit func(of []int)) {
	of := make([]int, 0, n)
	var fill func()
	fill = func() {
		if len(of) == n {
			visit(of)
			return
		}
		for x := range n {
			if !slices.Contains(of, x) {
				of = append(of, x)
				fill()
				of = of[:len(of)-1]
			}
		}
	}
	fill()
}

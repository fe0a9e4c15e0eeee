package graph

// selectBest reorders states so that the n of the best scores come first, in any order;
// of equal scores those of the lower numbers. It takes time in proportion to their number
// on average (Hoare 1961).
func selectBest(states []int32, score []float64, n int) {
	before := func(x, y int32) bool { return score[x] > score[y] || score[x] == score[y] && x < y }
	lo, hi := 0, len(states) // those before lo are in, those from hi on are out
	for hi-lo > 1 && n > lo && n < hi {
		pivot := states[lo+(hi-lo)/2]
		i, j := lo, hi-1
		for i <= j {
			for before(states[i], pivot) {
				i++
			}
			for before(pivot, states[j]) {
				j--
			}
			if i <= j {
				states[i], states[j] = states[j], states[i]
				i++
				j--
			}
		}
		// Up to j none is after the pivot, from i on none before it.
		switch {
		case n <= j+1:
			hi = j + 1
		case n >= i:
			lo = i
		default:
			return
		}
	}
}

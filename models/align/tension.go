package align

// The tension of a diagonal is kept within these bounds.
const (
	leastTension    = 0
	greatestTension = 100
)

// best returns the tension under which counts are most probable. Their log likelihood
// is concave: its derivative, the expected distance under the model less the counted
// one, is brought to 0 by bisection.
func (w *where) best(counts []float64) float64 {
	shapes := w.shapes()
	lo, hi := float64(leastTension), float64(greatestTension)
	for range 40 {
		w.tension = (lo + hi) / 2
		if w.excess(shapes, counts) > 0 {
			lo = w.tension
		} else {
			hi = w.tension
		}
	}
	return w.tension
}

// excess returns the distance from the diagonal that the model expects less that of
// counts.
func (w *where) excess(shapes [][2]int, counts []float64) float64 {
	var row []float64
	sum := 0.0
	for _, shape := range shapes {
		n := shape[0]
		row = resized(row, n)
		for j := range shape[1] {
			w.slope(row, j, shape[1])
			at := w.first[shape] + j*n
			total := 0.0
			for _, c := range counts[at : at+n] {
				total += c
			}
			for i, c := range counts[at : at+n] {
				sum += (total*row[i] - c) * distance(i, n, j, shape[1])
			}
		}
	}
	return sum
}

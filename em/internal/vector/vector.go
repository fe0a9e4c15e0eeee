// Package vector implements the operations on vectors of counts that training and the E steps of
// machines share.
package vector

// Sum returns the sum of v, added from the first number to the last.
func Sum(v []float64) float64 {
	total := 0.0
	for _, x := range v {
		total += x
	}
	return total
}

// Pad returns s with zeros appended to the length n.
func Pad(s []float64, n int) []float64 {
	for len(s) < n {
		s = append(s, 0)
	}
	return s
}

// Zeros returns a zeroed slice of length n, reusing s if possible.
func Zeros(s []float64, n int) []float64 {
	if cap(s) < n {
		return make([]float64, n)
	}
	s = s[:n]
	clear(s)
	return s
}

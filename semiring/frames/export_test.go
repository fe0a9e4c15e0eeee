package frames

// Largest makes rows of more numbers segments, until the function that it returns is called.
func Largest(n int) (restore func()) {
	before := largest
	largest = n
	return func() { largest = before }
}

// Segment makes rows of more numbers than n segments.
func Segment(n int) { largest = n }

// Bases returns the number of rows of the last segment with a new basis.
func (s *Scratch) Bases() int { return s.pass.used }

package frames

// Largest makes rows of more numbers segments, until the function that it returns is called.
func Largest(n int) (restore func()) {
	before := largest
	largest = n
	return func() { largest = before }
}

// Segment makes rows of more numbers than n segments.
func Segment(n int) { largest = n }

// Bases returns how many rows of the last segment were given a basis of their own.
func (s *Scratch) Bases() int { return s.pass.used }

package cells

// Sample is an evenly spaced sample of the examples of a kind, from which a way is chosen.
type Sample[X any] struct {
	Kind     Kind
	Seen     int // all examples shown
	Examples []X
	stride   int
}

// NewSample returns an empty sample.
func NewSample[X any](kind Kind) *Sample[X] { return &Sample[X]{Kind: kind, stride: 1} }

// mostSampled is the maximum number of examples in a sample.
const mostSampled = 8

// Show adds x to the sample if its index is a multiple of the stride.
func (s *Sample[X]) Show(x X) {
	if s.Seen%s.stride == 0 && len(s.Examples) == mostSampled {
		for i := range mostSampled / 2 {
			s.Examples[i] = s.Examples[2*i]
		}
		clear(s.Examples[mostSampled/2:])
		s.Examples = s.Examples[:mostSampled/2]
		s.stride *= 2
	}
	if s.Seen%s.stride == 0 {
		s.Examples = append(s.Examples, x)
	}
	s.Seen++
}

// Arcs returns the time to sum over the examples of the sample, in arcs of
// lattices that take as much time.
func (s *Sample[X]) Arcs(of *Cells, strings func(x *X) Strings) float64 {
	n := 0.0
	for i := range s.Examples {
		n += of.way.visited(strings(&s.Examples[i]))
	}
	return n
}

package cells

// Sample is an evenly spread sample of the examples of a kind, by which costs are predicted.
type Sample[X any] struct {
	Kind     Kind
	Seen     int // all examples shown
	Examples []X
	stride   int
}

// NewSample returns an empty sample.
func NewSample[X any](kind Kind) *Sample[X] { return &Sample[X]{Kind: kind, stride: 1} }

// mostSampled is how many examples a sample has at most.
const mostSampled = 8

// Show takes an example of the kind into the sample if it is its turn.
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

// Cost predicts the time of an E step over the sample, with its part of what all examples
// share, in that of a lattice's arc: the values of cells, and what it took to compile them,
// over as many E steps as are expected. The examples are in so many shards.
func (s *Sample[X]) Cost(of *Cells, strings func(x *X) Strings, shards int, steps float64) float64 {
	const valueCost, compileCost = 3, 100 // of a cell
	cost := (valueCost + compileCost/steps) * float64(of.Len()) * float64(len(s.Examples)) / float64(s.Seen)
	for i := range s.Examples {
		cost += of.way.cost(strings(&s.Examples[i]), float64(s.Seen)/float64(shards))
	}
	return cost
}

package hmm

import "example.org/pathsum/em"

// Sequence is a sequence of observations, of whose states any may be known.
type Sequence[O any] struct {
	Observations []O
	// States, if not nil, has one entry per observation: the number of the state
	// there, or −1 where it is not known.
	States []int32
	// Weight says how often the sequence was seen, a finite number ≥ 0; the zero
	// value of the field means once, em.Times(0) that it has no part in training.
	Weight em.Multiplicity
	// Name appears in errors and reports; without one the index does.
	Name string
}

// skipped returns sequence i as it is called in reports.
func (s *Sequence[O]) skipped(i int) em.Skipped {
	return em.Skipped{Index: i, Name: s.Name, Weight: s.Weight.Float64()}
}

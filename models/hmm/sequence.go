package hmm

// Sequence is a sequence of observations, of whose states any may be known.
type Sequence[O any] struct {
	Observations []O
	// States, if not nil, has one entry per observation: the number of the state
	// there, or −1 where it is not known.
	States []int32
	// Weight says how often the sequence was seen: any finite number > 0; the
	// zero value of the field means 1.
	Weight float64
	// Name appears in errors and reports; without one the index does.
	Name string
}

package fst

// Finder is a Machine that finds the arcs of a state by label without making all of them,
// as a model that has one for every label of a large alphabet. Compose then asks it for
// those that the other operand can match, and for all arcs of a state only where
// both operands are such machines.
type Finder[W any] interface {
	Machine[W]
	// AppendMatching appends to dst those of the arcs of AppendArcs(s) that have this
	// label, which may be ε, on a tape.
	AppendMatching(dst []Arc[W], s int32, tape Tape, label int32) []Arc[W]
}

// found is a lazy machine that asks a Finder, for the arcs of a state and a label once.
type found[W any] struct {
	lazy[W]
	machine Finder[W]
}

func newFound[W any](m Finder[W]) *lazy[W] {
	f := &found[W]{machine: m}
	f.source = f
	f.reset(manyStates, manyStates)
	return &f.lazy
}

func (f *found[W]) generate(dst []Arc[W], s, in, out int32) []Arc[W] {
	switch {
	case in != anyLabel:
		dst = f.machine.AppendMatching(dst, s, Input, in)
	case out != anyLabel:
		dst = f.machine.AppendMatching(dst, s, Output, out)
	default:
		dst = f.machine.AppendArcs(dst, s)
	}
	f.fits(dst, 0)
	return dst
}

// estimate is more than any machine has whose arcs are known.
func (f *found[W]) estimate(int32) int { return maxLimit }

package fst

import "example.org/pathsum/internal/nonnil"

// Union returns f ⊕ more[0] ⊕ …: ⟦Union(a, b)⟧(x, y) = ⟦a⟧(x, y) ⊕ ⟦b⟧(x, y). It
// is the machines side by side, without new states or arcs. Any ring will do. The
// error wraps ErrMismatch if rings or symbols differ, semiring.ErrLimit for a result of
// more than 2³¹−1 states or arcs. O(states + arcs).
func Union[W any](f *FST[W], more ...*FST[W]) (*FST[W], error) {
	nonnil.Check("fst: Union", "machine", f)
	parts := append([]*FST[W]{f}, more...)
	return join(unionPlan(len(parts)), parts)
}

// UnionLazily is Union made as it is asked for, of any machines. The error wraps
// ErrMismatch if rings or symbols differ.
func UnionLazily[W any](m Machine[W], more ...Machine[W]) (*Joined[W], error) {
	nonnil.Check("fst: UnionLazily", "machine", m)
	parts := append([]Machine[W]{m}, more...)
	return joinLazily(unionPlan(len(parts)), parts)
}

// Concat returns f ⊗ more[0] ⊗ …: ⟦Concat(a, b)⟧(x, y) = ⊕ ⟦a⟧(x′, y′) ⊗
// ⟦b⟧(x″, y″) over all x = x′x″, y = y′y″. An arc ε:ε leads from every final state
// of a machine to a new state, and from there one to every initial state of the
// next. Any ring will do. Errors and complexity are those of Union.
func Concat[W any](f *FST[W], more ...*FST[W]) (*FST[W], error) {
	nonnil.Check("fst: Concat", "machine", f)
	parts := append([]*FST[W]{f}, more...)
	return join(concatPlan(len(parts)), parts)
}

// ConcatLazily is Concat made as it is asked for, of any machines, with the error of
// UnionLazily.
func ConcatLazily[W any](m Machine[W], more ...Machine[W]) (*Joined[W], error) {
	nonnil.Check("fst: ConcatLazily", "machine", m)
	parts := append([]Machine[W]{m}, more...)
	return joinLazily(concatPlan(len(parts)), parts)
}

// Star returns f* = 1̄ ⊕ f ⊕ f⊗f ⊕ …, as a relation: the closure under
// concatenation. A new state is initial and final; arcs ε:ε lead from there to
// every initial state and back from every final state. Any ring will do; whether
// its path sums converge is for them to say. The error wraps semiring.ErrLimit for a
// result of more than 2³¹−1 states or arcs. O(states + arcs).
func Star[W any](f *FST[W]) (*FST[W], error) {
	nonnil.Check("fst: Star", "machine", f)
	return join(starPlan, []*FST[W]{f})
}

// StarLazily is Star made as it is asked for, of any machine.
func StarLazily[W any](m Machine[W]) *Joined[W] {
	nonnil.Check("fst: StarLazily", "machine", m)
	return joinedOne(starPlan, m)
}

// Plus returns f ⊗ f* = f ⊕ f⊗f ⊕ …: one or more times f. Requirements, errors
// and complexity are those of Star.
func Plus[W any](f *FST[W]) (*FST[W], error) {
	nonnil.Check("fst: Plus", "machine", f)
	return join(plusPlan, []*FST[W]{f})
}

// PlusLazily is Plus made as it is asked for, of any machine.
func PlusLazily[W any](m Machine[W]) *Joined[W] {
	nonnil.Check("fst: PlusLazily", "machine", m)
	return joinedOne(plusPlan, m)
}

// Optional returns 1̄ ⊕ f, f or the pair of empty strings: a new state is initial
// and final. Requirements, errors and complexity are those of Star.
func Optional[W any](f *FST[W]) (*FST[W], error) {
	nonnil.Check("fst: Optional", "machine", f)
	return join(optionalPlan, []*FST[W]{f})
}

// OptionalLazily is Optional made as it is asked for, of any machine.
func OptionalLazily[W any](m Machine[W]) *Joined[W] {
	nonnil.Check("fst: OptionalLazily", "machine", m)
	return joinedOne(optionalPlan, m)
}

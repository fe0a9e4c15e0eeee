package semiring

// ViterbiExpectation returns Lex(Viterbi, Expectation(base, m)): the mass of the best
// path, and the value along it. Give an arc of mass p that contributes v the weight
// (p, ⟨p, p·v⟩), which is that of an Expectation with p in front; then the value of
// the best path is V/P.
//
// Where several paths are best, to the last bit, P is their mass together and V/P
// the mean of their values: a rule that depends on the paths alone and not on an
// order of summation, so that all axioms hold. The base is Scaled as a rule.
//
// A cycle of mass 1 has no star unless the base says so: there are infinitely many
// best paths.
func ViterbiExpectation[W, V any](base Semiring[W], m Module[W, V]) Semiring[Pair[ScaledFloat, Expected[W, V]]] {
	return newLex(Semiring[ScaledFloat](Viterbi{}), Ordered[ScaledFloat](Viterbi{}), Expectation(base, m))
}

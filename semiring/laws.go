package semiring

// Laws is a set of laws that a ring claims beyond the semiring axioms. An
// algorithm reads them to choose a faster route, so a false claim gives wrong
// answers; semiringtest.Check tries every claim.
type Laws uint16

// The laws. A selective ring is idempotent, and a bounded ring is idempotent and
// k-closed; the constants include what they imply.
const (
	// Commutative: a ⊗ b = b ⊗ a.
	Commutative Laws = 1 << iota
	// Idempotent: a ⊕ a = a.
	Idempotent
	selective
	bounded
	// KClosed: for every a that has a star, the sums 1̄ ⊕ a ⊕ … ⊕ aⁿ are a* from
	// some n on. Then a cycle that has a sum has it after finitely many rounds, and
	// relaxation along arcs comes to an end (M. Mohri, Semiring frameworks and
	// algorithms for shortest-distance problems, 2002, where n is one k for all a).
	KClosed
	// Cancellative: a ⊗ b = a ⊗ c only if b = c, b ⊗ a = c ⊗ a only if b = c, for
	// a ≠ 0̄; rounding apart.
	Cancellative
	// Selective: a ⊕ b is a or b (the "path property" of OpenFst). Such a ring
	// has the capability Ordered.
	Selective = selective | Idempotent
	// Bounded: 1̄ ⊕ a = 1̄, so that a* = 1̄ and no cycle improves a path.
	Bounded = bounded | Idempotent | KClosed
)

// Has reports whether l includes every law of m.
func (l Laws) Has(m Laws) bool { return l&m == m }

// LawsOf returns the laws that s claims, none if it is not Lawful.
func LawsOf[W any](s Semiring[W]) Laws {
	if l, ok := As[Lawful](s); ok {
		return l.Laws()
	}
	return 0
}

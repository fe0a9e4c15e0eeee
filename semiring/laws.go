package semiring

// Laws is a set of laws that a ring claims beyond the semiring axioms. An
// algorithm reads them to choose a faster route, so a false claim gives wrong
// answers; semiringtest.Check tries every claim.
type Laws uint16

// The laws. A selective ring is idempotent, and a bounded ring is idempotent;
// the constants include what they imply.
const (
	// Commutative: a ⊗ b = b ⊗ a.
	Commutative Laws = 1 << iota
	// Idempotent: a ⊕ a = a.
	Idempotent
	selective
	bounded
	// Selective: a ⊕ b is a or b (the "path property" of OpenFst). Such a ring
	// has the capability Ordered.
	Selective = selective | Idempotent
	// Bounded: 1̄ ⊕ a = 1̄, so that a* = 1̄ and no cycle improves a path.
	Bounded = bounded | Idempotent
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

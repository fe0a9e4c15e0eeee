// Package sumtest checks storages of graphs and forests. The idea: every storage of paths or
// trees in rows, layers or grids has the same contract: sums, expected counts, their
// derivatives and the best derivation, at all magnitudes and without garbage. So one function
// checks all storages, and a storage provides random machines and their derivations.
package sumtest

import (
	"math/rand/v2"
	"testing"

	"example.org/pathsum/semiring"
)

// Storage describes a storage of machines whose weights are the entries of a table. Entry 0 is
// the number 0 and entry 1 the number 1. S is the scratch of its queries; its zero value is
// ready for use.
type Storage[S any] struct {
	// New returns a random machine of about size states or nodes, determined by r. It returns
	// false if the storage detects that there are no derivations.
	New func(r *rand.Rand, size int) (*Machine[S], bool)

	Small, Large int // sizes of machines for enumeration and for other checks
	Entries      int // of the table

	// If Counted is not 0, entries from it on are kept as float64, and not counted.
	Counted int

	// Entries are drawn from 2^(Center ± spread), where Spread is the greatest spread, 0 for no
	// limit. Machines with cycles require small entries.
	Center, Spread float64
	Least          float64 // expected counts may have errors below it; 0: 1e-150

	Negative  error // the error that Sum may return for a negative entry; nil: Sum must accept it
	Allocates bool  // queries may allocate
	Undefined bool  // counts are undefined after an error
	Diverges  bool  // an infinite entry may be answered by semiring.ErrDiverges
}

// Machine is one graph or forest in a storage. A query that is nil is not checked.
type Machine[S any] struct {
	// Ways returns the derivations of the machine, each as the entries whose product is its
	// weight, in the order of Best. It returns false if there are too many. Derivations whose
	// many parts make them negligible may be left out.
	Ways func() ([][]int32, bool)

	// Weigh makes the entries of table the weights of the machine, until the next call.
	Weigh func(table []semiring.ScaledFloat) error

	Sum func(s *S) (semiring.ScaledFloat, error)

	// Counts adds weight times the expected uses of entry k to count[k].
	Counts func(weight float64, count []float64, s *S) (semiring.ScaledFloat, error)

	// Along is like Counts, and also adds to change the derivative of count if every entry k is
	// multiplied by e^(ε·v[k]).
	Along func(v []float64, weight float64, count, change []float64, s *S) (semiring.ScaledFloat, error)

	// Best appends to dst the entries, except entry 1, of the derivation of the greatest
	// weight, and returns the weight.
	Best func(dst []int32, s *S) ([]int32, semiring.ScaledFloat, error)
}

// Check fails t for each part of the contract that the storage violates.
func Check[S any](t *testing.T, s Storage[S]) {
	t.Helper()
	for _, c := range checks[S]() {
		t.Run(c.name, func(t *testing.T) {
			if err := c.run(&s); err != nil {
				t.Error(err)
			}
		})
	}
}

// check is one part of the contract of a storage.
type check[S any] struct {
	name string
	run  func(s *Storage[S]) error
}

func checks[S any]() []check[S] {
	return []check[S]{
		{"Enumeration", enumeration[S]},
		{"Zero", zero[S]},
		{"NotFinite", notFinite[S]},
		{"Negative", negative[S]},
		{"Range", beyondRange[S]},
		{"Differences", differences[S]},
		{"Scratch", scratchReuse[S]},
		{"Allocations", allocations[S]},
		{"Goroutines", goroutines[S]},
	}
}

// Package sumtest checks storages of graphs and forests. The idea: whatever keeps paths or
// trees in rows, layers or grids promises the same, sums, expected counts, their
// derivatives and the best derivation, at all magnitudes and without garbage; so one
// function checks all of it, and a storage brings random machines and their derivations.
package sumtest

import (
	"math/rand/v2"
	"testing"

	"example.org/pathsum/semiring"
)

// Storage describes a way to keep machines whose weights are the entries of a table. Entry 0
// is the number 0 and entry 1 the number 1. S is the scratch that its questions use, whose
// zero value is ready for use.
type Storage[S any] struct {
	// New returns a random machine of about size states or nodes, the same for the same r.
	// It returns false if the storage finds that nothing has a derivation.
	New func(r *rand.Rand, size int) (*Machine[S], bool)

	Small, Large int // sizes of machines for enumeration and for other checks
	Entries      int // of the table

	// If Counted is not 0, entries from it on are kept as float64, and not counted.
	Counted int

	// Entries are drawn from 2^(Center ± spread), where Spread is the greatest spread, 0 for
	// no limit: machines with cycles need small entries.
	Center, Spread float64
	Least          float64 // expected numbers are wrong by less than that; 0: 1e-150

	Negative  error // what Sum may refuse an entry below 0 by; nil: it adds up all
	Allocates bool  // questions may allocate
	Undefined bool  // counts are undefined after an error
	Diverges  bool  // an infinite entry may be answered by semiring.ErrDiverges
}

// Machine is one graph or forest in a storage. A question that is nil is not checked.
type Machine[S any] struct {
	// Ways returns the derivations of the machine, each as the entries that its weight is
	// the product of, in the order of Best; false if there are too many. Those of more
	// parts than matter may be left out.
	Ways func() ([][]int32, bool)

	// Weigh makes the entries of table the weights of the machine, until the next call.
	Weigh func(table []semiring.ScaledFloat) error

	Sum func(s *S) (semiring.ScaledFloat, error)

	// Counts adds to count[k] weight times the expected uses of entry k.
	Counts func(weight float64, count []float64, s *S) (semiring.ScaledFloat, error)

	// Along is Counts, and adds to change the derivative of count if every entry k is
	// multiplied by e^(ε·v[k]).
	Along func(v []float64, weight float64, count, change []float64, s *S) (semiring.ScaledFloat, error)

	// Best appends to dst the entries of the derivation of the greatest weight other than
	// entry 1, and returns the weight.
	Best func(dst []int32, s *S) ([]int32, semiring.ScaledFloat, error)
}

// Check fails t for each promise that the storage breaks.
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

// check is one promise of a storage.
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

package sumtest

import (
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"example.org/pathsum/semiring"
)

// scratch records whether it was used.
type scratch struct{ used bool }

// listed is a storage that lists its derivations, and answers by summation. If spoil is not
// nil, it breaks each machine.
func listed(spoil func(m *Machine[scratch])) Storage[scratch] {
	return Storage[scratch]{
		New: func(r *rand.Rand, size int) (*Machine[scratch], bool) {
			ways := make([][]int32, r.IntN(size))
			for i := range ways {
				for range 1 + r.IntN(4) {
					ways[i] = append(ways[i], 1+r.Int32N(5))
				}
			}
			m := machineOf(ways)
			if spoil != nil {
				spoil(m)
			}
			return m, len(ways) > 0
		},
		Small: 5, Large: 30, Entries: 6, Allocates: true,
	}
}

func machineOf(ways [][]int32) *Machine[scratch] {
	m := &Machine[scratch]{Ways: func() ([][]int32, bool) { return ways, true }}
	var table []semiring.ScaledFloat
	m.Weigh = func(t []semiring.ScaledFloat) error { table = slices.Clone(t); return nil }
	m.Sum = func(*scratch) (semiring.ScaledFloat, error) {
		return enumerate(ways, table, make([]float64, len(table))).total, nil
	}
	m.Along = func(v []float64, weight float64, count, change []float64, s *scratch) (semiring.ScaledFloat, error) {
		a := enumerate(ways, table, v)
		if !a.total.IsFinite() {
			return a.total, semiring.ErrNotFinite
		}
		for k := range count {
			count[k] += weight * a.count[k]
			change[k] += weight * a.change[k]
		}
		s.used = true
		return a.total, nil
	}
	m.Counts = func(weight float64, count []float64, s *scratch) (semiring.ScaledFloat, error) {
		return m.Along(make([]float64, len(count)), weight, count, make([]float64, len(count)), s)
	}
	m.Best = func(dst []int32, _ *scratch) ([]int32, semiring.ScaledFloat, error) {
		best := semiring.ScaledFloat{}
		var list []int32
		for _, way := range ways {
			switch w := product(way, table); {
			case !w.IsFinite():
				return dst, w, semiring.ErrNotFinite
			case w.Cmp(best) > 0:
				best, list = w, way
			}
		}
		for _, k := range list {
			if k != 1 {
				dst = append(dst, k)
			}
		}
		return dst, best, nil
	}
	return m
}

func TestSound(t *testing.T) { Check(t, listed(nil)) }

// The check named after a fault of a storage finds it.
func TestBroken(t *testing.T) {
	type answer = semiring.ScaledFloat
	var calls atomic.Int64
	for _, c := range []struct {
		name, check string
		spoil       func(m *Machine[scratch])
	}{
		{"a wrong sum", "Enumeration", func(m *Machine[scratch]) {
			sum := m.Sum
			m.Sum = func(s *scratch) (answer, error) {
				total, err := sum(s)
				return total.Mul(semiring.NewScaled(1 + 1e-9)), err
			}
		}},
		{"a wrong count", "Enumeration", func(m *Machine[scratch]) {
			counts := m.Counts
			m.Counts = func(weight float64, count []float64, s *scratch) (answer, error) {
				return counts(weight*(1+1e-9), count, s)
			}
		}},
		{"counts that replace", "Enumeration", func(m *Machine[scratch]) {
			counts := m.Counts
			m.Counts = func(weight float64, count []float64, s *scratch) (answer, error) {
				clear(count)
				return counts(weight, count, s)
			}
		}},
		{"a wrong derivative", "Enumeration", func(m *Machine[scratch]) {
			along := m.Along
			m.Along = func(v []float64, weight float64, count, change []float64, s *scratch) (answer, error) {
				other := slices.Clone(v)
				other[2] *= 1 + 1e-6
				return along(other, weight, count, change, s)
			}
		}},
		{"the best but one", "Enumeration", func(m *Machine[scratch]) {
			ways, _ := m.Ways()
			if len(ways) < 2 {
				return
			}
			other, weigh := machineOf(ways[1:]), m.Weigh
			m.Weigh = func(table []answer) error { other.Weigh(table); return weigh(table) }
			m.Best = other.Best
		}},
		{"counts of nothing", "Zero", func(m *Machine[scratch]) {
			counts := m.Counts
			m.Counts = func(weight float64, count []float64, s *scratch) (answer, error) {
				total, err := counts(weight, count, s)
				if total.IsZero() {
					count[2] += weight
				}
				return total, err
			}
		}},
		{"NaN is lost", "NotFinite", func(m *Machine[scratch]) {
			sum := m.Sum
			m.Sum = func(s *scratch) (answer, error) {
				total, err := sum(s)
				if total.IsNaN() {
					total = answer{}
				}
				return total, err
			}
		}},
		{"counts of the infinite", "NotFinite", func(m *Machine[scratch]) {
			counts := m.Counts
			m.Counts = func(weight float64, count []float64, s *scratch) (answer, error) {
				total, err := counts(weight, count, s)
				if err != nil {
					count[2] += weight
				}
				return total, err
			}
		}},
		{"signs are lost", "Negative", func(m *Machine[scratch]) {
			weigh := m.Weigh
			m.Weigh = func(table []answer) error {
				table = slices.Clone(table)
				for k, x := range table {
					if x.Mant < 0 {
						table[k] = x.Neg()
					}
				}
				return weigh(table)
			}
		}},
		{"exponents wrap around", "Range", func(m *Machine[scratch]) {
			sum := m.Sum
			m.Sum = func(s *scratch) (answer, error) {
				total, err := sum(s)
				if !total.IsFinite() || total.IsZero() {
					total = semiring.NewScaled(1)
				}
				return total, err
			}
		}},
		{"a wrong derivative of large machines", "Differences", func(m *Machine[scratch]) {
			along := m.Along
			m.Along = func(v []float64, weight float64, count, change []float64, s *scratch) (answer, error) {
				other := slices.Clone(v)
				other[2] *= 1.01
				return along(other, weight, count, change, s)
			}
		}},
		{"a scratch that remembers", "Scratch", func(m *Machine[scratch]) {
			counts := m.Counts
			m.Counts = func(weight float64, count []float64, s *scratch) (answer, error) {
				if s.used {
					weight *= 1 + 0x1p-52
				}
				return counts(weight, count, s)
			}
		}},
		{"calls that count", "Goroutines", func(m *Machine[scratch]) {
			m.Sum = func(*scratch) (answer, error) { return semiring.NewScaled(float64(calls.Add(1))), nil }
		}},
		{"slices made", "Allocations", func(*Machine[scratch]) {}},
	} {
		s := listed(c.spoil)
		s.Allocates = c.check != "Allocations"
		i := slices.IndexFunc(checks[scratch](), func(x check[scratch]) bool { return x.name == c.check })
		if err := checks[scratch]()[i].run(&s); err == nil {
			t.Errorf("%s: the check %s finds nothing", c.name, c.check)
		}
	}
	s := listed(nil)
	s.New = func(r *rand.Rand, size int) (*Machine[scratch], bool) {
		m, ok := listed(nil).New(r, size)
		return m, !ok
	}
	if err := enumeration(&s); err == nil {
		t.Error("nothing is found where a machine is said to be empty")
	}
}

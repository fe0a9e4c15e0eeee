package sumtest

import (
	"fmt"
	"math"
	"math/rand/v2"

	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
)

// widest is the spread of entries from 2^−10⁴ to 2^10⁴.
const widest = 1e4

// table returns random entries; the fraction zeros of them is 0.
func (s *Storage[S]) table(r *rand.Rand, spread, zeros float64) []semiring.ScaledFloat {
	if s.Spread > 0 {
		spread = min(spread, s.Spread)
	}
	table := make([]semiring.ScaledFloat, s.Entries)
	for k := 2; k < len(table); k++ {
		limit := spread
		if s.Counted > 0 && k >= s.Counted {
			limit = min(limit, 1000)
		}
		if r.Float64() >= zeros {
			table[k] = semiring.ScaledFromLog(math.Ln2 * (s.Center + limit*(2*r.Float64()-1)))
		}
	}
	table[1] = semiring.NewScaled(1)
	return table
}

// direction returns a random v, which is 0 for entries that are not counted.
func (s *Storage[S]) direction(r *rand.Rand) []float64 {
	v := make([]float64, s.Entries)
	for k := 2; k < s.counted(); k++ {
		v[k] = 1 + r.NormFloat64()
	}
	return v
}

// counted returns the number of entries that are counted or at least were meant to be.
func (s *Storage[S]) counted() int {
	if s.Counted > 0 {
		return s.Counted
	}
	return s.Entries
}

// least returns Least, or its default.
func (s *Storage[S]) least() float64 {
	if s.Least > 0 {
		return s.Least
	}
	return 1e-150
}

// each calls f for random machines that are not empty.
func (s *Storage[S]) each(n uint64, size int, f func(r *rand.Rand, m *Machine[S]) error) error {
	for seed := range trials.Seeds(n) {
		r := rand.New(rand.NewPCG(seed, uint64(size)))
		m, ok := s.New(r, size)
		if !ok {
			continue
		}
		if err := f(r, m); err != nil {
			return fmt.Errorf("seed %d: %w", seed, err)
		}
	}
	return nil
}

// weighed sets the table of m.
func (m *Machine[S]) weighed(table []semiring.ScaledFloat) error {
	if err := m.Weigh(table); err != nil {
		return fmt.Errorf("table %v: %w", table, err)
	}
	return nil
}

// enough returns an error if a check had too few cases.
func enough(name string, got, want int) error {
	if got < want {
		return fmt.Errorf("only %d %s, want %d", got, name, want)
	}
	return nil
}

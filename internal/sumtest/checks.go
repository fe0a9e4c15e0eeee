package sumtest

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
)

// numSmall is the number of small machines of a check.
const numSmall = 1000

// enumeration compares all answers with sums over the derivations, for entries of similar and
// of very different magnitudes. Counts adds to existing values.
func enumeration[S any](s *Storage[S]) error {
	tried, scratch, n := 0, new(S), trials.Serial[uint64](4*numSmall)
	if s.Diverges {
		n /= 4 // cycles take long
	}
	for seed := range trials.Seeds(n) {
		r := rand.New(rand.NewPCG(seed, 1))
		m, some := s.New(r, s.Small)
		ways, ok := m.Ways()
		if !ok {
			continue
		}
		if some != (len(ways) > 0) {
			return fmt.Errorf("seed %d: a machine of %d derivations, but kept: %v", seed, len(ways), some)
		}
		if !some {
			continue
		}
		tried++
		table, v := s.table(r, []float64{3, 600, 2000, widest}[seed%4], .08), s.direction(r)
		if err := m.weighed(table); err != nil {
			return err
		}
		if err := s.compare(m, ways, table, v, scratch); err != nil {
			return fmt.Errorf("seed %d: %w", seed, err)
		}
	}
	return enough("machines", tried, int(n/6))
}

// compare compares the answers of m with those by enumeration.
func (s *Storage[S]) compare(m *Machine[S], ways [][]int32, table []semiring.ScaledFloat, v []float64, scratch *S) error {
	const weight = 2
	want := enumerate(ways, table, v)
	sum, err := m.Sum(scratch)
	if err != nil || !near(sum, want.total) {
		return fmt.Errorf("sum %v, %v, want %v", sum, err, want.total)
	}
	count := make([]float64, s.Entries)
	for times := range 2 {
		total, err := m.Counts(weight, count, scratch)
		if err != nil || !near(total, want.total) {
			return fmt.Errorf("total of counts %v, %v, want %v", total, err, want.total)
		}
		if err := s.nearCounts(count, want, weight*float64(times+1)); err != nil {
			return err
		}
	}
	if m.Along != nil {
		again, change := make([]float64, s.Entries), make([]float64, s.Entries)
		total, err := m.Along(v, weight, again, change, scratch)
		if err != nil || !near(total, want.total) {
			return fmt.Errorf("total of derivatives %v, %v, want %v", total, err, want.total)
		}
		if err := s.nearCounts(again, want, weight); err != nil {
			return fmt.Errorf("with derivatives: %w", err)
		}
		for k := 2; k < s.counted(); k++ {
			if x := weight * want.change[k]; !(abs(change[k]-x) <= 1e-11*weight*want.size[k]+s.least()) {
				return fmt.Errorf("the count of entry %d changes by %v, want %v", k, change[k], x)
			}
		}
	}
	if m.Best == nil {
		return nil
	}
	list, top, err := m.Best([]int32{-7}, scratch)
	if err != nil || !near(top, want.best) || list[0] != -7 {
		return fmt.Errorf("best %v of weight %v, %v, want weight %v", list, top, err, want.best)
	}
	if want.best.IsZero() {
		if len(list) > 1 {
			return fmt.Errorf("best %v, but all derivations weigh 0", list)
		}
		return nil
	}
	found := slices.ContainsFunc(ways, func(way []int32) bool {
		return slices.Equal(list[1:], slices.DeleteFunc(slices.Clone(way), func(k int32) bool { return k == 1 }))
	})
	if !found || !near(product(list[1:], table), want.best) {
		return fmt.Errorf("best %v, which is no derivation of weight %v", list[1:], want.best)
	}
	return nil
}

// nearCounts returns an error unless count is weight times the expected counts.
func (s *Storage[S]) nearCounts(count []float64, want *answers, weight float64) error {
	for k := 2; k < s.counted(); k++ {
		if x := weight * want.count[k]; !(abs(count[k]-x) <= 1e-11*x+s.least()) {
			return fmt.Errorf("count %d is %v, want %v", k, count[k], x)
		}
	}
	return nil
}

func near(a, b semiring.ScaledFloat) bool { return semiring.Scaled{}.Dist(a, b) < 1e-12 }

// zero checks that a machine whose derivations all weigh 0 does not change the counts.
func zero[S any](s *Storage[S]) error {
	tried, scratch := 0, new(S)
	err := s.each(numSmall/4, s.Small, func(r *rand.Rand, m *Machine[S]) error {
		ways, ok := m.Ways()
		table := s.table(r, 3, .8)
		if !ok || slices.ContainsFunc(ways, func(way []int32) bool { return !product(way, table).IsZero() }) {
			return nil
		}
		tried++
		if err := m.weighed(table); err != nil {
			return err
		}
		return s.unchanged(m, r, scratch, func(total semiring.ScaledFloat, err error) bool { return err == nil && total.IsZero() })
	})
	return errors.Join(err, enough("machines of sum 0", tried, numSmall/50))
}

// notFinite checks that infinite values and NaN appear in the results and are not counted.
func notFinite[S any](s *Storage[S]) error {
	tried, scratch := 0, new(S)
	right := func(total semiring.ScaledFloat, err error) bool {
		return err == nil && !total.IsFinite() || errors.Is(err, semiring.ErrNotFinite) || s.Diverges && errors.Is(err, semiring.ErrDiverges)
	}
	err := s.each(numSmall/2, s.Small, func(r *rand.Rand, m *Machine[S]) error {
		ways, ok := m.Ways()
		table := s.table(r, widest, 0)
		if !ok {
			return nil
		}
		way := ways[r.IntN(len(ways))]
		k := way[r.IntN(len(way))]
		if k == 1 {
			return nil
		}
		tried++
		table[k] = semiring.NewScaled([]float64{math.NaN(), math.Inf(1)}[r.IntN(2)])
		if err := m.weighed(table); err != nil {
			return err
		}
		total, err := m.Counts(1, make([]float64, s.Entries), scratch)
		if err == nil {
			return fmt.Errorf("entry %d is %v: counts of total %v, and no error", k, table[k], total)
		}
		return s.unchanged(m, r, scratch, right)
	})
	return errors.Join(err, enough("machines with an infinite entry", tried, numSmall/20))
}

// unchanged makes all queries, whose answers must be right, and checks that the sums are
// unchanged.
func (s *Storage[S]) unchanged(m *Machine[S], r *rand.Rand, scratch *S, right func(semiring.ScaledFloat, error) bool) error {
	start := make([]float64, s.Entries)
	for k := range start {
		start[k] = float64(k)
	}
	count, change := slices.Clone(start), slices.Clone(start)
	if total, err := m.Sum(scratch); !right(total, err) {
		return fmt.Errorf("sum %v, %v", total, err)
	}
	total, err := m.Counts(1, count, scratch)
	if !right(total, err) {
		return fmt.Errorf("total of counts %v, %v", total, err)
	}
	if err != nil && s.Undefined {
		return nil
	}
	if m.Along != nil {
		if total, err := m.Along(s.direction(r), 1, count, change, scratch); !right(total, err) {
			return fmt.Errorf("total of derivatives %v, %v", total, err)
		}
	}
	if !slices.Equal(count, start) || !slices.Equal(change, start) {
		return fmt.Errorf("counts became %v and changes %v, want both %v", count, change, start)
	}
	if m.Best == nil {
		return nil
	}
	list, top, err := m.Best([]int32{-7}, scratch)
	if !right(top, err) || (err != nil || top.IsZero()) && len(list) != 1 {
		return fmt.Errorf("best %v of weight %v, %v", list, top, err)
	}
	return nil
}

// negative checks the sums of entries of both signs, unless the storage returns an error for
// these.
func negative[S any](s *Storage[S]) error {
	tried, scratch := 0, new(S)
	err := s.each(numSmall/2, s.Small, func(r *rand.Rand, m *Machine[S]) error {
		ways, ok := m.Ways()
		if !ok {
			return nil
		}
		table := s.table(r, []float64{3, widest}[r.IntN(2)], .08)
		size := enumerate(ways, table, make([]float64, s.Entries)).total
		signed := false
		for _, k := range used(ways) {
			if r.IntN(3) == 0 && !table[k].IsZero() {
				table[k], signed = table[k].Neg(), true
			}
		}
		if !signed {
			return nil
		}
		tried++
		if err := m.weighed(table); err != nil {
			return err
		}
		sum, err := m.Sum(scratch)
		if s.Negative != nil && errors.Is(err, s.Negative) {
			return nil
		}
		want := enumerate(ways, table, make([]float64, s.Entries)).total
		if d := sum.Sub(want); err != nil || d.Mul(d).Cmp(size.Mul(size).Mul(semiring.NewScaled(1e-24))) > 0 {
			return fmt.Errorf("sum %v, %v, want %v", sum, err, want)
		}
		return nil
	})
	return errors.Join(err, enough("machines with a negative entry", tried, numSmall/20))
}

// beyondRange checks that numbers whose exponent is out of the range of a ScaledFloat are
// infinite or 0, not wrong.
func beyondRange[S any](s *Storage[S]) error {
	if s.Spread > 0 {
		return nil
	}
	tried, scratch := 0, new(S)
	err := s.each(numSmall/2, s.Small, func(r *rand.Rand, m *Machine[S]) error {
		ways, ok := m.Ways()
		if !ok {
			return nil
		}
		const limit = 1<<52 - 1<<30 // two are within the range, three are not
		table, exp := s.table(r, 0, 0), []int64{-limit, limit}[r.IntN(2)]
		for k := 2; k < s.counted(); k++ {
			table[k].Exp = exp
		}
		if err := m.weighed(table); err != nil {
			return err
		}
		beyond := slices.ContainsFunc(ways, func(way []int32) bool {
			w := product(way, table)
			return w.IsZero() || !w.IsFinite()
		})
		if beyond {
			tried++
		}
		want := enumerate(ways, table, make([]float64, s.Entries)).total
		sum, err := m.Sum(scratch)
		right := err == nil && (near(sum, want) || !want.IsFinite() && !sum.IsFinite())
		if !right && !(beyond && errors.Is(err, semiring.ErrNotFinite)) {
			return fmt.Errorf("sum %v, %v, want %v", sum, err, want)
		}
		return nil
	})
	return errors.Join(err, enough("machines with a derivation beyond the range", tried, numSmall/50))
}

// differences compares derivatives with difference quotients of Counts, on machines that are
// too large for enumeration.
func differences[S any](s *Storage[S]) error {
	tried, scratch := 0, new(S)
	err := s.each(numSmall/10, s.Large, func(r *rand.Rand, m *Machine[S]) error {
		if m.Along == nil {
			tried++
			return nil
		}
		table, v := s.table(r, 1, 0), s.direction(r)
		if err := m.weighed(table); err != nil {
			return err
		}
		count, change := make([]float64, s.Entries), make([]float64, s.Entries)
		if _, err := m.Along(v, 1, count, change, scratch); err != nil {
			return fmt.Errorf("derivatives: %w", err)
		}
		const step = 1e-4
		var moved [2][]float64
		for i, step := range []float64{step, -step} {
			other := slices.Clone(table)
			for k, x := range v {
				other[k] = table[k].Mul(semiring.ScaledFromLog(step * x))
			}
			if err := m.weighed(other); err != nil {
				return err
			}
			moved[i] = make([]float64, s.Entries)
			if _, err := m.Counts(1, moved[i], scratch); err != nil {
				return fmt.Errorf("counts: %w", err)
			}
		}
		tried++
		for k := 2; k < s.counted(); k++ {
			want := (moved[0][k] - moved[1][k]) / (2 * step)
			if !(abs(change[k]-want) <= 1e-5*(1+abs(want)+count[k])) {
				return fmt.Errorf("count %d changes by %v, by differences %v", k, change[k], want)
			}
		}
		return nil
	})
	return errors.Join(err, enough("machines", tried, numSmall/40))
}

package sumtest

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
)

// answersOf returns all answers of m to the last bit.
func (s *Storage[S]) answersOf(m *Machine[S], v []float64, scratch *S) string {
	count, change := make([]float64, s.Entries), make([]float64, s.Entries)
	sum, err := m.Sum(scratch)
	text := fmt.Sprintf("sum %x %v\n", sum, err)
	sum, err = m.Counts(1, count, scratch)
	text += fmt.Sprintf("counts %x of %x %v\n", count, sum, err)
	if m.Along != nil {
		clear(count)
		sum, err = m.Along(v, 1, count, change, scratch)
		text += fmt.Sprintf("derivatives %x of %x, %x %v\n", change, count, sum, err)
	}
	if m.Best != nil {
		list, top, err := m.Best(nil, scratch)
		text += fmt.Sprintf("best %v of %x %v\n", list, top, err)
	}
	return text
}

// scratchReuse checks that answers have the same bits after any use of the scratch.
func scratchReuse[S any](s *Storage[S]) error {
	used := new(S)
	for _, size := range []int{s.Small, s.Large} {
		if err := s.each(numSmall/10, size, func(r *rand.Rand, m *Machine[S]) error {
			v := s.direction(r)
			if err := m.weighed(s.table(r, []float64{3, widest}[r.IntN(2)], .1)); err != nil {
				return err
			}
			if got, want := s.answersOf(m, v, used), s.answersOf(m, v, new(S)); got != want {
				return fmt.Errorf("with a used scratch\n%swith a new one\n%s", got, want)
			}
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}

// allocations checks that queries do not allocate once the scratch has grown.
func allocations[S any](s *Storage[S]) error {
	if s.Allocates {
		return nil
	}
	return s.each(numSmall/50, s.Large, func(r *rand.Rand, m *Machine[S]) error {
		for _, spread := range []float64{1, widest} {
			if err := m.weighed(s.table(r, spread, 0)); err != nil {
				return err
			}
			v, count, change, scratch := s.direction(r), make([]float64, s.Entries), make([]float64, s.Entries), new(S)
			var list []int32
			questions := map[string]func(){
				"Sum":    func() { m.Sum(scratch) },
				"Counts": func() { m.Counts(1, count, scratch) },
				"Along":  func() { m.Along(v, 1, count, change, scratch) },
				"Best":   func() { list, _, _ = m.Best(list[:0], scratch) },
			}
			if m.Along == nil {
				delete(questions, "Along")
			}
			if m.Best == nil {
				delete(questions, "Best")
			}
			for name, ask := range questions {
				if n := testing.AllocsPerRun(5, ask); n != 0 {
					return fmt.Errorf("%s: %v allocations, want none", name, n)
				}
			}
		}
		return nil
	})
}

// goroutines checks that goroutines with separate scratch may share a machine, and give the
// same answers as a single one.
func goroutines[S any](s *Storage[S]) error {
	return s.each(numSmall/50, s.Large, func(r *rand.Rand, m *Machine[S]) error {
		v := s.direction(r)
		if err := m.weighed(s.table(r, []float64{3, widest}[r.IntN(2)], .1)); err != nil {
			return err
		}
		want := s.answersOf(m, v, new(S))
		var got [4]string
		var group sync.WaitGroup
		for i := range got {
			group.Go(func() { got[i] = s.answersOf(m, v, new(S)) })
		}
		group.Wait()
		for _, text := range got {
			if text != want {
				return fmt.Errorf("beside other goroutines\n%salone\n%s", text, want)
			}
		}
		return nil
	})
}

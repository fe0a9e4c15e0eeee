package agenda_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/agenda"
)

// Items come in the order of a stable sort, also with pushes in between.
func TestAgenda(t *testing.T) {
	type item struct {
		number int
		weight semiring.Cost
	}
	order := semiring.Tropical{}
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		var a agenda.Agenda[int, semiring.Cost]
		var list []item
		for number := range 100 {
			if len(list) > 0 && r.IntN(3) == 0 {
				if got, want := a.Pop(order), list[0].number; got != want {
					t.Fatalf("seed %d: item %d, want %d", seed, got, want)
				}
				list = list[1:]
			}
			x := item{number, semiring.Cost(r.IntN(10))}
			a.Push(order, x.number, x.weight)
			list = append(list, x)
			slices.SortStableFunc(list, func(x, y item) int { return cmp.Compare(x.weight, y.weight) })
			if a.Len() != len(list) {
				t.Fatalf("seed %d: %d items, want %d", seed, a.Len(), len(list))
			}
		}
	}
}

package fst_test

import (
	"sync"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/fsttest"
)

// Frozen machines are shared by goroutines, whoever needs their indexes first.
// The race detector has more to say about this than the comparison.
func TestFrozenMachinesAreShared(t *testing.T) {
	for seed := range uint64(20) {
		r := fsttest.Rand(seed)
		letters := 0
		a, b := fsttest.New(r, bags, shapes(r), &letters), fsttest.New(r, bags, shapes(r), &letters)
		want := fsttest.Join(bags, fsttest.RelationOf(a), fsttest.RelationOf(b))
		var wg sync.WaitGroup
		for i := range 4 {
			wg.Go(func() {
				left := a
				if i%2 == 0 {
					left = a.WithSemiring(bags)
				}
				c := fst.Compose(left, b)
				if d := fsttest.Diff(fsttest.RelationOf(c), want); d != "" {
					t.Errorf("seed %d: %s", seed, d)
				}
				must(fst.ArcSortIn(left, nil))(t)
				must(fst.Connect(left, nil))(t)
			})
		}
		wg.Wait()
	}
}

package semiring_test

import (
	"math/rand/v2"
	"sync"
	"testing"

	. "example.org/pathsum/semiring"
)

func testDotAllocations[W any](t *testing.T, name string, s Semiring[W], weight W) {
	t.Helper()
	kernel, ok := As[Kernel[W]](s)
	if !ok {
		t.Fatalf("%s has no kernel", name)
	}
	w := []W{weight, weight, weight, weight}
	k, i := []int32{3, 1, 2, 0}, []int32{0, 1, 2, 3}
	dot, dot2 := new(W), new(W)
	allocations := testing.AllocsPerRun(20, func() {
		kernel.Dot(dot, w, k, w, i)
		kernel.Dot(dot, w, nil, w, i)
		kernel.Dot2(dot2, w, k, w, nil, w, k)
	})
	if allocations != 0 {
		t.Errorf("%s: %v allocations", name, allocations)
	}
}

func TestDerivedKernelsDoNotAllocate(t *testing.T) {
	costs := Semiring[Cost](Tropical{})
	testDotAllocations(t, "KBest", kBestOf(t, costs, 5), Ranked[Cost]{1, 2, 5})
}

// Kernels that keep scratch space are safe for concurrent use.
func TestDerivedKernelsAreSafeForConcurrentUse(t *testing.T) {
	costs := Semiring[Cost](Tropical{})
	ranked, lengths := kBestOf(t, costs, 4), Series(costs, 4)
	var group sync.WaitGroup
	for worker := range uint64(4) {
		group.Go(func() {
			r := rand.New(rand.NewPCG(13, worker))
			for range 300 {
				checkDot(t, r, ranked, rankedOf(costs, 4, length))
				checkDot(t, r, lengths, polynomialOf(4, length))
			}
		})
	}
	group.Wait()
}

// checkDot compares a dot product of random weights with its fold; sums are exact.
func checkDot[W any](t *testing.T, r *rand.Rand, s Semiring[W], gen func(*rand.Rand) W) {
	w, x := make([]W, 1+r.IntN(5)), make([]W, 5)
	for n := range x {
		x[n] = gen(r)
		w[n%len(w)] = gen(r)
	}
	want := s.Zero()
	for n := range w {
		want = s.Plus(want, s.Times(w[n], x[n]))
	}
	var got W
	KernelOf(s).Dot(&got, w, nil, x, nil)
	metric, _ := As[Metric[W]](s)
	if metric.Dist(got, want) != 0 {
		t.Errorf("%T: %v, want %v", s, got, want)
	}
}

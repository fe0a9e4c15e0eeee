package fst_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/semiring"
)

// must returns a function that returns v, or fails the test if there is an error.
func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// determinized is fst.Determinize, expanded.
func determinized[W any](m fst.Machine[W], o *fst.Options) (*fst.FST[W], error) {
	return fst.Expand(fst.Determinize(m, o), nil)
}

// all returns fs as machines.
func all[W any](fs []*fst.FST[W]) []fst.Machine[W] {
	ms := make([]fst.Machine[W], len(fs))
	for i, f := range fs {
		ms[i] = f
	}
	return ms
}

// Helpers for the tests of optimization.

var (
	costs = semiring.Semiring[semiring.Cost](semiring.Tropical{})
	logs  = semiring.Semiring[semiring.LogProb](semiring.Log{})
)

// acceptors returns shapes of machines with few labels, cyclic or not, with and without ε.
func acceptors(r *rand.Rand) fsttest.Shape {
	n := 1 + r.IntN(6)
	return fsttest.Shape{
		States:  n,
		Arcs:    2 * n,
		Labels:  1 + r.IntN(3),
		Epsilon: []float64{0, .3, .6}[r.IntN(3)],
		Acyclic: r.IntN(2) == 0,
		Plain:   r.IntN(3) > 0,
	}
}

// weighted returns a random machine of the given shape with weights drawn one by one.
func weighted[W any](r *rand.Rand, ring semiring.Semiring[W], shape fsttest.Shape, draw func() W) *fst.FST[W] {
	letters := 0
	return fsttest.Frozen(fst.Map(fsttest.New(r, bags, shape, &letters), ring, func(w series) W {
		if len(w) == 0 {
			return ring.Zero()
		}
		return draw()
	}))
}

// acceptor is weighted with output labels equal to input labels.
func acceptor[W any](r *rand.Rand, ring semiring.Semiring[W], shape fsttest.Shape, draw func() W) *fst.FST[W] {
	return fsttest.Frozen(fst.ProjectOut(weighted(r, ring, shape, draw)))
}

// sameWeights fails the test if two machines give some pair of strings weights that
// differ by more than 1e-9 in the ring's metric.
func sameWeights[W any](t *testing.T, seed uint64, what string, got, want *fst.FST[W]) {
	t.Helper()
	metric := must(semiring.Require[semiring.Metric[W]](want.Semiring()))(t)
	sameWeightsBy(t, seed, what, got, want, metric.Dist)
}

// sameWeightsBy is sameWeights with the given distance, which must be below 1e-9.
func sameWeightsBy[W any](t *testing.T, seed uint64, what string, got, want *fst.FST[W], dist func(a, b W) float64) {
	t.Helper()
	labels := int32(0)
	for _, l := range slices.Concat(want.In(), want.Out()) {
		labels = max(labels, l)
	}
	length := []int{1: 7, 2: 5, 3: 4}[min(max(labels, 1), 3)]
	if !isAcceptor(want) {
		length = []int{1: 4, 2: 3, 3: 2}[min(max(labels, 1), 3)]
	}
	if d := fsttest.DiffWeights(got, want, labels, length, dist, 1e-9); d != "" {
		t.Fatalf("seed %d, %s: %s\ngot\n%s\nwant\n%s", seed, what, d, got, want)
	}
}

func isAcceptor[W any](f *fst.FST[W]) bool { return slices.Equal(f.In(), f.Out()) }

// keyed is Traces with weights that can be compared, so that the traces of a cycle can be
// summed.
type keyed struct{ fsttest.Traces }

func (keyed) AppendKey(dst []byte, w series, _ float64) []byte {
	for _, trace := range slices.Sorted(maps.Keys(w)) {
		dst = fmt.Appendf(dst, "%d %q ", w[trace], trace)
	}
	return dst
}

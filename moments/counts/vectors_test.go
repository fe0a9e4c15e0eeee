package counts

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// walk takes away elements at random and checks that vectors have the same number if and
// only if they are the same.
func walk(t *testing.T, r *rand.Rand, v *vectors, first []int32, steps int) {
	t.Helper()
	number := map[string]int32{fmt.Sprint(first): 0}
	all := []int32{0}
	for range steps {
		s := all[r.IntN(len(all))]
		k := r.IntN(len(first))
		want := slices.Clone(v.at(s))
		if want[k] == 0 {
			continue
		}
		want[k]--
		got := v.less(s, v.sum(s), k)
		if !slices.Equal(v.at(got), want) {
			t.Fatalf("%v without one of element %d is %v", v.at(s), k, v.at(got))
		}
		known, ok := number[fmt.Sprint(want)]
		switch {
		case ok && known != got:
			t.Fatalf("%v has the numbers %d and %d", want, known, got)
		case !ok && int(got) != len(number):
			t.Fatalf("%v has the number %d, want %d", want, got, len(number))
		case !ok:
			number[fmt.Sprint(want)] = got
			all = append(all, got)
		}
	}
}

func TestVectors(t *testing.T) {
	var v vectors
	clashes := 0
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 3))
		first := make([]int32, 1+r.IntN(4))
		if seed%4 == 0 {
			first = make([]int32, 60+r.IntN(40)) // keys of more than 64 bits
		}
		for k := range first {
			first[k] = int32(1 + r.IntN(4))
		}
		v.reset(first)
		if v.unique == (len(first) >= 60) {
			t.Fatalf("unique keys of %v: %t", first, v.unique)
		}
		if !v.unique {
			for k := range v.unit { // as bad as can be
				v.unit[k] = v.unit[k] % 8
			}
		}
		walk(t, r, &v, first, 500)
		keys := map[[2]uint64]bool{}
		for s, key := range v.key {
			x := [2]uint64{uint64(v.sum(int32(s))), key}
			if keys[x] {
				clashes++
			}
			keys[x] = true
		}
	}
	if clashes == 0 {
		t.Error("no two vectors have the same key")
	}
}

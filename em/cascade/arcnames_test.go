package cascade_test

import (
	"slices"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
)

// TestArcNames: labels are called by the machine's table. Without one they are characters, if all
// labels of the tape but ε are, and otherwise numbers.
func TestArcNames(t *testing.T) {
	letters := fst.RuneSymbols("a-c")
	for _, c := range []struct {
		symbols *fst.Symbols
		other   fst.Arc[bool] // beside a:b
		want    []string
	}{
		{nil, fst.Arc[bool]{In: 'c', Out: fst.Epsilon}, []string{"m/0[a:b]", "m/0[c:ε]"}},
		{nil, fst.Arc[bool]{In: 1, Out: 'ß'}, []string{"m/0[97:b]", "m/0[1:ß]"}},
		{nil, fst.Arc[bool]{In: ' ', Out: 2_000_000}, []string{"m/0[97:98]", "m/0[32:2000000]"}},
		{letters, fst.Arc[bool]{In: 'c', Out: 'd'}, []string{"m/0[a:b]", "m/0[c:100]"}},
	} {
		c.other.Weight = true
		plain := must(fst.Expand(fst.OneState(semiring.Boolean{}, true, fst.Arc[bool]{In: 'a', Out: 'b', Weight: true}, c.other), nil)).WithSymbols(c.symbols, c.symbols)
		params := em.NewParams()
		if err := fst.Err(cascade.Joint(params, "m", plain, em.Multinomial{})); err != nil {
			t.Fatal(err)
		}
		var got []string
		for name := range params.Named(params.Start()) {
			got = append(got, name)
		}
		if want := append(c.want, "m/0[stop]"); !slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))) {
			t.Errorf("%v, want %v", got, want)
		}
	}
}

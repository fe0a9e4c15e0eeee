package fst_test

import (
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/semiring"
)

// weird is a ring that cannot be compared with ==.
type weird struct {
	fsttest.Bags
	table []int
}

func TestRingsThatCannotBeCompared(t *testing.T) {
	ring := semiring.Semiring[series](weird{fsttest.Bags{Max: 3}, []int{1}})
	x := fst.FromString(ring, []int32{1})
	if err := fst.Err(fst.Compose(x, x)); err != nil {
		t.Error(err)
	}
	if err := fst.Err(fst.Compose(x, fst.FromString(bags, nil))); err == nil {
		t.Error("rings of two types are taken for one")
	}
}

func TestFromStringPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a negative label was accepted")
		}
	}()
	fst.FromString(reals, []int32{1, -1})
}

func TestFromPair(t *testing.T) {
	f := fst.FromPair(bags, []int32{1, fst.Epsilon, 2}, []int32{3})
	want := fsttest.Relation{{In: "ab", Out: "c"}: bags.One()}
	if d := fsttest.Diff(fsttest.RelationOf(f), want); d != "" {
		t.Error(d)
	}
}

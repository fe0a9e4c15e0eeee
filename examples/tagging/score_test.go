package main

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestScore(t *testing.T) {
	test := []sentence{
		{Words: []string{"a", "c", "d"}, Tags: []string{"X", "Y", "Y"}},
		{Words: []string{"b", "c"}, Tags: []string{"Y", "Y"}},
	}
	got := newScore(map[string]bool{"a": true, "b": true}, test, [][]string{{"X", "X", "Y"}, {"Y", "Y"}})
	want := &score{
		words: share{4, 5}, unknown: share{2, 3}, sentences: share{1, 2},
		times: map[tagging]int{{"X", "X"}: 1, {"Y", "X"}: 1, {"Y", "Y"}: 3},
	}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(score{}, share{})); d != "" {
		t.Error(d)
	}
	g := got.confusions()
	if x := g.Value(1, 0); x != .5 || g.Rows[1] != "Y" || g.Value(0, 1) != 0 {
		t.Errorf("%v: one Y of four is taken for X: √ is %g", g.Rows, x)
	}
	if x := (share{}).fraction(); !math.IsNaN(x) {
		t.Errorf("0/0 is %g", x)
	}
}

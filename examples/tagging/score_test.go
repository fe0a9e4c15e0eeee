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
	want := &score{words: 5, right: 4, unknown: 3, unknownRight: 2, sentences: 2, sentencesRight: 1, mistakes: map[mistake]int{{"Y", "X"}: 1}}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(score{})); d != "" {
		t.Error(d)
	}
	if x := fraction(0, 0); !math.IsNaN(x) {
		t.Errorf("0/0 is %g", x)
	}
}

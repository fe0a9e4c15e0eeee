package main

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestScore(t *testing.T) {
	train := []sentence{{[]string{"a", "b"}, []string{"X", "Y"}}}
	test := []sentence{
		{[]string{"a", "c", "d"}, []string{"X", "Y", "Y"}},
		{[]string{"b", "c"}, []string{"Y", "Y"}},
	}
	got := newScore(train, test, [][]string{{"X", "X", "Y"}, {"Y", "Y"}})
	want := &score{words: 5, right: 4, unknown: 3, unknownRight: 2, sentences: 2, sentencesRight: 1, mistakes: map[mistake]int{{"Y", "X"}: 1}}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(score{})); d != "" {
		t.Error(d)
	}
	if x := fraction(0, 0); !math.IsNaN(x) {
		t.Errorf("0/0 is %g", x)
	}
}

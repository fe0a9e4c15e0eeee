package program

import (
	"context"
	"io"
	"slices"
	"testing"
)

func TestList(t *testing.T) {
	for _, x := range []struct {
		arg    string
		sizes  []int
		status int
	}{{"", []int{1, 2}, 2}, {"3", []int{3}, 0}, {"4, 5,6", []int{4, 5, 6}, 0}, {"1.5", nil, 2}, {"0", nil, 2}, {"-1", nil, 2}, {"x", nil, 2}, {"1,", nil, 2}, {"1e30", nil, 2}} {
		p := New("fake", "")
		sizes, shares := List(p, "sizes", "`LIST`", 1, 2), List(p, "shares", "`LIST`", .25)
		p.Do(func(context.Context, *Run) error {
			if !slices.Equal(*sizes, x.sizes) || !slices.Equal(*shares, []float64{.5, 1}) {
				t.Errorf("%q: %v and %v", x.arg, *sizes, *shares)
			}
			return nil
		})
		status := p.Execute(t.Context(), []string{"-sizes", x.arg, "-shares", "0.5,1"}, io.Discard, io.Discard)
		if status != x.status {
			t.Errorf("%q: status %d, want %d", x.arg, status, x.status)
		}
	}
	for _, value := range []string{"NaN", "Inf", ""} {
		if err := new(list[float64]).Set(value); err == nil {
			t.Errorf("%q is a number", value)
		}
	}
	if l := (list[float64]{.25, 3}); l.String() != "0.25,3" {
		t.Errorf("%q", l.String())
	}
}

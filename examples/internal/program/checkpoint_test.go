package program

import "testing"

func TestBeside(t *testing.T) {
	for _, x := range []struct {
		name  string
		parts []any
		want  string
	}{
		{"", []any{"a", 1}, ""},
		{"state", nil, "state"},
		{"state", []any{"", 0}, "state"},
		{"state", []any{"nfd", 0, "classes", 2}, "state.nfd.classes.2"},
	} {
		if got := Beside(x.name, x.parts...); got != x.want {
			t.Errorf("%q %v: %q, want %q", x.name, x.parts, got, x.want)
		}
	}
}

package typename_test

import (
	"testing"

	"example.org/pathsum/internal/typename"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

type pair[A, B any] struct {
	A A
	B B
}

func TestOf(t *testing.T) {
	for _, c := range []struct {
		v    any
		want string
	}{
		{nil, "nil"},
		{3, "int"},
		{semiring.Real{}, "semiring.Real"},
		{pair[expr.W, semiring.Cost]{}, "typename_test.pair[expr.W,semiring.Cost]"},
		{&pair[[]expr.W, pair[int, map[string]expr.W]]{}, "*typename_test.pair[[]expr.W,typename_test.pair[int,map[string]expr.W]]"},
	} {
		if got := typename.Of(c.v); got != c.want {
			t.Errorf("%T is called %s, want %s", c.v, got, c.want)
		}
	}
}

package typename_test

import (
	"math/rand/v2"
	"reflect"
	"regexp"
	"strings"
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

// named is a type of any name.
type named struct {
	reflect.Type
	name string
}

func (n named) String() string { return n.name }

// TestOfType compares names with names in which a regular expression finds the paths.
func TestOfType(t *testing.T) {
	path := regexp.MustCompile(`[\w.~-]+(/[\w.~-]+)*/`)
	pieces := []string{"a", "B9", "_", ".", "~", "-", "[", "]", "*", ",", " ", "%", "é", "·2", "x/y", "example.org/z/", "map[", "struct { "}
	r := rand.New(rand.NewPCG(7, 7))
	cut := 0
	for range 2000 {
		var name strings.Builder
		for range r.IntN(12) {
			name.WriteString(pieces[r.IntN(len(pieces))])
		}
		want := path.ReplaceAllString(name.String(), "")
		if got := typename.OfType(named{name: name.String()}); got != want {
			t.Fatalf("%s is called %s, want %s", &name, got, want)
		}
		if want != name.String() {
			cut++
		}
	}
	if cut < 500 {
		t.Errorf("%d names have a path", cut)
	}
}

package rx_test

import (
	"errors"
	"strings"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/fst/rx"
	"example.org/pathsum/internal/memtest"
	"example.org/pathsum/semiring"
)

// The size of nested repetitions is computed before they are compiled.
func TestRepetitionsAreCounted(t *testing.T) {
	nested := strings.Repeat("(", 9) + "a" + strings.Repeat("{9})", 9)
	for text, at := range map[string]string{
		nested: "1:31: ", "b | a " + nested: "1:37: ", "((.{1000}){1000}){1000}": "1:11: ", "@c @c": "b: 2:20: ",
		"(a{1000,}){1000,}{1000}": "1:11: ", "(" + nested + ")^inv": "1:32: ", nested + " >> a": "1:31: ", "a:b / __ " + nested: "1:40: ",
	} {
		c := rx.NewCompiler(semiring.Real{}, fst.NewSymbols("a", "b"))
		define(t, c, "\na = .{1000}; b = @a{1000}{2}; c = @b;")
		c.Limit = 1_000_000
		e := rx.MustParse(text)
		var err error
		memory := memtest.Allocated(func() { _, err = c.Compile(e) })
		if !errors.Is(err, semiring.ErrLimit) || !strings.HasPrefix(err.Error(), "rx: "+at) || memory > 1<<20 {
			t.Errorf("%s: error %v with %d bytes, want one at %s", text, err, memory, at)
		}
	}
	c := rx.NewCompiler(semiring.Real{}, fst.NewSymbols("a", "b"))
	c.Limit = 10_000
	if _, err := c.Compile(rx.MustParse("(((a{9}){9}){9} | (b{1000})?){1} (<0>a{3}){100}")); err != nil {
		t.Error(err)
	}
}

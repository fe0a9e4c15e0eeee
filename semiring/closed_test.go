package semiring_test

import (
	"errors"
	"testing"

	"example.org/pathsum/semiring"
)

// narrow is a bounded ring whose author gave it no Star: the widest of the narrowest places.
type narrow struct{ laws semiring.Laws }

func (narrow) Zero() float64              { return 0 }
func (narrow) One() float64               { return 1 }
func (narrow) Plus(a, b float64) float64  { return max(a, b) }
func (narrow) Times(a, b float64) float64 { return min(a, b) }
func (narrow) IsZero(a float64) bool      { return a == 0 }
func (n narrow) Laws() semiring.Laws      { return n.laws }

func TestRequireClosed(t *testing.T) {
	bounded, err := semiring.RequireClosed(narrow{semiring.Bounded})
	if err != nil {
		t.Fatal(err)
	}
	if star, ok := bounded.Star(.5); star != 1 || !ok {
		t.Errorf("bounded: %g, %t", star, ok)
	}
	if _, err := semiring.RequireClosed(narrow{}); !errors.Is(err, semiring.ErrCapability) {
		t.Errorf("a ring of which nothing is known: %v", err)
	}
	own, err := semiring.RequireClosed(semiring.Real{})
	if err != nil {
		t.Fatal(err)
	}
	if star, ok := own.Star(.5); star != 2 || !ok {
		t.Errorf("a star of its own: %g, %t", star, ok)
	}
}

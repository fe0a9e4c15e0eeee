package em_test

import (
	"fmt"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/internal/trials"
)

// TestLookup: every name that Params gives is found, the first that has it, and no other.
func TestLookup(t *testing.T) {
	for seed := range trials.Seeds(20) {
		rng := fsttest.Rand(seed)
		p := em.NewParams()
		for range rng.IntN(6) {
			g := p.Group([]string{"a", "ab", "a[1]", "λ"}[rng.IntN(4)], rng.IntN(4), em.Multinomial{})
			if rng.IntN(2) == 0 {
				g.SetNames(func(i int) string { return fmt.Sprint("x", i%2) })
			}
		}
		first := map[string]int{}
		for i := range p.Len() {
			name := p.Name(int32(i))
			if _, ok := first[name]; !ok {
				first[name] = i
			}
		}
		for name, want := range first {
			if i, ok := p.Lookup(name); !ok || i != want {
				t.Errorf("seed %d: %s is parameter %d, %v, want %d", seed, name, i, ok, want)
			}
		}
		for _, name := range []string{"", "a[", "a[9]", "b", "a[x3]", "a[0]x", "λ[4]"} {
			if i, ok := p.Lookup(name); ok {
				t.Errorf("seed %d: %q is parameter %d", seed, name, i)
			}
		}
	}
	p := em.NewParams()
	p.Group("many", 2, em.Multinomial{})
	p.Group("λ", 1, em.Fixed{})
	if i, ok := p.Lookup("λ"); !ok || i != 2 {
		t.Errorf("λ is parameter %d, %v, want 2", i, ok)
	}
	if i, ok := p.Lookup("many"); ok {
		t.Errorf("a group of two is parameter %d", i)
	}
}

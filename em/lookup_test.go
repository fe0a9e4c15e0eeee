package em_test

import (
	"fmt"
	"math"
	"slices"
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
		for _, k := range rng.Perm(4)[:rng.IntN(5)] {
			g := p.Group([]string{"a", "ab", "a[1]", "λ"}[k], rng.IntN(4), em.Multinomial{})
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

// TestNamed: the names are those of Name, a loop may end early, and values beyond the table are
// called as Name calls them.
func TestNamed(t *testing.T) {
	p := em.NewParams()
	for _, name := range []string{"a", "c"} {
		p.Group(name, 2, em.Multinomial{})
	}
	var got []string
	for name, x := range p.Named([]float64{1, 2, 3, 4, 5}) {
		if got = append(got, fmt.Sprint(name, "=", x)); x == 5 {
			break
		}
	}
	if want := []string{"a[0]=1", "a[1]=2", "c[0]=3", "c[1]=4", "?4=5"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	for range p.Named([]float64{1, 2}) {
		break
	}
	if g := p.Find("a"); g != p.Groups()[0] || g.String() != "a" {
		t.Errorf("a is %v of %v", g, p.Groups())
	}
	defer func() {
		if said := fmt.Sprint(recover()); said != "em: SetStart: nil group" {
			t.Errorf("a group that is not there: %s", said)
		}
	}()
	p.Find("b").SetStart(nil)
}

// TestLast: without an iteration there is no objective.
func TestLast(t *testing.T) {
	if x := (&em.Result{}).Last(); !math.IsInf(x, -1) {
		t.Errorf("no iteration: %g", x)
	}
}

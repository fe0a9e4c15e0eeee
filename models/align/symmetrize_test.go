package align

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/pathsum/internal/memtest"
	"example.org/pathsum/internal/trials"
)

// textbook is the algorithm of Koehn 2010, figure 4.14, on sets.
func textbook(a, b Alignment, neighbours []Link, finals []Alignment, and bool) Alignment {
	set := map[Link]bool{}
	union := map[Link]bool{}
	size := 0
	for _, l := range a {
		union[l] = true
		size = max(size, l.Source+1, l.Target+1)
	}
	for _, l := range b {
		set[l] = union[l]
		union[l] = true
		size = max(size, l.Source+1, l.Target+1)
	}
	hasE := func(e int) bool { return slices.ContainsFunc(count(size), func(f int) bool { return set[Link{e, f}] }) }
	hasF := func(f int) bool { return slices.ContainsFunc(count(size), func(e int) bool { return set[Link{e, f}] }) }
	for {
		added := false
		for e := range size {
			for f := range size {
				if !set[Link{e, f}] {
					continue
				}
				for _, d := range neighbours {
					n := Link{e + d.Source, f + d.Target}
					if (!hasE(n.Source) || !hasF(n.Target)) && union[n] && !set[n] {
						set[n], added = true, true
					}
				}
			}
		}
		if !added {
			break
		}
	}
	for _, final := range finals {
		for e := range size {
			for f := range size {
				free := !hasE(e) || !hasF(f)
				if and {
					free = !hasE(e) && !hasF(f)
				}
				if l := (Link{e, f}); free && final.Has(l) {
					set[l] = true
				}
			}
		}
	}
	var links []Link
	for l, in := range set {
		if in {
			links = append(links, l)
		}
	}
	return NewAlignment(links)
}

func count(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// randomAlignment has each link of e×f words with probability p.
func randomAlignment(rng *rand.Rand, e, f int, p float64) Alignment {
	var links []Link
	for range e * f {
		if rng.Float64() < p {
			links = append(links, Link{rng.IntN(e), rng.IntN(f)})
		}
	}
	return NewAlignment(links)
}

func TestSymmetrizations(t *testing.T) {
	for seed := range trials.Seeds(1000) {
		rng := rand.New(rand.NewPCG(seed, 1))
		e, f := rng.IntN(7), rng.IntN(7)
		a, b := randomAlignment(rng, e, f, rng.Float64()), randomAlignment(rng, e, f, rng.Float64())
		for name, test := range map[string]struct{ got, want Alignment }{
			"grow":           {Grow(a, b), textbook(a, b, around[:4], nil, false)},
			"grow-diag":      {GrowDiag(a, b), textbook(a, b, around, nil, false)},
			"grow-diag-swap": {GrowDiag(b, a), textbook(a, b, around, nil, false)},
			"final":          {GrowDiagFinal(a, b), textbook(a, b, around, []Alignment{a, b}, false)},
			"final-and":      {GrowDiagFinalAnd(a, b), textbook(a, b, around, []Alignment{a, b}, true)},
			"intersection":   {Intersection(a, b), keep(a, b.Has)},
			"union":          {Union(a, b), NewAlignment(slices.Concat(a, b))},
		} {
			if !slices.Equal(test.got, test.want) {
				t.Fatalf("seed %d: %s of %v and %v is %v, want %v", seed, name, a, b, test.got, test.want)
			}
		}
	}
}

func keep(a Alignment, has func(Link) bool) Alignment {
	return slices.DeleteFunc(slices.Clone(a), func(l Link) bool { return !has(l) })
}

func TestParseAlignment(t *testing.T) {
	for line, want := range map[string]Alignment{
		"":                 {},
		" \t":              {},
		"1-0 0-2  0-2 0-1": {{0, 1}, {0, 2}, {1, 0}},
		"007-1048575":      {{7, 1<<20 - 1}},
	} {
		got, err := ParseAlignment(line)
		if d := cmp.Diff(want, got, cmp.Transformer("", func(a Alignment) string { return a.String() })); err != nil || d != "" {
			t.Errorf("%q: %v, %s", line, err, d)
		}
	}
	for _, line := range []string{"1", "-", "1-", "-1", "1--1", "-1-1", "+1-1", "1-2-3", "1?2", "1-1048576", "1-99999999999999999999", "0x1-1", "1_0-1", "１-2"} {
		if a, err := ParseAlignment("0-0 " + line); err == nil || a != nil {
			t.Errorf("%q: %v", line, a)
		}
	}
}

func FuzzParseAlignment(f *testing.F) {
	f.Add("0-0 1-2")
	f.Add("1-1 0-0\t00-0")
	f.Fuzz(func(t *testing.T, line string) {
		var a Alignment
		var err error
		memtest.Bound(t, len(line), 100, func() { a, err = ParseAlignment(line) })
		if err != nil {
			return
		}
		if !slices.IsSortedFunc(a, Link.Compare) || len(slices.Compact(slices.Clone(a))) != len(a) {
			t.Fatalf("%q: %v is no set in order", line, a)
		}
		if again, err := ParseAlignment(a.String()); err != nil || !slices.Equal(a, again) {
			t.Fatalf("%q: %v is read as %v, %v", line, a, again, err)
		}
	})
}

func BenchmarkGrowDiagFinalAnd(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	x, y := randomAlignment(rng, 25, 25, .05), randomAlignment(rng, 25, 25, .05)
	for i := range 25 {
		x, y = append(x, Link{i, i}), append(y, Link{i, i})
	}
	x, y = NewAlignment(x), NewAlignment(y)
	for b.Loop() {
		GrowDiagFinalAnd(x, y)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(x)+len(y)), "ns/link")
}

func ExampleGrowDiagFinalAnd() {
	forward, _ := ParseAlignment("0-0 1-1 2-2 2-3")
	backward, _ := ParseAlignment("0-0 1-2 2-2 3-4")
	fmt.Println(Intersection(forward, backward))
	fmt.Println(GrowDiagFinalAnd(forward, backward))
	fmt.Println(Union(forward, backward))
	// Output:
	// 0-0 2-2
	// 0-0 1-1 2-2 2-3 3-4
	// 0-0 1-1 1-2 2-2 2-3 3-4
}

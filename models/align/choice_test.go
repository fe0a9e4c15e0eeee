package align

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/pathsum/internal/memtest"
	"example.org/pathsum/internal/trials"
)

// randomPosterior has few different values, so that many are equal, some 0.
func randomPosterior(rng *rand.Rand, e, f int) *Posterior {
	p := NewPosterior(e, f)
	for i := range p.P {
		p.P[i] = float64(rng.IntN(6)) / 8
		if rng.IntN(3) == 0 {
			p.P[i] = rng.Float64()
		}
	}
	return p
}

// compete1 is the definition of competitive thresholding along one line.
func compete1(p []float64, may []bool) []bool {
	best, out := -1, make([]bool, len(p))
	for i := range p {
		if may[i] && (best < 0 || p[i] > p[best]) {
			best = i
		}
	}
	for i := range p {
		out[i] = best >= 0 && !slices.Contains(may[min(i, best):max(i, best)+1], false)
	}
	return out
}

func competitive(p *Posterior, threshold float64) Alignment {
	may := make([][]bool, p.Source)
	for e := range may {
		for _, x := range p.Row(e) {
			may[e] = append(may[e], x >= threshold)
		}
		may[e] = compete1(p.Row(e), may[e])
	}
	var links []Link
	for f := range p.Target {
		column, in := make([]float64, p.Source), make([]bool, p.Source)
		for e := range may {
			column[e], in[e] = p.At(e, f), may[e][f]
		}
		for e, in := range compete1(column, in) {
			if in {
				links = append(links, Link{e, f})
			}
		}
	}
	return NewAlignment(links)
}

// TestChoices compares choices with their definitions at all thresholds, and their
// steps with the choices.
func TestChoices(t *testing.T) {
	for seed := range trials.Seeds(300) {
		rng := rand.New(rand.NewPCG(seed, 1))
		e, f := rng.IntN(6), rng.IntN(6)
		p, q := randomPosterior(rng, e, f), randomPosterior(rng, e, f)
		above := func(p *Posterior, t float64) Alignment {
			var links []Link
			for e := range p.Source {
				for f := range p.Target {
					if p.At(e, f) >= t {
						links = append(links, Link{e, f})
					}
				}
			}
			return NewAlignment(links)
		}
		thresholds := append(slices.Concat(p.P, q.P), .05, .5, .999, 2, math.Inf(1))
		for i := range p.P {
			thresholds = append(thresholds, p.P[i]*q.P[i], (p.P[i]+q.P[i])/2)
		}
		slices.SortFunc(thresholds, descending)
		for name, test := range map[string]struct {
			choice Choice
			want   func(t float64) Alignment
		}{
			"posterior":    {p, func(t float64) Alignment { return above(p, t) }},
			"competitive":  {Competitive{p}, func(t float64) Alignment { return competitive(p, t) }},
			"symmetric":    {Symmetric{p, q, GrowDiag}, func(t float64) Alignment { return GrowDiag(above(p, t), above(q, t)) }},
			"intersection": {Min(p, q), func(t float64) Alignment { return Intersection(above(p, t), above(q, t)) }},
			"union":        {Max(p, q), func(t float64) Alignment { return Union(above(p, t), above(q, t)) }},
			"product": {Product(p, q), func(t float64) Alignment {
				return keep(full(e, f), func(l Link) bool { return p.At(l.Source, l.Target)*q.At(l.Source, l.Target) >= t })
			}},
			"average": {Average(p, q), func(t float64) Alignment {
				return keep(full(e, f), func(l Link) bool { return (p.At(l.Source, l.Target)+q.At(l.Source, l.Target))/2 >= t })
			}},
		} {
			if x, y := test.choice.Words(); x != e || y != f {
				t.Fatalf("%s: %d×%d words, want %d×%d", name, x, y, e, f)
			}
			for _, x := range thresholds {
				if x == 0 {
					continue
				}
				want := test.want(x)
				if got := test.choice.Align(x); !slices.Equal(got, want) {
					t.Fatalf("seed %d: %s at %g chooses %v, want %v", seed, name, x, got, want)
				}
				for _, least := range []float64{0, x / 2, x} {
					if got := replay(t, test.choice, x, least); !slices.Equal(got, want) {
						t.Fatalf("seed %d: steps of %s to %g give %v, want %v", seed, name, x, got, want)
					}
				}
			}
		}
	}
}

func full(e, f int) Alignment {
	var links []Link
	for i := range e {
		for j := range f {
			links = append(links, Link{i, j})
		}
	}
	return links
}

// replay returns the links after the steps to a threshold, of those to least.
func replay(t *testing.T, s Choice, threshold, least float64) Alignment {
	t.Helper()
	var now Alignment
	last := math.Inf(1)
	for step := range s.Steps(least) {
		if !(step.Threshold < last) || step.Threshold < least || len(step.Added)+len(step.Removed) == 0 {
			t.Fatalf("step %+v after threshold %g", step, last)
		}
		if last = step.Threshold; last < threshold {
			break
		}
		if len(Intersection(now, step.Added)) > 0 || len(Intersection(now, step.Removed)) != len(step.Removed) {
			t.Fatalf("step %+v from %v", step, now)
		}
		now = keep(Union(now, step.Added), func(l Link) bool { return !step.Removed.Has(l) })
	}
	return now
}

func TestNaNIsNeverChosen(t *testing.T) {
	p := &Posterior{Source: 1, Target: 2, P: []float64{math.NaN(), .5}}
	for _, s := range []Choice{p, Competitive{p}, Symmetric{p, p, Union}} {
		if got := s.Align(1e-300); got.String() != "0-1" {
			t.Errorf("%T chooses %v", s, got)
		}
		if got := replay(t, s, 1e-300, 0); got.String() != "0-1" {
			t.Errorf("the steps of %T lead to %v", s, got)
		}
	}
}

func TestPanics(t *testing.T) {
	for name, f := range map[string]func(){
		"negative length":  func() { NewPosterior(-1, 2) },
		"different shapes": func() { Average(NewPosterior(2, 3), NewPosterior(3, 2)) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}

func ExamplePosterior_Align() {
	p := &Posterior{Source: 2, Target: 3, P: []float64{
		.9, .2, .6,
		.1, .7, .3,
	}}
	fmt.Println(p.Align(.5))
	fmt.Println(Competitive{p}.Align(.5)) // 0-2 is not next to 0-0
	// Output:
	// 0-0 0-2 1-1
	// 0-0 1-1
}

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
			t.Fatalf("%q: %v is not a set in order", line, a)
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

package phylo

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/models/phylo/msa"
)

// rows returns an alignment of species a, b, c, ….
func rows(text ...string) *msa.Alignment {
	var b strings.Builder
	for i, row := range text {
		fmt.Fprintf(&b, ">%c\n%s\n", 'a'+i, row)
	}
	return must(msa.ReadFASTA(strings.NewReader(b.String()), "rows"))
}

// apart returns n columns in which species b and c are the same, and a differs from them in k.
func apart(n, k int) *msa.Alignment {
	var a, b strings.Builder
	for j := range n {
		b.WriteByte(msa.Bases[j%bases])
		if j < k {
			j++
		}
		a.WriteByte(msa.Bases[j%bases])
	}
	return rows(a.String(), b.String(), b.String())
}

// The maximum of a start with branches of length 0 has a closed form.
func TestZeroBranches(t *testing.T) {
	a := apart(60, 10)
	want := 60*math.Log(.25) + 50*math.Log(5./6) + 10*math.Log(1./18)
	length := -.75 * math.Log(1-4./3/6)
	for _, text := range []string{
		"(a:0,b:.1,c:.1);", "(a:.1,b:0,c:0);", "(a:0,b:0,c:0);", "(a:1e-300,b:.1,c:.1);", "(a:.1,b:.1,c:.1);", "(a,b,c);",
		"(a:1e6,b:1e6,c:1e6);", "(a:0,b:1e6,c:5);", "(a:1e300,b:1e-300,c:0);", "(a:1.7e308,b:1.7e308,c:1.7e308);",
		"((a:0,b:.1):0,c:.1);", "(a:0,(b:3,c:.001):70);",
	} {
		m := must(NewColumns(must(ParseTree(text)), JC69()))
		r, err := m.Fit(t.Context(), a, nil)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		got := m.Tree()
		ab, ac, bc := got.Distance(got.Node("a"), got.Node("b")), got.Distance(got.Node("a"), got.Node("c")), got.Distance(got.Node("b"), got.Node("c"))
		if !near(r.LogLikelihood, want, 1e-8) || r.Status != em.Converged || math.Abs(ab-length) > 1e-4 || math.Abs(ac-length) > 1e-4 || bc > 1e-6 {
			t.Errorf("%s: %.6f, %v, %v; want %.6f and lengths %.6f, 0, 0", text, r.LogLikelihood, r.Status, got, want, length)
		}
		if !slices.ContainsFunc(r.Remarks, func(s string) bool {
			return s == "branch lengths that are best at 0: b, c" || s == "branch lengths that are best at 0: b, node 2 to c"
		}) {
			t.Errorf("%s: remarks %q", text, r.Remarks)
		}
		if last := r.Objective[len(r.Objective)-1]; last != r.LogLikelihood || !slices.IsSorted(r.Objective) {
			t.Errorf("%s: the trace ends at %v, want %v", text, last, r.LogLikelihood)
		}
	}
}

// Where nothing is known every tree is as good, and a branch of any length ends no fit.
func TestNothingKnown(t *testing.T) {
	a := rows("NNNN", "NNNN", "NNNN")
	for _, law := range []em.Law{nil, em.Multinomial{}, em.Dirichlet{Alpha: 1.5}} {
		for name, p := range map[string]Reversible{"JC69": JC69(), "HKY85": HKY85([bases]float64{.25, .25, .25, .25}), "REV": REV([bases]float64{.3, .2, .2, .3})} {
			for _, text := range []string{"(a:.001,b:1e-300,c:1.7e308);", "(a:0,b:.1,c:1e308);", "(a:1e308,b:1e308,c:1e308);"} {
				p.Law = law
				m := must(NewColumns(must(ParseTree(text)), p))
				if r, err := m.Fit(t.Context(), a, nil); err != nil || math.Abs(r.LogLikelihood) > 1e-6 {
					t.Errorf("%s, %T, %s: %+v, %v", name, law, text, r, err)
				}
			}
		}
	}
}

// One species that is not related to the others: its branch has no end, and the likelihood
// comes near its supremum.
func TestSaturated(t *testing.T) {
	a := rows("AAAACCCCGGGGTTTT", "ACGTACGTACGTACGT", "AAAACCCCGGGGTTTT")
	want := 32 * math.Log(.25)
	varied := HKY85(a.Frequencies())
	varied.RateClasses = 4
	for name, p := range map[string]Reversible{"JC69": JC69(), "HKY85": HKY85(a.Frequencies()), "REV": REV(a.Frequencies()), "HKY85+4": varied} {
		for _, text := range []string{"(a:.1,b:.1,c:.1);", "(a:0,b:0,c:0);", "(a:1e8,b:1e8,c:1e8);", "(a:.1,b:1e-6,c:90);"} {
			m := must(NewColumns(must(ParseTree(text)), p))
			r, err := m.Fit(t.Context(), a, &em.Options{Restarts: 3, Rand: rand.NewPCG(1, 2)})
			if err != nil {
				t.Errorf("%s, %s: %v", name, text, err)
				continue
			}
			// REV can do a little more than independence: it is fitted to the same data.
			if r.LogLikelihood < want-1e-5 || name != "REV" && r.LogLikelihood > want+1e-5 {
				t.Errorf("%s, %s: %.6f, want %.6f", name, text, r.LogLikelihood, want)
			}
			if !slices.ContainsFunc(r.Remarks, func(s string) bool {
				return strings.Contains(s, "independent, where greater lengths are as probable: b (")
			}) {
				t.Errorf("%s, %s: remarks %q", name, text, r.Remarks)
			}
		}
	}
}

// From all starts training ends at the same maximum.
func TestStarts(t *testing.T) {
	tree := must(ParseTree("(((a:.02,b:.01):.2,(c:.08,d:.07):.1):.1,e:.5);"))
	sequences := func(seed uint64) *msa.Alignment {
		r := random(seed)
		text := make([][]byte, len(tree.Nodes))
		for range 500 {
			x := make([]int, len(tree.Nodes))
			for v := len(x) - 1; v >= 0; v-- {
				if p := tree.Nodes[v].Parent; p < 0 || r.Float64() < 1-math.Exp(-4./3*tree.Nodes[v].Length) {
					x[v] = r.IntN(bases)
				} else {
					x[v] = x[p]
				}
				text[v] = append(text[v], msa.Bases[x[v]])
			}
		}
		var all []string
		for _, v := range tree.Species() {
			all = append(all, string(text[v]))
		}
		return rows(all...)
	}
	for seed := range trials.Seeds(6) {
		everywhere(t, fmt.Sprint("seed ", seed), tree, sequences(seed), HKY85([bases]float64{.2, .3, .3, .2}))
	}
}

// The same on a real alignment, with the maximum that phyloFit finds.
func TestKnownStarts(t *testing.T) {
	_, tree, a := known(t, "hpmrc_5sp")
	if got, want := everywhere(t, "hpmrc", tree, a, REV(a.Frequencies())), -48210.737086; math.Abs(got-want) > 1e-4 {
		t.Errorf("%.6f, want %.6f", got, want)
	}
}

// everywhere trains from many starts and returns the maximum.
func everywhere(t *testing.T, name string, tree *Tree, a *msa.Alignment, p Process) float64 {
	t.Helper()
	best, ends := math.Inf(-1), map[string]float64{}
	rng := random(9)
	from := func(what string, length func(v int) float64) {
		lengths := make([]float64, len(tree.Nodes))
		for v := range lengths {
			lengths[v] = length(v)
		}
		m := must(NewColumns(tree.WithLengths(lengths), p))
		if strings.HasPrefix(what, "random") {
			drawn := m.Params.Random(rng) // all parameters
			copy(m.Params.Find("lengths").In(drawn), m.Params.Find("lengths").In(m.Theta))
			m.Theta = drawn
		}
		r, err := m.Fit(t.Context(), a, nil)
		if err != nil {
			t.Fatalf("%s: %s: %v", name, what, err)
		}
		if r.Status != em.Converged || r.GradientNorm > .1 {
			t.Errorf("%s: %s: %v, with derivative %g", name, what, r.Status, r.GradientNorm)
		}
		ends[what] = r.LogLikelihood
		best = max(best, r.LogLikelihood)
	}
	own := func(v int) float64 { return tree.Nodes[v].Length }
	from("own lengths", own)
	for _, x := range []float64{0, 1e-12, 1e-9, .001, 5, 100, 1e6, 1e9, 1e300} {
		from(fmt.Sprint("all ", x), func(int) float64 { return x })
		from(fmt.Sprint("times ", x), func(v int) float64 { return x * own(v) })
	}
	for u := range tree.Root() {
		for _, x := range []float64{0, 5, 1e6} {
			from(fmt.Sprint(x, " at ", u), func(v int) float64 {
				if u == v {
					return x
				}
				return own(v)
			})
		}
	}
	for seed := range uint64(20) {
		r := random(seed)
		from(fmt.Sprint("random ", seed), func(int) float64 { return math.Pow(10, -5+6*r.Float64()) })
		from(fmt.Sprint("some 0, ", seed), func(v int) float64 { return own(v) * float64(r.IntN(2)) })
		from(fmt.Sprint("some far, ", seed), func(v int) float64 { return own(v) * math.Pow(1e6, float64(r.IntN(2))) })
	}
	for what, x := range ends {
		if x < best-1e-4 {
			t.Errorf("%s: %s: ends at %.6f, best %.6f", name, what, x, best)
		}
	}
	return best
}

// Derivatives are right, and finite, for branches of all lengths.
func TestDerivativesAtExtremes(t *testing.T) {
	tree := must(ParseTree("(a,b,c);"))
	a := rows("ACGTACGTAAACCCGT", "ACGTACGTACACGCGT", "ACGAACGTAAATCCTT")
	varied := REV([bases]float64{.1, .2, .3, .4})
	varied.RateClasses, varied.Law = 3, em.Multinomial{}
	for seed := range trials.Seeds(300) {
		r := random(seed)
		m := must(NewColumns(tree, varied))
		l := must(m.Likelihood(a))
		theta := m.Params.Random(r)
		length := m.Params.Find("lengths").In(theta)
		for v := range length {
			length[v] = math.Pow(10, []float64{300, 8, 1}[r.IntN(3)]*(2*r.Float64()-1))
		}
		m.Params.Find("shape").In(theta)[0] = math.Exp(math.Log(leastShape) + r.Float64()*math.Log(greatestShape/leastShape))
		e := must(l.Expect(t.Context(), em.Query{Theta: theta}))
		coordinates := must(m.Params.Coordinates(theta))
		x, gradient := coordinates.Of(theta), make([]float64, coordinates.Dim())
		coordinates.Gradient(gradient, theta, e.Counts)
		for i, g := range gradient {
			if g-g != 0 {
				t.Fatalf("seed %d: lengths %v: derivative %d is %g", seed, length, i, g)
			}
			group, _ := coordinates.Group(i)
			if seed%10 > 0 || group == m.Params.Find("shape") {
				continue
			}
			h := 3e-4
			if group == m.Params.Find("lengths") {
				h = 3e-5 // a tenth of the coordinate of the shortest
			}
			slope := 0.0
			for k, weight := range []float64{1, -8, 8, -1} {
				before := x[i]
				x[i] += h * []float64{-2, -1, 1, 2}[k]
				slope += weight * must(l.LogProb(t.Context(), coordinates.Theta(x), 1)) / (12 * h)
				x[i] = before
			}
			if !near(g, slope, 1e-5) {
				t.Errorf("seed %d: lengths %v: derivative %d of %v is %g, by differences %g", seed, length, i, group, g, slope)
			}
		}
	}
}

// Coordinates of lengths are lengths again, and their derivative is right, from 1e-300 to 1e300.
func TestLengthCoordinates(t *testing.T) {
	for e := -299.0; e <= 300; e += .7 {
		theta, x, back, dx := []float64{math.Pow(10, e)}, make([]float64, 1), make([]float64, 1), make([]float64, 1)
		lengths{}.Coordinates(x, theta)
		lengths{}.Theta(back, x)
		if !near(math.Log(back[0]), math.Log(theta[0]), 1e-10) {
			t.Errorf("%g comes back as %g", theta[0], back[0])
		}
		lengths{}.Gradient(dx, theta, []float64{1})
		h := 1e-4 * max(math.Abs(x[0]), 1e-3)
		var above, below [1]float64
		lengths{}.Theta(above[:], []float64{x[0] + h})
		lengths{}.Theta(below[:], []float64{x[0] - h})
		if want := math.Log(above[0]/below[0]) / (2 * h); !near(dx[0]/want, 1, 1e-3) {
			t.Errorf("at %g: derivative %g, by differences %g", theta[0], dx[0], want)
		}
	}
}

// A root of two branches stays where it was, relative to the length of both.
func TestRootStays(t *testing.T) {
	a := drawn(must(ParseTree("((a:.1,b:.2):.3,c:.4);")), 300)
	for _, share := range []float64{.5, .1, .9} {
		m := must(NewColumns(must(ParseTree(fmt.Sprintf("((a:.1,b:.2)x:%g,c:%g);", share, 1-share))), JC69()))
		must(m.Fit(t.Context(), a, nil))
		tree := m.Tree()
		x, c := tree.Nodes[tree.Node("x")].Length, tree.Nodes[tree.Node("c")].Length
		if !near(x/(x+c), share, 1e-9) {
			t.Errorf("the root is at %g, want %g", x/(x+c), share)
		}
	}
}

// Rates that do not vary are no error, wherever the shape starts, and have a remark.
func TestShapeAtBound(t *testing.T) {
	p := JC69()
	p.RateClasses = 4
	tree := must(ParseTree("(a:.1,b:.1,c:.1);"))
	for _, start := range []float64{.5, 9e3, greatestShape, leastShape} {
		m := must(NewColumns(tree, p))
		m.Params.Find("shape").In(m.Theta)[0] = start
		r, err := m.Fit(t.Context(), apart(400, 390), nil)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(r.Remarks, func(s string) bool { return strings.Contains(s, "hardly differ") }) {
			t.Errorf("from %g: shape %g, remarks %q", start, m.Params.Find("shape").In(m.Theta)[0], r.Remarks)
		}
	}
}

// A fit that is canceled at any time returns the best so far, or nothing, and the cause.
func TestCanceledClimb(t *testing.T) {
	for n := range 60 {
		ctx, cancel := context.WithCancel(t.Context())
		m := must(NewColumns(must(ParseTree("(a:0,b:.1,c:.1);")), JC69()))
		i := 0
		r, err := m.Fit(ctx, apart(60, 10), &em.Options{Observer: func(em.Event) {
			if i++; i == n {
				cancel()
			}
		}})
		if n == 0 || n > i {
			cancel()
			if err != nil {
				t.Fatal(err)
			}
			continue
		}
		if !errors.Is(err, context.Canceled) || r != nil && r.Status != em.Canceled {
			t.Errorf("canceled after %d events: %+v, %v", n, r, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	m := must(NewColumns(must(ParseTree("(a:0,b:.1,c:.1);")), JC69()))
	if r, err := m.Fit(ctx, apart(60, 10), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled before: %+v, %v", r, err)
	}
}

// A run that goes on from its checkpoint ends with the bits of one without a break.
func TestClimbResumes(t *testing.T) {
	text := "(a:0,b:1e6,c:.1);"
	whole := must(NewColumns(must(ParseTree(text)), JC69()))
	want := must(whole.Fit(t.Context(), apart(60, 10), &em.Options{Restarts: 2, Rand: rand.NewPCG(1, 2)}))
	file := filepath.Join(t.TempDir(), "checkpoint")
	for n := range 100 {
		m := must(NewColumns(must(ParseTree(text)), JC69()))
		ctx, cancel := context.WithCancel(t.Context())
		i := 0
		r, err := m.Fit(ctx, apart(60, 10), &em.Options{Restarts: 2, Rand: rand.NewPCG(1, 2), Checkpoint: file, Observer: func(em.Event) {
			if i++; i == 4 {
				cancel()
			}
		}})
		canceled := errors.Is(err, context.Canceled)
		cancel()
		if canceled {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if n < 3 || !slices.Equal(m.Theta, whole.Theta) || !slices.Equal(r.Objective, want.Objective) {
			t.Errorf("after %d breaks %v, want %v", n, m.Theta, whole.Theta)
		}
		return
	}
	t.Error("it does not end")
}

package pcfg

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/likelihoodtest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/models/grammar/treebank"
	"example.org/pathsum/semiring/expr"
)

// confused returns the lattice of what may have been said where words were heard: the channel
// turns each of the two words x and y into another by the weights of hear.
func confused(g *Grammar, hear [2]*em.Group, words []string) *fst.FST[expr.W] {
	b := fst.NewBuilder(g.Params.Space())
	b.AddStates(len(words) + 1)
	b.AddStart(0, expr.One)
	b.SetFinal(int32(len(words)), expr.One)
	for i, w := range words {
		for said, name := range []string{"x", "y"} {
			if label, ok := g.Symbols().Find(name); ok {
				b.AddArc(int32(i), fst.Arc[expr.W]{In: label, Out: label, To: int32(i + 1), Weight: hear[said].Weight(slices.Index([]string{"x", "y"}, w))})
			}
		}
	}
	f, err := b.Freeze()
	if err != nil {
		panic(err)
	}
	return f
}

// The likelihood of what was heard is the sum over all that may have been said, of the
// derivations of random grammars, unary cycles among their rules.
func TestLattices(t *testing.T) {
	cyclic := 0
	for seed := range trials.Seeds(40) {
		r := rand.New(rand.NewPCG(seed, 3))
		rules := randomRules(r)
		if seed%2 == 0 { // A may become itself
			rules = append(rules, Rule{"A", []string{"A"}, .3})
			rules = append(rules, Rule{"C", []string{"A"}, .2})
			cyclic++
		}
		g, err := New("A", rules, em.Multinomial{})
		if err != nil {
			t.Fatal(err)
		}
		hear := [2]*em.Group{g.Params.Group("x", 2, em.Multinomial{}), g.Params.Group("y", 2, em.Multinomial{})}
		hear[0].SetStart([]float64{.8, .2})
		hear[1].SetStart([]float64{.3, .7})
		g.Theta = g.Params.Start()
		heard := [][]string{{"x", "y"}, {"y"}, {"x", "x", "y"}}
		var lattices []cascade.Stage
		for _, words := range heard {
			lattices = append(lattices, confused(g, hear, words))
		}
		p, err := g.Predictor()
		if err != nil {
			t.Fatal(err)
		}
		want := 0.0
		for i, words := range heard {
			sum, best := 0.0, math.Inf(-1)
			for said := range 1 << len(words) {
				line, channel := make([]string, len(words)), 1.0
				for k, w := range words {
					s := said >> k & 1
					line[k] = []string{"x", "y"}[s]
					channel *= g.Theta[hear[s].First()+slices.Index([]string{"x", "y"}, w)]
				}
				ln, err := p.LogProb(line)
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				sum += channel * math.Exp(ln)
				if _, top, err := p.Best(line); err == nil {
					best = max(best, top+math.Log(channel))
				}
			}
			if sum == 0 {
				lattices[i] = nil
				continue
			}
			want += math.Log(sum)
			tree, ln, err := p.Decode(lattices[i])
			if err != nil || math.Abs(ln-best) > 1e-10 || leaves(tree) != len(words) {
				t.Fatalf("seed %d: best %v of %v, %v, want %v", seed, tree, ln, err, best)
			}
		}
		lattices = slices.DeleteFunc(lattices, func(s cascade.Stage) bool { return s == nil })
		if len(lattices) == 0 {
			continue
		}
		l, err := g.Likelihood(Data{Lattices: lattices})
		if err != nil {
			t.Fatal(err)
		}
		e, err := l.Expect(context.Background(), em.Query{Theta: g.Theta})
		if err != nil || math.Abs(e.LogLikelihood-want) > 1e-10 {
			t.Fatalf("seed %d: log likelihood %v, %v, want %v", seed, e, err, want)
		}
		tangent := make([]float64, len(g.Theta))
		for i := range tangent {
			tangent[i] = r.NormFloat64()
		}
		likelihoodtest.Check(t, l, em.Query{Theta: g.Theta, Tangent: tangent})
		checkCounts(t, l, g.Theta, tangent)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
		result, err := g.Fit(context.Background(), Data{Lattices: lattices}, &em.Options{Iterations: 20})
		if err != nil || !slices.IsSortedFunc(result.Objective, func(a, b float64) int {
			if a < b-1e-9 {
				return -1
			}
			return 0
		}) {
			t.Fatalf("seed %d: objective %v, %v", seed, result, err)
		}
	}
}

// checkCounts compares counts, the derivatives by ln θ, with a difference of the log
// likelihood, in a direction that keeps sums 1.
func checkCounts(t *testing.T, l em.Likelihood, theta, tangent []float64) {
	t.Helper()
	const h = 1e-5
	tangent = slices.Clone(tangent)
	for _, g := range l.Params().Groups() {
		mean := 0.0
		for i, x := range g.In(theta) {
			mean += x * g.In(tangent)[i]
		}
		for i := range g.In(tangent) {
			g.In(tangent)[i] -= mean
		}
	}
	at := func(eps float64, along []float64) *em.Expectations {
		moved := slices.Clone(theta)
		for i := range moved {
			moved[i] *= 1 + eps*along[i]
		}
		e, err := l.Expect(context.Background(), em.Query{Theta: moved})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	e, err := l.Expect(context.Background(), em.Query{Theta: theta})
	if err != nil {
		t.Fatal(err)
	}
	slope := 0.0
	for i, c := range e.Counts {
		slope += c * tangent[i]
	}
	if got := (at(h, tangent).LogLikelihood - at(-h, tangent).LogLikelihood) / (2 * h); math.Abs(got-slope) > 1e-5*(1+math.Abs(slope)) {
		t.Errorf("the log likelihood grows by %v, counts say %v", got, slope)
	}
}

func leaves(t *treebank.Tree) int {
	if len(t.Children) == 0 {
		return 1
	}
	n := 0
	for _, c := range t.Children {
		n += leaves(c)
	}
	return n
}

// TestLazyLattices: a lattice need not be frozen, and one that could not be made is an error with
// the number of its sentence.
func TestLazyLattices(t *testing.T) {
	g, err := New("A", []Rule{{"A", []string{"x"}, 1}, {"A", []string{"A", "y"}, 1}}, em.Multinomial{})
	if err != nil {
		t.Fatal(err)
	}
	hear := [2]*em.Group{g.Params.Group("x", 2, em.Multinomial{}), g.Params.Group("y", 2, em.Multinomial{})}
	g.Theta = g.Params.Start()
	whole := confused(g, hear, []string{"x", "y"})
	parts := fst.Concat(confused(g, hear, []string{"x"}), confused(g, hear, []string{"y"}))
	cause := errors.New("cause")
	failed := fst.Union(parts, fst.Failed(g.Params.Space(), cause))
	var objectives [2]float64
	for i, m := range []cascade.Stage{whole, parts} {
		l, err := g.Likelihood(Data{Lattices: []cascade.Stage{m}})
		if err != nil {
			t.Fatal(err)
		}
		e, err := l.Expect(context.Background(), em.Query{Theta: g.Theta})
		if err != nil {
			t.Fatal(err)
		}
		objectives[i] = e.LogLikelihood
	}
	if math.Abs(objectives[0]-objectives[1]) > 1e-12 {
		t.Errorf("log likelihoods %v of equal lattices", objectives)
	}
	p, err := g.Predictor()
	if err != nil {
		t.Fatal(err)
	}
	if tree, _, err := p.Decode(parts); err != nil || leaves(tree) != 2 {
		t.Errorf("%v, %v, want a tree of two words", tree, err)
	}

	_, err = g.Likelihood(Data{Lattices: []cascade.Stage{whole, failed}})
	if !errors.Is(err, cause) || !strings.Contains(err.Error(), "sentence 2") {
		t.Errorf("error %v, want that of the machine, with its sentence", err)
	}
	if _, _, err := p.Decode(failed); !errors.Is(err, cause) {
		t.Errorf("error %v, want that of the machine", err)
	}
	if _, _, err := p.Decode(nil); !errors.Is(err, ErrInvalid) {
		t.Errorf("error %v, want ErrInvalid", err)
	}
	late := g.Params.Group("late", 2, em.Multinomial{})
	if _, _, err := p.Decode(confused(g, [2]*em.Group{late, late}, []string{"x", "y"})); !errors.Is(err, ErrInvalid) {
		t.Errorf("error %v, want ErrInvalid", err)
	}
}

package synchronous_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/models/grammar/synchronous"
)

func known(pairs [][2][]string) (data synchronous.Data) {
	for _, p := range pairs {
		data.Examples = append(data.Examples, synchronous.Example{Source: synchronous.Words(p[0]...), Target: synchronous.Words(p[1]...)})
	}
	return data
}

// right returns the number of sentences that a grammar translates as they are.
func right(t *testing.T, g *synchronous.Grammar, pairs [][2][]string) (n int) {
	t.Helper()
	p, err := g.Predictor()
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range pairs {
		target, err := p.Translate(x[0])
		if err != nil {
			t.Fatal(err)
		}
		if slices.Equal(target, x[1]) {
			n++
		}
	}
	return n
}

// TestReordering: a grammar learns from 100 pairs to translate sentences that are not among them,
// and the likelihood never falls. Before training it translates none.
func TestReordering(t *testing.T) {
	const pairs, heldOut = 100, 100
	for seed := range trials.Seeds(5) {
		some, others := corpus(rand.New(rand.NewPCG(seed, 5)), pairs, heldOut)
		g, err := synchronous.New("S", toyRules(some), em.Multinomial{})
		if err != nil {
			t.Fatal(err)
		}
		if n := right(t, g, others); n != 0 {
			t.Errorf("seed %d: %d of %d right before training", seed, n, heldOut)
		}
		r, err := g.Fit(context.Background(), known(some), nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range r.Objective[1:] {
			if x < r.Objective[i]-1e-9*-x {
				t.Errorf("seed %d: iteration %d: the objective falls from %v to %v", seed, i+1, r.Objective[i], x)
			}
		}
		n := right(t, g, others)
		t.Logf("seed %d: %d of %d right", seed, n, heldOut)
		if n < heldOut {
			t.Errorf("seed %d: %d of %d right, want all", seed, n, heldOut)
		}
	}
}

// TestBracketing: without any structure given, brackets align the words of the toy language.
func TestBracketing(t *testing.T) {
	some, _ := corpus(rand.New(rand.NewPCG(1, 6)), 40, 0)
	g, err := synchronous.New("S", synchronous.Bracketing(some), em.Multinomial{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.Fit(context.Background(), known(some), &em.Options{Iterations: 30}); err != nil {
		t.Fatal(err)
	}
	p, err := g.Predictor()
	if err != nil {
		t.Fatal(err)
	}
	translation := map[string]string{}
	for _, words := range dictionary {
		for _, w := range words {
			translation[w[0]] = w[1]
		}
	}
	good, links, words := 0, 0, 0
	for _, x := range some {
		d, err := p.Best(synchronous.Example{Source: synchronous.Words(x[0]...), Target: synchronous.Words(x[1]...)})
		if err != nil {
			t.Fatal(err)
		}
		words += len(x[1])
		for _, l := range d.Links {
			links++
			if translation[x[0][l.Source]] == x[1][l.Target] {
				good++
			}
		}
	}
	t.Logf("%d links, %d right, of %d words", links, good, words)
	if good < words*98/100 || links > words {
		t.Errorf("%d links, %d of them right, want nearly %d", links, good, words)
	}
}

package bayes_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/models/bayes"
)

// someDiscrete returns some of the discrete variables of a network, in random order.
func someDiscrete(rng *rand.Rand, n *bayes.Network) []int {
	var of []int
	for _, v := range rng.Perm(n.Len()) {
		if n.Discrete(v) && rng.IntN(2) == 0 {
			of = append(of, v)
		}
	}
	return of
}

// evidence returns a row of a network in which each family is known with probability ¼, by a row
// of independent states, which may be impossible.
func evidence(rng *rand.Rand, n *bayes.Network) bayes.Row {
	r := hide(rng, n, n.Sample(rng))
	for v := range r {
		if n.Discrete(v) {
			if r[v] = float64(rng.IntN(len(n.Variables()[v].States))); rng.IntN(4) > 0 {
				r[v] = math.NaN()
			}
		}
	}
	return r
}

// PosteriorsOf are those of all assignments, whatever is left out: a row is impossible if and only
// if the sum over them is 0.
func TestPosteriorsOf(t *testing.T) {
	impossible := 0
	for seed := range trials.Seeds(400) {
		rng := graphtest.Rand(seed)
		n := random(rng, seed%2 == 0)
		r, of := evidence(rng, n), someDiscrete(rng, n)
		want := enumerate(n, r)
		got, err := n.PosteriorsOf(r, of...)
		if want.total == 0 {
			if impossible++; !errors.Is(err, bayes.ErrImpossible) {
				t.Errorf("seed %d: error %v, want ErrImpossible", seed, err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for i, v := range of {
			for x, q := range got[i] {
				if !near(q, want.states[v][x]/want.total) {
					t.Errorf("seed %d: P(%s = %d) = %v, want %v", seed, n.Variables()[v].Name, x, q, want.states[v][x]/want.total)
				}
			}
		}
	}
	if impossible == 0 {
		t.Error("no row was impossible")
	}
}

// BestOf is the greatest of the sums over all assignments to the other variables.
func TestBestOf(t *testing.T) {
	constrained := 0
	for seed := range trials.Seeds(400) {
		rng := graphtest.Rand(seed)
		n := random(rng, seed%2 == 0)
		r, of := evidence(rng, n), someDiscrete(rng, n)
		sums, greatest := map[string]float64{}, 0.
		name := func(full bayes.Row) string {
			key := ""
			for _, v := range of {
				key += fmt.Sprint(full[v], " ")
			}
			return key
		}
		for full, p := range completions(n, r) {
			sums[name(full)] += p
			greatest = max(greatest, sums[name(full)])
		}
		full, log, err := n.BestOf(r, of...)
		if greatest == 0 {
			if !errors.Is(err, bayes.ErrImpossible) {
				t.Errorf("seed %d: error %v, want ErrImpossible", seed, err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if !near(log, math.Log(greatest)) || !near(sums[name(full)], greatest) {
			t.Errorf("seed %d: %v with ln P = %v, whose sum is %v; want ln of %v", seed, full, log, sums[name(full)], greatest)
		}
		for v, x := range full {
			if known := r[v] == r[v]; known && x != r[v] || !known && (x == x) != slices.Contains(of, v) {
				t.Errorf("seed %d: %v from %v for %v", seed, full, r, of)
			}
		}
		if best, _, err := n.Best(r); err == nil && name(best) != name(full) {
			constrained++
		}
	}
	if constrained == 0 {
		t.Error("the best states of all variables were always the best ones of some")
	}
}

// wide returns a network of a cause and an effect, and beside them causes of which each two have
// an effect, which ties them all together as soon as it is known. With zero an effect of two
// others is impossible where both have their first state.
func wide(zero bool) (n *bayes.Network, cause, effect int, others []int) {
	yes := []string{"yes", "no"}
	states := make([]string, 16)
	for i := range states {
		states[i] = fmt.Sprint(i)
	}
	variables := []bayes.Variable{{Name: "cause", States: yes}, {Name: "effect", States: yes}}
	families := []bayes.Family{{Children: []int{0}, Table: []float64{.3, .7}}, {Children: []int{1}, Parents: []int{0}, Table: []float64{.9, .1, .2, .8}}}
	const many = 12
	for i := range many {
		families = append(families, bayes.Family{Children: []int{len(variables)}})
		variables = append(variables, bayes.Variable{Name: fmt.Sprint("c", i), States: states})
	}
	for i := range many {
		for j := range i {
			table := slices.Repeat([]float64{.25, .75}, 256)
			if zero {
				table[0], table[1] = 0, 1
			}
			others = append(others, len(variables))
			families = append(families, bayes.Family{Children: []int{len(variables)}, Parents: []int{2 + i, 2 + j}, Table: table})
			variables = append(variables, bayes.Variable{Name: fmt.Sprintf("e%d,%d", i, j), States: yes})
		}
	}
	return must(bayes.New(variables, families)), 0, 1, others
}

// What a question does not need is left out before elimination, which would be too wide.
func TestLeftOut(t *testing.T) {
	n, cause, effect, others := wide(false)
	r := n.Unknown()
	r[effect] = 0
	want := .3*.9 + .7*.2
	if got, err := n.LogProb(r); err != nil || !near(got, math.Log(want)) {
		t.Errorf("LogProb: %v (%v), want %v", got, err, math.Log(want))
	}
	full, err := n.Complete(r, rand.NewPCG(1, 1))
	if err != nil || full[effect] != 0 || slices.ContainsFunc(full, func(x float64) bool { return x != x }) {
		t.Errorf("Complete: %v, %v", full, err)
	}
	if full, log, err := n.BestOf(r, cause); err != nil || full[cause] != 0 || !near(log, math.Log(.3*.9)) {
		t.Errorf("BestOf: %v, %v, %v", full[cause], log, err)
	}
	if _, err := n.Posteriors(r); !errors.Is(err, bayes.ErrTreewidth) {
		t.Errorf("Posteriors: %v, want ErrTreewidth", err)
	}
	for _, v := range others { // now they are tied, and d-separated from the cause
		r[v] = 0
	}
	if got, err := n.PosteriorsOf(r, cause); err != nil || !near(got[0][0], .3*.9/want) {
		t.Errorf("PosteriorsOf: %v (%v), want %v", got, err, .3*.9/want)
	}
	if _, err := n.LogProb(r); !errors.Is(err, bayes.ErrTreewidth) {
		t.Errorf("LogProb of all effects: %v, want ErrTreewidth", err)
	}
	n, cause, effect, others = wide(true)
	r = n.Unknown()
	r[effect] = 0
	for _, v := range others { // the other part may be impossible: it must be looked at
		r[v] = 0
	}
	if _, err := n.PosteriorsOf(r, cause); !errors.Is(err, bayes.ErrTreewidth) {
		t.Errorf("PosteriorsOf with a part that may be impossible: %v, want ErrTreewidth", err)
	}
	for _, v := range others { // the zeros are of the other state
		r[v] = 1
	}
	if got, err := n.PosteriorsOf(r, cause); err != nil || !near(got[0][0], .3*.9/want) {
		t.Errorf("PosteriorsOf with zeros elsewhere: %v (%v), want %v", got, err, .3*.9/want)
	}
}

package bayes_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/models/bayes"
)

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

// near reports whether two numbers agree to 1e-10, relative or absolute.
func near(a, b float64) bool {
	return a == b || math.Abs(a-b) <= 1e-10*max(1, math.Abs(a), math.Abs(b))
}

// TestUnknownNames: what is not there has no probability, not even 0.
func TestUnknownNames(t *testing.T) {
	n := must(bayes.New([]bayes.Variable{{Name: "c", States: []string{"no", "yes"}}, {Name: "x"}},
		[]bayes.Family{{Children: []int{0}}, {Children: []int{1}}}))
	p := must(n.Posteriors(n.Unknown()))
	for _, of := range [][3]string{
		{"d", "no", `bayes: P: there is no variable "d", want one of c, x`},
		{"c", "maybe", `bayes: P: c has no state "maybe", want one of no, yes`},
		{"x", "1", "bayes: States of a continuous variable"},
	} {
		func() {
			defer func() {
				if got := recover(); got != of[2] {
					t.Errorf("%s = %s: %v, want %s", of[0], of[1], got, of[2])
				}
			}()
			p.P(of[0], of[1])
		}()
	}
}

// Means and variances of missing continuous cells against numbers from many samples.
func TestMoments(t *testing.T) {
	n := must(bayes.New([]bayes.Variable{{Name: "c", States: []string{"0", "1"}}, {Name: "s", States: []string{"0", "1"}}, {Name: "x"}},
		[]bayes.Family{
			{Children: []int{0}, Table: []float64{.3, .7}},
			{Children: []int{1}, Parents: []int{0}, Table: []float64{.9, .1, .2, .8}},
			{Children: []int{2}, Parents: []int{0}, Normals: []bayes.Normal{{Mean: []float64{1}, Covariance: []float64{4}}, {Mean: []float64{-2}, Covariance: []float64{.25}}}},
		}))
	r := must(n.Evidence(map[string]string{"s": "1"}))
	moments := func() (mean, variance float64) {
		mean, variance, err := must(n.Posteriors(r)).Moments(2)
		if err != nil {
			t.Fatal(err)
		}
		return mean, variance
	}
	mean, variance := moments()
	q := .3 * .1 / (.3*.1 + .7*.8) // of c = 0
	m := q - 2*(1-q)
	if v := q*(4+(1-m)*(1-m)) + (1-q)*(.25+(-2-m)*(-2-m)); !near(mean, m) || !near(variance, v) {
		t.Errorf("mean %v, variance %v; want %v, %v", mean, variance, m, v)
	}
	rng := graphtest.Rand(1)
	const samples = 100000
	sum, square := 0., 0.
	for range samples {
		x := must(n.Complete(r, rng))[2]
		sum += x
		square += x * x
	}
	sum, square = sum/samples, square/samples
	if math.Abs(sum-mean) > 5*math.Sqrt(variance/samples) || math.Abs(square-sum*sum-variance) > .05 {
		t.Errorf("completions have mean %v and variance %v, want %v and %v", sum, square-sum*sum, mean, variance)
	}
	r[0] = 1
	if mean, variance = moments(); !near(mean, -2) || !near(variance, .25) {
		t.Errorf("where the parent is known: mean %v, variance %v; want -2, .25", mean, variance)
	}
	r[2] = .5
	if mean, variance = moments(); mean != .5 || variance != 0 {
		t.Errorf("known value .5 has moments %v, %v", mean, variance)
	}
}

// No underflow: a chain of three thousand variables, whose likelihood is about 1e-1500.
func TestLongChain(t *testing.T) {
	const length = 3000
	var variables []bayes.Variable
	var families []bayes.Family
	for i := range length {
		variables = append(variables, bayes.Variable{Name: string(rune('A'+i%26)) + string(rune(0x4e00+i)), States: []string{"0", "1"}})
		f := bayes.Family{Children: []int{i}, Table: []float64{.5, .5}}
		if i > 0 {
			f = bayes.Family{Children: []int{i}, Parents: []int{i - 1}, Table: []float64{.9, .1, .1, .9}}
		}
		families = append(families, f)
	}
	n := must(bayes.New(variables, families))
	r := make(bayes.Row, length)
	for i := range r {
		r[i] = float64(i / 2 % 2)
	}
	want := math.Log(.5) + float64(length/2)*math.Log(.9) + float64(length/2-1)*math.Log(.1)
	if got := must(n.LogProb(r)); math.Abs(got-want) > 1e-9*math.Abs(want) {
		t.Errorf("ln P = %v, want %v", got, want)
	}
}

// TestP: a probability by names is that of all assignments, and an entry of a table where the
// parents are given.
func TestP(t *testing.T) {
	for seed := range trials.Seeds(100) {
		rng := graphtest.Rand(seed)
		n := random(rng, false)
		v := rng.IntN(n.Len())
		variable, x, given := n.Variables()[v], rng.IntN(len(n.Variables()[v].States)), map[string]string{}
		r, entry := n.Unknown(), 0
		for _, p := range n.Family(v).Parents {
			states := n.Variables()[p].States
			y := rng.IntN(len(states))
			given[n.Variables()[p].Name], r[p] = states[y], float64(y)
			entry = entry*len(states) + y
		}
		if want := enumerate(n, r); want.total > 0 {
			got, err := n.P(variable.Name, variable.States[x], given)
			if want := n.Family(v).Table[entry*len(variable.States)+x]; err != nil || !near(got, want) {
				t.Errorf("seed %d: P(%s | %v) = %v (%v), want the entry %v", seed, variable.Name, given, got, err, want)
			}
		}
		clear(given)
		u := rng.IntN(n.Len())
		y := rng.IntN(len(n.Variables()[u].States))
		r = n.Unknown()
		r[u] = float64(y)
		given[n.Variables()[u].Name] = n.Variables()[u].States[y]
		want := enumerate(n, r)
		got, err := n.P(variable.Name, variable.States[x], given)
		if want.total == 0 {
			if !errors.Is(err, bayes.ErrImpossible) {
				t.Errorf("seed %d: %v", seed, err)
			}
		} else if err != nil || !near(got, want.states[v][x]/want.total) {
			t.Errorf("seed %d: P(%s | %v) = %v (%v), want %v", seed, variable.Name, given, got, err, want.states[v][x]/want.total)
		}
	}
	n := must(bayes.NaiveBayes(bayes.Variable{Name: "kind", States: []string{"A", "B"}}, bayes.Variable{Name: "x"}))
	for _, ask := range [][4]string{{"king", "A", "x", "1"}, {"kind", "C", "x", "1"}, {"x", "1", "kind", "A"}, {"kind", "A", "y", "1"}} {
		if _, err := n.P(ask[0], ask[1], map[string]string{ask[2]: ask[3]}); !errors.Is(err, bayes.ErrInvalid) {
			t.Errorf("%v: %v", ask, err)
		}
	}
}

// A probability needs no more than the variables above those that are named: a sum over all
// would be too wide here, where each two of twelve causes have an effect.
func TestProbabilityInAWideNetwork(t *testing.T) {
	const causes = 12
	var variables []bayes.Variable
	var families []bayes.Family
	add := func(v bayes.Variable, f bayes.Family) int {
		f.Children = []int{len(variables)}
		variables, families = append(variables, v), append(families, f)
		return len(variables) - 1
	}
	yes := []string{"yes", "no"}
	first := add(bayes.Variable{Name: "first", States: yes}, bayes.Family{Table: []float64{.3, .7}})
	second := add(bayes.Variable{Name: "second", States: yes}, bayes.Family{Parents: []int{first}, Table: []float64{.9, .1, .2, .8}})
	states := make([]string, 16)
	for i := range states {
		states[i] = fmt.Sprint(i)
	}
	var many []int
	for i := range causes {
		many = append(many, add(bayes.Variable{Name: fmt.Sprint("cause", i), States: states}, bayes.Family{Parents: []int{second}}))
	}
	for i := range causes { // each pair of causes has an effect, which ties them all
		for j := range i {
			add(bayes.Variable{Name: fmt.Sprintf("effect%d-%d", i, j), States: yes}, bayes.Family{Parents: []int{many[i], many[j]}})
		}
	}
	n := must(bayes.New(variables, families))
	if _, err := n.Posteriors(n.Unknown()); !errors.Is(err, bayes.ErrTreewidth) {
		t.Fatalf("posteriors of all: %v, want ErrTreewidth", err)
	}
	for _, test := range []struct {
		variable string
		given    map[string]string
		want     float64
	}{
		{"first", nil, .3},
		{"second", nil, .3*.9 + .7*.2},
		{"first", map[string]string{"second": "yes"}, .3 * .9 / (.3*.9 + .7*.2)},
		{"second", map[string]string{"first": "no"}, .2},
	} {
		if p, err := n.P(test.variable, "yes", test.given); err != nil || math.Abs(p-test.want) > 1e-14 {
			t.Errorf("P(%s | %v) = %v, %v, want %v", test.variable, test.given, p, err, test.want)
		}
	}
	if p, err := n.P("cause3", "5", map[string]string{"effect2-1": "yes"}); err != nil || !(p >= 0 && p <= 1) {
		t.Errorf("a cause given the effect of two others: %v, %v", p, err)
	}
}

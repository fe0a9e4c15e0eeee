package bayes_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/models/bayes"
)

// entangled returns a network of variables with 2 to 12 states and random parents before them.
func entangled(rng *rand.Rand) *bayes.Network {
	var variables []bayes.Variable
	var families []bayes.Family
	for v := range 9 + rng.IntN(6) {
		states := []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"}[:2+rng.IntN(11)]
		variables = append(variables, bayes.Variable{Name: fmt.Sprint("V", v), States: states})
		families = append(families, bayes.Family{Children: []int{v}, Parents: some(rng, rng.Perm(v))})
	}
	return must(bayes.New(variables, families))
}

// entriesOf returns the entries of all tables of the elimination of all variables, by the order
// that takes the variable of the least price, of equals the first. The price of a variable has two
// numbers, the first of which counts more.
func entriesOf(n *bayes.Network, price func(fill, weight, entries float64) [2]float64) float64 {
	size := func(v int) float64 { return float64(len(n.Variables()[v].States)) }
	edge := make([][]bool, n.Len())
	for v := range edge {
		edge[v] = make([]bool, n.Len())
	}
	for _, f := range n.Families() {
		all := append(append([]int(nil), f.Children...), f.Parents...)
		for _, u := range all {
			for _, v := range all {
				edge[u][v] = u != v
			}
		}
	}
	gone := make([]bool, n.Len())
	total := 0.
	for range n.Len() {
		best, least, cost := -1, [2]float64{}, 0.
		for v := range gone {
			if gone[v] {
				continue
			}
			fill, weight, entries := 0., 0., size(v)
			for u := range gone {
				if gone[u] || !edge[v][u] {
					continue
				}
				entries *= size(u)
				for w := range u {
					if !gone[w] && edge[v][w] && !edge[u][w] {
						fill++
						weight += size(u) * size(w)
					}
				}
			}
			if p := price(fill, weight, entries); best < 0 || p[0] < least[0] || p[0] == least[0] && p[1] < least[1] {
				best, least, cost = v, p, entries
			}
		}
		gone[best] = true
		total += cost
		for u := range gone {
			for w := range gone {
				if u != w && edge[best][u] && edge[best][w] {
					edge[u][w] = true
				}
			}
		}
	}
	return total
}

// An elimination takes the cheapest of three orders, each found anew here with all prices made
// anew in each step: it is done if that is the limit, and refused if the limit is one less.
func TestCheapestOrder(t *testing.T) {
	better := [3]int{}
	for seed := range trials.Seeds(150) {
		rng := graphtest.Rand(seed)
		n := entangled(rng)
		entries := [3]float64{
			entriesOf(n, func(fill, _, entries float64) [2]float64 { return [2]float64{fill, entries} }),
			entriesOf(n, func(_, weight, entries float64) [2]float64 { return [2]float64{weight, entries} }),
			entriesOf(n, func(fill, _, entries float64) [2]float64 { return [2]float64{entries, fill} }),
		}
		least := min(entries[0], entries[1], entries[2])
		if entries[0] <= 1<<12 || least > 1<<14 {
			continue
		}
		for i, x := range entries {
			if x == least && least < entries[0] {
				better[i]++
			}
		}
		if _, err := n.WithMaxEntries(int(least)).Posteriors(n.Unknown()); err != nil {
			t.Errorf("seed %d: with orders of %v entries: %v", seed, entries, err)
		}
		if _, err := n.WithMaxEntries(int(least) - 1).Posteriors(n.Unknown()); !errors.Is(err, bayes.ErrTreewidth) || !strings.Contains(err.Error(), "WithMaxEntries") {
			t.Errorf("seed %d: with orders of %v entries and a limit of one less: %v", seed, entries, err)
		}
	}
	if better[1] == 0 || better[2] == 0 {
		t.Errorf("another order was better %d and %d times", better[1], better[2])
	}
}

// The order does not change what is found: of networks whose tables are wide, by elimination on
// arrays.
func TestWideTables(t *testing.T) {
	for seed := range trials.Seeds(40) {
		rng := graphtest.Rand(seed)
		n := entangled(rng)
		variables, families := n.Variables(), n.Families()
		for i := range families {
			families[i].Table = nil
			fillIn(rng, variables, &families[i])
		}
		n = must(bayes.New(variables, families)).WithMaxEntries(1 << 14)
		r := n.Sample(rng)
		for v := range r {
			if v%4 > 0 {
				r[v] = math.NaN()
			}
		}
		p, err := n.Posteriors(r)
		if errors.Is(err, bayes.ErrTreewidth) {
			continue
		}
		if want := math.Log(newEliminator(n).likelihood(r)); err != nil || !near(p.LogProb, want) || !near(must(n.LogProb(r)), want) {
			t.Errorf("seed %d: ln P = %v (%v), want %v", seed, p.LogProb, err, want)
		}
	}
}

// Networks made from one with a limit have it, and a bad limit is a mistake of the program.
func TestLimitIsKept(t *testing.T) {
	n := must(bayes.NaiveBayes(bayes.Variable{Name: "kind", States: []string{"A", "B"}}, bayes.Variable{Name: "c", States: []string{"0", "1"}})).WithMaxEntries(3)
	m := must(bayes.NewModel(n, nil))
	for name, made := range map[string]*bayes.Network{
		"Relabel": n.Relabel(0, []int{1, 0}), "Model.Network": must(m.Network()), "Match": must(n.Match([]bayes.Row{{0, 1}}, 0)), "the network": n,
	} {
		if _, err := made.Posteriors(made.Unknown()); !errors.Is(err, bayes.ErrTreewidth) {
			t.Errorf("%s: %v, want ErrTreewidth", name, err)
		}
	}
	if _, err := n.WithMaxEntries(100).Posteriors(n.Unknown()); err != nil {
		t.Error(err)
	}
	for _, bad := range []int{0, -1, 1<<30 + 1} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("a limit of %d: no panic", bad)
				}
			}()
			n.WithMaxEntries(bad)
		}()
	}
}

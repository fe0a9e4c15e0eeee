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

// randomFactors returns a factor graph of at most five variables, with factors of none to three of
// them. With zeros, some entries are 0.
func randomFactors(rng *rand.Rand, zeros bool) *bayes.FactorGraph {
	var variables []bayes.Variable
	for v := range 1 + rng.IntN(5) {
		variables = append(variables, bayes.Variable{Name: fmt.Sprint("V", v), States: []string{"a", "b", "c"}[:1+rng.IntN(3)]})
	}
	var factors []bayes.Factor
	for range rng.IntN(6) {
		f := bayes.Factor{Variables: some(rng, rng.Perm(len(variables)))}
		entries := 1
		for _, v := range f.Variables {
			entries *= len(variables[v].States)
		}
		for range entries {
			x := 3 * rng.ExpFloat64()
			if zeros && rng.IntN(6) == 0 {
				x = 0
			}
			f.Table = append(f.Table, x)
		}
		factors = append(factors, f)
	}
	return must(bayes.NewFactorGraph(variables, factors))
}

// products yields all states of the missing cells of a row, in one slice, with the products of the
// factors.
func products(g *bayes.FactorGraph, r bayes.Row, yield func(full bayes.Row, weight float64)) {
	full := slices.Clone(r)
	var fill func(v int)
	fill = func(v int) {
		switch {
		case v == len(full):
			weight := 1.
			for _, f := range g.Factors() {
				e := 0
				for _, u := range f.Variables {
					e = e*len(g.Variables()[u].States) + int(full[u])
				}
				weight *= f.Table[e]
			}
			yield(full, weight)
		case r[v] == r[v]:
			fill(v + 1)
		default:
			for x := range g.Variables()[v].States {
				full[v] = float64(x)
				fill(v + 1)
			}
		}
	}
	fill(0)
}

// partly returns a row with random states, some of which are missing.
func partly(rng *rand.Rand, g *bayes.FactorGraph, missing float64) bayes.Row {
	r := g.Unknown()
	for v := range r {
		if rng.Float64() >= missing {
			r[v] = float64(rng.IntN(len(g.Variables()[v].States)))
		}
	}
	return r
}

// Every question against the sum, or the greatest, of all products.
func TestFactorGraph(t *testing.T) {
	impossible := 0
	for seed := range trials.Seeds(400) {
		rng := graphtest.Rand(seed)
		g := randomFactors(rng, seed%2 == 0)
		r := partly(rng, g, .7)
		var of []int
		for v := range r {
			if rng.IntN(2) == 0 {
				of = append(of, v)
			}
		}
		whole, part, best, bestOf := 0., 0., 0., 0.
		states := make([][]float64, g.Len())
		sums := map[string]float64{}
		weights := map[string]float64{}
		key := func(full bayes.Row) string {
			k := ""
			for _, v := range of {
				k += fmt.Sprint(full[v], " ")
			}
			return k
		}
		for v := range states {
			states[v] = make([]float64, len(g.Variables()[v].States))
		}
		products(g, g.Unknown(), func(_ bayes.Row, w float64) { whole += w })
		products(g, r, func(full bayes.Row, w float64) {
			part, best = part+w, max(best, w)
			weights[fmt.Sprint(full)] = w
			sums[key(full)] += w
			bestOf = max(bestOf, sums[key(full)])
			for v, x := range full {
				states[v][int(x)] += w
			}
		})
		if got, err := g.LogPartition(r); err != nil || !near(got, math.Log(part)) {
			t.Errorf("seed %d: LogPartition %v (%v), want %v", seed, got, err, math.Log(part))
		}
		got, err := g.LogProb(r)
		if whole == 0 {
			if !errors.Is(err, bayes.ErrImpossible) {
				t.Errorf("seed %d: LogProb of factors that are 0: %v", seed, err)
			}
		} else if want := math.Log(part / whole); err != nil || !near(got, want) {
			t.Errorf("seed %d: LogProb %v (%v), want %v", seed, got, err, want)
		}
		p, err := g.Posteriors(r)
		some, err2 := g.PosteriorsOf(r, of...)
		full, log, err3 := g.Best(r)
		bestOfSome, logOf, err4 := g.BestOf(r, of...)
		drawn, err5 := g.Complete(r, rng)
		if part == 0 {
			impossible++
			for i, err := range []error{err, err2, err3, err4, err5} {
				if !errors.Is(err, bayes.ErrImpossible) {
					t.Errorf("seed %d: question %d: %v, want ErrImpossible", seed, i, err)
				}
			}
			continue
		}
		if err := errors.Join(err, err2, err3, err4, err5); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if !near(p.LogProb, math.Log(part)) || !near(log, math.Log(best)) || weights[fmt.Sprint(full)] < best*(1-1e-12) {
			t.Errorf("seed %d: posteriors of %v, best %v of %v; want %v and %v", seed, p.LogProb, log, full, math.Log(part), math.Log(best))
		}
		if !near(logOf, math.Log(bestOf)) || !near(sums[key(bestOfSome)], bestOf) {
			t.Errorf("seed %d: best of %v: %v, %v; want %v", seed, of, bestOfSome, logOf, math.Log(bestOf))
		}
		if weights[fmt.Sprint(drawn)] == 0 {
			t.Errorf("seed %d: %v was drawn", seed, drawn)
		}
		for v := range states {
			for x, q := range p.States(v) {
				if !near(q, states[v][x]/part) {
					t.Errorf("seed %d: P(%d = %d) = %v, want %v", seed, v, x, q, states[v][x]/part)
				}
			}
		}
		for i, v := range of {
			if !slices.EqualFunc(some[i], p.States(v), near) {
				t.Errorf("seed %d: posteriors of %d: %v, want %v", seed, v, some[i], p.States(v))
			}
		}
	}
	if impossible == 0 {
		t.Error("no row was impossible")
	}
}

// A network is a factor graph whose factors are its families, with Z = 1.
func TestFactorsOfNetwork(t *testing.T) {
	n := shared(t, "alarm.bif.gz")
	var factors []bayes.Factor
	for _, f := range n.Families() {
		factors = append(factors, bayes.Factor{Variables: append(slices.Clone(f.Parents), f.Children...), Table: f.Table})
	}
	g := must(bayes.NewFactorGraph(n.Variables(), factors))
	if z := must(g.LogPartition(g.Unknown())); !near(z, 0) {
		t.Errorf("ln Z = %v", z)
	}
	rng := graphtest.Rand(1)
	for range 5 {
		r := hide(rng, n, n.Sample(rng))
		if got, want := must(g.LogProb(r)), must(n.LogProb(r)); !near(got, want) {
			t.Errorf("ln P = %v, want %v", got, want)
		}
		if p, q := must(g.Posteriors(r)), must(n.Posteriors(r)); !slices.EqualFunc(p.States(3), q.States(3), near) {
			t.Errorf("posteriors %v, want %v", p.States(3), q.States(3))
		}
	}
}

// Samples have the frequencies of the products.
func TestFactorSamples(t *testing.T) {
	rng := graphtest.Rand(7)
	g := must(bayes.NewFactorGraph([]bayes.Variable{{Name: "a", States: []string{"0", "1"}}, {Name: "b", States: []string{"0", "1", "2"}}},
		[]bayes.Factor{{Variables: []int{1, 0}, Table: []float64{5, 1, 0, 2, 3, 4}}, {Variables: []int{0}, Table: []float64{1, 2}}}))
	const samples = 20000
	seen := map[string]float64{}
	for range samples {
		seen[fmt.Sprint(must(g.Complete(g.Unknown(), rng)))]++
	}
	products(g, g.Unknown(), func(full bayes.Row, w float64) {
		p := w / 22 // 5 + 2 + 0 + 4 + 3 + 8
		if got := seen[fmt.Sprint(full)] / samples; math.Abs(got-p) > 5*math.Sqrt(p*(1-p)/samples) {
			t.Errorf("%v has the frequency %v, want %v", full, got, p)
		}
	})
}

// The Ising model on a ring of two rows of spins, where Z is the trace of a power of the transfer
// matrix.
func TestIsingLadder(t *testing.T) {
	const length, coupling = 30, .4
	var variables []bayes.Variable
	for i := range 2 * length {
		variables = append(variables, bayes.Variable{Name: fmt.Sprint("s", i), States: []string{"-", "+"}})
	}
	up, down := math.Exp(coupling), math.Exp(-coupling)
	var factors []bayes.Factor
	tie := func(i, j int) {
		factors = append(factors, bayes.Factor{Variables: []int{i, j}, Table: []float64{up, down, down, up}})
	}
	for i := range length {
		tie(2*i, 2*i+1)
		tie(2*i, (2*i+2)%(2*length))
		tie(2*i+1, (2*i+3)%(2*length))
	}
	g := must(bayes.NewFactorGraph(variables, factors))
	transfer := [4][4]float64{}
	spin := func(a int) (float64, float64) { return float64(a&1)*2 - 1, float64(a>>1)*2 - 1 }
	for a := range 4 {
		for b := range 4 {
			x, y := spin(a)
			u, v := spin(b)
			transfer[a][b] = math.Exp(coupling * (x*y + x*u + y*v))
		}
	}
	power, scale := transfer, 0.
	for range length - 1 {
		var next [4][4]float64
		for a := range 4 {
			for b := range 4 {
				for k := range 4 {
					next[a][b] += power[a][k] * transfer[k][b] / 100
				}
			}
		}
		power, scale = next, scale+math.Log(100)
	}
	want := math.Log(power[0][0]+power[1][1]+power[2][2]+power[3][3]) + scale
	if got, err := g.LogPartition(g.Unknown()); err != nil || !near(got, want) {
		t.Errorf("ln Z = %v (%v), want %v", got, err, want)
	}
}

// A part of the graph that is too wide is left out of what does not depend on it.
func TestFactorsLeftOut(t *testing.T) {
	states := make([]string, 16)
	for i := range states {
		states[i] = fmt.Sprint(i)
	}
	var variables []bayes.Variable
	var factors []bayes.Factor
	for v := range 14 {
		variables = append(variables, bayes.Variable{Name: fmt.Sprint(v), States: states})
		for u := 2; u < v; u++ { // 0 and 1 are apart, the others all tied
			factors = append(factors, bayes.Factor{Variables: []int{u, v}})
		}
	}
	table := make([]float64, 256)
	for i := range table {
		table[i] = float64(i)
	}
	factors = append(factors, bayes.Factor{Variables: []int{0, 1}, Table: table})
	g := must(bayes.NewFactorGraph(variables, factors))
	p, err := g.PosteriorsOf(g.Unknown(), 0)
	if want := (15*16*16 + 120.) / (255 * 128); err != nil || !near(p[0][15], want) {
		t.Errorf("posterior %v (%v), want %v", p, err, want)
	}
	if _, err := g.Posteriors(g.Unknown()); !errors.Is(err, bayes.ErrTreewidth) {
		t.Errorf("Posteriors: %v, want ErrTreewidth", err)
	}
	if _, err := g.WithMaxEntries(16).PosteriorsOf(g.Unknown(), 0); !errors.Is(err, bayes.ErrTreewidth) {
		t.Errorf("with a limit of 16: %v, want ErrTreewidth", err)
	}
}

package hidden

import (
	"cmp"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/benchtime"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/models/bayes"
)

// begun returns a trial of a network with few rows, and two random starts.
func begun(t testing.TB, name string, rows int) (*Trial, []*bayes.Network) {
	t.Helper()
	s, err := Open(new(program.Run), name, "")
	if err != nil {
		t.Fatal(err)
	}
	x, err := NewTrial(t.Context(), s, Settings{Train: rows, Test: 1000, Starts: 2, Iterations: 200, Beta: 1, Seed: 1}, 0)
	if err != nil {
		t.Fatal(err)
	}
	return x, x.Random
}

// like returns n with the names of hidden states from another network.
func like(x *Trial, n, other *bayes.Network) (*bayes.Network, error) {
	names, err := x.posteriors(other)
	if err != nil {
		return nil, err
	}
	return x.rename(n, names)
}

// near fails if two networks differ.
func near(t *testing.T, got, want *bayes.Network) {
	t.Helper()
	for i, f := range got.Families() {
		for k, p := range f.Table {
			if q := want.Families()[i].Table[k]; math.Abs(p-q) > 1e-7 {
				t.Fatalf("family %d: %v, want %v", i, f.Table, want.Families()[i].Table)
			}
		}
	}
}

// The average of a network and copies of it with renamed hidden states is an iteration of EM
// from it.
func TestSelectedRenames(t *testing.T) {
	x, starts := begun(t, "three-layers", 40)
	n := starts[0]
	rng := rand.New(rand.NewPCG(1, 2))
	all := []*bayes.Network{n}
	for range 3 {
		all = append(all, n.Relabel(x.Hidden[0], rng.Perm(3)).Relabel(x.Hidden[1], rng.Perm(3)))
	}
	got, err := x.selected(all)
	if err != nil {
		t.Fatal(err)
	}
	theta, err := x.Model.At(n)
	if err != nil {
		t.Fatal(err)
	}
	var second []float64
	if _, err := em.Fit(t.Context(), x.likely, &em.Options{Start: theta, Iterations: 2, Workers: 1, Observer: func(e em.Event) {
		if e.Iteration == 1 {
			second = append(second, e.Theta...)
		}
	}}); err != nil {
		t.Fatal(err)
	}
	want, err := x.at(second)
	if err != nil {
		t.Fatal(err)
	}
	of, err := like(x, got, want) // the names come from the first of equal ones
	if err != nil {
		t.Fatal(err)
	}
	near(t, of, want)
}

// The average of two networks is the fit to rows completed in all ways. Each completion is
// weighted by its probability under both networks, and the networks by their posterior
// densities.
func TestSelectedWeighs(t *testing.T) {
	x, starts := begun(t, "naive-bayes", 6)
	a, err := like(x, starts[1], starts[0])
	if err != nil {
		t.Fatal(err)
	}
	starts[1] = a
	got, err := x.selected(starts)
	if err != nil {
		t.Fatal(err)
	}
	var density [2]float64
	for k, n := range starts {
		theta, err := x.Model.At(n)
		if err != nil {
			t.Fatal(err)
		}
		density[k] = x.Model.Params.LogPrior(theta)
		for _, r := range x.Data.Rows {
			l, err := n.LogProb(r)
			if err != nil {
				t.Fatal(err)
			}
			density[k] += l
		}
	}
	share := 1 / (1 + math.Exp(density[1]-density[0]))
	if share < .001 || share > .999 {
		t.Fatalf("one network has all the weight: %v", density)
	}
	var completed bayes.Data
	for k, n := range starts {
		for _, r := range x.Data.Rows {
			p, err := n.Posteriors(r)
			if err != nil {
				t.Fatal(err)
			}
			for state, q := range p.States(x.Hidden[0]) {
				c := append(bayes.Row(nil), r...)
				c[x.Hidden[0]] = float64(state)
				completed.Rows = append(completed.Rows, c)
				completed.Weights = append(completed.Weights, q*[]float64{share, 1 - share}[k])
			}
		}
	}
	x.Model.Theta = x.Model.Params.Start()
	if _, err := x.Model.Fit(t.Context(), completed, nil); err != nil {
		t.Fatal(err)
	}
	want, err := x.Model.Network()
	if err != nil {
		t.Fatal(err)
	}
	if got, err = like(x, got, want); err != nil {
		t.Fatal(err)
	}
	near(t, got, want)
}

// BenchmarkTrain: all steps of convex EM, compared with marginal and Viterbi EM from ten random
// starts, 100 rows.
func BenchmarkTrain(b *testing.B) {
	for _, name := range []string{"three-layers", "six-nodes", "naive-bayes", "cancer", "asia", "survey", "alarm"} {
		file := name
		if name == "alarm" {
			file = filepath.Join("..", "..", "..", "shared", "data", "bayesnet", "alarm.bif.gz")
			if _, err := os.Stat(file); err != nil {
				continue
			}
		}
		x, _ := begun(b, file, 100)
		x.Settings.Starts = 10
		b.Run(name+"/convex", func(b *testing.B) {
			defer benchtime.Per(b, 1, "network")()
			for b.Loop() {
				if _, err := x.Convex(); err != nil {
					b.Fatal(err)
				}
			}
		})
		for kind, hard := range map[string]bool{"marginal": false, "Viterbi": true} {
			b.Run(name+"/"+kind, func(b *testing.B) {
				defer benchtime.Per(b, 1, "network")()
				for b.Loop() {
					starts, err := x.Starts()
					if err != nil {
						b.Fatal(err)
					}
					if _, _, err := x.Restart(starts, hard); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// Names are matched over rows, weighted by their occurrences.
func TestDistinctRows(t *testing.T) {
	x, starts := begun(t, "naive-bayes", 60)
	x.Data.Rows = append(x.Data.Rows, x.Data.Rows[:20]...)
	x.distinct = distinct(x.Data.Rows)
	if len(x.distinct) > 60 {
		t.Fatalf("%d distinct rows", len(x.distinct))
	}
	var p [2][]*mat.Dense
	for k, n := range starts {
		var err error
		if p[k], err = x.posteriors(n); err != nil {
			t.Fatal(err)
		}
	}
	var got mat.Dense
	got.Mul(p[0][0].T(), p[1][0])
	want := mat.NewDense(3, 3, nil)
	for _, r := range x.Data.Rows {
		var q [2][]float64
		for k, n := range starts {
			at, err := n.Posteriors(r)
			if err != nil {
				t.Fatal(err)
			}
			q[k] = at.States(x.Hidden[0])
		}
		for i, a := range q[0] {
			for j, b := range q[1] {
				want.Set(i, j, want.At(i, j)+a*b)
			}
		}
	}
	if !mat.EqualApprox(&got, want, 1e-9) {
		t.Errorf("%v, want %v", mat.Formatted(&got), mat.Formatted(want))
	}
}

// The race continues EM from the best after its sprint, and keeps the others as they are.
func TestRace(t *testing.T) {
	x, starts := begun(t, "six-nodes", 50)
	more, err := x.Starts()
	if err != nil {
		t.Fatal(err)
	}
	starts = append(starts, more...)
	ends, err := x.Race(starts)
	if err != nil {
		t.Fatal(err)
	}
	type run struct {
		network   *bayes.Network
		objective float64
	}
	var want []run
	for _, n := range starts {
		n, r, err := x.EM(n, false, sprint)
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, run{n, r.Last()})
	}
	slices.SortStableFunc(want, func(a, b run) int { return cmp.Compare(b.objective, a.objective) })
	for i, w := range want {
		if i < finalists {
			var r *em.Result
			if w.network, r, err = x.EM(w.network, false, 200); err != nil || r.Last() < w.objective {
				t.Fatalf("EM went from %v down to %v: %v", w.objective, r.Last(), err)
			}
		}
		near(t, ends[i], w.network)
	}
	if len(ends) != len(starts) || x.Best.Last() < want[0].objective {
		t.Errorf("%d ends of %d starts, the best is %v", len(ends), len(starts), x.Best.Last())
	}
}

package bayes_test

import (
	"math"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/models/bayes"
)

// ancestral returns the network of some variables and all of their ancestors.
func ancestral(n *bayes.Network, of ...int) *bayes.Network {
	number := make(map[int]int)
	var variables []bayes.Variable
	var families []bayes.Family
	var visit func(v int)
	visit = func(v int) {
		if _, ok := number[v]; ok {
			return
		}
		f := bayes.Family{Table: n.Family(v).Table}
		for _, p := range n.Family(v).Parents {
			visit(p)
			f.Parents = append(f.Parents, number[p])
		}
		number[v] = len(variables)
		f.Children = []int{number[v]}
		variables, families = append(variables, n.Variables()[v]), append(families, f)
	}
	for _, v := range of {
		visit(v)
	}
	return must(bayes.New(variables, families))
}

// Posteriors of parts of alarm, with what is hidden, against the sum over all
// assignments.
func TestAlarmParts(t *testing.T) {
	n := shared(t, "alarm.bif.gz")
	if n.Len() != 37 {
		t.Fatalf("%d variables", n.Len())
	}
	rng := graphtest.Rand(1)
	parts := 0
	for v := range n.Len() {
		part := ancestral(n, v, (v+7)%n.Len())
		if part.Len() > 12 {
			continue
		}
		parts++
		for range 3 {
			r := hide(rng, part, part.Sample(rng))
			want := enumerate(part, r)
			p := must(part.Posteriors(r))
			if !near(p.LogProb, math.Log(want.total)) {
				t.Errorf("ln P = %v, want %v", p.LogProb, math.Log(want.total))
			}
			for u := range r {
				for x, q := range p.States(u) {
					if !near(q, want.states[u][x]/want.total) {
						t.Errorf("P(%s = %d) = %v, want %v", part.Variables()[u].Name, x, q, want.states[u][x]/want.total)
					}
				}
			}
		}
	}
	if parts < 10 {
		t.Errorf("only %d parts are small enough", parts)
	}
}

// Posteriors of the whole network against frequencies: rows are sampled, and those kept
// that have the evidence.
func TestAlarmSamples(t *testing.T) {
	n := shared(t, "alarm.bif.gz")
	evidence := must(n.Evidence(map[string]string{"HRBP": "HIGH", "CVP": "LOW", "BP": "LOW"}))
	p := must(n.Posteriors(evidence))
	rng := graphtest.Rand(2)
	samples := trials.Serial(200000)
	kept := 0.
	frequency := make([][]float64, n.Len())
	for v := range frequency {
		frequency[v] = make([]float64, len(n.Variables()[v].States))
	}
	for range samples {
		r := n.Sample(rng)
		ok := true
		for v, x := range evidence {
			ok = ok && (x != x || r[v] == x)
		}
		if ok {
			kept++
			for v, x := range r {
				frequency[v][int(x)]++
			}
		}
	}
	if want := math.Exp(p.LogProb); math.Abs(kept/float64(samples)-want) > 5*math.Sqrt(want/float64(samples)) {
		t.Errorf("%v of the rows have the evidence, P = %v", kept/float64(samples), want)
	}
	for v := range frequency {
		for x, q := range p.States(v) {
			if got := frequency[v][x] / kept; math.Abs(got-q) > 5*math.Sqrt(q*(1-q)/kept)+1e-9 {
				t.Errorf("%s = %s: frequency %v of %v, P = %v", n.Variables()[v].Name, n.Variables()[v].States[x], got, kept, q)
			}
		}
	}
}

// Supervised fits on a hundred rows lose what is known of them: mean train and test loss.
func TestSupervisedLoss(t *testing.T) {
	for _, test := range []struct {
		name                string
		train, test, within float64
	}{
		{"metastatic_cancer.bif.gz", 2.15, 2.3, .1},
		{"asia.bif.gz", 2.2, 2.3, .15},
		{"alarm.bif.gz", 10.5, 11.75, .6},
	} {
		t.Run(test.name, func(t *testing.T) {
			n := shared(t, test.name)
			train, held := 0., 0.
			const repeats = 10
			for seed := range uint64(repeats) {
				rng := graphtest.Rand(seed)
				var rows [2][]bayes.Row
				for i, size := range []int{100, 500} {
					for range size {
						rows[i] = append(rows[i], n.Sample(rng))
					}
				}
				m := must(bayes.NewModel(n, bayes.SameLaw(em.Dirichlet{Alpha: 1.5})))
				must(m.Fit(ctx, bayes.Data{Rows: rows[0]}, nil))
				fit := must(m.Network())
				train += must(fit.LogLoss(rows[0])) / repeats
				held += must(fit.LogLoss(rows[1])) / repeats
			}
			if math.Abs(train-test.train) > test.within || math.Abs(held-test.test) > test.within {
				t.Errorf("loss %.3f on rows to train and %.3f on others, want about %v and %v", train, held, test.train, test.test)
			}
		})
	}
}

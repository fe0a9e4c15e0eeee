package convex_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/convex"
	"example.org/pathsum/em"
	"example.org/pathsum/internal/lbfgs"
	"example.org/pathsum/internal/trials"
)

// marginalLoss returns the loss of naive Bayes data as observed under tables, with the ridge.
func marginalLoss(tables []convex.Table, x [][]int, ridge float64) float64 {
	loss := 0.
	for _, t := range tables {
		loss += ridge / 2 * math.Pow(mat.Norm(t.W, 2), 2)
	}
	for _, row := range x {
		score := append([]float64(nil), tables[0].LogProb.RawRowView(0)...)
		for h := range score {
			for i, v := range row {
				score[h] += tables[i+1].LogProb.At(h, v)
			}
		}
		loss -= floats.LogSumExp(score)
	}
	return loss
}

// TestMarginalLower: EM from any start, and tables of any labels, have no marginal loss below the
// bound, which is useful if the ridge is large.
func TestMarginalLower(t *testing.T) {
	worth := 0
	for seed := range trials.Seeds(6) {
		rng := rand.New(rand.NewPCG(seed, 51))
		ridge := []float64{.5, 3, 20}[seed%3]
		x, _ := sampled(rng, 30, 3, 2, 2)
		cards := []int{2, 2, 2}
		p := newProblem(t, naiveBayes(x, 2, cards), nil, ridge)
		r := solve(t, convex.Splitting{Gap: 1e-5}, p)
		if want := math.Max(p.Constant(), r.LabelsLower-30*math.Ln2); math.Abs(r.MarginalLower-want) > 1e-9*want {
			t.Errorf("seed %d: bound %g, want %g", seed, r.MarginalLower, want)
		}
		polish := machine(t, x, 2, cards, ridge)
		polish.Options = &em.Options{Tolerance: 1e-10, Iterations: 2000}
		least := math.Inf(1)
		for range 10 {
			c, err := p.Complete([][]int{values(rng, 30, 2)})
			if err != nil {
				t.Fatal(err)
			}
			trained, err := polish.Run(t.Context(), c.Tables)
			if err != nil {
				t.Fatal(err)
			}
			start := marginalLoss(c.Tables, x, ridge)
			if math.Abs(start+trained.Objective[0]) > 1e-6*start {
				t.Errorf("seed %d: marginal loss %g, objective of EM %g", seed, start, trained.Objective[0])
			}
			least = min(least, start, -trained.Last())
		}
		if r.MarginalLower > least {
			t.Errorf("seed %d: bound %g, marginal EM has %g", seed, r.MarginalLower, least)
		}
		if r.MarginalLower > .5*least {
			worth++
		}
		t.Logf("ridge %g: bound %.2f, marginal EM %.2f, bound of labels %.2f", ridge, r.MarginalLower, least, r.LabelsLower)
	}
	if worth == 0 {
		t.Error("no bound is worth anything")
	}
}

// TestMarginalLowerOfMany: without a hidden value in a row, or with several, and in separate parts,
// the bound is below the loss of the best labels, and no lower than the constant.
func TestMarginalLowerOfMany(t *testing.T) {
	for _, s := range shapes {
		rng := rand.New(rand.NewPCG(1, 52))
		v, w := s.data(rng, 6)
		p := newProblem(t, v, w, 4)
		r := solve(t, convex.Splitting{}, p)
		choices := 0.
		for _, h := range s.hidden {
			choices += floats.Sum(w) * math.Log(float64(v[h].States))
		}
		if m := r.MarginalLower; m < p.Constant() || m > r.LabelsLower || m < r.LabelsLower-choices-1e-9 {
			t.Errorf("%s: %g, of labels %g, constant %g", s.name, m, r.LabelsLower, p.Constant())
		}
	}
}

// conditional is −ln P(labels | rows) of naive Bayes with binary variables, with the ridge, as a
// function of the strengths: those of the class, then per child those of each class.
type conditional struct {
	x      [][]int
	labels []int
	ridge  float64
}

func (c *conditional) size() int { return 2 + 4*len(c.x[0]) }

func (c *conditional) evaluate(gradient, w []float64) (float64, error) {
	value := c.ridge / 2 * floats.Dot(w, w)
	floats.ScaleTo(gradient, c.ridge, w)
	for row, values := range c.x {
		var score [2]float64
		for h := range score {
			score[h] = w[h]
			for i, v := range values {
				s := w[2+4*i+2*h : 4+4*i+2*h]
				score[h] += s[v] - floats.LogSumExp(s)
			}
		}
		norm := floats.LogSumExp(score[:])
		value += norm - score[c.labels[row]]
		for h := range score {
			slope := math.Exp(score[h] - norm) // by the score
			if h == c.labels[row] {
				slope--
			}
			gradient[h] += slope
			for i, v := range values {
				at := 2 + 4*i + 2*h
				s := w[at : at+2]
				for a := range s {
					d := -math.Exp(s[a] - floats.LogSumExp(s))
					if a == v {
						d++
					}
					gradient[at+a] += slope * d
				}
			}
		}
	}
	return value, nil
}

// oneClass is the least over c of n ln(1 + (v−1)e^(−c)) + β/2·c²(v−1)/v: the conditional loss of n
// rows in one class of v, whatever is seen in them, if only the class has strengths.
func oneClass(n, v int, ridge float64) (loss, c float64) {
	loss = math.Inf(1)
	for x := 0.; x < 40; x += .001 {
		l := float64(n)*math.Log1p(float64(v-1)*math.Exp(-x)) + ridge/2*x*x*float64(v-1)/float64(v)
		if l < loss {
			loss, c = l, x
		}
	}
	return loss, c
}

// TestConditionalSaysNothing: the conditional objective −ln P(y|x) + ridge needs no relaxation.
// Labels of one class, which are independent of the rows, have a loss of at most v − 1 + β/2·ln²n
// for all data. So no lower bound exceeds this number, and the true labels of rows drawn from a
// model have a greater loss.
func TestConditionalSaysNothing(t *testing.T) {
	for seed := range trials.Seeds(4) {
		rng := rand.New(rand.NewPCG(seed, 53))
		for _, n := range []int{50, 200, 800} {
			x, root := sampled(rng, n, 4, 2, 1)
			most, at := oneClass(n, 2, 1)
			if log := math.Log(float64(n)); most > 1+log*log/2 {
				t.Errorf("%d rows: one class has %g, want at most %g", n, most, 1+log*log/2)
			}
			c := &conditional{x: x, labels: make([]int, n), ridge: 1}
			w, g := make([]float64, c.size()), make([]float64, c.size())
			w[0], w[1] = at/2, -at/2
			if got, _ := c.evaluate(g, w); math.Abs(got-most) > 1e-9*most {
				t.Errorf("%d rows: one class has the loss %g, want %g", n, got, most)
			}
			c.labels = root
			truth, err := lbfgs.Minimize(make([]float64, c.size()), nil, lbfgs.Stop{Gradient: 1e-6, Steps: 1000}, c.evaluate)
			if err != nil {
				t.Fatal(err)
			}
			if truth.Value < most {
				t.Errorf("seed %d, %d rows: true labels have %g, one class %g", seed, n, truth.Value, most)
			}
			t.Logf("%d rows: one class %.2f, true labels %.2f", n, most, truth.Value)
		}
	}
}

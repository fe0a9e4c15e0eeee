package convex_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/convex"
	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/semiring/expr"
)

// machine returns naive Bayes as a machine that reads the values of a row, plus 1, one
// after the other, having chosen the class: each table is a log-linear group with the ridge
// as its prior.
func machine(t *testing.T, x [][]int, states int, cards []int, beta float64) *convex.Polish {
	t.Helper()
	params := em.NewParams()
	var groups []*em.Group
	var laws []*em.LogLinear
	table := func(rows, columns int) {
		var sets [][][]em.Term
		for r := range rows {
			var set [][]em.Term
			for c := range columns {
				set = append(set, []em.Term{{Strength: int32(r*columns + c), Times: 1}})
			}
			sets = append(sets, set)
		}
		law, err := em.NewLogLinear(rows*columns, sets, em.LogLinearOptions{Sigma: 1 / math.Sqrt(beta)})
		if err != nil {
			t.Fatal(err)
		}
		laws = append(laws, law)
		groups = append(groups, params.Group(fmt.Sprint("table ", len(groups)), law.Len(), law))
	}
	table(1, states)
	for _, c := range cards {
		table(states, c)
	}
	b := fst.NewBuilder(params.Space())
	one := params.Space().One()
	start := b.AddState()
	b.AddStart(start, one)
	for h := range states {
		at := b.AddState()
		b.AddArc(start, fst.Arc[expr.W]{Weight: groups[0].Weight(laws[0].Outcome(0, h)), To: at})
		for j, c := range cards {
			next := b.AddState()
			for y := range c {
				b.AddArc(at, fst.Arc[expr.W]{In: int32(y + 1), Weight: groups[j+1].Weight(laws[j+1].Outcome(h, y)), To: next})
			}
			at = next
		}
		b.SetFinal(at, one)
	}
	f, err := b.Freeze()
	if err != nil {
		t.Fatal(err)
	}
	var data []cascade.Example
	for _, row := range x {
		var labels []int32
		for _, v := range row {
			labels = append(labels, int32(v+1))
		}
		data = append(data, cascade.Example{X: cascade.Labels(labels...)})
	}
	l, err := cascade.Problem{Params: params, Stages: []cascade.Stage{f}}.Likelihood(cascade.Data{Examples: data})
	if err != nil {
		t.Fatal(err)
	}
	return &convex.Polish{Likelihood: l, Theta: func(tables []convex.Table) ([]float64, error) {
		theta := make([]float64, params.Len())
		for i, g := range groups {
			at := g.In(theta)
			copy(at, tables[i].W.RawMatrix().Data)
			laws[i].Derive(at)
		}
		return theta, nil
	}}
}

// TestViterbiFixture: joint EM from given labels ends where it should.
func TestViterbiFixture(t *testing.T) {
	var x struct {
		X         [][]int
		H0        []int
		HFinal    []int `json:"h_final"`
		Objective float64
		LogTables [][][]float64 `json:"log_tables"`
	}
	read(t, "f9_viterbi_em", &x)
	cards := []int{2, 2, 2}
	p := newProblem(t, naiveBayes(x.X, 2, cards), nil, 1)
	c, err := p.Complete([][]int{x.H0})
	if err != nil {
		t.Fatal(err)
	}
	polish := machine(t, x.X, 2, cards, 1)
	polish.Options = &em.Options{EStep: em.Viterbi, Tolerance: 1e-12}
	r, err := polish.Run(context.Background(), c.Tables)
	if err != nil {
		t.Fatal(err)
	}
	if got := -r.Last(); math.Abs(got-x.Objective) > 1e-6 {
		t.Errorf("objective %.9f, want %.9f", got, x.Objective)
	}
	final, err := p.Complete([][]int{x.HFinal})
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(final.Objective-x.Objective) > 1e-6 {
		t.Errorf("labels of %.9f, want %.9f", final.Objective, x.Objective)
	}
	for i, table := range x.LogTables {
		for k, row := range table {
			if d := floats.Distance(row, final.Tables[i].LogProb.RawRowView(k), math.Inf(1)); d > 1e-6 {
				t.Errorf("row %d of table %d is off by %g", k, i, d)
			}
		}
	}
}

// TestFit: every stage is at least as good as the one before, and none is better than the
// bound.
func TestFit(t *testing.T) {
	for seed := range uint64(3) {
		x, _ := sampled(rand.New(rand.NewPCG(seed, 21)), 60, 4, 3, 2)
		cards := []int{3, 3, 3, 3}
		p := newProblem(t, naiveBayes(x, 3, cards), nil, 1)
		polish := machine(t, x, 3, cards, 1)
		polish.Options = &em.Options{EStep: em.Viterbi}
		s, err := p.Fit(context.Background(), convex.Fitting{Rounding: convex.Rounding{Rand: rand.NewPCG(1, 1)}, Polish: polish})
		if err != nil {
			t.Fatal(err)
		}
		polished := -s.Polished.Objective[len(s.Polished.Objective)-1]
		if s.Relaxed.Lower > s.Relaxed.Upper || s.Relaxed.Lower > polished || polished > s.Rounded.Objective+1e-6 {
			t.Errorf("seed %d: relaxed %g to %g, rounded %g, polished %g", seed, s.Relaxed.Lower, s.Relaxed.Upper, s.Rounded.Objective, polished)
		}
		polish.Options = nil
		marginal, err := polish.Run(context.Background(), s.Rounded.Tables)
		if err != nil {
			t.Fatal(err)
		}
		if first, last := marginal.Objective[0], marginal.Last(); last < first || -first > s.Rounded.Objective {
			t.Errorf("seed %d: marginal EM from %g to %g, labels of %g", seed, first, last, s.Rounded.Objective)
		}
	}
}

// TestFitFails: the results of the stages before a failure are returned.
func TestFitFails(t *testing.T) {
	x, _ := sampled(rand.New(rand.NewPCG(1, 22)), 20, 3, 2, 2)
	p := newProblem(t, naiveBayes(x, 2, []int{2, 2, 2}), nil, 1)
	if s, err := p.Fit(context.Background(), convex.Fitting{}); !errors.Is(err, convex.ErrInvalid) || s.Relaxed == nil {
		t.Errorf("%+v, error %v", s, err)
	}
	failed := errors.New("failed")
	polish := &convex.Polish{Theta: func([]convex.Table) ([]float64, error) { return nil, failed }}
	s, err := p.Fit(context.Background(), convex.Fitting{Rounding: convex.Rounding{Rand: rand.NewPCG(1, 1)}, Polish: polish})
	if !errors.Is(err, failed) || s.Rounded == nil {
		t.Errorf("%+v, error %v", s, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if s, err := p.Fit(ctx, convex.Fitting{}); !errors.Is(err, context.Canceled) || s.Relaxed == nil {
		t.Errorf("%+v, error %v", s, err)
	}
}

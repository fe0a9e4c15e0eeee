package main

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"

	"example.org/pathsum/convex"
	"example.org/pathsum/examples/internal/program"
)

// moments are mean and standard deviation over repeats; that of one is 0.
type moments struct {
	Mean float64 `json:"mean"`
	SD   float64 `json:"sd"`
}

func newMoments(x []float64) moments {
	mean, sd := stat.MeanStdDev(x, nil)
	if math.IsNaN(sd) {
		sd = 0
	}
	return moments{mean, sd}
}

// losses are those of a method.
type losses struct {
	Train   moments `json:"train"`
	Test    moments `json:"test"`
	RawTest moments `json:"raw_test"`
}

// difference is that of the test losses of a rival and convex EM, repeat by repeat; a win
// is one of convex EM.
type difference struct {
	Mean float64 `json:"mean"`
	SE   float64 `json:"se"`
	Wins int     `json:"wins"`
	N    int     `json:"n"`
}

// tie is the least difference that counts as a win.
const tie = 1e-6

// summary is what all repeats say.
type summary struct {
	loss                  map[string]losses
	paired                map[string]difference
	lower, upper, rounded float64 // means
	open                  int     // relaxations that ended with a larger gap
}

func summarize(outcomes []*outcome) *summary {
	s := &summary{loss: make(map[string]losses), paired: make(map[string]difference)}
	over := func(of func(o *outcome) float64) []float64 {
		var x []float64
		for _, o := range outcomes {
			x = append(x, of(o))
		}
		return x
	}
	for _, m := range methods {
		s.loss[m] = losses{
			newMoments(over(func(o *outcome) float64 { return o.scores[m].train })),
			newMoments(over(func(o *outcome) float64 { return o.scores[m].test })),
			newMoments(over(func(o *outcome) float64 { return o.scores[m].raw })),
		}
		if m == relaxed {
			continue
		}
		d := over(func(o *outcome) float64 { return o.scores[m].test - o.scores[relaxed].test })
		pair := difference{N: len(d)}
		at := newMoments(d)
		pair.Mean, pair.SE = at.Mean, at.SD/math.Sqrt(float64(len(d)))
		for _, x := range d {
			if x > tie {
				pair.Wins++
			}
		}
		s.paired[m] = pair
	}
	s.lower = stat.Mean(over(func(o *outcome) float64 { return o.relaxed.Lower }), nil)
	s.upper = stat.Mean(over(func(o *outcome) float64 { return o.relaxed.Upper }), nil)
	s.rounded = stat.Mean(over(func(o *outcome) float64 { return o.rounded.Objective }), nil)
	for _, o := range outcomes {
		if o.relaxed.Status == convex.IterationLimit {
			s.open++
		}
	}
	return s
}

// titles are the methods in words.
var titles = map[string]string{
	supervised:     "supervised",
	viterbi:        "Viterbi EM, best start",
	viterbiAverage: "Viterbi EM, average start",
	marginal:       "marginal EM, best start",
	relaxed:        "convex EM",
	relaxedViterbi: "convex EM, then Viterbi EM",
	relaxedEM:      "convex EM, then marginal EM",
}

// report prints the table and sets the keys of the JSON object.
func (s *summary) report(r *program.Run, e *experiment, from *source, hidden string, repeats int) {
	fmt.Fprintf(r.Out, "%s, %s hidden: %d rows to train, %d to test, %d repeats, β = %g\n", from.name, hidden, *e.train, *e.test, repeats, *e.beta)
	if from.skipped > 0 {
		fmt.Fprintf(r.Out, "%d rows with missing cells were left out\n", from.skipped)
	}
	fmt.Fprintf(r.Out, "\nLoss, −ln P of complete rows in nats, mean ± sd; hidden states named as fits best, but for raw\n\n%-30s%-16s%-16s%-16s%s\n",
		"", "train", "test", "raw test", "test − convex EM, mean ± se [convex EM wins]")
	for _, m := range methods {
		l := s.loss[m]
		fmt.Fprintf(r.Out, "%-30s%-16s%-16s%-16s", titles[m], l.Train, l.Test, l.RawTest)
		if d, ok := s.paired[m]; ok {
			fmt.Fprintf(r.Out, "%+.3f ± %.3f [%d/%d]", d.Mean, d.SE, d.Wins, d.N)
		}
		fmt.Fprintln(r.Out)
	}
	fmt.Fprintf(r.Out, "\nThe relaxed objective is between %.2f and %.2f, that of the rounded labels %.2f (means)\n", s.lower, s.upper, s.rounded)
	if s.open > 0 {
		fmt.Fprintf(r.Out, "%d of %d relaxations ended before their bounds were within %g\n", s.open, repeats, gap)
	}
	r.Set("network", from.name)
	r.Set("hidden", hidden)
	r.Set("repeats", repeats)
	r.Set("loss", s.loss)
	r.Set("relaxed_lower", s.lower)
	r.Set("relaxed_upper", s.upper)
	r.Set("rounded", s.rounded)
	r.Set("paired", s.paired)
}

// String returns mean ± sd.
func (m moments) String() string { return fmt.Sprintf("%.3f ± %.3f", m.Mean, m.SD) }

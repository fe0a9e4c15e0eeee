package main

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/stat"

	"example.org/pathsum/convex"
	"example.org/pathsum/internal/program"
)

// losses are those of a method.
type losses struct {
	Train   program.Deviation `json:"train"`
	Test    program.Deviation `json:"test"`
	RawTest program.Deviation `json:"raw_test"`
}

// difference is that of the test losses of a rival and convex EM, repeat by repeat; a win
// is one of convex EM.
type difference struct {
	Mean float64 `json:"mean"`
	SE   float64 `json:"se"`
	Wins int     `json:"wins"`
	N    int     `json:"n"`
}

// newDifference returns that of the differences repeat by repeat.
func newDifference(d []float64) difference {
	at := program.NewDeviation(d)
	pair := difference{Mean: at.Mean, SE: at.SD / math.Sqrt(float64(len(d))), N: len(d)}
	for _, x := range d {
		if x > tie {
			pair.Wins++
		}
	}
	return pair
}

// tie is the least difference that counts as a win.
const tie = 1e-6

// summary is what all repeats say.
type summary struct {
	loss                  map[string]losses
	paired, pairedRaw     map[string]difference
	lower, upper, rounded float64 // means
	labels                float64 // a lower bound of all labels, mean
	open                  int     // relaxations that ended with a larger gap
}

func summarize(outcomes []*outcome) *summary {
	s := &summary{loss: make(map[string]losses), paired: make(map[string]difference), pairedRaw: make(map[string]difference)}
	over := func(of func(o *outcome) float64) []float64 {
		var x []float64
		for _, o := range outcomes {
			x = append(x, of(o))
		}
		return x
	}
	for _, m := range methods {
		s.loss[m] = losses{
			program.NewDeviation(over(func(o *outcome) float64 { return o.scores[m].train })),
			program.NewDeviation(over(func(o *outcome) float64 { return o.scores[m].test })),
			program.NewDeviation(over(func(o *outcome) float64 { return o.scores[m].raw })),
		}
		if m != relaxed {
			s.paired[m] = newDifference(over(func(o *outcome) float64 { return o.scores[m].test - o.scores[relaxed].test }))
			s.pairedRaw[m] = newDifference(over(func(o *outcome) float64 { return o.scores[m].raw - o.scores[relaxed].raw }))
		}
	}
	s.lower = stat.Mean(over(func(o *outcome) float64 { return o.relaxed.Lower }), nil)
	s.labels = stat.Mean(over(func(o *outcome) float64 { return o.relaxed.LabelsLower }), nil)
	s.upper = stat.Mean(over(func(o *outcome) float64 { return o.relaxed.Upper }), nil)
	s.rounded = stat.Mean(over(func(o *outcome) float64 { return o.rounded.Objective }), nil)
	for _, o := range outcomes {
		if o.relaxed.Status == convex.IterationLimit {
			s.open++
		}
	}
	return s
}

// titles are the methods in words; that of convex EM itself says how it recovers.
var titles = map[string]string{
	supervised:     "supervised",
	viterbi:        "Viterbi EM, best start",
	viterbiAverage: "Viterbi EM, average start",
	marginal:       "marginal EM, best start",
	hardLabels:     "convex, hard",
	hardViterbi:    "  … then Viterbi EM",
	hardMarginal:   "  … then marginal EM",
	softLabels:     "convex, soft",
	softViterbi:    "  … then Viterbi EM",
	softMarginal:   "  … then marginal EM",
}

// report prints the tables and sets the keys of the JSON object.
func (s *summary) report(r *program.Run, e *experiment, from *source, hidden string, repeats int) {
	fmt.Fprintf(r.Out, "%s, %s hidden: %d rows to train, %d to test, %d repeats, β = %g, seed %d\n", from.name, hidden, *e.train, from.tested(*e.train, *e.test), repeats, *e.beta, *e.seed)
	if from.skipped > 0 {
		fmt.Fprintf(r.Out, "%d rows with missing cells were left out\n", from.skipped)
	}
	fmt.Fprint(r.Out, "\nLoss, −ln P of complete rows in nats, mean ± sd, and test − convex EM, mean ± se [convex EM wins]\n")
	s.table(r, "hidden states named as fits the training rows best", "convex EM, "+*e.recover, s.paired, func(l losses) []program.Deviation { return []program.Deviation{l.Test, l.Train} })
	s.table(r, "hidden states as they came out", "convex EM, "+*e.recover, s.pairedRaw, func(l losses) []program.Deviation { return []program.Deviation{l.RawTest} })
	fmt.Fprintf(r.Out, "\nThe relaxed objective is between %.2f and %.2f, that of the rounded labels %.2f;\nno labels have less than %.2f (means)\n", s.lower, s.upper, s.rounded, s.labels)
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
	r.Set("paired_raw", s.pairedRaw)
}

// table prints the losses of all methods.
func (s *summary) table(r *program.Run, named, own string, paired map[string]difference, of func(losses) []program.Deviation) {
	line := func(cells ...any) {
		text := fmt.Sprintf("%-30s%-16s%-30s%s", cells...)
		fmt.Fprintln(r.Out, strings.TrimRight(text, " "))
	}
	fmt.Fprintf(r.Out, "\n%s\n", named)
	line("", "test", "test − convex EM", [...]string{"", "train"}[len(of(losses{}))-1])
	for _, m := range methods {
		title := titles[m]
		if m == relaxed {
			title = own
		}
		columns := of(s.loss[m])
		pair := ""
		if d, ok := paired[m]; ok {
			pair = fmt.Sprintf("%+.3f ± %.3f [%d/%d]", d.Mean, d.SE, d.Wins, d.N)
		}
		train := ""
		if len(columns) > 1 {
			train = columns[1].String()
		}
		line(title, columns[0], pair, train)
	}
}

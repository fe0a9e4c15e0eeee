package main

import (
	"fmt"
	"io"
	"math"

	"example.org/pathsum/internal/program"
	"example.org/pathsum/internal/regression"
)

// result is the outcome of a trial.
type result struct {
	free    regression.Score   // without privacy
	private []regression.Score // by mechanism and ε
}

// scores has R² and the uncentred R².
type scores struct{ R2, Uncentred program.Deviation }

// summary has the results of all trials.
type summary struct {
	free    scores
	private [][]scores            // by mechanism and ε
	less    [][]program.Deviation // likewise: R² by the last mechanism minus R²
	loss    [][]float64           // likewise
	bound   []float64             // by ε: the bound of R²
}

func (e *experiment) summarize(results []result, releases []regression.Release) *summary {
	over := func(of func(result) regression.Score) scores {
		var centred, uncentred []float64
		for _, r := range results {
			s := of(r)
			centred, uncentred = append(centred, s.R2), append(uncentred, s.Uncentred)
		}
		return scores{program.NewDeviation(centred), program.NewDeviation(uncentred)}
	}
	s := &summary{free: over(func(r result) regression.Score { return r.free })}
	n := len(*e.epsilons)
	for i := range e.mechanisms {
		var row []scores
		var loss []float64
		for j := range n {
			row = append(row, over(func(r result) regression.Score { return r.private[i*n+j] }))
			loss = append(loss, releases[i*n+j].Loss)
		}
		s.private, s.loss = append(s.private, row), append(s.loss, loss)
	}
	last := len(e.mechanisms) - 1
	for i := range last {
		var row []program.Deviation
		for j := range n {
			row = append(row, over(func(r result) regression.Score {
				return regression.Score{R2: r.private[last*n+j].R2 - r.private[i*n+j].R2}
			}).R2)
		}
		s.less = append(s.less, row)
	}
	return s
}

// report sets the keys of the JSON object.
func (s *summary) report(r *program.Run, e *experiment) {
	centred, uncentred, loss := map[string][]program.Deviation{}, map[string][]program.Deviation{}, map[string][]float64{}
	for i, m := range e.mechanisms {
		for _, x := range s.private[i] {
			centred[m], uncentred[m] = append(centred[m], x.R2), append(uncentred[m], x.Uncentred)
		}
		loss[m] = s.loss[i]
	}
	r.Set("epsilon", *e.epsilons)
	r.Set("r2", centred)
	r.Set("r2_non_private", s.free.R2.Mean)
	r.Set("r2_uncentred", uncentred)
	r.Set("r2_uncentred_non_private", s.free.Uncentred.Mean)
	r.Set("r2_bound", s.bound)
	r.Set("loss", loss)
}

// print prints tables of R² and of privacy loss.
func (s *summary) print(w io.Writer, e *experiment) {
	line := func(name string, cell func(j int) string) {
		fmt.Fprintf(w, "%-20s", name)
		for j := range *e.epsilons {
			fmt.Fprintf(w, "%16s", cell(j))
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "R² of rows held out, mean ± sd of %d trials; without privacy %.3f\n\n", *e.trials, s.free.R2.Mean)
	line("ε", func(j int) string { return fmt.Sprint((*e.epsilons)[j]) })
	for i, m := range e.mechanisms {
		line(m, func(j int) string {
			return s.private[i][j].R2.String()
		})
	}
	line("(bound)", func(j int) string { return fmt.Sprintf("%.3f        ", s.bound[j]) })
	if len(s.less) > 0 && *e.trials > 1 {
		fmt.Fprintf(w, "\nHow much less than by %s, mean ± standard error of paired trials\n\n", e.mechanisms[len(s.less)])
	}
	for i, row := range s.less {
		line(e.mechanisms[i], func(j int) string {
			return fmt.Sprintf("%.3f ± %.3f", row[j].Mean, row[j].SD/math.Sqrt(float64(*e.trials)))
		})
	}
	fmt.Fprint(w, "\nPrivacy loss\n\n")
	for i, m := range e.mechanisms {
		line(m, func(j int) string { return fmt.Sprintf("%.4g", s.loss[i][j]) })
	}
}

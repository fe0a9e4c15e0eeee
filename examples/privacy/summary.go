package main

import (
	"fmt"
	"io"
	"math"

	"example.org/pathsum/internal/program"
)

// scores are R² and the same about 0.
type scores struct{ R2, Uncentred program.Deviation }

// summary is what all trials say.
type summary struct {
	free    scores
	private [][]scores            // by mechanism and ε
	less    [][]program.Deviation // likewise, of how much less R² is than by the last mechanism
	loss    [][]float64           // likewise
	most    []float64             // by ε: what R² can be
}

func summarize(results []result, plan [][]release) *summary {
	over := func(of func(result) score) scores {
		var centred, uncentred []float64
		for _, r := range results {
			s := of(r)
			centred, uncentred = append(centred, s.centred), append(uncentred, s.uncentred)
		}
		return scores{program.NewDeviation(centred), program.NewDeviation(uncentred)}
	}
	s := &summary{free: over(func(r result) score { return r.free })}
	for i, releases := range plan {
		var row []scores
		var loss []float64
		for j, m := range releases {
			row = append(row, over(func(r result) score { return r.private[i][j] }))
			loss = append(loss, m.loss)
		}
		s.private, s.loss = append(s.private, row), append(s.loss, loss)
	}
	last := len(plan) - 1
	for i := range plan[:last] {
		var row []program.Deviation
		for j := range plan[i] {
			row = append(row, over(func(r result) score {
				return score{centred: r.private[last][j].centred - r.private[i][j].centred}
			}).R2)
		}
		s.less = append(s.less, row)
	}
	return s
}

// limit sets what R² can be if n people release.
func (s *summary) limit(e *experiment, n, width int) {
	for _, epsilon := range *e.epsilons {
		s.most = append(s.most, most(n, width, s.free.R2.Mean, epsilon))
	}
}

// report sets the keys of the JSON object.
func (s *summary) report(r *program.Run, e *experiment) {
	centred, uncentred, loss := map[string][]program.Deviation{}, map[string][]program.Deviation{}, map[string][]float64{}
	for i, m := range e.mechanisms {
		for _, x := range s.private[i] {
			centred[m.name], uncentred[m.name] = append(centred[m.name], x.R2), append(uncentred[m.name], x.Uncentred)
		}
		loss[m.name] = s.loss[i]
	}
	r.Set("epsilon", *e.epsilons)
	r.Set("r2", centred)
	r.Set("r2_non_private", s.free.R2.Mean)
	r.Set("r2_uncentred", uncentred)
	r.Set("r2_uncentred_non_private", s.free.Uncentred.Mean)
	r.Set("r2_bound", s.most)
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
		line(m.name, func(j int) string {
			return s.private[i][j].R2.String()
		})
	}
	line("(bound)", func(j int) string { return fmt.Sprintf("%.3f        ", s.most[j]) })
	if len(s.less) > 0 && *e.trials > 1 {
		fmt.Fprintf(w, "\nHow much less than by %s, mean ± standard error of paired trials\n\n", e.mechanisms[len(s.less)].name)
	}
	for i, row := range s.less {
		line(e.mechanisms[i].name, func(j int) string {
			return fmt.Sprintf("%.3f ± %.3f", row[j].Mean, row[j].SD/math.Sqrt(float64(*e.trials)))
		})
	}
	fmt.Fprint(w, "\nPrivacy loss\n\n")
	for i, m := range e.mechanisms {
		line(m.name, func(j int) string { return fmt.Sprintf("%.4g", s.loss[i][j]) })
	}
}

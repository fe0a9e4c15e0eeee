package program

import (
	"fmt"
	"io"

	"example.org/pathsum/em"
)

// Observe is an observer of em.Options: it makes a step of each iteration. Done writes the
// remarks.
func (p *Progress) Observe(v em.Event) {
	p.Iteration(v, fmt.Sprintf("objective %.3f after %.1f s", v.Objective, v.Elapsed.Seconds()))
}

// Iteration is like Observe, with the program's own detail.
func (p *Progress) Iteration(v em.Event, detail string) {
	p.mu.Lock()
	p.remarks = append(p.remarks, v.Remarks...)
	p.mu.Unlock()
	start := ""
	if v.Start > 0 {
		start = fmt.Sprintf("start %d, ", v.Start)
	}
	p.run.reaches(fmt.Sprintf("%siteration %d", start, v.Iteration+1))
	p.Step(start + detail)
}

// mostNamed is the number of skipped examples that Fitted names.
const mostNamed = 5

// remark writes those remarks of em.Result or em.Event that have not been written yet.
func (r *Run) remark(remarks []string) {
	for _, remark := range remarks {
		r.mu.Lock()
		again := r.remarked[remark]
		if r.remarked == nil {
			r.remarked = map[string]bool{}
		}
		r.remarked[remark] = true
		r.mu.Unlock()
		if !again {
			r.Warn("%s", remark)
		}
	}
}

// Fitted calls Trained with the result of em.Fit, writes its remarks and names the first
// skipped examples.
func (r *Run) Fitted(fit *em.Result) {
	r.Trained(TrainingOf(fit))
	r.remark(fit.Remarks)
	for i, s := range fit.Skipped {
		if i == mostNamed {
			r.Warn("… and %d more", len(fit.Skipped)-mostNamed)
			break
		}
		r.Warn("skipped, no derivation: %s", s.Name)
	}
}

// TrainingOf returns the report of a result of em.Fit.
func TrainingOf(fit *em.Result) Training {
	return Training{Iterations: fit.Iterations(), Objective: fit.Objective, Status: fit.Status.String(), Skipped: len(fit.Skipped)}
}

// WriteObjective writes a table of the objective after each iteration; name is its heading.
func WriteObjective(w io.Writer, name string, objective []float64) {
	rows := [][]string{{"iteration", name + " (nats)"}}
	for i, x := range objective {
		rows = append(rows, []string{fmt.Sprint(i + 1), fmt.Sprintf("%.4f", x)})
	}
	WriteTable(w, rows)
}

// remarkLimit warns if training ended at the iteration limit.
func (r *Run) remarkLimit() {
	if r.training.Status == em.IterationLimit.String() && !*r.program.quiet {
		r.Warn("training ended at the iteration limit, after iteration %d; -iterations sets it", r.training.Iterations)
	}
}

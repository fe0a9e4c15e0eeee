package align

import (
	"math"
	"time"

	"example.org/pathsum/em"
)

// Result is what Train returns.
type Result struct {
	Model *Model
	// Status says why training ended: em.IterationLimit or em.Canceled.
	Status em.Status
	// Objective holds, of each iteration of each stage, the sum of ln of the path sums
	// of both directions before the iteration's M step, in nats; see Progress.
	Objective []float64
	// Skipped are the sentences that had probability 0 in one direction in the last
	// iteration, by their number in the Corpus and, if they were added by
	// Corpus.AddLine, by their line.
	Skipped []em.Skipped
}

// Progress describes an iteration. It is valid during the observer's call only.
//
// As far as an iteration of em.Fit does, the Event describes it: Iteration is that of the
// stage, Theta is nil, and Objective, as LogLikelihood, is the sum over both directions;
// the prior is not in it. It never falls in a stage with Own and Separately or with Joint
// and Averaged; in an HMM that needs Jumps: Maximum. A floor, and there is one unless
// Options.Floor is negative, or a prior can make it fall.
type Progress struct {
	em.Event
	// Stage is the number of the stage.
	Stage int
	// Directions is the sum of ln of the path sums before the iteration's M step, of the
	// directions E→F and F→E, in nats: with EStep Own ln P(F | E) and ln P(E | F). With
	// Own and Separately neither falls where Objective does not.
	Directions [2]float64
	// Model is the model after the M step.
	Model *Model
}

// event returns the Progress of the iteration just made.
func (t *trainer) event(s Stage) Progress {
	all := t.at.Objective
	p := Progress{Stage: t.at.Stage, Directions: t.counts.logP, Model: t.model, Event: em.Event{
		Method: em.EM{}.String(), Starts: 1, Iteration: t.at.Done - 1, Iterations: s.Iterations, Step: em.MStep,
		Objective: all[len(all)-1], Gain: math.NaN(), LogLikelihood: all[len(all)-1], Temperature: 1,
		Examples: t.corpus.Len(), Skipped: len(t.at.Skipped), Elapsed: time.Since(t.began),
	}}
	if p.Iteration > 0 {
		p.Gain = p.Objective - all[len(all)-2]
	}
	if len(all) == 1 {
		p.Step = em.FirstStep
	}
	return p
}

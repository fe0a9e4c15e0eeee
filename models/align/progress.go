package align

import (
	"math"
	"time"

	"example.org/pathsum/em"
)

// Progress describes an iteration, after its M step. It is valid during the observer's call
// only.
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
	// directions source→target and target→source, in nats: with EStep Own
	// ln P(target | source) and ln P(source | target). With Own and Separately neither
	// falls where Objective does not.
	Directions [2]float64
}

// event returns the Progress of the iteration just made.
func (t *trainer) event(s Stage) Progress {
	all := t.at.Objective
	p := Progress{Stage: t.at.Stage, Directions: t.counts.logP, Event: em.Event{
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

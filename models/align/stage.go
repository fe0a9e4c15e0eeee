package align

import (
	"fmt"
	"math"
)

// EStep says which translation probabilities an E step, or the decoding, runs a
// direction with: (t·uʷ)ᵖ, where t is the direction's own probability of a link, u the
// other one's, w Partner and p Power (0 means 1). Probabilities given NULL and those of
// positions are always a direction's own. The zero value is Own.
type EStep struct{ Partner, Power float64 }

// Own is the E step of a direction by itself, and Joint that of both directions'
// potentials together, the one of agreement-based learning (Liang, Klein and Jordan
// 2007).
var (
	Own   = EStep{}
	Joint = EStep{Partner: 1}
)

func (e EStep) legal() bool {
	return e.Partner >= 0 && e.Power >= 0 && !math.IsInf(e.Partner+e.Power, 0)
}

// Counting says what is counted of a link whose posteriors in the two directions are p
// and q. NULL and positions are always counted by a direction's own posterior.
type Counting int

const (
	// Separately: in each direction its own posterior.
	Separately Counting = iota
	// Averaged: (p+q)/2 in both. With the Joint E step this is the M step of
	// domain-approximate product EM.
	Averaged
	// Multiplied: p·q in both, the heuristic of Liang, Taskar and Klein 2006.
	Multiplied
)

// Positions is a model of the positions that words come from.
type Positions int

const (
	// Model1: all are equally probable (Brown et al. 1993).
	Model1 Positions = iota
	// Model2: a free distribution for every position and length of both sides.
	Model2
	// Diagonal: Model 2 with one parameter, the tension that keeps links near the
	// diagonal (Dyer, Chahuneau and Smith 2013).
	Diagonal
	// HMM: it depends on that of the last word (Vogel, Ney and Tillmann 1996).
	HMM
)

// JumpStep says how jumps are estimated from their expected counts.
type JumpStep int

const (
	// Frequencies: by relative frequency, as if every jump could be made everywhere.
	// Far jumps, which can be made in few places, get less than they should, which
	// does training for agreement some good.
	Frequencies JumpStep = iota
	// Maximum: by maximum likelihood.
	Maximum
)

// maxReach bounds Options.Reach: tables grow with its square.
const maxReach = 255

// Stage is a part of the training.
type Stage struct {
	Positions  Positions
	Iterations int
	EStep      EStep
	Counting   Counting
}

// fault returns what is wrong with a stage, "" for nothing.
func (s Stage) fault() string {
	switch {
	case s.Positions < Model1 || s.Positions > HMM:
		return fmt.Sprintf("unknown model of positions %d", s.Positions)
	case s.Counting < Separately || s.Counting > Multiplied:
		return fmt.Sprintf("unknown counting %d", s.Counting)
	case s.Iterations < 0:
		return fmt.Sprintf("%d iterations", s.Iterations)
	case !s.EStep.legal():
		return fmt.Sprintf("E step %+v", s.EStep)
	}
	return ""
}

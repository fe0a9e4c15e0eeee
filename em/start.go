package em

import "math"

// run is the state of training between two iterations: what a checkpoint holds.
type run struct {
	Starts []*start
	Round  int // of pruning
}

// start is one start of a run.
type start struct {
	// Theta is the best θ known, nil after the start has lost. Trial is where the
	// next E step is, if not there.
	Theta, Trial []float64
	// Objective is the trace, and Base the number of its first entry that
	// compares with the last.
	Objective []float64
	Base      int

	LogLikelihood float64
	GradientNorm  float64
	Skipped       []Skipped
	Ended         bool
	Status        Status // Canceled until it comes to another end
	Reason        string // of an Infeasible one
	ascent        ascent

	// Of a start whose first E step has no value: the θ that was drawn, and how often
	// it was scaled.
	drawn  []float64
	shrunk int
}

// next returns the θ of the next E step.
func (s *start) next() []float64 {
	if s.Trial != nil {
		return s.Trial
	}
	return s.Theta
}

// last returns the last objective, −Inf if there is none.
func (s *start) last() float64 {
	if n := len(s.Objective); n > 0 {
		return s.Objective[n-1]
	}
	return math.Inf(-1)
}

// gain returns by how much the objective has risen in so many iterations; false if
// that cannot be said.
func (s *start) gain(iterations int) (float64, bool) {
	n := len(s.Objective) - 1
	if iterations == 0 || n-iterations < s.Base {
		return math.NaN(), false
	}
	return s.Objective[n] - s.Objective[n-iterations], true
}

// end ends the start; its method's memory is of no more use.
func (s *start) end(status Status) {
	if a, ok := s.ascent.(finisher); ok {
		a.finish(s)
	}
	s.Ended, s.Status, s.Trial, s.ascent = true, status, nil, nil
}

// forget drops what only a winner needs.
func (s *start) forget() { s.Theta, s.Skipped = nil, nil }

// best returns the number of the start with the best objective, the first of
// several, among those that which admits.
func (r *run) best(which func(*start) bool) int {
	best := -1
	for i, s := range r.Starts {
		if which(s) && (best < 0 || s.last() > r.Starts[best].last()) {
			best = i
		}
	}
	return best
}

// settle ends a start and forgets all ended ones but the best.
func (r *run) settle(s *start, status Status) {
	s.end(status)
	ended := func(s *start) bool { return s.Ended && !s.Status.lost() }
	for i, best := 0, r.best(ended); i < len(r.Starts); i++ {
		if i != best && r.Starts[i].Ended {
			r.Starts[i].forget()
		}
	}
}

// feasible returns the number of the best start that has not lost, −1 if there is none.
func (r *run) feasible() int { return r.best(func(s *start) bool { return !s.Status.lost() }) }

// result returns what has been reached, with the status of the best start.
func (r *run) result() *Result {
	i := r.feasible()
	s := r.Starts[i]
	out := &Result{Status: s.Status, Theta: s.Theta, Objective: s.Objective, LogLikelihood: s.LogLikelihood,
		GradientNorm: s.GradientNorm, Start: i, Skipped: s.Skipped}
	for _, s := range r.Starts {
		out.Starts = append(out.Starts, StartResult{Status: s.Status, Objective: s.Objective, Reason: s.Reason})
	}
	return out
}

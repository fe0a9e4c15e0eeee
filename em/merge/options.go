package merge

import (
	"fmt"
	"math"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
)

// Prior is a prior of topologies: each part takes its number of nats off the log
// posterior, and so must gain as many in log likelihood to be worth having.
type Prior struct {
	State     float64 // for each state
	Parameter float64 // for each arc and stop weight
}

// DefaultPrior lets two states merge that were seen once each, with different arcs, which
// costs 2·ln 2 nats of likelihood.
var DefaultPrior = Prior{State: 3, Parameter: 2}

func (p *Prior) log(states, parameters int) float64 {
	return -p.State*float64(states) - p.Parameter*float64(parameters)
}

// Options says how Run merges. A nil *Options and the zero value of each field mean the
// default.
type Options struct {
	// Prior is that of topologies (default DefaultPrior).
	Prior *Prior
	// Law estimates the parameters of each state (default em.Multinomial).
	Law em.Law
	// Candidates is how many pairs are trained, the most promising first, before
	// Run gives up (default 5).
	Candidates int
	// Iterations bounds the EM iterations after a merge (default 10).
	Iterations int
	// States ends Run when the machine has no more of them (default 1).
	States int
	// Workers is the number of goroutines of the E step (default GOMAXPROCS). It
	// does not change a bit of the result.
	Workers int
	// Observer, if not nil, is called after each merge.
	Observer func(Event)
}

// Event describes a merge. It is valid during the observer's call only.
type Event struct {
	// Merges is the number of merges so far, States and Parameters the size of the
	// machine.
	Merges, States, Parameters int
	// Posterior is the log posterior that Run raises, LogLikelihood that of the data.
	Posterior, LogLikelihood float64
	// Machine has the expected counts as weights.
	Machine *fst.FST[float64]
}

func (o *Options) complete() (Options, error) {
	var c Options
	if o != nil {
		c = *o
	}
	if c.Prior == nil {
		c.Prior = &DefaultPrior
	}
	if c.Law == nil {
		c.Law = em.Multinomial{}
	}
	for _, field := range []struct {
		value   *int
		initial int
		name    string
	}{{&c.Candidates, 5, "candidates"}, {&c.Iterations, 10, "iterations"}, {&c.States, 1, "states"}} {
		if *field.value < 0 {
			return c, fmt.Errorf("merge: %w: %d %s", em.ErrInvalid, *field.value, field.name)
		}
		if *field.value == 0 {
			*field.value = field.initial
		}
	}
	for _, nats := range []float64{c.Prior.State, c.Prior.Parameter} {
		if !(nats >= 0) || math.IsInf(nats, 1) {
			return c, fmt.Errorf("merge: %w: prior %+v, want finite numbers ≥ 0", em.ErrInvalid, *c.Prior)
		}
	}
	return c, nil
}

package merge

import (
	"cmp"
	"fmt"
	"strings"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/named"
	"example.org/pathsum/internal/nested"
)

// Prior is a prior of topologies, a description length. Each part costs its number of nats of log
// posterior, and so must gain at least as many nats of log likelihood.
//
// Both numbers are at least 0 and at most 1e9.
type Prior struct {
	State     float64 // for each state
	Parameter float64 // for each arc, each stop weight, and each start but one
}

// mostNats bounds the prior of a part. The sum of such priors and the log likelihood is then
// exact to a small fraction of a nat.
const mostNats = 1e9

// defaultPrior lets two states merge that were each visited once and have different arcs. Their
// merge costs 2·ln 2 nats of likelihood.
var defaultPrior = Prior{State: 3, Parameter: 2}

// Log returns the log prior of a topology. It counts the states, arcs and weights on some path of
// the machine.
func (p *Prior) Log(f *fst.FST[float64]) float64 {
	f, err := fst.Connect(f, nil)
	if err != nil {
		panic(err.Error()) // a frozen machine has a connected part
	}
	return p.log(f.NumStates(), parameters(f))
}

func (p *Prior) log(states, parameters int) float64 {
	return -p.State*float64(states) - p.Parameter*float64(parameters)
}

// parameters returns the number of arcs, stop weights, and starts but one.
func parameters(f *fst.FST[float64]) int {
	n := f.NumArcs() + max(0, len(f.Graph().Starts())-1)
	for _, w := range f.Graph().Finals() {
		if w != 0 {
			n++
		}
	}
	return n
}

// Moves is a set of kinds of changes to a machine.
type Moves uint8

const (
	// Merge makes one state of two. If both have arcs with the same labels, the new state has
	// both arcs.
	Merge Moves = 1 << iota
	// Fold makes one state of two, then merges the states that arcs with the same labels lead to,
	// and so on. It keeps a deterministic machine deterministic.
	Fold
	// Split makes two states of one: see the package comment. It needs Options.Rand.
	Split
	// Drop leaves out arcs and stop weights that are hardly used.
	Drop
)

var kinds = []struct {
	move Moves
	name string
}{{Merge, "merge"}, {Fold, "fold"}, {Split, "split"}, {Drop, "drop"}}

// String returns the names of the kinds.
func (m Moves) String() string {
	var names []string
	for _, k := range kinds {
		if m&k.move != 0 {
			names = append(names, k.name)
			m &^= k.move
		}
	}
	if m != 0 {
		names = append(names, fmt.Sprintf("Moves(%d)", uint8(m)))
	}
	return strings.Join(names, "|")
}

// Normalization selects the choices at a state that share a distribution.
type Normalization uint8

const (
	// Joint: all arcs and the stop weight, as in cascade.Joint.
	Joint Normalization = iota
	// Conditional: the arcs that read the same symbol, as in cascade.Conditional.
	Conditional
)

// String returns the name of n.
func (n Normalization) String() string {
	return named.One(n, "Normalization", "joint", "conditional")
}

// Options configures Run. A nil *Options and the zero value of each field mean the default.
type Options struct {
	// Options configures em.Fit, which trains each machine. Iterations (default 10) bounds the
	// iterations of a candidate. Before a machine is given up, it is trained further, five times
	// as many iterations per round, until more training would gain few nats. Rand also drives
	// splits.
	//
	// Checkpoint is the name of a file that holds the state of the search. It is replaced
	// atomically after all candidates of a machine have been tried. Run continues from it if it
	// exists; the result has the same bits as an uninterrupted run.
	//
	// Training begins at the counts of a machine. So Start, InPlace, Starts, Restarts and Prune
	// must be zero.
	em.Options
	// Normalization is the normalization of the stage (default Joint).
	Normalization Normalization
	// Law estimates the stage's parameters (default em.Multinomial). Its log prior must be ≤ 0 at
	// the estimates. A Dirichlet with α < 1 has an unbounded density, and would reward parameters
	// near 0.
	Law em.Law
	// Prior is the prior of topologies (default 3 a state and 2 a parameter).
	Prior *Prior
	// Moves are the changes to try (default all; Split only if there is Rand).
	Moves Moves
	// Candidates is the number of changes of each kind that are trained, the most promising
	// first, before a machine is given up (default 5). Drop also tries sets of parts.
	Candidates int
	// Beam is the number of machines that the search keeps, the best so far (default 1).
	Beam int
	// MinStates and MaxStates bound the number of states: no merge goes below MinStates (default
	// 1), no split above MaxStates (default 1<<20). MinStates must not exceed MaxStates.
	MinStates, MaxStates int
	// Accepted, if not nil, is called after each change that is accepted, by the goroutine that
	// called Run.
	Accepted func(Change)
}

// Change is a change that was accepted. It is valid during the call only.
type Change struct {
	Move Moves
	// PredictedGain is the predicted gain of the change in nats, before training.
	PredictedGain float64
	// Result is the trained machine after the change.
	*Result
}

func (o *Options) complete() (Options, error) {
	var c Options
	if o != nil {
		c = *o
	}
	if c.Prior == nil {
		c.Prior = &defaultPrior
	}
	if c.Law == nil {
		c.Law = em.Multinomial{}
	}
	bad := func(format string, args ...any) (Options, error) {
		return c, nested.Errorf("merge: %w: "+format, append([]any{em.ErrInvalid}, args...)...)
	}
	for _, field := range []struct {
		value   *int
		initial int
		name    string
	}{
		{&c.Candidates, 5, "candidates"}, {&c.Beam, 1, "machines in the beam"}, {&c.Iterations, 10, "iterations"},
		{&c.MinStates, 1, "states at least"}, {&c.MaxStates, 1 << 20, "states at most"},
	} {
		if *field.value < 0 {
			return bad("%d %s", *field.value, field.name)
		}
		*field.value = cmp.Or(*field.value, field.initial)
	}
	if c.MinStates > c.MaxStates {
		return bad("%d states at least and %d at most", c.MinStates, c.MaxStates)
	}
	for _, nats := range []float64{c.Prior.State, c.Prior.Parameter} {
		if !(nats >= 0 && nats <= mostNats) {
			return bad("prior %+v, want numbers from 0 to %g: the likelihood would be lost in the rounding of larger ones", *c.Prior, mostNats)
		}
	}
	all := Merge | Fold | Drop
	if c.Rand != nil {
		all |= Split
	}
	c.Moves = cmp.Or(c.Moves, all)
	switch {
	case c.Moves&^(Merge|Fold|Split|Drop) != 0:
		return bad("%v", c.Moves)
	case c.Moves&Split != 0 && c.Rand == nil:
		return bad("to split states needs a source of randomness")
	case c.Start != nil || c.InPlace || c.Starts != nil || c.Restarts != 0 || c.Prune != em.Prune{}:
		return bad("Start, InPlace, Starts, Restarts or Prune is set, want none: training begins at the counts of a machine")
	case c.Normalization > Conditional:
		return bad("normalization %d", c.Normalization)
	}
	return c, nil
}

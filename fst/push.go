package fst

import (
	"fmt"

	"example.org/pathsum/internal/named"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// PushDirection is the direction in which PushWeights and PushLabels move common weights or labels.
type PushDirection int

const (
	// TowardInitial is toward the initial states.
	TowardInitial PushDirection = iota
	// TowardFinal is toward the final states.
	TowardFinal
)

// String returns the name of the direction.
func (t PushDirection) String() string {
	return named.One(t, "PushDirection", "toward initial states", "toward final states")
}

// PushWeights returns Connect(m) with weights moved along its paths as far as possible in one
// direction; the weights of paths stay the same. Let β be the sums over paths to a final state
// (graph.Backward). TowardInitial multiplies start weights by β. An arc of weight w from p to q
// gets the weight β(p)\(w ⊗ β(q)). So the arcs and the final weight of every state sum to 1̄:
// in a ring of probabilities, they are a distribution over continuations. TowardFinal does the
// same with the sums over paths from the start.
//
// The ring must be a semiring.Divider and have path sums; it need not be commutative. The error
// wraps semiring.ErrCapability, semiring.ErrDiverges or semiring.ErrLimit; the latter also if a
// sum or a weight leaves the range of a ring that is semiring.Ranged. If a quotient does not
// exist, for example because weights of paths cancel each other, the error names the state. It
// takes a path sum and O(states + arcs).
//
// Mohri, "Finite-state transducers in language and speech processing" (1997), §3.5.
func PushWeights[W any](m Machine[W], d PushDirection, o *Options) (*FST[W], error) {
	return computed("PushWeights", m, o, func(f *FST[W], _ Options) (*FST[W], error) { return pushWeights(f, d) })
}

func pushWeights[W any](f *FST[W], d PushDirection) (*FST[W], error) {
	f = connect(f)
	g, err := pushedWeights(f.Graph(), d)
	if err != nil {
		return nil, err
	}
	return f.WithWeights(g.Weights(), g.Starts(), g.Finals())
}

// pushedWeights returns g with pushed weights. All states must lie on paths from initial to
// final states.
func pushedWeights[W any](g *graph.Graph[W], d PushDirection) (*graph.Graph[W], error) {
	divide, err := semiring.Require[semiring.Divider[W]](g.Ring())
	if err != nil {
		return nil, err
	}
	x := &pusher[W]{g: g, ranges: rangesOf(g.Ring()), divide: divide}
	x.weight, x.final = make([]W, g.NumArcs()), make([]W, g.NumStates())
	if d == TowardInitial {
		err = x.back()
	} else {
		err = x.forth()
	}
	if err != nil {
		return nil, err
	}
	return g.WithWeights(x.weight, x.starts, x.final)
}

// pusher computes the pushed weights of g.
type pusher[W any] struct {
	g      *graph.Graph[W]
	ranges ranges[W]
	divide semiring.Divider[W]
	weight []W
	starts []graph.Start[W]
	final  []W
}

func (x *pusher[W]) back() error {
	beta, err := graph.Backward(x.g)
	if err != nil {
		return err
	}
	for _, s := range x.g.Starts() {
		w, err := x.times(s.State, s.Weight, beta[s.State])
		if err != nil {
			return err
		}
		x.starts = append(x.starts, graph.Start[W]{State: s.State, Weight: w})
	}
	return x.each(beta, func(s, to int32, w W) (W, error) {
		if to >= 0 {
			if w, err = x.times(s, w, beta[to]); err != nil {
				return w, err
			}
		}
		return x.quotient(s, x.divide.LDiv, beta[s], w, w)
	})
}

func (x *pusher[W]) forth() error {
	alpha, err := graph.Forward(x.g)
	if err != nil {
		return err
	}
	for _, s := range x.g.Starts() {
		w, err := x.quotient(s.State, x.divide.RDiv, s.Weight, alpha[s.State], s.Weight)
		if err != nil {
			return err
		}
		x.starts = append(x.starts, graph.Start[W]{State: s.State, Weight: w})
	}
	return x.each(alpha, func(s, to int32, w W) (W, error) {
		w, err := x.times(s, alpha[s], w)
		if to < 0 || err != nil {
			return w, err
		}
		return x.quotient(s, x.divide.RDiv, w, alpha[to], w)
	})
}

// each applies push to the weights of all arcs, and to the final weights other than Zero, with
// to = −1. It returns an error if a potential is out of range.
func (x *pusher[W]) each(potential []W, push func(s, to int32, w W) (W, error)) error {
	g := x.g
	for s, sum := range potential {
		if !x.ranges.hasDivisor(sum) {
			return x.ranges.err(fmt.Sprintf("the sum of the paths of state %d", s), sum)
		}
	}
	row, to := g.Row(), g.To()
	for s := range int32(g.NumStates()) {
		for e := row[s]; e < row[s+1]; e++ {
			var err error
			if x.weight[e], err = push(s, to[e], g.Weights()[e]); err != nil {
				return err
			}
		}
		x.final[s] = g.Finals()[s]
		if w := g.Finals()[s]; !g.Ring().IsZero(w) {
			var err error
			if x.final[s], err = push(s, -1, w); err != nil {
				return err
			}
		}
	}
	return nil
}

// times returns a ⊗ b at state s.
func (x *pusher[W]) times(s int32, a, b W) (W, error) {
	w := x.g.Ring().Times(a, b)
	if !x.ranges.has(w, a, b) {
		return w, x.ranges.err(fmt.Sprintf("a weight at state %d", s), w)
	}
	return w, nil
}

// quotient returns the quotient divide(a, b) at state s. w is the operand that is not a
// potential.
func (x *pusher[W]) quotient(s int32, divide func(a, b W) (W, bool), a, b, w W) (W, error) {
	q, ok := divide(a, b)
	if !ok {
		return q, fmt.Errorf("%w: state %d, for %v and %v", errDivision, s, a, b)
	}
	if !x.ranges.has(q, w, w) {
		return q, x.ranges.err(fmt.Sprintf("a weight at state %d", s), q)
	}
	return q, nil
}

// PushLabels returns Connect(m) with output labels moved along its paths as far as possible in
// one direction; weights stay in place. TowardInitial, the common prefix of the outputs of all
// paths from a state is written before that state, so the result writes its output as early as
// possible. If an arc then writes several labels, arcs that read ε follow. Such arcs may also
// precede initial states and follow final states.
//
// Any ring is allowed. The error wraps semiring.ErrLimit for more than 2³¹−1 states. If m is
// acyclic, the time is proportional to the number of arcs and of moved labels. Otherwise it
// depends on the number of relaxation rounds until a fixed point (see graph.PathSum).
func PushLabels[W any](m Machine[W], d PushDirection, o *Options) (*FST[W], error) {
	return computed("PushLabels", m, o, func(f *FST[W], _ Options) (*FST[W], error) {
		f = connect(f)
		g, weights := toGallic(f)
		g, err := pushedLabels(g, d)
		if err != nil {
			return nil, err
		}
		return fromGallic(g, weights, f)
	})
}

// pushedLabels returns f with words pushed. All states must lie on paths from initial to final
// states.
func pushedLabels(f *FST[gallic], d PushDirection) (*FST[gallic], error) {
	var ring semiring.Semiring[semiring.Word] = semiring.LeftString{}
	if d == TowardFinal {
		ring = semiring.RightString{}
	}
	words := graph.Map(f.Graph(), ring, func(w gallic) semiring.Word { return w.First })
	words, err := pushedWeights(words, d)
	if err != nil {
		return nil, err
	}
	weight := make([]gallic, f.NumArcs())
	for e, w := range words.Weights() {
		weight[e] = gallic{First: w, Second: f.arcs.w[e].Second}
	}
	final := make([]gallic, f.NumStates())
	for s, w := range words.Finals() {
		final[s] = gallic{First: w, Second: f.final[s].Second}
	}
	starts := make([]Start[gallic], len(f.starts))
	for i, s := range words.Starts() {
		starts[i] = Start[gallic]{State: s.State, Weight: gallic{First: s.Weight, Second: f.starts[i].Weight.Second}}
	}
	return f.WithWeights(weight, starts, final)
}

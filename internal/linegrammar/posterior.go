package linegrammar

import (
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
)

// Posterior computes the probabilities of readings of lines, over all parses.
type Posterior struct {
	grammar *Grammar
	machine *fst.FST[semiring.ScaledFloat]
	context weights[semiring.ScaledFloat]
}

// Posterior returns the posterior at the current parameters.
func (g *Grammar) Posterior() (*Posterior, error) {
	machine, err := cascade.Instantiate(g.Params, g.trainable, g.Theta, semiring.Scaled{})
	if err != nil {
		return nil, err
	}
	p := &Posterior{grammar: g, machine: machine, context: weights[semiring.ScaledFloat]{ring: semiring.Scaled{}}}
	if g.contexts != nil {
		for i, x := range g.contexts.before.In(g.Theta) {
			p.context.before = append(p.context.before, semiring.ScaledFromLog(x))
			p.context.after = append(p.context.after, semiring.ScaledFromLog(g.contexts.after.In(g.Theta)[i]))
		}
	}
	return p, nil
}

// LogProb returns the logarithm of the share of a reading in all readings of a line, −Inf if
// the line does not have this reading.
func (p *Posterior) LogProb(line, reading []int32) (float64, error) {
	x := fst.FromString(semiring.Scaled{}, line)
	if p.grammar.contexts != nil {
		var err error
		if x, err = marks(p.grammar.contexts, p.context, line); err != nil {
			return 0, err
		}
	}
	o := &fst.Options{Limit: MaxStates}
	readings, err := fst.Expand(fst.Compose(x, p.machine), o)
	if err != nil {
		return 0, err
	}
	total, err := fst.PathSum(readings, o)
	if err != nil {
		return 0, err
	}
	right, err := fst.PathSum(fst.Compose(readings, fst.FromString(readings.Semiring(), reading)), o)
	return right.Log() - total.Log(), err
}

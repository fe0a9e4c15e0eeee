package main

import (
	"context"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/models/ctc"
	"example.org/pathsum/models/ngram"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/frames"
)

// Settings of the channel.
const (
	faithful = .9 // probability that a letter is read as itself, before training
	seen     = 20 // readings of each letter that the prior stands for
	rare     = .01
	// channelScale is the exponent of the language, and channelBonus, in nats, is added for each
	// symbol: without it short texts are preferred.
	channelScale = .5
	channelBonus = 1
)

// channel is the model of lines in a hand that the network has not learnt, whose texts are not
// known:
//
//	language ∘ channel ∘ topology⁻¹ ∘ emissions
//
// The language writes symbols, the channel says as which one the network reads each of them, the
// topology spreads these over frames, and the emissions weigh the frames.
type channel struct {
	params  *em.Params
	machine cascade.Stage
	rows    [letters + 1]*em.Group // of each letter: parameter f−1 is for reading it as f
	theta   []float64
}

// newChannel returns a channel that reads each letter as itself, mostly, or else as any other one.
func newChannel() (*channel, error) {
	c := &channel{params: em.NewParams()}
	arcs := []fst.Arc[expr.W]{{In: space, Out: space, Weight: expr.One}}
	for e := int32(1); e <= letters; e++ {
		start, alphas := make([]float64, letters), make([]float64, letters)
		for i := range start {
			start[i] = (1 - faithful) / (letters - 1)
			if i == int(e-1) {
				start[i] = faithful
			}
			alphas[i] = 1 + seen*start[i]
		}
		c.rows[e] = c.params.Group(spelling([]int32{e}), letters, em.Dirichlet{Alphas: alphas})
		c.rows[e].SetStart(start)
		for f := int32(1); f <= letters; f++ {
			arcs = append(arcs, fst.Arc[expr.W]{In: e, Out: f, Weight: c.rows[e].Weight(int(f - 1))})
		}
	}
	c.machine = fst.OneState(c.params.Space(), expr.One, arcs...)
	c.theta = c.params.Start()
	return c, fst.Err(c.machine)
}

// writes returns a language as a stage without parameters.
func (c *channel) writes(language *ngram.Model) (cascade.Stage, error) {
	k := c.params.Space()
	return ngram.Acceptor(language, k, func(p semiring.ScaledFloat) expr.W {
		return k.Const(semiring.ScaledFromLog(channelScale*p.Log() + channelBonus))
	})
}

// fit trains the channel, and the parameters of the language if it has any, on lines with
// unknown texts.
func (c *channel) fit(ctx context.Context, language cascade.Stage, lines []*frames.Emissions, o *em.Options) (*em.Result, error) {
	spreads := cascade.Constants(c.params, fst.Invert(ctc.Compact(columns, columns-1).Machine))
	problem := cascade.Problem{Params: c.params, Stages: []cascade.Stage{language, c.machine, spreads}}
	var data cascade.Data
	for _, e := range lines {
		data.Examples = append(data.Examples, cascade.Example{Y: cascade.Soft(e, nil)})
	}
	result, err := problem.Fit(ctx, data, o)
	if result != nil {
		c.theta = result.Theta
	}
	return result, err
}

// topology returns how columns of an image spell a text, through the channel: the network reads f
// where e is meant. It leaves out readings that are rarer than rare, which would take most of the
// time.
func (c *channel) topology() (ctc.Topology, error) {
	weight := semiring.NewScaled
	arcs := []fst.Arc[semiring.ScaledFloat]{{In: space, Out: space, Weight: weight(1)}}
	for e := int32(1); e <= letters; e++ {
		for i, p := range c.rows[e].In(c.theta) {
			if p >= rare {
				arcs = append(arcs, fst.Arc[semiring.ScaledFloat]{In: int32(i + 1), Out: e, Weight: weight(p)})
			}
		}
	}
	meant := fst.OneState(semiring.Scaled{}, weight(1), arcs...)
	m, err := fst.Expand(fst.Compose(topology().Machine, meant), nil)
	return ctc.Topology{Machine: m, Symbols: columns, Blank: columns - 1}, err
}

package main

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/graph"
)

// output is a text that the machine writes.
type output struct {
	Text        string `json:"text"`
	Cost        string `json:"cost"`        // of the best path
	Probability string `json:"probability"` // of the best path, e^−cost
	Uses        []use  `json:"uses"`
	Note        string `json:"note"` // the reason if there are no Uses
}

// outputs returns the n best texts that m makes of the input at theta.
func (g *grammar) outputs(ctx context.Context, m *fst.FST[expr.W], theta []float64, q *request) ([]output, error) {
	f, err := cascade.Instantiate(g.params, m, theta, semiring.Tropical{})
	if err != nil {
		return nil, err
	}
	// The lattice of the input alone explains its outputs.
	x, unknown := g.alphabet.EncodeRunes(q.Input)
	var lattice *fst.FST[expr.W]
	if unknown == nil && g.params.Len() > 0 {
		if lattice, err = fst.Expand(fst.Compose(fst.FromString(m.Semiring(), x), m), limit); err != nil {
			return nil, err
		}
	}
	all := []output{}
	for written, err := range fst.ApplyText(f, q.Input, limit) {
		if err != nil {
			return all, err
		}
		if err := ctx.Err(); err != nil {
			return all, err
		}
		cost := float64(written.Weight)
		o := output{Text: written.Text, Cost: short(cost), Probability: short(math.Exp(-cost))}
		if y, err := g.alphabet.EncodeRunes(written.Text); lattice != nil && err == nil {
			if o.Uses, err = g.uses(ctx, lattice, theta, x, y); err != nil {
				o.Note = err.Error()
			}
		}
		if all = append(all, o); len(all) == min(max(q.Best, 1), mostOutputs) {
			break
		}
	}
	return all, nil
}

// short returns a number with four digits.
func short(x float64) string { return strconv.FormatFloat(x, 'g', 4, 64) }

// lattice shows the paths of m for the input, and for the output if there is one, with
// posteriors.
func (g *grammar) lattice(ctx context.Context, m *fst.FST[expr.W], theta []float64, q *request) (*view, error) {
	x, err := g.alphabet.EncodeRunes(q.Input)
	if err != nil {
		return nil, fmt.Errorf("input: %w", err)
	}
	composed := fst.Machine[expr.W](fst.Compose(fst.FromString(m.Semiring(), x), m))
	if q.Output != "" {
		y, err := g.alphabet.EncodeRunes(q.Output)
		if err != nil {
			return nil, fmt.Errorf("output: %w", err)
		}
		composed = fst.Compose(composed, fst.FromString(m.Semiring(), y))
	}
	frozen, err := fst.Expand(composed, limit)
	if err != nil {
		return nil, err
	}
	if frozen, err = fst.Connect(frozen, limit); err != nil {
		return nil, err
	}
	f, err := cascade.Instantiate(g.params, frozen.WithSymbols(g.alphabet, g.alphabet), theta, semiring.Scaled{})
	if err != nil {
		return nil, err
	}
	note := ""
	if f.NumStates() > drawnStates || f.NumArcs() > drawnArcs {
		const least = 0.02
		states, arcs := f.NumStates(), f.NumArcs()
		if f, err = fst.PrunePosterior(f, least, limit); err != nil {
			return nil, err
		}
		note = fmt.Sprintf("Of %d states and %d arcs, the arcs of a posterior of at least %g. ", states, arcs, least)
	}
	if f.NumStates() == 0 {
		return show(ctx, f, nil)
	}
	p, err := graph.Posteriors(f.Graph().WithContext(ctx))
	if err != nil {
		return nil, err
	}
	v, err := show(ctx, f, shades(p.Arc))
	if err != nil {
		return nil, err
	}
	v.Note = note + "Probability of all paths: " + short(p.Total.Float64()) + ". " + v.Note
	return v, nil
}

// shades returns expected uses as shades: uses of 1 or more are black.
func shades(uses []float64) []float64 {
	shades := make([]float64, len(uses))
	for i, n := range uses {
		shades[i] = min(n, 1)
	}
	return shades
}

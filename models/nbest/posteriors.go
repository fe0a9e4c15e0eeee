package nbest

import (
	"fmt"

	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// Position is the distribution of the symbol in one place of a string.
type Position struct {
	Symbols map[int32]float64 // of positive probability
	End     float64           // the probability that the string ends before
}

// Lattice is a machine whose input strings are the candidates, each with the sum over its
// paths.
type Lattice = fst.FST[semiring.ScaledFloat]

// Posteriors returns the distributions of the first n symbols of a string that f reads,
// drawn in proportion to its weight: exactly, over all paths, cycles included. It takes a
// backward pass, and the posteriors of n copies of f. The error comes from
// graph.Posteriors, or wraps graph.ErrNoPath.
func Posteriors(f *Lattice, n int) ([]Position, error) {
	p, err := newPlaces(f, n)
	if err != nil {
		return nil, fmt.Errorf("nbest: %w", err)
	}
	posterior, err := graph.Posteriors(p.graph)
	if err != nil {
		return nil, fmt.Errorf("nbest: %w", err)
	}
	if posterior.Total.IsZero() {
		return nil, fmt.Errorf("nbest: %w", graph.ErrNoPath)
	}
	all := make([]Position, n)
	for i := range all {
		all[i] = Position{map[int32]float64{}, 1}
	}
	for e, x := range posterior.Arc {
		if label := p.label[e]; label != 0 && x > 0 {
			at := &all[p.place[e]]
			at.Symbols[label] += x
			at.End -= x
		}
	}
	for i := range all {
		all[i].End = max(all[i].End, 0) // of a sum of 1 + 1e-16
	}
	return all, nil
}

// places is the graph of pairs (s, i) of a state and a number of symbols read, up to n. Pair
// (s, i) has the number i·states + s. The sum of what follows n symbols is a final weight.
type places struct {
	graph        *graph.Graph[semiring.ScaledFloat]
	label, place []int32 // per arc: its label and how many symbols are before it
}

func newPlaces(f *Lattice, n int) (*places, error) {
	g, labels := f.Graph(), f.In()
	beta, err := graph.Backward(g)
	if err != nil {
		return nil, err
	}
	states := int32(g.NumStates())
	p := new(places)
	row, to := []int32{0}, []int32(nil)
	var weight, final []semiring.ScaledFloat
	for i := range int32(n) {
		for s := range states {
			for e := g.Row()[s]; e < g.Row()[s+1]; e++ {
				next := i*states + g.To()[e]
				if labels[e] != 0 {
					next += states
				}
				to, weight = append(to, next), append(weight, g.Weights()[e])
				p.label, p.place = append(p.label, labels[e]), append(p.place, i)
			}
			row = append(row, int32(len(to)))
		}
		final = append(final, g.Finals()...)
	}
	for range states {
		row = append(row, int32(len(to)))
	}
	final = append(final, beta...)
	p.graph, err = graph.New(g.Ring(), row, to, weight, g.Starts(), final)
	return p, err
}

// Decode returns, of all strings, the one with the least expected Hamming loss: the number
// of places among positions where it differs from the truth. A string that has ended differs
// from one that has not.
func Decode(positions []Position) []int32 {
	best, length := 0.0, 0
	gain := 0.0 // of the most probable symbols over an end at once
	var y []int32
	for i, p := range positions {
		symbol, most := int32(0), 0.0
		for l, x := range p.Symbols {
			if x > most || x == most && l < symbol {
				symbol, most = l, x
			}
		}
		y = append(y, symbol)
		if gain += most - p.End; gain > best {
			best, length = gain, i+1
		}
	}
	return y[:length]
}

package nbest

import (
	"slices"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/clamp"
	"example.org/pathsum/internal/graphs"
	"example.org/pathsum/internal/machines"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
)

// Position is the distribution of the symbol at one position of a string.
type Position struct {
	Symbols map[int32]float64 // of positive probability
	End     float64           // the probability that the string ends before this position
}

// Lattice is a machine whose input strings are the candidates, each with the sum over its
// paths.
type Lattice = fst.FST[semiring.ScaledFloat]

// Posteriors returns the distributions of the first n symbols of a string that f reads,
// drawn in proportion to its weight: exactly, over all paths, cycles included. It takes the
// posteriors of n+1 copies of f. The error comes from fst.Expand or graph.Posteriors, or
// wraps em.ErrUnderivable if f reads nothing.
func Posteriors(f *Lattice, n int) ([]Position, error) {
	placed, err := places(f, n)
	if err != nil {
		return nil, nested.Errorf("nbest: %w", err)
	}
	posterior, err := graphs.Posteriors(placed.Graph())
	if err != nil {
		return nil, nested.Errorf("nbest: %w", err)
	}
	if posterior.Total.IsZero() {
		return nil, nested.Errorf("nbest: %w: the lattice has no path", em.ErrUnderivable)
	}
	all := make([]Position, n)
	for i := range all {
		all[i] = Position{map[int32]float64{}, 1}
	}
	for e, x := range posterior.Arc {
		if place := placed.Out()[e]; place != 0 && x > 0 {
			at := &all[place-1]
			at.Symbols[placed.In()[e]] += x
			at.End -= x
		}
	}
	for i := range all {
		all[i].End = max(all[i].End, 0) // the sum may exceed 1 by rounding
		for symbol, x := range all[i].Symbols {
			if all[i].Symbols[symbol], err = clamp.Probability(x); err != nil {
				return nil, nested.Errorf("nbest: %w", err)
			}
		}
	}
	return all, nil
}

// places returns the machine that has the inputs of f and writes the positions 1 … n for the first
// n symbols: f composed with a chain that counts.
func places(f *Lattice, n int) (*Lattice, error) {
	labels := slices.Compact(slices.Sorted(slices.Values(f.In())))
	labels = slices.DeleteFunc(labels, func(l int32) bool { return l == fst.Epsilon })
	ring := f.Semiring()
	counter := machines.Scaled.NewBuilder(ring)
	counter.AddStates(n + 1)
	counter.AddStart(0, ring.One())
	for i := range int32(n + 1) {
		counter.SetFinal(i, ring.One())
		next, place := i+1, i+1
		if int(i) == n {
			next, place = i, fst.Epsilon
		}
		for _, label := range labels {
			counter.AddArc(i, fst.Arc[semiring.ScaledFloat]{In: label, Out: place, To: next, Weight: ring.One()})
		}
	}
	chain, err := counter.Freeze()
	if err != nil {
		return nil, err
	}
	return machines.Scaled.Expand(machines.Scaled.Compose(machines.Scaled.ProjectIn(f), chain), nil)
}

// Decode returns the string with the least expected Hamming loss: the expected number of positions
// at which it differs from the truth. After the end of one string, it differs from any symbol of
// the other.
func Decode(positions []Position) []int32 {
	best, length := 0.0, 0
	gain := 0.0 // of the most probable symbols, relative to the empty string
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

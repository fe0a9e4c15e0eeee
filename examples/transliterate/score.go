package main

import (
	"fmt"
	"slices"

	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// Accuracy is how well candidates agree with references: the fraction of pairs
// whose first candidate is the reference and of those that have it among their
// first ten, and the edit distance of first candidates from references, per
// character of the references (so that it may exceed 1). A pair without
// candidates counts as if the first one were empty.
type Accuracy struct {
	Top1  float64 `json:"top1"`
	Top10 float64 `json:"top10"`
	CER   float64 `json:"cer"`
}

// beam is how many candidates a query asks for.
const beam = 10

// score compares the candidates of each pair, best first, with its reference. Each
// pair counts once and by itself: another pair may have the same source and a
// different reference.
func score(references []string, candidates [][]string) (Accuracy, error) {
	var top1, top10, characters int
	var errors float64
	for i, reference := range references {
		first := ""
		for rank, c := range candidates[i] {
			if rank == 0 {
				first = c
			}
			if c == reference && rank < beam {
				top10++
				break
			}
		}
		if first == reference {
			top1++
		}
		d, err := distance(first, reference)
		if err != nil {
			return Accuracy{}, err
		}
		errors += d
		characters += len([]rune(reference))
	}
	n := float64(len(references))
	return Accuracy{float64(top1) / n, float64(top10) / n, errors / float64(characters)}, nil
}

// distance returns the least number of insertions, deletions and substitutions of
// characters that turn a into b (Levenshtein 1966): the path sum, in the ring of
// costs, of a ∘ edits ∘ b.
func distance(a, b string) (float64, error) {
	costs := semiring.Semiring[semiring.Cost](semiring.Tropical{})
	edits, err := unitEdits(costs, []rune(a), []rune(b))
	if err != nil {
		return 0, err
	}
	left, err := fst.Compose[semiring.Cost](fst.FromString(costs, []rune(a)), edits)
	if err != nil {
		return 0, err
	}
	both, err := fst.Compose[semiring.Cost](left, fst.FromString(costs, []rune(b)))
	if err != nil {
		return 0, err
	}
	lattice, err := fst.Expand[semiring.Cost](both, 0)
	if err != nil {
		return 0, err
	}
	d, err := graph.PathSum(lattice.Graph())
	if err != nil {
		return 0, fmt.Errorf("distance of %q and %q: %w", a, b, err)
	}
	return float64(d), nil
}

// unitEdits returns the machine of all edits of strings over the characters of a
// into strings over those of b, each at the cost 1 and copies at 0.
func unitEdits(costs semiring.Semiring[semiring.Cost], a, b []rune) (*fst.FST[semiring.Cost], error) {
	m := fst.NewBuilder(costs)
	s := m.AddState()
	m.AddStart(s, costs.One())
	m.SetFinal(s, costs.One())
	in, out := alphabet(a), alphabet(b)
	for _, x := range in {
		for _, y := range out {
			if x+y == fst.Epsilon {
				continue
			}
			cost := semiring.Cost(1)
			if x == y {
				cost = 0
			}
			m.AddArc(s, fst.Arc[semiring.Cost]{In: x, Out: y, Weight: cost, To: s})
		}
	}
	return m.Freeze()
}

// alphabet returns ε and the characters of s, each once, ascending.
func alphabet(s []rune) []rune {
	all := append([]rune{fst.Epsilon}, s...)
	slices.Sort(all)
	return slices.Compact(all)
}

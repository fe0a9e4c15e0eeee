package nbest

import (
	"cmp"
	"errors"

	"example.org/pathsum/internal/clamp"
	"example.org/pathsum/internal/graphs"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// defaultWork is the default limit of Best on states of the lattice. A state counts once for each
// prefix tried that leads to it.
const defaultWork = 100_000

// Best returns the n most probable strings that the arcs of g spell with labels, the most probable
// first, each once and with the sum over its paths (see graph.BestSequences). There is one label
// per arc, 0 for no label: pass the Graph of an FST with its In or Out. If g has no path, Best
// returns an empty list and no error.
//
// The exact search is expensive if a lattice is long and ambiguous. If it takes more than work
// states (0: 100,000), exact is false: after the strings found so far, the list contains the
// strings of the best paths, each with the probability of its best path alone (see
// graph.UniqueBestPaths). The list for n begins with the list for any smaller n. Errors are as for
// graph.BestSequences, without ErrLimit.
func Best(g *graph.Graph[semiring.ScaledFloat], labels []int32, n, work int) (list []Candidate, exact bool, err error) {
	if n <= 0 {
		return nil, true, nil
	}
	for s, err := range graphs.BestSequences(g, labels, &graph.SequenceOptions{MaxStates: cmp.Or(work, defaultWork)}) {
		if errors.Is(err, semiring.ErrLimit) {
			list, err := appendStringsOfPaths(list, g, labels, n)
			return list, false, err
		}
		if err != nil {
			return nil, false, nested.Errorf("nbest: %w", err)
		}
		if list = append(list, Candidate{s.Labels, clamp.LogProb(s.Weight.Log(), len(s.Labels))}); len(list) == n {
			break
		}
	}
	return list, true, nil
}

// appendStringsOfPaths appends the strings of the best paths to list until it has n elements.
func appendStringsOfPaths(list []Candidate, g *graph.Graph[semiring.ScaledFloat], labels []int32, n int) ([]Candidate, error) {
	found := map[string]bool{}
	for _, c := range list {
		found[key(c.Labels)] = true
	}
	best := g.WithSemiring(semiring.Viterbi{})
	unique, err := graphs.UniqueBestPaths(best, labels)
	if err != nil {
		return nil, nested.Errorf("nbest: %w", err)
	}
	for y, path := range unique {
		if found[key(y)] {
			continue
		}
		if list = append(list, Candidate{y, clamp.LogProb(path.Weight.Log(), len(path.Arcs))}); len(list) == n {
			break
		}
	}
	return list, nil
}

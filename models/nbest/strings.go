package nbest

import (
	"errors"
	"fmt"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// DefaultWork is the limit of Best by default: on states of the lattice, one for each
// prefix of a string that leads there and is tried.
const DefaultWork = 100_000

// Best returns the n most probable strings that the arcs of g spell with labels, one per
// arc, of which 0 is none (an FST's Graph with its In or Out): each once and with the sum
// over its paths, the most probable first (see graph.BestSequences).
//
// That is hard where a lattice is long and ambiguous. If it takes more than work states,
// 0 standing for DefaultWork, the list is not exact: behind the strings found until then it
// has those of the best paths, and LogProb is that of the best path of each of these alone
// (see graph.UniqueBestPaths). The list for n begins with the list for any lesser number.
// Errors are those of graph.BestSequences but ErrLimit.
func Best(g *graph.Graph[semiring.ScaledFloat], labels []int32, n, work int) (list []Candidate, exact bool, err error) {
	if n <= 0 {
		return nil, true, nil
	}
	if work == 0 {
		work = DefaultWork
	}
	for s, err := range graph.BestSequences(g, labels, &graph.SequenceOptions{MaxStates: work}) {
		if errors.Is(err, semiring.ErrLimit) {
			list, err := appendStringsOfPaths(list, g, labels, n)
			return list, false, err
		}
		if err != nil {
			return nil, false, fmt.Errorf("nbest: %w", err)
		}
		if list = append(list, Candidate{s.Labels, s.Weight.Log()}); len(list) == n {
			break
		}
	}
	return list, true, nil
}

// appendStringsOfPaths appends to list, until it has n, the strings with the best paths.
func appendStringsOfPaths(list []Candidate, g *graph.Graph[semiring.ScaledFloat], labels []int32, n int) ([]Candidate, error) {
	found := map[string]bool{}
	for _, c := range list {
		found[key(c.Target)] = true
	}
	best := graph.Map(g, semiring.Viterbi{}, func(w semiring.ScaledFloat) semiring.ScaledFloat { return w })
	unique, err := graph.UniqueBestPaths(best, labels)
	if err != nil {
		return nil, fmt.Errorf("nbest: %w", err)
	}
	for y, path := range unique {
		if found[key(y)] {
			continue
		}
		if list = append(list, Candidate{y, path.Weight.Log()}); len(list) == n {
			break
		}
	}
	return list, nil
}

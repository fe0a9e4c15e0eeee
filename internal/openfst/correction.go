package main

import (
	"context"
	"errors"

	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// all finds the nearest word of each noisy one by search in the composition.
func all(dir string) (run, error) {
	l, err := readLexicon(dir)
	if err != nil {
		return nil, err
	}
	return l.correct(l.edits, func(_ *fst.Arena[semiring.Cost], c *fst.Composition[semiring.Cost]) (semiring.Cost, error) {
		for p, err := range graph.Search(context.Background(), c, nil) {
			return p.Weight, err
		}
		return 0, errors.New("no path")
	}), nil
}

// few finds the nearest word among the words within two edits, by expansion.
func few(dir string) (run, error) {
	l, err := readLexicon(dir)
	if err != nil {
		return nil, err
	}
	b := fst.NewBuilder(costs)
	b.AddStates(3)
	b.AddStart(0, 0)
	for k := range int32(3) {
		b.SetFinal(k, 0)
		for _, a := range l.edits.AppendArcs(nil, 0) {
			if a.To = k; a.In != a.Out {
				a.To++
			}
			if a.To < 3 {
				b.AddArc(k, a)
			}
		}
	}
	edits, err := b.Freeze()
	if err != nil {
		return nil, err
	}
	return l.correct(edits, func(arena *fst.Arena[semiring.Cost], c *fst.Composition[semiring.Cost]) (semiring.Cost, error) {
		f, err := arena.Expand(c, nil)
		if err != nil {
			return 0, err
		}
		p, err := graph.BestPath(f.Graph())
		return p.Weight, err
	}), nil
}

// correct sums the costs of the nearest words.
func (l *lexicon) correct(edits *fst.FST[semiring.Cost],
	nearest func(*fst.Arena[semiring.Cost], *fst.Composition[semiring.Cost]) (semiring.Cost, error)) run {
	arena := fst.NewArena(costs)
	return func() (func() ([]float64, error), error) {
		var sum semiring.Cost
		for _, w := range l.words {
			arena.Reset()
			cost, err := nearest(arena, arena.Compose(arena.Compose(arena.String(w), edits), l.trie))
			if err != nil {
				return nil, err
			}
			sum += cost
		}
		return func() ([]float64, error) { return []float64{float64(sum)}, nil }, nil
	}
}

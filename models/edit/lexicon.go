package edit

import (
	"context"
	"fmt"
	"slices"

	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// lexicon is a trie of words, spelled in the labels of a model.
type lexicon struct {
	trie  *machine
	nodes []node // per state
}

// node is what is known of a state of the trie.
type node struct {
	word   int32                // that ends there, or −1
	depth  int32                // number of labels before
	weight semiring.ScaledFloat // of all words that go on from there
	ahead  endings
}

// newLexicon returns the trie of some of the words, by number, without those that the
// model cannot read.
func newLexicon(m *Model, words []Word, some []int) (*lexicon, error) {
	var paths []fst.Path[semiring.ScaledFloat]
	var read []int
	for _, w := range some {
		if labels, ok := m.Labels(words[w].Labels); ok {
			paths = append(paths, fst.Path[semiring.ScaledFloat]{In: labels, Out: labels, Weight: semiring.NewScaled(words[w].Weight)})
			read = append(read, w)
		}
	}
	trie, err := fst.StringMap(scaled, paths)
	if err != nil {
		return nil, fmt.Errorf("edit: %w", err)
	}
	l := &lexicon{trie: trie, nodes: slices.Repeat([]node{{word: -1, ahead: noEndings}}, trie.NumStates())}
	for i, w := range read {
		if err := l.follow(paths[i].In, int32(w), words[w].Labels); err != nil {
			return nil, err
		}
	}
	weights, err := graph.Backward(trie.Graph())
	if err != nil {
		return nil, fmt.Errorf("edit: %w", err)
	}
	for s := range l.nodes {
		l.nodes[s].weight = weights[s]
	}
	return l, nil
}

// follow notes a word at the nodes along its labels.
func (l *lexicon) follow(labels []int32, word int32, symbols []int32) error {
	row, to := l.trie.Graph().Row(), l.trie.Graph().To()
	s := int32(0)
	for d := 0; ; d++ {
		n := &l.nodes[s]
		n.depth = int32(d)
		n.ahead.add(symbols[max(0, d-len(labels)+len(symbols)):])
		if d == len(labels) {
			if n.word >= 0 {
				return fmt.Errorf("edit: %w: words %d and %d are equal", fst.ErrInvalid, n.word, word)
			}
			n.word = word
			return nil
		}
		arc, _ := slices.BinarySearch(l.trie.In()[row[s]:row[s+1]], labels[d])
		s = to[int(row[s])+arc]
	}
}

// search looks for the words of the lexicon that a channel, a model's machine, turns into
// y. The best come first, with the sums of their ways in a beam; width and spread
// are those of graph.Beam.
func (l *lexicon) search(ctx context.Context, arena *fst.Arena[semiring.ScaledFloat], channel *machine, y []int32, width int, spread float64) ([]Correction, error) {
	arena.Reset()
	right, err := arena.Compose(channel, arena.String(y))
	if err != nil {
		return nil, fmt.Errorf("edit: %w", err)
	}
	all, err := arena.Compose(l.trie, right)
	if err != nil {
		return nil, fmt.Errorf("edit: %w", err)
	}
	// at returns where a state is: at a node, so many symbols of y having been written.
	at := func(s int32) (n *node, written int32) {
		p, s := all.State(s)
		_, written = right.State(s)
		return &l.nodes[p], written
	}
	h := newHeuristic(y)
	part, err := graph.Beam[semiring.ScaledFloat](ctx, all, &graph.BeamOptions[semiring.ScaledFloat]{
		Width: width, Spread: spread,
		Layer: func(s int32) int {
			n, written := at(s)
			return int(n.depth + written)
		},
		Heuristic: func(s int32) semiring.ScaledFloat {
			n, written := at(s)
			return n.weight.Mul(h.of(&n.ahead, written))
		},
	})
	if err != nil {
		return nil, fmt.Errorf("edit: %w", err)
	}
	forward, err := graph.Forward(part.Graph)
	if err != nil {
		return nil, fmt.Errorf("edit: %w", err)
	}
	var found []Correction
	for s, w := range part.Graph.Finals() {
		if p := forward[s].Mul(w); p.Mant != 0 {
			n, _ := at(part.State[s])
			found = append(found, Correction{int(n.word), p.Log()})
		}
	}
	slices.SortFunc(found, Correction.compare)
	return found, nil
}

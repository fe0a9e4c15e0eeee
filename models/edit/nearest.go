package edit

import (
	"cmp"
	"context"
	"slices"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// Nearest finds the words of a lexicon with the fewest edits from a string (Levenshtein 1966): a
// Corrector without a model and weights. It is safe for concurrent use.
type Nearest struct {
	nodes    []node
	trie     *fst.FST[semiring.Cost]
	alphabet []int32
	longest  int
}

// Neighbour is a word, by its index in the lexicon, and its distance: the least number of symbols
// inserted, deleted or replaced.
type Neighbour struct{ Word, Distance int }

// NewNearest returns a finder of words. Errors are as for NewCorrector.
func NewNearest(words []Word) (*Nearest, error) {
	all := make([]int, len(words))
	s := &Nearest{}
	for i, w := range words {
		all[i] = i
		s.longest = max(s.longest, len(w.Labels))
	}
	lexicon, err := newLexicon(&Model{}, words, all)
	if err != nil {
		return nil, err
	}
	s.nodes = lexicon.nodes
	s.trie = fst.Map(lexicon.trie, costs, func(w semiring.ScaledFloat) semiring.Cost {
		if scaled.IsZero(w) { // not final
			return costs.Zero()
		}
		return costs.One()
	}).(*fst.FST[semiring.Cost])
	s.alphabet = slices.Compact(slices.Sorted(slices.Values(s.trie.In())))
	return s, nil
}

var costs = semiring.Tropical{}

// Best returns the n words nearest to y, nearest first, and all others with the distance of the
// n-th word; all words if there are fewer than n. For an empty lexicon Best returns an empty list
// and no error. Time grows steeply with the distance, as does the number of words within it.
//
// It looks for words at most 0, 1, 2, … edits away in the lazy composition lexicon ∘ edits ∘ y. It
// follows only states whose edits so far, plus a lower bound on the edits still to come, do not
// exceed this number.
func (s *Nearest) Best(ctx context.Context, y []int32, n int) ([]Neighbour, error) {
	nonnil.Check("edit: Best", "context", ctx)
	q, err := s.query(y)
	if err != nil {
		return nil, nested.Errorf("edit: %w", err)
	}
	for limit := q.least; ; limit++ {
		found, err := q.within(ctx, limit)
		if err != nil {
			return nil, nested.Errorf("edit: %w", err)
		}
		if len(found) >= n || limit >= max(len(y), s.longest) {
			return found, nil
		}
	}
}

// query is a search for the words near to y.
type query struct {
	nodes      []node
	right, all *fst.Composition[semiring.Cost]
	heuristic  *heuristic
	least      int // a lower bound on the edits of every word
}

func (s *Nearest) query(y []int32) (*query, error) {
	out := slices.Compact(slices.Sorted(slices.Values(y)))
	edits := fst.Edits[semiring.Cost]{Replace: 1, Delete: 1, Insert: 1}.Machine(costs, s.alphabet, out)
	q := &query{nodes: s.nodes, heuristic: newHeuristic(y)}
	q.right = fst.Compose(edits, fst.FromString(costs, y))
	q.all = fst.Compose(s.trie, q.right)
	if err := q.all.Err(); err != nil {
		return nil, err
	}
	q.least = int(q.heuristic.edits(&s.nodes[0].ahead, 0))
	return q, nil
}

// at returns the node of a state and the number of symbols of y written.
func (q *query) at(state int32) (n *node, written int32) {
	p, state := q.all.State(state)
	_, written = q.right.State(state)
	return &q.nodes[p], written
}

// within returns the words at most limit edits away. The estimate of the best way through a state
// is non-decreasing along arcs. The start state, with q.least, is therefore the best of all, and
// the beam's margin is an absolute bound.
func (q *query) within(ctx context.Context, limit int) ([]Neighbour, error) {
	part, err := graph.Beam(ctx, q.all, &graph.BeamOptions[semiring.Cost]{
		Layer: func(state int32) int {
			n, written := q.at(state)
			return int(n.depth + written)
		},
		Stage:  func(int) int { return 0 },
		Margin: float64(limit-q.least) + .5,
		Heuristic: func(state int32) semiring.Cost {
			n, written := q.at(state)
			return semiring.Cost(q.heuristic.edits(&n.ahead, written))
		},
	})
	if err != nil {
		return nil, err
	}
	edits, err := graph.Forward(part.Graph)
	if err != nil {
		return nil, err
	}
	least := map[int32]int{} // per word
	for state, w := range part.Graph.Finals() {
		if !costs.IsZero(w) {
			n, _ := q.at(part.State[state])
			d := int(edits[state])
			if known, ok := least[n.word]; !ok || d < known {
				least[n.word] = d
			}
		}
	}
	found := make([]Neighbour, 0, len(least))
	for word, d := range least {
		found = append(found, Neighbour{int(word), d})
	}
	slices.SortFunc(found, func(a, b Neighbour) int {
		return cmp.Or(cmp.Compare(a.Distance, b.Distance), cmp.Compare(a.Word, b.Word))
	})
	return found, nil
}

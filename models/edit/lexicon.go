package edit

import (
	"context"
	"fmt"
	"math/bits"
	"slices"
	"strconv"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/graphs"
	"example.org/pathsum/internal/machines"
	"example.org/pathsum/internal/named"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/models/nbest"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// lexicon is a trie of words, spelled in the labels of a model.
type lexicon struct {
	words []Word
	trie  *machine
	nodes []node // per state
}

// node contains the data of a state of the trie.
type node struct {
	word   int32                // the word that ends there, or −1
	depth  int32                // number of labels from the root
	weight semiring.ScaledFloat // of all words that continue from there
	ahead  endings
}

// newLexicon returns the trie of the words with these indices, without the words that the model
// cannot read.
func newLexicon(m *Model, words []Word, some []int) (*lexicon, error) {
	var paths []fst.Path[semiring.ScaledFloat]
	var read []int
	for _, w := range some {
		if labels, ok := m.Labels(words[w].Labels); ok {
			paths = append(paths, fst.Path[semiring.ScaledFloat]{In: labels, Out: labels, Weight: semiring.NewScaled(words[w].Weight)})
			read = append(read, w)
		}
	}
	trie, err := machines.Scaled.Expand(machines.Scaled.StringMap(scaled, paths), nil)
	if err != nil {
		return nil, nested.Errorf("edit: %w", err)
	}
	l := &lexicon{words: words, trie: trie, nodes: slices.Repeat([]node{{word: -1, ahead: noEndings}}, trie.NumStates())}
	for i, w := range read {
		if err := l.follow(paths[i].In, int32(w), words[w].Labels); err != nil {
			return nil, err
		}
	}
	weights, err := graphs.Backward(trie.Graph())
	if err != nil {
		return nil, nested.Errorf("edit: %w", err)
	}
	for s := range l.nodes {
		l.nodes[s].weight = weights[s]
	}
	return l, nil
}

// lexicons returns the words with these indices in tries of a bounded size. A search of a whole
// trie keeps one state per prefix of its words and symbol of the string.
func lexicons(m *Model, words []Word, some []int) (all []*lexicon, err error) {
	const most = 4096
	some = slices.Clone(some)
	slices.SortFunc(some, func(a, b int) int { return slices.Compare(words[a].Labels, words[b].Labels) })
	for part := range slices.Chunk(some, most) {
		l, err := newLexicon(m, words, part)
		if err != nil {
			return nil, err
		}
		all = append(all, l)
	}
	return all, nil
}

// follow records a word at the nodes along its labels.
func (l *lexicon) follow(labels []int32, word int32, symbols []int32) error {
	row, to := l.trie.Graph().Row(), l.trie.Graph().To()
	s := int32(0)
	for d := 0; ; d++ {
		n := &l.nodes[s]
		n.depth = int32(d)
		n.ahead.add(symbols[max(0, d-len(labels)+len(symbols)):])
		if d == len(labels) {
			if n.word >= 0 {
				return nested.Errorf("edit: %w: words %d and %d are both %s", ErrInvalid, n.word, word, quoted(symbols))
			}
			n.word = word
			return nil
		}
		arc, _ := slices.BinarySearch(l.trie.In()[row[s]:row[s+1]], labels[d])
		s = to[int(row[s])+arc]
	}
}

// quoted returns a string for a message: its text if its labels are characters, otherwise its
// numbers.
func quoted(labels []int32) string {
	for _, l := range labels {
		if l != ' ' && !named.IsCharacter(l) {
			return fmt.Sprint(labels)
		}
	}
	return strconv.Quote(string(labels))
}

// search looks for the words of the lexicon that a channel, a model's machine, turns into y. The
// best come first, with the sums of their ways in a beam. Positive width and margin limit the beam.
func (l *lexicon) search(ctx context.Context, arena machines.Arena[semiring.ScaledFloat], channel *machine, y []int32, width int, margin float64) ([]Correction, error) {
	arena.Reset()
	right := arena.Compose(channel, arena.String(y))
	all := arena.Compose(l.trie, right)
	// at returns the node of a state and the number of symbols of y written.
	at := func(s int32) (n *node, written int32) {
		p, s := all.State(s)
		_, written = right.State(s)
		return &l.nodes[p], written
	}
	h := newHeuristic(y)
	part, err := graphs.Beam(ctx, all, &graph.BeamOptions[semiring.ScaledFloat]{
		Width: width, Margin: margin,
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
		return nil, nested.Errorf("edit: %w", err)
	}
	forward, err := graphs.Forward(part.Graph)
	if err != nil {
		return nil, nested.Errorf("edit: %w", err)
	}
	ends := map[int]semiring.ScaledFloat{} // by word: a channel may end in several states
	for s, w := range part.Graph.Finals() {
		if p := forward[s].Mul(w); p.Mant != 0 {
			n, _ := at(part.State[s])
			ends[int(n.word)] = ends[int(n.word)].Add(p)
		}
	}
	found := make([]Correction, 0, len(ends))
	for word, p := range ends {
		found = append(found, Correction{word, nbest.Candidate{Labels: l.words[word].Labels, LogProb: p.Log()}})
	}
	slices.SortFunc(found, Correction.compare)
	return found, nil
}

// endings describes the strings that continue from a node of a trie.
type endings struct {
	some, every symbols // the symbols of any of them, of each of them
	least, most int32   // their lengths
}

// noEndings describes the empty set of strings.
var noEndings = endings{every: ^symbols(0), least: 1<<31 - 1}

// symbols is a set of labels modulo 64.
type symbols uint64

func symbolsOf(x []int32) symbols {
	var s symbols
	for _, a := range x {
		s |= 1 << (a % 64)
	}
	return s
}

// less returns the number of symbols in s but not in t.
func (s symbols) less(t symbols) int32 { return int32(bits.OnesCount64(uint64(s &^ t))) }

// add adds a string.
func (e *endings) add(x []int32) {
	s := symbolsOf(x)
	e.some |= s
	e.every &= s
	e.least, e.most = min(e.least, int32(len(x))), max(e.most, int32(len(x)))
}

// The factors of the heuristic: one for each symbol still to be written, and one for each edit that
// is certainly needed. They suit a channel that keeps most symbols.
var (
	outlook = semiring.NewScaled(.4)
	mishap  = semiring.NewScaled(.2)
)

// heuristic estimates the probability that the rest of a string y is written, by a channel that
// keeps most symbols.
type heuristic struct {
	rest    []symbols              // per number of symbols written: the symbols after them
	outlook []semiring.ScaledFloat // per number of symbols to be written
	mishap  []semiring.ScaledFloat // per number of edits
}

func newHeuristic(y []int32) *heuristic {
	h := &heuristic{rest: make([]symbols, len(y)+1)}
	for n := range h.rest {
		h.rest[n] = symbolsOf(y[n:])
	}
	h.outlook, h.mishap = powers(outlook, len(y)), powers(mishap, maxMishaps)
	return h
}

// maxMishaps is the largest number of certain edits that the heuristic counts.
const maxMishaps = 10

// powers returns p⁰ … pⁿ.
func powers(p semiring.ScaledFloat, n int) []semiring.ScaledFloat {
	all := make([]semiring.ScaledFloat, n+1)
	all[0] = semiring.NewScaled(1)
	for i := range n {
		all[i+1] = all[i].Mul(p)
	}
	return all
}

// of returns the estimate for the endings e after written symbols of y.
func (h *heuristic) of(e *endings, written int32) semiring.ScaledFloat {
	return h.outlook[len(h.outlook)-1-int(written)].Mul(h.mishap[min(h.edits(e, written), maxMishaps)])
}

// edits returns a lower bound on the number of edits still to come. One edit removes at most one
// symbol that is only in the word, one that is only in y, and one symbol of a difference in length.
func (h *heuristic) edits(e *endings, written int32) int32 {
	rest := h.rest[written]
	n := int32(len(h.rest)-1) - written
	return max(rest.less(e.some), e.every.less(rest), n-e.most, e.least-n)
}

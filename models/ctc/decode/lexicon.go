package decode

import (
	"cmp"
	"math"
	"slices"

	"example.org/pathsum/internal/nested"
)

// Entry is a way to spell or pronounce a word. Several entries may have the same Word: its
// variants, which are one word in texts.
type Entry struct {
	Word   string
	Labels []int32 // labels that the topology writes, at least one
	// Symbol is the word in Options.Language or Options.Machine. 0 means Options.Unknown.
	Symbol int32
	// LogWeight, in nats, is added each time the word is read with this spelling.
	LogWeight float64
}

// lexicon is the prefix tree of the entries. Node 0 is the root.
type lexicon struct {
	words  []word
	row    []int32 // children of node n: child[row[n]:row[n+1]], by label
	child  []child
	ends   []int32 // entries that end at node n: ended[ends[n]:ends[n+1]]
	ended  []ended
	ahead  []float64 // per node: the best a priori logarithm of a word below it
	labels int       // the number of labels of the longest entry
}

type word struct {
	name   string
	symbol int32
}

type child struct{ label, node int32 }

type ended struct {
	word   int32
	label  int32   // the last label
	logp   float64 // the weights of the entry
	weight weight
}

func (x *lexicon) nodes() int { return len(x.row) - 1 }

func (x *lexicon) children(node int32) []child { return x.child[x.row[node]:x.row[node+1]] }

func (x *lexicon) wordsAt(node int32) []ended { return x.ended[x.ends[node]:x.ends[node+1]] }

// under returns the child of a node by a label, −1 if there is none.
func (x *lexicon) under(node, label int32) int32 {
	c := x.children(node)
	i, ok := slices.BinarySearchFunc(c, label, func(c child, label int32) int { return cmp.Compare(c.label, label) })
	if !ok {
		return -1
	}
	return c[i].node
}

// newLexicon makes the tree. bonus holds the bonuses of hot words by name.
func newLexicon(entries []Entry, labels int32, separates func(label int32) bool, bonus map[string]float64) (*lexicon, error) {
	x := &lexicon{}
	number := map[string]int32{}
	type spelt struct {
		labels []int32
		ended
	}
	all := make([]spelt, len(entries))
	for i, e := range entries {
		fault := func(format string, args ...any) error {
			return nested.Errorf("decode: lexicon: entry %d, %q: %w: "+format, append([]any{i, e.Word, ErrInvalid}, args...)...)
		}
		switch {
		case e.Word == "":
			return nil, fault("no word")
		case len(e.Labels) == 0:
			return nil, fault("no labels")
		case e.Symbol < 0:
			return nil, fault("symbol %d, want a number ≥ 0", e.Symbol)
		case math.IsNaN(e.LogWeight) || math.IsInf(e.LogWeight, 1):
			return nil, fault("a weight of %v nats", e.LogWeight)
		}
		for _, l := range e.Labels {
			if l < 1 || l > labels {
				return nil, fault("label %d, want 1 to %d", l, labels)
			}
			if separates(l) {
				return nil, fault("label %d is a separator", l)
			}
		}
		w, ok := number[e.Word]
		if !ok {
			w = int32(len(x.words))
			number[e.Word] = w
			x.words = append(x.words, word{e.Word, e.Symbol})
		} else if x.words[w].symbol != e.Symbol {
			return nil, fault("symbol %d, and %d in an earlier entry", e.Symbol, x.words[w].symbol)
		}
		all[i] = spelt{e.Labels, ended{word: w, label: e.Labels[len(e.Labels)-1], logp: e.LogWeight + bonus[e.Word]}}
	}
	slices.SortStableFunc(all, func(a, b spelt) int {
		return cmp.Or(slices.Compare(a.labels, b.labels), cmp.Compare(a.word, b.word))
	})
	// Breadth first, a node is a range of entries that agree in their first labels.
	type span struct{ lo, hi, depth int }
	queue := []span{{0, len(all), 0}}
	x.row, x.ends = append(x.row, 0), append(x.ends, 0)
	for n := 0; n < len(queue); n++ {
		s := queue[n]
		i := s.lo
		for ; i < s.hi && len(all[i].labels) == s.depth; i++ {
			if i > s.lo && all[i].word == all[i-1].word {
				return nil, nested.Errorf("decode: lexicon: %w: the word %q twice with the same labels %v", ErrInvalid, x.words[all[i].word].name, all[i].labels)
			}
			x.ended = append(x.ended, all[i].ended)
		}
		for i < s.hi {
			j := i
			for l := all[i].labels[s.depth]; j < s.hi && all[j].labels[s.depth] == l; j++ {
			}
			x.child = append(x.child, child{all[i].labels[s.depth], int32(len(queue))})
			queue = append(queue, span{i, j, s.depth + 1})
			x.labels = max(x.labels, s.depth+1)
			i = j
		}
		x.row, x.ends = append(x.row, int32(len(x.child))), append(x.ends, int32(len(x.ended)))
	}
	return x, nil
}

// lookAhead sets ahead; prior returns the logarithm of the weight of a word without context.
func (x *lexicon) lookAhead(prior func(symbol int32) float64) {
	n := x.nodes()
	x.ahead = make([]float64, n)
	for s := n - 1; s >= 0; s-- {
		best := math.Inf(-1)
		for _, e := range x.wordsAt(int32(s)) {
			best = max(best, e.logp+prior(x.words[e.word].symbol))
		}
		for _, c := range x.children(int32(s)) {
			best = max(best, x.ahead[c.node])
		}
		x.ahead[s] = best
	}
}

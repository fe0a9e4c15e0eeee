package ngram

import (
	"cmp"
	"slices"

	"example.org/pathsum/internal/keytable"
)

// trie holds n-grams. Node 0 is the empty n-gram. An n-gram comes after the n-gram without its last
// symbol and the n-gram without its first symbol; both are in the trie.
type trie struct {
	steps keytable.Table[uint64] // per node: the n-gram before the last symbol (−1: root); the symbol
	nodes []node
}

type node struct {
	suffix int32 // the n-gram without its first symbol
	length int32
	tally  int32 // 1 + the index of its tally, 0 if it has no tally
}

func newTrie() trie {
	t := trie{nodes: make([]node, 1)}
	t.steps.List(keytable.Pair(-1, 0))
	return t
}

// step returns n-gram k without its last symbol, −1 for the empty one, and that symbol.
func (t *trie) step(k int32) (context, symbol int32) { return keytable.Unpair(t.steps.Keys()[k]) }

// find returns the n-gram consisting of a context and a symbol, 0 if it is not in the trie.
func (t *trie) find(context, symbol int32) int32 {
	return max(0, t.steps.Find(keytable.Pair(context, symbol)))
}

// child returns the n-gram consisting of a context and a symbol. It is added if necessary.
func (t *trie) child(context, symbol int32) int32 {
	if k := t.find(context, symbol); k > 0 {
		return k
	}
	suffix := int32(0)
	if context > 0 {
		suffix = t.child(t.nodes[context].suffix, symbol)
	}
	t.nodes = append(t.nodes, node{suffix: suffix, length: t.nodes[context].length + 1})
	k, _ := t.steps.Number(keytable.Pair(context, symbol))
	return k
}

// layout is the n-grams of a trie in the order of a Model.
type layout struct {
	level  []int32 // length m has level[m] … level[m+1]
	first  []int32 // the n-grams of context i and a symbol: first[i] … first[i+1], by symbol
	symbol []int32 // last symbol
	suffix []int32 // the n-gram without its first symbol
	tally  []int32 // as in node
}

func (t *trie) layout() *layout {
	n := len(t.nodes)
	l := &layout{
		first: make([]int32, n+1), symbol: make([]int32, n), suffix: make([]int32, n), tally: make([]int32, n),
	}
	longest := int32(0)
	for i := range t.nodes {
		longest = max(longest, t.nodes[i].length)
	}
	l.level = make([]int32, longest+2)
	for i := range t.nodes {
		l.level[t.nodes[i].length+1]++
	}
	for m := range longest + 1 {
		l.level[m+1] += l.level[m]
	}
	byLength, fill := make([]int32, n), slices.Clone(l.level)
	for i := range t.nodes {
		m := t.nodes[i].length
		byLength[fill[m]] = int32(i)
		fill[m]++
	}
	place := make([]int32, n) // place[k] is the position of node k
	var order []ranked
	for m := range longest + 1 {
		order = order[:0]
		for _, k := range byLength[l.level[m]:l.level[m+1]] {
			context, symbol := t.step(k)
			order = append(order, ranked{place[max(context, 0)], symbol, k})
		}
		slices.SortFunc(order, compareRanks)
		for j, r := range order {
			i, x := l.level[m]+int32(j), &t.nodes[r.node]
			place[r.node] = i
			l.symbol[i], l.suffix[i], l.tally[i] = r.symbol, place[x.suffix], x.tally
			if m > 0 {
				l.first[r.context+1]++
			}
		}
	}
	l.first[0] = 1
	for i := range n {
		l.first[i+1] += l.first[i]
	}
	return l
}

// model returns a model of these n-grams without numbers.
func (l *layout) model(order int, vocabulary int32) *Model {
	contexts := numContexts(order, l.level)
	return &Model{
		order: order, vocabulary: vocabulary, level: l.level, first: l.first[:contexts+1], symbol: l.symbol,
		logp: make([]float64, len(l.symbol)), backoff: make([]float64, contexts),
	}
}

// numContexts returns how many n-grams are shorter than the order.
func numContexts(order int, level []int32) int32 { return level[min(order, len(level)-1)] }

// ranked is a node with its sort key.
type ranked struct{ context, symbol, node int32 }

func compareRanks(a, b ranked) int {
	if a.context != b.context {
		return cmp.Compare(a.context, b.context)
	}
	return cmp.Compare(a.symbol, b.symbol)
}

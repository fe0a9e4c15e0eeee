package ngram

import "example.org/pathsum/internal/keytable"

// trie holds n-grams. Node 0 is the empty one, and an n-gram comes after those
// without its last and without its first symbol, which are there too.
type trie struct {
	steps keytable.Table[uint64] // per node: the n-gram without its last symbol, −1 for node 0, and that
	nodes []node
}

type node struct {
	suffix int32 // the n-gram without its first symbol
	length int32
	tally  int32 // 1 + the number of its tally, 0 for none
}

func newTrie() trie {
	t := trie{nodes: make([]node, 1)}
	t.steps.List(keytable.Pair(-1, 0))
	return t
}

// step returns n-gram k without its last symbol, −1 for the empty one, and that.
func (t *trie) step(k int32) (context, symbol int32) { return keytable.Unpair(t.steps.Keys()[k]) }

// find returns the n-gram that is a context and a symbol, 0 if it is not there.
func (t *trie) find(context, symbol int32) int32 {
	return max(0, t.steps.Find(keytable.Pair(context, symbol)))
}

// child returns the n-gram that is a context and a symbol, which is made if need be.
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

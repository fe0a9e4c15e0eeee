package pairgram

import "slices"

// trie numbers short strings: 0 is the empty one.
type trie struct {
	next map[step]int32
	from []step // per string: the string without its last symbol, and that
}

type step struct{ node, symbol int32 }

func newTrie() *trie { return &trie{next: map[step]int32{}, from: make([]step, 1)} }

// find returns the string of number node and one symbol more, −1 for none.
func (t *trie) find(node, symbol int32) int32 {
	if n, ok := t.next[step{node, symbol}]; ok {
		return n
	}
	return -1
}

// add is find and makes what it does not find.
func (t *trie) add(node, symbol int32) int32 {
	n := t.find(node, symbol)
	if n < 0 {
		n = int32(len(t.from))
		t.next[step{node, symbol}] = n
		t.from = append(t.from, step{node, symbol})
	}
	return n
}

// addString returns the number of s.
func (t *trie) addString(s []int32) int32 {
	node := int32(0)
	for _, symbol := range s {
		node = t.add(node, symbol)
	}
	return node
}

// str returns the string of number node.
func (t *trie) str(node int32) []int32 {
	var s []int32
	for ; node != 0; node = t.from[node].node {
		s = append(s, t.from[node].symbol)
	}
	slices.Reverse(s)
	return s
}

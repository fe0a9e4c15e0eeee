package pairgram

import (
	"slices"

	"example.org/pathsum/internal/keytable"
)

// trie numbers short strings: 0 is the empty one. Its zero value has no others.
type trie struct {
	steps keytable.Table[uint64] // per string but 0: the string without its last symbol, and that
}

// len returns the number of strings.
func (t *trie) len() int { return len(t.steps.Keys()) + 1 }

// find returns the string of number node and one symbol more, −1 for none.
func (t *trie) find(node, symbol int32) int32 {
	if n := t.steps.Find(keytable.Pair(node, symbol)); n >= 0 {
		return n + 1
	}
	return -1
}

// add is find and makes what it does not find.
func (t *trie) add(node, symbol int32) int32 {
	n, _ := t.steps.Number(keytable.Pair(node, symbol))
	return n + 1
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
	for node != 0 {
		before, symbol := keytable.Unpair(t.steps.Keys()[node-1])
		node, s = before, append(s, symbol)
	}
	slices.Reverse(s)
	return s
}

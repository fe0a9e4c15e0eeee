package ngram

// trie holds n-grams. Node 0 is the empty one, and an n-gram comes after those
// without its last and without its first symbol, which are there too.
type trie struct {
	nodes []node
	// table holds the numbers of n-grams where context and symbol are hashed to, 0
	// in empty slots. Its length is a power of 2.
	table []int32
	shift int
}

type node struct {
	context int32 // the n-gram without its last symbol
	symbol  int32 // the last symbol
	suffix  int32 // the n-gram without its first symbol
	length  int32
	tally   int32 // 1 + the number of its tally, 0 for none
}

const leastBits = 8

func newTrie() trie {
	return trie{nodes: make([]node, 1), table: make([]int32, 1<<leastBits), shift: 64 - leastBits}
}

func (t *trie) hash(context, symbol int32) uint64 {
	const multiplier = 0x9e3779b97f4a7c15
	h := (uint64(uint32(context))<<32 | uint64(uint32(symbol))) * multiplier
	return (h ^ h>>32) * multiplier >> t.shift
}

// find returns the n-gram that is a context and a symbol, 0 if it is not there.
func (t *trie) find(context, symbol int32) int32 {
	mask := uint64(len(t.table) - 1)
	for i := t.hash(context, symbol); ; i = (i + 1) & mask {
		k := t.table[i]
		if n := &t.nodes[k]; k == 0 || n.context == context && n.symbol == symbol {
			return k
		}
	}
}

// child returns the n-gram that is a context and a symbol, which is made if need be.
func (t *trie) child(context, symbol int32) int32 {
	if k := t.find(context, symbol); k > 0 {
		return k
	}
	return t.insert(context, symbol)
}

func (t *trie) insert(context, symbol int32) int32 {
	suffix := int32(0)
	if context > 0 {
		suffix = t.child(t.nodes[context].suffix, symbol)
	}
	k := int32(len(t.nodes))
	t.nodes = append(t.nodes, node{context: context, symbol: symbol, suffix: suffix, length: t.nodes[context].length + 1})
	if 2*len(t.nodes) <= len(t.table) {
		t.put(k)
		return k
	}
	t.table = make([]int32, 2*len(t.table))
	t.shift--
	for i := range t.nodes[1:] {
		t.put(int32(i + 1))
	}
	return k
}

// put enters an n-gram that is not in the table.
func (t *trie) put(k int32) {
	n, mask := &t.nodes[k], uint64(len(t.table)-1)
	i := t.hash(n.context, n.symbol)
	for t.table[i] != 0 {
		i = (i + 1) & mask
	}
	t.table[i] = k
}

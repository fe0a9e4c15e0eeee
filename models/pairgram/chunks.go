package pairgram

import (
	"cmp"
	"math"
	"slices"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/keytable"
	"example.org/pathsum/semiring"
)

// Chunk is a piece of a source string and the piece of a target string that it is
// aligned with; one of them may be empty.
type Chunk struct{ Source, Target []int32 }

// Prior returns the factor of the chunk under a length prior λ: exp(−λ(max(a,1)·max(b,1) −
// 1)) for a:b symbols.
func (c Chunk) Prior(lambda float64) float64 {
	return math.Exp(-lambda * float64(max(len(c.Source), 1)*max(len(c.Target), 1)-1))
}

// Chunks is an inventory of chunks, numbered 1, 2, …, sorted by their sources and then their
// targets. It is frozen and safe for concurrent use.
type Chunks struct {
	sizes  []Size
	all    []Chunk // all[n−1] is chunk n
	source trie
	target trie
	number *table // of source and target -> chunk
}

// newChunks returns the inventory of the given chunks, which it sorts.
func newChunks(sizes []Size, all []Chunk) *Chunks {
	slices.SortFunc(all, func(a, b Chunk) int {
		return cmp.Or(slices.Compare(a.Source, b.Source), slices.Compare(a.Target, b.Target))
	})
	c := &Chunks{sizes: sizes, all: all}
	for _, x := range all {
		c.source.addString(x.Source)
		c.target.addString(x.Target)
	}
	c.number = newTable(c.source.len(), c.target.len())
	for i, x := range all {
		c.number.set(c.source.addString(x.Source), c.target.addString(x.Target), int32(i+1))
	}
	return c
}

// findChunks returns all chunks of the given sizes that occur in a pair of positive weight.
func findChunks(pairs []Pair, sizes []Size) *Chunks {
	var source, target trie
	r := newReader(sizes)
	for i := range pairs {
		r.x.read(pairs[i].Source, source.add)
		r.y.read(pairs[i].Target, target.add)
	}
	seen := newTable(source.len(), target.len())
	var all []Chunk
	for i := range pairs {
		p := &pairs[i]
		if p.weight() == 0 {
			continue
		}
		r.x.read(p.Source, source.find)
		r.y.read(p.Target, target.find)
		for i := range len(p.Source) + 1 {
			for j := range len(p.Target) + 1 {
				for _, s := range sizes {
					if i+s.Source > len(p.Source) || j+s.Target > len(p.Target) {
						continue
					}
					if x, y := r.x.at(i, s.Source), r.y.at(j, s.Target); seen.get(x, y) == 0 {
						seen.set(x, y, 1)
						all = append(all, Chunk{source.str(x), target.str(y)})
					}
				}
			}
		}
	}
	return newChunks(sizes, all)
}

// Len returns the number of chunks.
func (c *Chunks) Len() int { return len(c.all) }

// chunk returns chunk n, 1 ≤ n ≤ Len.
func (c *Chunks) chunk(n int32) Chunk { return c.all[n-1] }

// All returns all chunks: chunk n is All()[n−1]. The slice must not be modified.
func (c *Chunks) All() []Chunk { return c.all }

// Sizes returns the sizes that chunks may have.
func (c *Chunks) Sizes() []Size { return c.sizes }

// pieces contains, for each position of a string, the numbers of the substrings of up to reach
// symbols that begin there, or −1 for unknown substrings.
type pieces struct {
	reach   int
	numbers []int32
}

// read sets the pieces of s; next returns the number of a piece extended by one symbol.
func (p *pieces) read(s []int32, next func(node, symbol int32) int32) {
	p.numbers = p.numbers[:0]
	for i := range len(s) + 1 {
		node := int32(0)
		for n := range p.reach + 1 {
			if n > 0 {
				switch {
				case node < 0 || i+n > len(s):
					node = -1
				default:
					node = next(node, s[i+n-1])
				}
			}
			p.numbers = append(p.numbers, node)
		}
	}
}

// at returns the number of the piece of n symbols that begins at position i.
func (p *pieces) at(i, n int) int32 { return p.numbers[i*(p.reach+1)+n] }

// reader reads the pieces of pairs.
type reader struct{ x, y pieces }

func newReader(sizes []Size) *reader {
	r := new(reader)
	for _, s := range sizes {
		r.x.reach, r.y.reach = max(r.x.reach, s.Source), max(r.y.reach, s.Target)
	}
	return r
}

// trie numbers short strings: 0 is the empty string. Its zero value contains the empty string only.
type trie struct {
	steps keytable.Table[uint64] // per string but 0: the prefix without its last symbol; that symbol
}

// len returns the number of strings.
func (t *trie) len() int { return len(t.steps.Keys()) + 1 }

// find returns the number of string node extended by symbol, or −1.
func (t *trie) find(node, symbol int32) int32 {
	if n := t.steps.Find(keytable.Pair(node, symbol)); n >= 0 {
		return n + 1
	}
	return -1
}

// add is find and adds the string if it is unknown.
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

// str returns the string with number node.
func (t *trie) str(node int32) []int32 {
	var s []int32
	for node != 0 {
		before, symbol := keytable.Unpair(t.steps.Keys()[node-1])
		node, s = before, append(s, symbol)
	}
	slices.Reverse(s)
	return s
}

// table maps pairs of numbers of a source and a target piece to numbers: in rows if there are few
// pairs, otherwise by hashing. A pair that was not set has 0.
type table struct {
	columns int
	dense   []int32
	pairs   keytable.Table[uint64]
	sparse  []int32 // of the pairs
}

// maxDense is the greatest number of cells of a table with rows.
const maxDense = 1 << 22

// newTable returns a table for these numbers of source and target pieces.
func newTable(sources, targets int) *table {
	t := &table{columns: targets}
	if sources*targets <= maxDense {
		t.dense = make([]int32, sources*targets)
	}
	return t
}

// get returns the number of a pair, 0 if one of the two is negative.
func (t *table) get(source, target int32) int32 {
	switch {
	case source < 0 || target < 0:
		return 0
	case t.dense != nil:
		return t.dense[int(source)*t.columns+int(target)]
	}
	if k := t.pairs.Find(keytable.Pair(source, target)); k >= 0 {
		return t.sparse[k]
	}
	return 0
}

// set sets the number of a pair.
func (t *table) set(source, target, n int32) {
	if t.dense != nil {
		t.dense[int(source)*t.columns+int(target)] = n
		return
	}
	k, fresh := t.pairs.Number(keytable.Pair(source, target))
	if fresh {
		t.sparse = append(t.sparse, 0)
	}
	t.sparse[k] = n
}

// Sources returns the transducer from sources to the numbers of chunks: it reads a string and
// writes each sequence of chunks with this source, once and with weight 1. A chunk's number is
// written with its last symbol. Chunks without a source may be written at any position, any number
// of times.
//
// Use it for models of one side of the chunks. With cascade.Conditional it is p(chunks | source); a
// cascade with the inverse of Targets (FST.Inverse) writes targets. Two such directions share the
// chunks, on which agree.Exact trains them to agree. O(symbols of the chunks) states and arcs.
func (c *Chunks) Sources() *fst.FST[float64] {
	return c.side(func(x Chunk) []int32 { return x.Source })
}

// Targets returns the transducer from targets to the numbers of chunks: Sources for the other
// side.
func (c *Chunks) Targets() *fst.FST[float64] {
	return c.side(func(x Chunk) []int32 { return x.Target })
}

// side returns the transducer from one side of the chunks to their numbers: a trie whose ends lead
// back to the root.
func (c *Chunks) side(of func(Chunk) []int32) *fst.FST[float64] {
	b := fst.NewBuilder(semiring.Real{})
	root := b.AddState()
	b.AddStart(root, 1)
	b.SetFinal(root, 1)
	type step struct{ from, symbol int32 }
	inside := map[step]int32{}
	for i, x := range c.all {
		end := fst.Arc[float64]{Out: int32(i + 1), To: root, Weight: 1}
		at := root
		if s := of(x); len(s) > 0 {
			last := len(s) - 1
			for _, symbol := range s[:last] {
				next, ok := inside[step{at, symbol}]
				if !ok {
					next = b.AddState()
					inside[step{at, symbol}] = next
					b.AddArc(at, fst.Arc[float64]{In: symbol, To: next, Weight: 1})
				}
				at = next
			}
			end.In = s[last]
		}
		b.AddArc(at, end)
	}
	f, err := b.Freeze()
	if err != nil {
		panic(err.Error()) // 2³¹ symbols; the symbols of chunks are positive
	}
	return f
}

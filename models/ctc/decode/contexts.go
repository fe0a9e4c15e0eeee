package decode

import (
	"math"

	"example.org/pathsum/internal/keytable"
	"example.org/pathsum/semiring"
)

// Symbols of texts are numbers. With L labels and W words:
//
//	1 … L             a label; with a lexicon, a separator or a letter that is spelt
//	L+1 … L+W         a word
//	L+W+1 … L+W+L     the last letter of a word that is spelt
//
// contexts number the symbols read so far: all symbols or, if contexts are merged, only the part
// that weights depend on.
type contexts struct {
	d      *Predictor
	merged bool
	guide  *guide // nil: any text

	node  []past
	tuple [3]keytable.Table[uint64] // of merged contexts: pairs of their parts
	edges keytable.Table[uint64]    // (context, symbol)
	edge  []edge
	buf   []arc
}

// past is a context: a node of the tree of texts.
type past struct {
	parent, symbol, depth  int32 // not of merged contexts
	language, letters, hot int32
	own                    int32
	place                  int32 // in the guide
}

// edge leads from a context to the next one.
type edge struct {
	to     int32
	weight weight
}

func newContexts(d *Predictor, merged bool, g *guide) *contexts {
	c := &contexts{d: d, merged: merged, guide: g}
	root := past{parent: -1, own: d.ownStart.State}
	if d.o.Language != nil {
		root.language = d.o.Language.Start()
	}
	if d.o.Letters != nil {
		root.letters = d.o.Letters.Start()
	}
	if d.hot != nil {
		root.hot = d.hot.start()
	}
	c.add(root)
	return c
}

// add returns the number of a context.
func (c *contexts) add(x past) int32 {
	if c.merged {
		a, _ := c.tuple[0].Number(keytable.Pair(x.language, x.letters))
		b, _ := c.tuple[1].Number(keytable.Pair(x.hot, x.own))
		n, fresh := c.tuple[2].Number(keytable.Pair(a, b))
		if !fresh {
			return n
		}
	}
	c.node = append(c.node, x)
	return int32(len(c.node) - 1)
}

// find returns the edge by a symbol. If the edge is not yet known, its context is x; call insert
// to add it.
func (c *contexts) find(from, symbol int32) (e edge, x past, known bool) {
	if k := c.edges.Find(keytable.Pair(from, symbol)); k >= 0 {
		return c.edge[k], past{}, true
	}
	e, x = c.make(from, symbol)
	return e, x, false
}

// insert adds an edge, and its context unless it is impossible. It returns the context.
func (c *contexts) insert(from, symbol int32, e edge, x past) int32 {
	c.edges.Number(keytable.Pair(from, symbol))
	e.to = c.add(x)
	c.edge = append(c.edge, e)
	return e.to
}

// make returns an edge, −1 if the symbol is not possible, and its context.
func (c *contexts) make(from, symbol int32) (edge, past) {
	d, labels := c.d, c.d.topology.labels
	x := c.node[from]
	if !c.merged {
		x.parent, x.symbol, x.depth = from, symbol, x.depth+1
	}
	if c.guide != nil {
		if x.place = c.guide.next(x.place, symbol); x.place < 0 {
			return edge{to: -1}, x
		}
	}
	logp, w := 0.0, semiring.NewScaled(1)
	reads := int32(-1) // the symbol of Language and Machine
	switch {
	case d.lexicon == nil:
		reads = symbol
		logp += d.o.WordBonus
		if d.hot != nil {
			var bonus float64
			x.hot, bonus = d.hot.step(x.hot, symbol)
			logp += bonus
		}
	case symbol <= labels:
		if !d.separates(symbol) {
			var p float64
			x.letters, p = d.o.Letters.Step(x.letters, symbol)
			logp += p
		}
	case symbol > labels+int32(len(d.lexicon.words)):
		next, p := d.o.Letters.Step(x.letters, symbol-labels-int32(len(d.lexicon.words)))
		_, end := d.o.Letters.Step(next, 0)
		x.letters = d.o.Letters.Start()
		logp += p + end + d.o.LettersWeight + d.o.WordBonus
		reads = d.o.Unknown
	default:
		logp += d.o.WordBonus
		if reads = d.lexicon.words[symbol-labels-1].symbol; reads == 0 {
			reads = d.o.Unknown
		}
	}
	if reads >= 0 && d.o.Language != nil {
		var p float64
		x.language, p = d.o.Language.Step(x.language, reads)
		logp += d.scale * p
	}
	if reads >= 0 && d.own != nil {
		c.buf = d.own.find(c.buf[:0], x.own, reads)
		if len(c.buf) == 0 {
			return edge{to: -1}, x
		}
		x.own = c.buf[0].To
		w = c.buf[0].Weight
	}
	if math.IsInf(logp, -1) {
		return edge{to: -1}, x
	}
	return edge{0, w.Mul(semiring.ScaledFromLog(logp))}, x
}

// final returns the weight of a text that ends in a context.
func (c *contexts) final(n int32) weight {
	d, x := c.d, &c.node[n]
	if c.guide != nil && !c.guide.end[x.place] {
		return weight{}
	}
	logp, w := 0.0, semiring.NewScaled(1)
	if d.o.Language != nil {
		_, p := d.o.Language.Step(x.language, 0)
		logp += d.scale * p
	}
	if d.hot != nil {
		logp += d.hot.end(x.hot)
	}
	if d.own != nil {
		w = d.own.Final(x.own)
	}
	return w.Mul(semiring.ScaledFromLog(logp))
}

// symbols returns the symbols that lead to a context, not merged, from the root.
func (c *contexts) symbols(n int32) []int32 {
	s := make([]int32, c.node[n].depth-c.node[0].depth)
	for i := len(s) - 1; i >= 0; i-- {
		s[i] = c.node[n].symbol
		n = c.node[n].parent
	}
	return s
}

// common returns the last context that both contexts begin with.
func (c *contexts) common(a, b int32) int32 {
	for a != b {
		if c.node[a].depth > c.node[b].depth {
			a = c.node[a].parent
		} else {
			b = c.node[b].parent
		}
	}
	return a
}

// retain keeps the contexts of a list and all contexts between them and root, the context that
// all of them begin with. It returns the new numbers by the old ones.
func (c *contexts) retain(root int32, used []int32) []int32 {
	number := make([]int32, len(c.node))
	for i := range number {
		number[i] = -1
	}
	number[root] = 0
	for _, n := range used {
		for ; number[n] < 0; n = c.node[n].parent {
			number[n] = 0
		}
	}
	kept := []past{c.node[root]} // parents come before their children
	kept[0].parent, kept[0].symbol = -1, 0
	for n := range c.node {
		if number[n] == 0 && int32(n) != root {
			x := c.node[n]
			x.parent = number[x.parent]
			number[n] = int32(len(kept))
			kept = append(kept, x)
		}
	}
	keys, edges := c.edges.Keys(), c.edge
	var table keytable.Table[uint64]
	c.edge = nil
	for k, key := range keys {
		from, symbol := keytable.Unpair(key)
		to := edges[k].to
		if number[from] >= 0 && number[to] > 0 {
			table.Number(keytable.Pair(number[from], symbol))
			c.edge = append(c.edge, edge{number[to], edges[k].weight})
		}
	}
	c.edges, c.node = table, kept
	return number
}

// guide is the prefix tree of the allowed texts.
type guide struct {
	keys keytable.Table[uint64]
	end  []bool // per node
}

func newGuide(texts [][]int32) *guide {
	g := &guide{end: []bool{false}}
	for _, symbols := range texts {
		n := int32(0)
		for _, s := range symbols {
			k, fresh := g.keys.Number(keytable.Pair(n, s))
			if fresh {
				g.end = append(g.end, false)
			}
			n = k + 1
		}
		g.end[n] = true
	}
	return g
}

func (g *guide) next(n, symbol int32) int32 {
	if k := g.keys.Find(keytable.Pair(n, symbol)); k >= 0 {
		return k + 1
	}
	return -1
}

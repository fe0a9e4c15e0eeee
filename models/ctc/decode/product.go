package decode

import (
	"example.org/pathsum/internal/keytable"
	"example.org/pathsum/semiring"
)

// product is the composition of a topology, a lexicon and what predicts texts, made as it is
// asked for. A state is a state of the topology, a position among the words, and a context.
//
// Positions are the nodes of the lexicon, and in a lexicon with N nodes and S separators
//
//	N                after a word
//	N+1 … N+S        after a separator
//	N+S+1+n          in a word that is spelt, with node n of the lexicon; N: no node
//
// Without a lexicon 0 is the only position. A word that is spelt has the letters of no word of
// the lexicon.
//
// The output label of an arc is the number, from 1, of an event: a label and the symbol
// that it completes, 0 if it completes none. 0: the arc writes no label.
type product struct {
	d *Decoder
	*contexts
	places keytable.Table[uint64] // (state of the topology, position)
	states keytable.Table[uint64] // (place, context)
	events keytable.Table[uint64] // (label, symbol)
	arcs   []arc
}

func newProduct(d *Decoder, merged bool, g *guide) *product {
	return &product{d: d, contexts: newContexts(d, merged, g)}
}

// Semiring returns the ring of sums of probabilities.
func (*product) Semiring() semiring.Semiring[weight] { return semiring.Scaled{} }

// state returns the number of a state.
func (p *product) state(topology, position, context int32) int32 {
	place, _ := p.places.Number(keytable.Pair(topology, position))
	n, _ := p.states.Number(keytable.Pair(place, context))
	return n
}

// parts returns what state returned the number of.
func (p *product) parts(state int32) (topology, position, context int32) {
	place, context := keytable.Unpair(p.states.Keys()[state])
	topology, position = keytable.Unpair(p.places.Keys()[place])
	return topology, position, context
}

// event returns the label and the symbol of an output label > 0.
func (p *product) event(out int32) (label, symbol int32) {
	return keytable.Unpair(p.events.Keys()[out-1])
}

// AppendStarts appends the starts of the topology.
func (p *product) AppendStarts(dst []start) []start {
	n := len(dst)
	dst = p.d.topology.AppendStarts(dst)
	for i := range dst[n:] {
		x := &dst[n+i]
		x.State = p.state(x.State, 0, 0)
		if p.d.own != nil {
			x.Weight = x.Weight.Mul(p.d.ownStart.Weight)
		}
	}
	return dst
}

// isEnd reports whether a text may end at a position.
func (d *Decoder) isEnd(position int32) bool {
	if d.lexicon == nil || position == 0 {
		return true
	}
	n := int32(d.lexicon.nodes())
	return position >= n && position <= n+int32(len(d.o.Separators))
}

// Final returns the weight with which the text ends.
func (p *product) Final(s int32) weight {
	topology, position, context := p.parts(s)
	if !p.d.isEnd(position) {
		return weight{}
	}
	return p.d.topology.Final(topology).Mul(p.final(context))
}

// heuristic returns the estimate for the word that is being read.
func (p *product) heuristic(s int32) weight {
	_, position, context := p.parts(s)
	d := p.d
	if d.lexicon == nil {
		if d.hot == nil {
			return semiring.NewScaled(1)
		}
		return semiring.ScaledFromLog(d.hot.credit[p.node[context].hot])
	}
	n, gaps := int32(d.lexicon.nodes()), int32(len(d.o.Separators))
	switch {
	case position == 0 || position >= n && position <= n+gaps:
		return semiring.NewScaled(1)
	case position < n:
		return d.ahead[position]
	}
	return d.spelt
}

// AppendArcs appends the arcs of a state: those that go on in the same label, and those that
// write one.
func (p *product) AppendArcs(dst []arc, s int32) []arc {
	at, position, context := p.parts(s)
	t := p.d.topology
	p.arcs = t.find(p.arcs[:0], at, 0)
	for _, a := range p.arcs {
		dst = append(dst, arc{In: a.In, To: p.state(a.To, position, context), Weight: a.Weight})
	}
	if p.d.lexicon == nil {
		return p.appendLabels(dst, at, context)
	}
	n, gaps := int32(p.d.lexicon.nodes()), int32(len(p.d.o.Separators))
	switch {
	case position == 0:
		dst = p.appendSeparators(dst, at, context, 0)
		dst = p.appendLetters(dst, at, context, 0)
		return p.appendSpelt(dst, at, context, 0)
	case position < n:
		return p.appendLetters(dst, at, context, position)
	case position > n+gaps:
		return p.appendSpelt(dst, at, context, position-n-gaps-1)
	case position > n || gaps == 0:
		dst = p.appendSeparators(dst, at, context, position-n)
		dst = p.appendLetters(dst, at, context, 0)
		return p.appendSpelt(dst, at, context, 0)
	}
	return p.appendSeparators(dst, at, context, 0)
}

// appendLabels appends the arcs of a topology's state that write a label, without a lexicon.
func (p *product) appendLabels(dst []arc, at, context int32) []arc {
	t := p.d.topology
	if p.guide == nil {
		p.arcs = p.arcs[:0]
		if t.finder != nil {
			p.arcs = t.AppendArcs(p.arcs, at)
		} else {
			p.arcs = append(p.arcs, t.arcs[t.row[at]:t.row[at+1]]...)
		}
		for _, a := range p.arcs {
			if a.Out != 0 {
				dst = p.appendStep(dst, a, 0, context, a.Out)
			}
		}
		return dst
	}
	for l := int32(1); l <= t.labels; l++ {
		if p.guide.next(p.node[context].place, l) >= 0 {
			dst = p.appendAll(dst, at, 0, context, l, l)
		}
	}
	return dst
}

// appendStep appends an arc of the topology that writes a label, which completes a symbol.
func (p *product) appendStep(dst []arc, a arc, position, context, symbol int32) []arc {
	w := a.Weight
	if symbol > 0 {
		e := p.step(context, symbol)
		if e.to < 0 {
			return dst
		}
		context, w = e.to, w.Mul(e.weight)
	}
	event, _ := p.events.Number(keytable.Pair(a.Out, symbol))
	return append(dst, arc{In: a.In, Out: event + 1, To: p.state(a.To, position, context), Weight: w})
}

// appendAll appends the arcs by all arcs of the topology that write a label.
func (p *product) appendAll(dst []arc, at, position, context, label, symbol int32) []arc {
	p.arcs = p.d.topology.find(p.arcs[:0], at, label)
	for _, a := range p.arcs {
		dst = p.appendStep(dst, a, position, context, symbol)
	}
	return dst
}

// appendSeparators appends the arcs for separators, but for the one of the given number.
func (p *product) appendSeparators(dst []arc, at, context, but int32) []arc {
	n := int32(p.d.lexicon.nodes())
	for i, l := range p.d.o.Separators {
		if int32(i+1) != but {
			dst = p.appendAll(dst, at, n+int32(i+1), context, l, l)
		}
	}
	return dst
}

// appendLetters appends the arcs that go on in the lexicon from a node.
func (p *product) appendLetters(dst []arc, at, context, node int32) []arc {
	x, labels := p.d.lexicon, p.d.topology.labels
	for _, c := range x.children(node) {
		p.arcs = p.d.topology.find(p.arcs[:0], at, c.label)
		for _, a := range p.arcs {
			if len(x.children(c.node)) > 0 {
				dst = p.appendStep(dst, a, c.node, context, 0)
			}
			for _, e := range x.wordsAt(c.node) {
				a := a
				a.Weight = a.Weight.Mul(e.weight)
				dst = p.appendStep(dst, a, int32(x.nodes()), context, labels+1+e.word)
			}
		}
	}
	return dst
}

// appendSpelt appends the arcs of a word that is spelt: it goes on, or ends.
func (p *product) appendSpelt(dst []arc, at, context, node int32) []arc {
	d := p.d
	if d.o.Letters == nil {
		return dst
	}
	x, n := d.lexicon, int32(d.lexicon.nodes())
	spelt := n + int32(len(d.o.Separators)) + 1
	for l := int32(1); l <= d.topology.labels; l++ {
		if d.separates(l) {
			continue
		}
		to := n
		if node < n {
			if to = x.under(node, l); to < 0 {
				to = n
			}
		}
		p.arcs = d.topology.find(p.arcs[:0], at, l)
		for _, a := range p.arcs {
			dst = p.appendStep(dst, a, spelt+to, context, l)
			if to == n || len(x.wordsAt(to)) == 0 {
				dst = p.appendStep(dst, a, n, context, d.topology.labels+int32(len(x.words))+l)
			}
		}
	}
	return dst
}

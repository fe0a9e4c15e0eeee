package decode

import (
	"example.org/pathsum/internal/keytable"
	"example.org/pathsum/semiring"
)

// product is the composition of a topology, a lexicon and the models of texts, made on demand. A
// state is a state of the topology, a position among the words, and a context.
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
// The output label of an arc encodes which of the L labels is written, and which symbol it
// completes:
//
//	0            no label
//	l            label l, and no symbol
//	L+l          label l, and the symbol l
//	2L+l         label l, the last of a word that is spelt
//	3L+1+i       the last label of the lexicon's word that ends by ended[i]
type product struct {
	d *Predictor
	*contexts
	places keytable.Table[uint64] // (state of the topology, position); not used if positions > 0
	states keytable.Table[uint64] // (place, context)
	arcs   []arc

	emission []weight // of AppendChosen; nil if all arcs are requested
	least    weight
	lost     weight
}

func newProduct(d *Predictor, merged bool, g *guide) *product {
	return &product{d: d, contexts: newContexts(d, merged, g)}
}

// Semiring returns the ring of sums of probabilities.
func (*product) Semiring() semiring.Semiring[weight] { return semiring.Scaled{} }

// state returns the number of a state.
func (p *product) state(topology, position, context int32) int32 {
	n, _ := p.states.Number(keytable.Pair(p.place(topology, position), context))
	return n
}

// place returns the number of a state of the topology with a position.
func (p *product) place(topology, position int32) int32 {
	if p.d.positions > 0 {
		return topology*p.d.positions + position
	}
	n, _ := p.places.Number(keytable.Pair(topology, position))
	return n
}

// parts is the inverse of state.
func (p *product) parts(state int32) (topology, position, context int32) {
	place, context := keytable.Unpair(p.states.Keys()[state])
	if n := p.d.positions; n > 0 {
		return place / n, place % n, context
	}
	topology, position = keytable.Unpair(p.places.Keys()[place])
	return topology, position, context
}

// event returns the label and the symbol of an output label > 0.
func (p *product) event(out int32) (label, symbol int32) {
	labels := p.d.topology.labels
	switch kind := (out - 1) / labels; kind {
	case 0:
		return out, 0
	case 1:
		return out - labels, out - labels
	case 2:
		label = out - 2*labels
		return label, label + labels + int32(len(p.d.lexicon.words))
	}
	e := &p.d.lexicon.ended[out-3*labels-1]
	return e.label, labels + 1 + e.word
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
func (d *Predictor) isEnd(position int32) bool {
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

// heuristic returns the estimate for the current word.
func (p *product) heuristic(s int32) weight {
	_, position, context := p.parts(s)
	return p.estimate(position, p.node[context].hot)
}

// estimate is the heuristic at a position, and in a state of hot words.
func (p *product) estimate(position, hot int32) weight {
	d := p.d
	switch {
	case d.hot != nil:
		return d.credit[hot]
	case d.lexicon == nil:
		return semiring.NewScaled(1)
	case int(position) < len(d.ahead):
		return d.ahead[position]
	}
	return d.spelt
}

// AppendArcs appends all arcs of a state.
func (p *product) AppendArcs(dst []arc, s int32) []arc {
	p.emission = nil
	return p.append(dst, s)
}

// AppendChosen implements frames.Chooser. It omits arcs that are too weak and lead to a new
// context or a new state of the lexicon.
func (p *product) AppendChosen(dst []arc, s int32, emission []weight, least weight) ([]arc, weight) {
	p.emission, p.least, p.lost = emission, least, weight{}
	dst = p.append(dst, s)
	return dst, p.lost
}

// append appends the arcs of a state: the arcs that continue the same label, and the arcs that
// write a label.
func (p *product) append(dst []arc, s int32) []arc {
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
				dst = p.appendStep(dst, a, 0, context, a.Out, a.Out+t.labels)
			}
		}
		return dst
	}
	for l := int32(1); l <= t.labels; l++ {
		if p.guide.next(p.node[context].place, l) >= 0 {
			dst = p.appendAll(dst, at, 0, context, l)
		}
	}
	return dst
}

// appendStep appends an arc of the topology that writes a label and completes a symbol, 0 if it
// completes no symbol; out is its output label.
func (p *product) appendStep(dst []arc, a arc, position, context, symbol, out int32) []arc {
	w, emitted := a.Weight, a.Weight
	if p.emission != nil {
		if emitted = w.Mul(p.emission[a.In-1]); emitted.IsZero() {
			return dst
		}
	}
	if symbol > 0 {
		e, x, known := p.find(context, symbol)
		if e.to < 0 {
			return dst
		}
		w, emitted = w.Mul(e.weight), emitted.Mul(e.weight)
		if !known {
			if p.emission != nil && emitted.Mul(p.estimate(position, x.hot)).Cmp(p.least) < 0 {
				p.lost = p.lost.Add(emitted)
				return dst
			}
			e.to = p.insert(context, symbol, e, x)
		}
		return append(dst, arc{In: a.In, Out: out, To: p.state(a.To, position, e.to), Weight: w})
	}
	key := keytable.Pair(p.place(a.To, position), context)
	to := int32(-1)
	if p.emission != nil {
		// An arc to a known state is kept unless it is far too weak.
		if score := emitted.Mul(p.d.ahead[position]); score.Cmp(p.least) < 0 {
			if score.Mul(negligible).Cmp(p.least) >= 0 {
				to = p.states.Find(key)
			}
			if to < 0 {
				p.lost = p.lost.Add(emitted)
				return dst
			}
		}
	}
	if to < 0 {
		to, _ = p.states.Number(key)
	}
	return append(dst, arc{In: a.In, Out: out, To: to, Weight: w})
}

// negligible is the ratio of the score that a state requires to the score of an arc that is
// ignored.
var negligible = semiring.NewScaled(1 << 12)

// appendAll appends the arcs by all arcs of the topology that write a label, which is a symbol.
func (p *product) appendAll(dst []arc, at, position, context, label int32) []arc {
	p.arcs = p.d.topology.find(p.arcs[:0], at, label)
	for _, a := range p.arcs {
		dst = p.appendStep(dst, a, position, context, label, label+p.d.topology.labels)
	}
	return dst
}

// appendSeparators appends the arcs for all separators except the one with number but.
func (p *product) appendSeparators(dst []arc, at, context, but int32) []arc {
	n := int32(p.d.lexicon.nodes())
	for i, l := range p.d.o.Separators {
		if int32(i+1) != but {
			dst = p.appendAll(dst, at, n+int32(i+1), context, l)
		}
	}
	return dst
}

// appendLetters appends the arcs that continue in the lexicon from a node.
func (p *product) appendLetters(dst []arc, at, context, node int32) []arc {
	x, labels := p.d.lexicon, p.d.topology.labels
	for _, c := range x.children(node) {
		p.arcs = p.d.topology.find(p.arcs[:0], at, c.label)
		for _, a := range p.arcs {
			if len(x.children(c.node)) > 0 {
				dst = p.appendStep(dst, a, c.node, context, 0, c.label)
			}
			for i := x.ends[c.node]; i < x.ends[c.node+1]; i++ {
				e, ending := &x.ended[i], a
				ending.Weight = a.Weight.Mul(e.weight)
				dst = p.appendStep(dst, ending, int32(x.nodes()), context, labels+1+e.word, 3*labels+1+i)
			}
		}
	}
	return dst
}

// appendSpelt appends the arcs of a word that is spelt: arcs that continue the word, and arcs
// that end it.
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
			dst = p.appendStep(dst, a, spelt+to, context, l, l+d.topology.labels)
			if to == n || len(x.wordsAt(to)) == 0 {
				dst = p.appendStep(dst, a, n, context, d.topology.labels+int32(len(x.words))+l, l+2*d.topology.labels)
			}
		}
	}
	return dst
}

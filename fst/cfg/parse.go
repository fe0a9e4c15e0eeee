package cfg

import (
	"cmp"
	"slices"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/named"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring/forest"
)

// Kind is the kind of an Item.
type Kind uint8

// The kinds.
const (
	All     Kind = iota // a derivation of a path from a start to a final state
	Ending              // the start symbol derives a path from a start to To
	Whole               // the nonterminal Of derives a path From … To
	Part                // a machine of right-hand sides has reached state Of with a path From … To
	Skipped             // a Part after arcs without a label, before the next label
	Word                // an arc from From to To reads the terminal Of
	wanted              // some right-hand side may continue with the nonterminal Of at From
)

// String returns the name of k.
func (k Kind) String() string {
	return named.One(k, "Kind", "all", "ending", "whole", "part", "skipped", "word", "wanted")
}

// Item is a node of the forest of a lattice: From and To are states of the lattice. The
// states of the machines of nonterminals are numbered one machine after the other, in the
// order of their labels.
type Item struct {
	Kind         Kind
	Of, From, To int32
}

// Parses contains all derivations of all paths of a lattice by a grammar. A tree of the forest is
// one derivation of one path; its weight is the product of their weights. An edge of an Item of
// kind Word is an arc of the lattice; other edges have weights of the grammar. So a sum over trees
// is a sum over pairs of a derivation and a path of its string, and the best tree is the best such
// pair.
type Parses[W any] struct {
	forest.Chart[Item, W]
}

// Parse returns the derivations of the lattice's input strings: the composition of the grammar and
// the lattice, which is a grammar again (Bar-Hillel, Perles & Shamir 1961), as the forest of its
// trees. So a grammar can be a stage before machines that read its output, as a source is before a
// channel: the lattice is then the composition of these machines and the observation. A sentence is
// a lattice of one path.
//
// The lattice may have cycles, and arcs without labels; rules may be unary or empty. If either
// leads to infinitely many derivations, the forest has cycles, whose sums may diverge. Parse does
// not multiply weights, so with weights of an expr.Space it makes no new expressions. Nonterminals
// are tried only at states where some derivation may need them (Earley 1970). With n states, this
// takes up to n² items per state of a right-hand side, and n³ edges. At most o.Limit items are
// made; 0 stands for 2²². A lattice that is not frozen is expanded first, by fst.Expand with o.
//
// The error wraps fst.ErrMismatch if rings or symbols differ, and semiring.ErrLimit.
func (g *Grammar[W]) Parse(lattice fst.Machine[W], o *fst.Options) (*Parses[W], error) {
	nonnil.Check("cfg: Parse", "lattice", lattice)
	if err := fst.Err[W](fst.Compose(g.parts[0], lattice)); err != nil {
		return nil, nested.Errorf("cfg: Parse: %w", err)
	}
	frozen, ok := lattice.(*fst.FST[W])
	if !ok {
		var err error
		if frozen, err = fst.Expand(lattice, o); err != nil {
			return nil, nested.Errorf("cfg: Parse: %w", err)
		}
	}
	p := newParser(g, frozen)
	if o != nil && o.Limit > 0 {
		p.MaxItems = o.Limit
	}
	c, err := p.Run(Item{Kind: All})
	if err != nil {
		return nil, nested.Errorf("cfg: %w", err)
	}
	return &Parses[W]{*c}, nil
}

// Words returns the terminals that a tree of the forest reads, from left to right. edges contains
// the edges of the tree in preorder.
func (p *Parses[W]) Words(edges []int32) []int32 {
	var words []int32
	for _, e := range edges {
		if item := p.Head(e); item.Kind == Word {
			words = append(words, item.Of)
		}
	}
	return words
}

// Node is a node of a derivation: a nonterminal with its children, or a terminal.
type Node struct {
	Label    int32
	Terminal bool
	From, To int32 // states of the lattice
	Children []*Node
}

// Tree returns the derivation that a tree of the forest stands for, rooted at the start symbol.
// edges contains the edges of the tree in preorder. Tree returns nil if there are none.
func (p *Parses[W]) Tree(edges []int32) *Node {
	top := forest.Fold(p.Forest, edges, func(e int32, below [][]*Node) []*Node {
		nodes := slices.Concat(below...)
		switch item := p.Head(e); item.Kind {
		case Word:
			return []*Node{{Label: item.Of, Terminal: true, From: item.From, To: item.To}}
		case Whole:
			return []*Node{{Label: item.Of, From: item.From, To: item.To, Children: nodes}}
		}
		return nodes
	})
	if len(top) == 0 {
		return nil
	}
	return top[0]
}

// parser is the deduction of one forest.
type parser[W any] struct {
	*forest.Deduction[Item, W]
	g       *Grammar[W]
	one     W
	labels  []int32        // of nonterminals, by number
	first   []int32        // by number of a nonterminal: the number of its machine's state 0
	owner   []int32        // by the number of a state: the number of its nonterminal
	reads   [][]step       // by state of the lattice: sorted, parallel arcs merged
	skips   [][]fst.Arc[W] // by state of the lattice: the arcs without a label
	lambda  map[int32][]W  // by start state of the lattice: the start weights
	final   func(s int32) W
	callers map[call][]caller[W]
	wholes  map[call][]int32 // by nonterminal and state: the end states of its derivations
}

// step is the label and the next state of arcs of the lattice.
type step struct{ label, to int32 }

// call is a nonterminal, by its number, at a state of the lattice.
type call struct{ number, at int32 }

// caller is an item that continues at state to after a call.
type caller[W any] struct {
	item Item
	to   int32
	w    W
}

func newParser[W any](g *Grammar[W], lattice *fst.FST[W]) *parser[W] {
	p := &parser[W]{
		Deduction: forest.NewDeduction[Item](g.ring), g: g, one: g.ring.One(),
		labels: make([]int32, len(g.parts)), lambda: map[int32][]W{}, final: lattice.Final,
		callers: map[call][]caller[W]{}, wholes: map[call][]int32{},
	}
	for label, n := range g.numbers {
		p.labels[n] = label
	}
	for n, f := range g.parts {
		p.first = append(p.first, int32(len(p.owner)))
		p.owner = append(p.owner, slices.Repeat([]int32{int32(n)}, f.NumStates())...)
	}
	for s := range int32(lattice.NumStates()) {
		var reads []step
		var skips []fst.Arc[W]
		for _, a := range lattice.AppendArcs(nil, s) {
			if a.In == fst.Epsilon {
				skips = append(skips, a)
				continue
			}
			p.Derive(Item{Word, a.In, s, a.To}, a.Weight)
			reads = append(reads, step{a.In, a.To})
		}
		slices.SortFunc(reads, func(a, b step) int { return cmp.Or(cmp.Compare(a.label, b.label), cmp.Compare(a.to, b.to)) })
		p.reads, p.skips = append(p.reads, slices.Compact(reads)), append(p.skips, skips)
	}
	for _, s := range lattice.AppendStarts(nil) {
		p.lambda[s.State] = append(p.lambda[s.State], s.Weight)
		p.want(g.start, s.State)
	}
	p.Rule("predict", p.predict)
	p.Rule("read", p.read)
	p.Rule("call", p.call)
	p.Rule("complete", p.complete)
	p.Rule("end", p.end)
	return p
}

// want adds the item that nonterminal n is wanted at a state, unless it exists already.
func (p *parser[W]) want(n, at int32) {
	c := call{n, at}
	if _, ok := p.callers[c]; !ok {
		p.callers[c] = nil
		p.Derive(Item{wanted, n, at, at}, p.one)
	}
}

// predict begins the right-hand sides of a wanted nonterminal.
func (p *parser[W]) predict(a Item) {
	if a.Kind != wanted {
		return
	}
	for _, s := range p.g.parts[a.Of].AppendStarts(nil) {
		p.Derive(Item{Part, p.first[a.Of] + s.State, a.From, a.From}, s.Weight)
	}
}

// arcs yields the arcs of the state of a part, with the numbers of their next states.
func (p *parser[W]) arcs(state int32, yield func(label, to int32, w W)) {
	n := p.owner[state]
	f, first := p.g.parts[n], p.first[n]
	for _, a := range f.AppendArcs(nil, state-first) {
		yield(a.Out, first+a.To, a.Weight)
	}
}

// read advances over terminals. Arcs of the lattice without a label are taken directly before the
// next label, so that a path is read in one way only.
func (p *parser[W]) read(a Item) {
	if a.Kind != Part && a.Kind != Skipped {
		return
	}
	reads := false
	p.arcs(a.Of, func(label, to int32, w W) {
		if _, calls := p.g.numbers[label]; calls {
			return
		}
		if label == fst.Epsilon {
			if a.Kind == Part {
				p.Derive(Item{Part, to, a.From, a.To}, w, a)
			}
			return
		}
		reads = true
		steps := p.reads[a.To]
		n, _ := slices.BinarySearchFunc(steps, label, func(x step, label int32) int { return cmp.Compare(x.label, label) })
		for ; n < len(steps) && steps[n].label == label; n++ {
			p.Derive(Item{Part, to, a.From, steps[n].to}, w, a, Item{Word, label, a.To, steps[n].to})
		}
	})
	for _, x := range p.skips[a.To] {
		if reads {
			p.Derive(Item{Skipped, a.Of, a.From, x.To}, x.Weight, a)
		}
	}
}

// call advances over nonterminals, from the caller's side.
func (p *parser[W]) call(a Item) {
	if a.Kind != Part {
		return
	}
	p.arcs(a.Of, func(label, to int32, w W) {
		n, calls := p.g.numbers[label]
		if !calls {
			return
		}
		p.want(n, a.To)
		c := call{n, a.To}
		p.callers[c] = append(p.callers[c], caller[W]{a, to, w})
		for _, end := range p.wholes[c] {
			p.Derive(Item{Part, to, a.From, end}, w, a, Item{Whole, label, a.To, end})
		}
	})
}

// complete ends right-hand sides, and continues after the calls of a completed nonterminal.
func (p *parser[W]) complete(a Item) {
	switch a.Kind {
	case Part:
		n := p.owner[a.Of]
		if w := p.g.parts[n].Final(a.Of - p.first[n]); !p.g.ring.IsZero(w) {
			p.Derive(Item{Whole, p.labels[n], a.From, a.To}, w, a)
		}
	case Whole:
		c := call{p.g.numbers[a.Of], a.From}
		p.wholes[c] = append(p.wholes[c], a.To)
		for _, x := range p.callers[c] {
			p.Derive(Item{Part, x.to, x.item.From, a.To}, x.w, x.item, a)
		}
	}
}

// end derives the items of complete paths.
func (p *parser[W]) end(a Item) {
	switch {
	case a.Kind == Whole && a.Of == p.labels[p.g.start]:
		for _, w := range p.lambda[a.From] {
			p.Derive(Item{Kind: Ending, To: a.To}, w, a)
		}
	case a.Kind == Ending:
		for _, x := range p.skips[a.To] {
			p.Derive(Item{Kind: Ending, To: x.To}, x.Weight, a)
		}
		p.Derive(Item{Kind: All}, p.final(a.To), a)
	}
}

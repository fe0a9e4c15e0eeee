package rx

import (
	"example.org/pathsum/fst"
)

// Tokens returns e any number of times, where no two repetitions meet within a class: at each
// boundary, the symbols read on both sides do not belong to one class, and neither do the symbols
// written. In a text it is written {* classes: e}.
//
//	{* [0-9], [a-z]: [0-9]+ | [a-z]+:x}    12ab is 12, then ab; never 1, 2ab
//
// So a run of digits is one token or is not read, and no output joins the words of two tokens. Two
// tokens of one class need a token outside the class between them, for example a blank. A token
// that is empty on a tape leaves its neighbors adjacent on that tape.
//
// A class is a set as in Each. Classes may overlap: two symbols must not meet if any class contains
// both. At most 16 classes are allowed. The machine has about the size of e, and is larger if the
// states of e do not determine the classes at the ends of its strings: there is one copy of a state
// for each pair of classes that may matter. O(size of that machine).
func Tokens(e Expr, classes ...Expr) Expr {
	return newExpr(node{op: tokens, args: append([]Expr{e}, classes...)})
}

// maxClasses bounds the classes of tokens.
const maxClasses = 16

func (n *node) checkTokens() error {
	if c := len(n.args) - 1; c < 1 || c > maxClasses {
		return invalid(ErrInvalid, "tokens of %d classes, want 1 to %d", c, maxClasses)
	}
	return nil
}

// tokens reads the rest of {* class, class: E}.
func (p *parser) tokens() Expr {
	p.enter()
	defer p.leave()
	var classes []Expr
	for {
		p.blanks()
		classes = append(classes, p.atom())
		if p.blanks(); !p.accept(",") {
			break
		}
	}
	p.expect(":", "a comma, or a colon after the classes that keep tokens apart")
	e := p.expr()
	p.expect("}", "an operator or }")
	return Tokens(e, classes...)
}

// tokens writes n.
func (p *printer) tokens(n *node) {
	p.put("{*")
	for i, c := range n.args[1:] {
		if i > 0 {
			p.put(",")
		}
		p.put(" ")
		p.expr(c, atoms)
	}
	p.put(": ")
	p.expr(n.args[0], lowest)
	p.put("}")
}

// classMask is the set of classes that contain a symbol.
type classMask uint16

// border is the context of a state of a token, per tape: the classes that must not contain the next
// symbol, if it is the first, and the classes of the last symbol so far.
type border struct{ before, last [2]classMask }

// tokenState is a state of a token with its border; state −1 is between tokens.
type tokenState struct {
	state  int32
	border border
}

// tokenizer makes the machine of tokens.
type tokenizer[W any] struct {
	*compilation[W]
	token  *fst.FST[W]
	masks  map[int32]classMask
	ends   [2][]bool // whether the end is reachable with ε alone on the tape
	out    *fst.Builder[W]
	number map[tokenState]int32
	queue  []tokenState
}

// tokens returns the machine of n.
func (k *compilation[W]) tokens(n *node) (*fst.FST[W], error) {
	masks := map[int32]classMask{}
	for i, c := range n.args[1:] {
		labels, err := k.set(c)
		if err != nil {
			return nil, err
		}
		for _, l := range labels {
			masks[l] |= 1 << i
		}
	}
	f, err := k.machine(n.args[0])
	if err != nil {
		return nil, err
	}
	token, err := fst.Connect(f, nil)
	if err != nil {
		return nil, n.fault(err)
	}
	t := &tokenizer[W]{compilation: k, token: token, masks: masks, out: fst.NewBuilder(k.ring), number: map[tokenState]int32{}}
	f, err = t.make(n)
	return k.made(n, f, err)
}

// make builds the machine from its start on.
func (t *tokenizer[W]) make(n *node) (*fst.FST[W], error) {
	f := t.token
	t.ends = [2][]bool{ending(f, f.In()), ending(f, f.Out())}
	null := t.ring.Zero() // weight of the pair of empty strings
	for _, s := range f.AppendStarts(nil) {
		null = t.ring.Plus(null, t.ring.Times(s.Weight, f.Final(s.State)))
	}
	b := &builder[W]{compilation: t.compilation}
	more, err := b.starOf(null)
	if err != nil {
		return nil, err
	}
	t.out.AllowZero()
	t.out.SetSymbols(t.alphabet, t.alphabet)
	t.out.AddStart(t.visit(tokenState{-1, border{}}), t.ring.One())
	var arcs []fst.Arc[W]
	size := 0
	for i := 0; i < len(t.queue); i++ {
		from := int32(i)
		at := t.queue[i]
		if at.state < 0 {
			t.out.SetFinal(from, more)
			for _, s := range f.AppendStarts(nil) {
				arcs = f.AppendArcs(arcs[:0], s.State)
				size += t.step(from, border{before: at.border.last, last: at.border.last}, t.ring.Times(more, s.Weight), arcs)
			}
		} else {
			arcs = f.AppendArcs(arcs[:0], at.state)
			size += t.step(from, at.border, t.ring.One(), arcs)
			if w := f.Final(at.state); !t.ring.IsZero(w) {
				t.out.AddArc(from, fst.Arc[W]{Weight: w, To: t.visit(tokenState{-1, border{last: at.border.last}})})
				size++
			}
		}
		if len(t.queue)+size > t.left {
			return nil, n.fault(t.tooLarge())
		}
	}
	return t.out.Freeze()
}

// ending returns the states from which the end is reached with ε alone on a tape.
func ending[W any](f *fst.FST[W], tape []int32) []bool {
	ring, g := f.Semiring(), f.Graph()
	row, to := g.Row(), g.To()
	back := make([][]int32, f.NumStates())
	ends := make([]bool, f.NumStates())
	var queue []int32
	for s := range int32(f.NumStates()) {
		for e := row[s]; e < row[s+1]; e++ {
			if tape[e] == fst.Epsilon {
				back[to[e]] = append(back[to[e]], s)
			}
		}
		if !ring.IsZero(f.Final(s)) {
			ends[s] = true
			queue = append(queue, s)
		}
	}
	for len(queue) > 0 {
		s := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		for _, r := range back[s] {
			if !ends[r] {
				ends[r] = true
				queue = append(queue, r)
			}
		}
	}
	return ends
}

// step adds the arcs that are allowed with a border, and returns their number.
func (t *tokenizer[W]) step(from int32, at border, w W, arcs []fst.Arc[W]) (size int) {
	for _, a := range arcs {
		next, ok := at, true
		for tape, l := range [2]int32{a.In, a.Out} {
			if l != fst.Epsilon {
				mask := t.masks[l]
				ok = ok && at.before[tape]&mask == 0
				next.before[tape], next.last[tape] = 0, mask
			}
			if !t.ends[tape][a.To] {
				next.last[tape] = 0 // another symbol will be the last
			}
		}
		if !ok {
			continue
		}
		a.Weight = t.ring.Times(w, a.Weight)
		a.To = t.target(a.To, next)
		t.out.AddArc(from, a)
		size++
	}
	return size
}

// target returns the state for a state of a token. A state without arcs and with final weight One
// is merged with the state between tokens.
func (t *tokenizer[W]) target(s int32, at border) int32 {
	row := t.token.Graph().Row()
	if row[s] == row[s+1] && t.one(t.token.Final(s)) {
		return t.visit(tokenState{-1, border{last: at.last}})
	}
	return t.visit(tokenState{s, at})
}

// visit returns the number of a state.
func (t *tokenizer[W]) visit(at tokenState) int32 {
	s, ok := t.number[at]
	if !ok {
		s = t.out.AddState()
		t.number[at] = s
		t.queue = append(t.queue, at)
	}
	return s
}

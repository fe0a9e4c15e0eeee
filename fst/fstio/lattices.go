package fstio

import (
	"io"
	"iter"
	"math"
	"strconv"
	"strings"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/internal/text"
	"example.org/pathsum/semiring"
)

// Lattices are the settings for reading Kaldi's lattices; nil stands for the zero value.
type Lattices[W any] struct {
	// Weight returns the weight of two costs, −ln p each, which a lattice stores separately: the
	// cost of the graph, with the language model, and the acoustic cost, of the sounds. Both may be
	// +∞. By default, it is the weight whose −ln p is their sum. To scale the acoustic cost:
	//
	//	func(graph, sounds float64) semiring.Cost { return semiring.Cost(graph + sounds/12) }
	//
	// Kaldi orders weights like semiring.Lex of two Tropical rings with the pairs of graph+sounds
	// and graph−sounds.
	Weight func(graph, sounds float64) W
	// Transitions makes machines read transition ids and write words, like Kaldi's lattices that
	// are not compact. By default, machines read and write words.
	Transitions bool
	// Words are the names of words, for a file that contains names instead of numbers. By default,
	// words are numbers. Transition ids are always numbers.
	Words *fst.Symbols
}

// ReadLattices returns the lattices of a text archive of Kaldi, compact or not, with their keys.
// The sequence reads one lattice at a time:
//
//	key
//	p q word graph,sounds,1_2_3     an arc of a compact lattice, with transition ids
//	p q id word graph,sounds        an arc of another one
//	p graph,sounds[,1_2_3]          a final state
//
// A blank line ends a lattice. A missing weight is One, also in a final state. In a machine that
// reads transition ids, an arc of a compact lattice becomes a path, whose first arc has the word
// and the weight; the ids of a final state become a path to a new final state. States are numbered
// in order of appearance, and the first state in the text is initial. There is no writer of this
// form, because a weight does not contain the two costs.
//
// The errors are as for ReadText, and also a *ParseError for a line without a key, for a lattice
// with arcs of both forms, and for a cost that is −∞ or not a number. Without a Weight, the error
// wraps semiring.ErrCapability if the ring does not implement semiring.Probabilistic. The sequence
// ends after an error.
func ReadLattices[W any](r io.Reader, ring semiring.Semiring[W], o *Lattices[W]) iter.Seq2[Entry[W], error] {
	nonnil.Check("fstio: ReadLattices", "reader", r, "ring", ring)
	return func(yield func(Entry[W], error) bool) { readLattices(r, "", ring, o, yield) }
}

// ReadLatticesFile is ReadLattices for a named file, which is decompressed if its name ends in .gz.
// The file is open while the sequence runs.
func ReadLatticesFile[W any](name string, ring semiring.Semiring[W], o *Lattices[W]) iter.Seq2[Entry[W], error] {
	nonnil.Check("fstio: ReadLatticesFile", "ring", ring)
	return func(yield func(Entry[W], error) bool) {
		f, err := Open(name, 0)
		if err != nil {
			yield(Entry[W]{}, err)
			return
		}
		defer f.Close()
		readLattices(f, name, ring, o, yield)
	}
}

func readLattices[W any](r io.Reader, file string, ring semiring.Semiring[W], o *Lattices[W], yield func(Entry[W], error) bool) {
	l := &latticeReader[W]{lines: newLines(r, file, atBlanks), ring: ring}
	if o != nil {
		l.Lattices = *o
	}
	if l.Weight == nil {
		c, err := newCosts(ring)
		if err != nil {
			yield(Entry[W]{}, nested.Errorf("fstio: %w", err))
			return
		}
		l.costs = &c
	}
	for l.next() {
		e := Entry[W]{Key: l.columns[0]}
		if len(l.columns) != 1 {
			l.fail("%d columns, want one with the key of a lattice", len(l.columns))
		}
		if l.lattice(); l.err == nil {
			e.FST, l.err = l.builder.Freeze()
		}
		if !yield(e, l.err) || l.err != nil {
			return
		}
	}
	if l.err != nil {
		yield(Entry[W]{}, l.err)
	}
}

// latticeReader builds lattices from lines.
type latticeReader[W any] struct {
	*lines
	Lattices[W]
	costs   *costs[W] // nil if Weight is set
	ring    semiring.Semiring[W]
	builder *fst.Builder[W]
	states  map[string]int32
	final   map[int32]bool
	begun   bool // there was an arc
	compact bool // it belonged to a compact lattice
}

// lattice adds the lines up to a blank line.
func (l *latticeReader[W]) lattice() {
	l.builder, l.states, l.final, l.begun = fst.NewBuilder(l.ring), map[string]int32{}, map[int32]bool{}, false
	in := l.Words
	if l.Transitions {
		in = nil
	}
	l.builder.SetSymbols(in, l.Words)
	l.builder.AllowZero()
	for l.line() && len(l.columns) > 0 {
		l.add()
	}
}

// add adds the current line.
func (l *latticeReader[W]) add() {
	first := len(l.states) == 0
	p := l.state(l.columns[0])
	if first && l.err == nil {
		l.builder.AddStart(p, l.ring.One())
	}
	one := l.ring.One()
	switch n := len(l.columns); {
	case n == 1:
		l.end(p, one, nil)
	case n == 2:
		w, ids, _ := l.weight(l.columns[1])
		l.end(p, w, ids)
	case n == 3:
		l.path(p, one, nil)
	case n == 4 && strings.Contains(l.columns[3], ","):
		w, ids, compact := l.weight(l.columns[3])
		if !compact {
			l.fail("%s has no transition ids, want graph,sounds,ids as in a compact lattice", text.Quote(l.columns[3]))
		}
		l.path(p, w, ids)
	case n == 4:
		l.arc(p, one)
	case n == 5:
		w, _, compact := l.weight(l.columns[4])
		if compact {
			l.fail("%s has transition ids, want graph,sounds after two labels", text.Quote(l.columns[4]))
		}
		l.arc(p, w)
	default:
		l.fail("%d columns, want 1 or 2 for a final state, 3 to 5 for an arc", n)
	}
}

// end makes p final after ids.
func (l *latticeReader[W]) end(p int32, w W, ids []string) {
	if l.final[p] {
		l.fail("state %s is final twice", l.columns[0])
		return
	}
	l.final[p] = true
	if l.Transitions {
		for _, id := range ids {
			q := l.builder.AddState()
			l.builder.AddArc(p, fst.Arc[W]{To: q, In: l.label(id, nil), Weight: w})
			p, w = q, l.ring.One()
		}
	}
	l.builder.SetFinal(p, w)
}

// path adds an arc of a compact lattice.
func (l *latticeReader[W]) path(p int32, w W, ids []string) {
	l.form(true)
	q, word := l.state(l.columns[1]), l.label(l.columns[2], l.Words)
	a := fst.Arc[W]{In: word, Out: word, Weight: w}
	if l.Transitions {
		a.In = fst.Epsilon
		for i, id := range ids {
			a.In = l.label(id, nil)
			if i < len(ids)-1 {
				a.To = l.builder.AddState()
				l.builder.AddArc(p, a)
				p, a = a.To, fst.Arc[W]{Weight: l.ring.One()}
			}
		}
	}
	a.To = q
	l.builder.AddArc(p, a)
}

// arc adds an arc of a lattice that is not compact.
func (l *latticeReader[W]) arc(p int32, w W) {
	l.form(false)
	a := fst.Arc[W]{To: l.state(l.columns[1]), In: l.label(l.columns[2], nil), Out: l.label(l.columns[3], l.Words), Weight: w}
	if !l.Transitions {
		a.In = a.Out
	}
	l.builder.AddArc(p, a)
}

// form checks that all arcs of a lattice have the same form, compact or not.
func (l *latticeReader[W]) form(compact bool) {
	if l.begun && l.compact != compact {
		l.fail("arcs of a compact lattice and of an ordinary one, want one form within a lattice")
	}
	l.begun, l.compact = true, compact
}

// state returns the state for a number in the text.
func (l *latticeReader[W]) state(column string) int32 {
	if s, ok := l.states[column]; ok {
		return s
	}
	if n, err := strconv.ParseInt(column, 10, 64); err != nil || strconv.FormatInt(n, 10) != column || n < 0 {
		l.fail("%s is not a state number: a blank line ends a lattice, and a line with a key begins one", text.Quote(column))
		return 0
	}
	s := l.builder.AddState()
	l.states[strings.Clone(column)] = s
	return s
}

// weight returns the weight in a column and its transition ids, if it has them.
func (l *latticeReader[W]) weight(column string) (w W, ids []string, compact bool) {
	w = l.ring.One()
	parts := strings.Split(column, ",")
	if len(parts) != 2 && len(parts) != 3 {
		l.fail("%s is not a weight of a lattice, want graph,sounds or graph,sounds,ids", text.Quote(column))
		return w, nil, false
	}
	var costs [2]float64
	for i := range costs {
		var err error
		if costs[i], err = strconv.ParseFloat(parts[i], 64); err != nil || math.IsNaN(costs[i]) || math.IsInf(costs[i], -1) {
			l.fail("weight %s: %s is not a cost, want a number or Infinity", text.Quote(column), text.Quote(parts[i]))
			return w, nil, false
		}
	}
	if l.costs == nil {
		w = l.Weight(costs[0], costs[1])
	} else {
		var err error
		if w, err = l.costs.weight(costs[0] + costs[1]); err != nil {
			l.fail("weight %s: %w", text.Quote(column), err)
		}
	}
	if len(parts) == 3 && parts[2] != "" {
		ids = strings.Split(parts[2], "_")
	}
	return w, ids, len(parts) == 3
}

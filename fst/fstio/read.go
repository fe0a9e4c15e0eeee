package fstio

import (
	"io"
	"strconv"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
)

// ReadText reads a machine over ring, which must be a semiring.Texter. States are
// numbered in the order in which they appear, as fstcompile does; the numbers in
// the text may be any from 0 to 2⁶³−1 and cost nothing. No text at all is the
// machine without states.
//
// The error is a *ParseError for text of another form, a name that the tables of
// o do not have, a weight that the ring does not read or that is not a number, or
// a state that is final twice; it wraps semiring.ErrLimit for a machine of more than
// 2³¹−1 states or arcs. Time and memory are in proportion to the text.
func ReadText[W any](r io.Reader, ring semiring.Semiring[W], o *Options) (*fst.FST[W], error) {
	nonnil.Check("fstio: ReadText", "reader", r, "ring", ring)
	return readText(r, "", ring, o)
}

// ReadTextFile is ReadText of a file, which is decompressed if its name ends in
// .gz.
func ReadTextFile[W any](name string, ring semiring.Semiring[W], o *Options) (*fst.FST[W], error) {
	nonnil.Check("fstio: ReadTextFile", "ring", ring)
	var f *fst.FST[W]
	err := readFile(name, func(r io.Reader) (err error) {
		f, err = readText(r, name, ring, o)
		return err
	})
	return f, err
}

func readText[W any](r io.Reader, file string, ring semiring.Semiring[W], o *Options) (*fst.FST[W], error) {
	l, err := newWeightedLines(newLines(r, file, atBlanks), ring)
	if err != nil {
		return nil, err
	}
	t := &textReader[W]{
		weightedLines: l, Options: o.resolved(),
		builder: fst.NewBuilder(ring), states: map[int64]int32{}, final: map[int32]bool{},
	}
	t.builder.SetSymbols(t.In, t.Out)
	for t.next() {
		t.line()
	}
	if t.err != nil {
		return nil, t.err
	}
	return t.builder.Freeze()
}

// textReader builds a machine from lines.
type textReader[W any] struct {
	*weightedLines[W]
	Options
	builder *fst.Builder[W]
	states  map[int64]int32
	final   map[int32]bool
}

// line adds the current line.
func (t *textReader[W]) line() {
	labels := 2
	if t.Form == Acceptor {
		labels = 1
	}
	first := len(t.states) == 0
	p := t.state(t.columns[0])
	if first && t.err == nil {
		t.builder.AddStart(p, t.one)
	}
	switch n := len(t.columns); {
	case n <= 2:
		w := t.weight(1)
		if t.final[p] {
			t.fail("state %s is final twice", t.columns[0])
			return
		}
		t.final[p] = true
		t.builder.SetFinal(p, w)
	case n == 2+labels || n == 3+labels:
		a := fst.Arc[W]{To: t.state(t.columns[1]), In: t.label(t.columns[2], t.In), Weight: t.weight(2 + labels)}
		a.Out = a.In
		if t.Form == Transducer {
			a.Out = t.label(t.columns[3], t.Out)
		}
		t.builder.AddArc(p, a)
	default:
		t.fail("%d columns, want 1 or 2 for a final state, %d or %d for an arc", n, 2+labels, 3+labels)
	}
}

// state returns the state that has a number in the text.
func (t *textReader[W]) state(text string) int32 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		t.fail("%q is no number of a state", text)
		return 0
	}
	s, ok := t.states[n]
	if !ok {
		s = t.builder.AddState()
		t.states[n] = s
	}
	return s
}

package fstio

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
)

// WriteText writes f, whose ring must be a semiring.Texter, in a form that
// ReadText and OpenFst's fstcompile read back. The initial state comes first, then
// the others by number; a state without arcs that is not final has a line that
// says so, with the weight Zero. Several initial states, or one whose weight is
// not One, are replaced by a new one, numbered f.NumStates(), with arcs ε:ε to
// them. A machine without initial states, which has no paths, has no text.
//
// The error wraps fst.ErrSymbol for a label without a name or a name that would
// not be read back (one that is empty or has blanks), and fst.ErrInvalid for an
// arc with two labels in the form of an Acceptor; otherwise it is that of w.
func WriteText[W any](w io.Writer, f *fst.FST[W], o *Options) error {
	nonnil.Check("fstio: WriteText", "writer", w, "machine", f)
	ring := f.Semiring()
	texter, err := semiring.Require[semiring.Texter[W]](ring)
	if err != nil {
		return fmt.Errorf("fstio: %w", err)
	}
	t := &textWriter[W]{
		Options: o.resolved(), f: f, texter: texter,
		one: texter.Format(ring.One()), zero: texter.Format(ring.Zero()), out: bufio.NewWriter(w),
	}
	if t.In == nil {
		t.In = f.InSymbols()
	}
	if t.Out == nil && t.Form == Transducer {
		t.Out = f.OutSymbols()
	}
	if err := t.machine(); err != nil {
		return err
	}
	return t.out.Flush()
}

// textWriter writes a machine. Errors of out are reported by its Flush.
type textWriter[W any] struct {
	Options
	f         *fst.FST[W]
	texter    semiring.Texter[W]
	one, zero string
	out       *bufio.Writer
	arcs      []fst.Arc[W]
}

func (t *textWriter[W]) machine() error {
	first := initialOf(t.f, func(w W) bool { return t.texter.Format(w) == t.one })
	if first.state < 0 {
		return nil
	}
	for _, a := range first.arcs {
		if err := t.arc(first.state, a); err != nil {
			return err
		}
	}
	if first.arcs == nil {
		if err := t.state(first.state); err != nil {
			return err
		}
	}
	for s := range int32(t.f.NumStates()) {
		if s == first.state {
			continue
		}
		if err := t.state(s); err != nil {
			return err
		}
	}
	return nil
}

// state writes the lines of state s.
func (t *textWriter[W]) state(s int32) error {
	t.arcs = t.f.AppendArcs(t.arcs[:0], s)
	for _, a := range t.arcs {
		if err := t.arc(s, a); err != nil {
			return err
		}
	}
	if final := t.texter.Format(t.f.Final(s)); final != t.zero || len(t.arcs) == 0 {
		t.number(s)
		return t.weight(final)
	}
	return nil
}

func (t *textWriter[W]) arc(from int32, a fst.Arc[W]) error {
	t.number(from)
	t.out.WriteByte('\t')
	t.number(a.To)
	if err := t.label(a.In, t.In); err != nil {
		return err
	}
	switch {
	case t.Form == Transducer:
		if err := t.label(a.Out, t.Out); err != nil {
			return err
		}
	case a.In != a.Out:
		return fmt.Errorf("fstio: %w: an arc %d:%d of state %d in an acceptor", fst.ErrInvalid, a.In, a.Out, from)
	}
	return t.weight(t.texter.Format(a.Weight))
}

func (t *textWriter[W]) number(n int32) {
	t.out.Write(strconv.AppendInt(t.out.AvailableBuffer(), int64(n), 10))
}

// label writes a column.
func (t *textWriter[W]) label(label int32, table *fst.Symbols) error {
	t.out.WriteByte('\t')
	if table == nil {
		t.number(label)
		return nil
	}
	name, ok := table.Name(label)
	if !ok {
		return fmt.Errorf("fstio: %w: label %d has no name", fst.ErrSymbol, label)
	}
	t.out.WriteString(name)
	return checkName(name)
}

// weight writes a column unless the weight is One, and ends the line.
func (t *textWriter[W]) weight(text string) error {
	if text != t.one {
		if !isColumn(text) {
			return fmt.Errorf("fstio: the text %q of a weight does not fit in a column", text)
		}
		t.out.WriteByte('\t')
		t.out.WriteString(text)
	}
	t.out.WriteByte('\n')
	return nil
}

// isColumn reports whether text is read back as one column.
func isColumn(text string) bool { return text != "" && !strings.ContainsAny(text, " \t\r\n") }

func checkName(name string) error {
	if !isColumn(name) {
		return fmt.Errorf("fstio: %w: the name %q does not fit in a column", fst.ErrSymbol, name)
	}
	return nil
}

package fstio

import (
	"bufio"
	"io"
	"math"
	"strconv"
	"strings"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/named"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/internal/text"
	"example.org/pathsum/semiring"
)

// ReadText reads a machine over ring. Weights are −ln p in a ring of probabilities, and otherwise
// have the format of the ring, a semiring.Textual: see Weights. States are numbered in order of
// appearance, as by fstcompile; the numbers in the text may be any from 0 to 2⁶³−1, and large ones
// take no extra memory. An empty text is the machine without states.
//
// The error is a *ParseError for text of another form, a name that is not in the tables of o,
// invalid UTF-8, a NUL and a line of more than 1 MiB. It is also a *ParseError for a weight that
// the ring cannot parse, that is not a number, or that is −ln p of an infinite p, and for a state
// that is final twice. It wraps semiring.ErrLimit for a machine of more than 2³¹−1 states or arcs,
// and for a p outside the range of the ring, such as e⁻⁸⁰⁰ for Real. Time and memory are
// proportional to the text.
func ReadText[W any](r io.Reader, ring semiring.Semiring[W], o *Options) (*fst.FST[W], error) {
	nonnil.Check("fstio: ReadText", "reader", r, "ring", ring)
	return readText(r, "", ring, o)
}

// ReadTextFile is ReadText for a named file, which is decompressed if its name ends in .gz.
func ReadTextFile[W any](name string, ring semiring.Semiring[W], o *Options) (*fst.FST[W], error) {
	nonnil.Check("fstio: ReadTextFile", "ring", ring)
	return readFile(name, func(r io.Reader) (*fst.FST[W], error) { return readText(r, name, ring, o) })
}

func readText[W any](r io.Reader, file string, ring semiring.Semiring[W], o *Options) (*fst.FST[W], error) {
	options := o.resolved()
	l, err := newWeightedLines(newLines(r, file, atBlanks), ring, options.Weights)
	if err != nil {
		return nil, err
	}
	t := &textReader[W]{weightedLines: l, Options: options, ring: ring}
	return t.machine()
}

// textReader builds machines from lines.
type textReader[W any] struct {
	*weightedLines[W]
	Options
	ring    semiring.Semiring[W]
	several bool // a separator ends a machine
	more    bool // a separator ended the last machine
	builder *fst.Builder[W]
	states  map[int64]int32
	final   map[int32]bool
}

// machine returns the machine of the lines up to the end or, if there are several machines, up to a
// separator.
func (t *textReader[W]) machine() (*fst.FST[W], error) {
	t.builder, t.states, t.final, t.more = fst.NewBuilder(t.ring), map[int64]int32{}, map[int32]bool{}, false
	t.builder.SetSymbols(t.In, t.Out)
	t.builder.AllowZero()
	for !t.more && t.next() {
		if t.more = t.several && len(t.columns) == 1 && t.columns[0] == separator; !t.more {
			t.add()
		}
	}
	if t.err != nil {
		return nil, t.err
	}
	return t.builder.Freeze()
}

// add adds the current line.
func (t *textReader[W]) add() {
	labels := 2
	if t.Form == Acceptor {
		labels = 1
	}
	first := len(t.states) == 0
	p := t.state(t.columns[0])
	if first && t.err == nil {
		t.builder.AddStart(p, t.weights.one)
	}
	switch n := len(t.columns); {
	case n <= 2:
		w := t.weight(1)
		if t.final[p] {
			n, _ := strconv.ParseInt(t.columns[0], 10, 64)
			t.fail("state %d is final twice", n)
			return
		}
		t.final[p] = true
		t.builder.SetFinal(p, w)
	case n == 2+labels || n == 3+labels:
		a := fst.Arc[W]{To: t.state(t.columns[1]), In: t.symbol(t.columns[2], t.In), Weight: t.weight(2 + labels)}
		a.Out = a.In
		if t.Form == Transducer {
			a.Out = t.symbol(t.columns[3], t.Out)
		}
		t.builder.AddArc(p, a)
	default:
		t.fail("%d columns, want 1 or 2 for a final state, %d or %d for an arc of the Form %s", n, 2+labels, 3+labels, t.Form)
	}
}

// state returns the state for a number in the text.
func (t *textReader[W]) state(column string) int32 {
	n, err := strconv.ParseInt(column, 10, 64)
	if err != nil || n < 0 {
		hint := ""
		if _, err := strconv.ParseInt(t.columns[1%len(t.columns)], 10, 64); len(t.columns) == 2 && err == nil {
			hint = "; see ReadSymbols if this is a table of symbols"
		} else if column == separator && !t.several {
			hint = "; see ReadTexts if this ends the first of several machines"
		}
		t.fail("%s is not a state number%s", text.Quote(column), hint)
		return 0
	}
	s, ok := t.states[n]
	if !ok {
		s = t.builder.AddState()
		t.states[n] = s
	}
	return s
}

// symbol returns the label of a name in a table, or of a number. If Add is set, it adds the name to
// the table.
func (t *textReader[W]) symbol(name string, table *fst.Symbols) int32 {
	if t.Add && table != nil {
		if _, ok := table.Find(name); !ok {
			if _, full := table.Name(math.MaxInt32); full {
				t.fail("no label is left for the name %s: the table has a name for label 2³¹−1", text.Quote(name))
				return 0
			}
			return table.Add(name)
		}
	}
	return t.label(name, table)
}

// WriteText writes m in a form that ReadText reads back with the same Options. If weights are
// Costs, OpenFst's fstcompile reads it, too. Weights are −ln p in a ring of probabilities, and
// otherwise have the format of the ring, a semiring.Textual. The initial state comes first, then
// the others by number; a state without arcs that is not final is written as final with the weight
// Zero. Several initial states, or one whose weight is not One, are replaced by a new one, numbered
// after the others, with arcs ε:ε to them. The text of a machine without initial states, which has
// no paths, is empty.
//
// The error wraps fst.ErrSymbol for a label without a name or a name that would not be read back
// (an empty name or one with blanks). It wraps fst.ErrInvalid for an arc with two labels in the
// form of an Acceptor, and for a weight without −ln p (a negative or infinite p), with the state.
// Other errors come from the writer, or from fst.Expand for a machine that is not frozen.
func WriteText[W any](w io.Writer, m fst.Machine[W], o *Options) error {
	nonnil.Check("fstio: WriteText", "writer", w, "machine", m)
	f, err := fst.Expand(m, nil)
	if err != nil {
		return err
	}
	ring := f.Semiring()
	t := &textWriter[W]{Options: o.resolved(), f: f, out: bufio.NewWriter(w)}
	if t.weights, err = newWeightText(ring, t.Weights); err != nil {
		return err
	}
	if t.one, err = t.weights.format(ring.One()); err == nil {
		t.zero, err = t.weights.format(ring.Zero())
	}
	if err != nil {
		return nested.Errorf("fstio: %w", err)
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

// WriteTextFile is WriteText to a named file, which is compressed if its name ends in .gz. The file
// is written completely or not at all: after an error its old contents remain. So m may have been
// read from it. A file that is not regular, such as a pipe, is written to directly. The error
// contains the name of the file, or comes from fst.Expand.
func WriteTextFile[W any](name string, m fst.Machine[W], o *Options) error {
	nonnil.Check("fstio: WriteTextFile", "machine", m)
	return writeMachine(name, m, func(w io.Writer, f *fst.FST[W]) error { return WriteText(w, f, o) })
}

// textWriter writes a machine. Errors of out are reported by its Flush.
type textWriter[W any] struct {
	Options
	f         *fst.FST[W]
	weights   weightText[W]
	one, zero string // their texts
	out       *bufio.Writer
	arcs      []fst.Arc[W]
}

func (t *textWriter[W]) machine() error {
	first := initialOf(t.f, func(w W) bool {
		text, err := t.weights.format(w)
		return err == nil && text == t.one
	})
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
	final, err := t.format(t.f.Final(s), s)
	if err == nil && (final != t.zero || len(t.arcs) == 0) {
		t.number(s)
		t.weight(final)
	}
	return err
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
		return nested.Errorf("fstio: %w: an arc %d:%d of state %d in an acceptor", fst.ErrInvalid, a.In, a.Out, from)
	}
	weight, err := t.format(a.Weight, from)
	if err == nil {
		t.weight(weight)
	}
	return err
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
		return nested.Errorf("fstio: %w: label %d has no name", fst.ErrSymbol, label)
	}
	t.out.WriteString(name)
	return checkName(name)
}

// format returns the text of a weight at a state.
func (t *textWriter[W]) format(w W, state int32) (string, error) {
	text, err := t.weights.format(w)
	if err != nil {
		return text, nested.Errorf("fstio: %w: state %d: %w", fst.ErrInvalid, state, err)
	}
	return text, nil
}

// weight writes a column, unless the weight is One, and ends the line.
func (t *textWriter[W]) weight(text string) {
	if text != t.one {
		t.out.WriteByte('\t')
		t.out.WriteString(text)
	}
	t.out.WriteByte('\n')
}

// isColumn reports whether s is read back as one column.
func isColumn(s string) bool {
	return s != "" && text.Valid(s) && !strings.ContainsAny(s, " \t\r\n")
}

func checkName(name string) error {
	if !isColumn(name) {
		return nested.Errorf("fstio: %w: the name %s does not fit in a column", fst.ErrSymbol, text.Quote(name))
	}
	return nil
}

// Form is the number of label columns of the text.
type Form int

const (
	// Transducer is the form with an input and an output label on every arc.
	Transducer Form = iota
	// Acceptor is the form with one label on every arc, both read and written.
	Acceptor
)

// String returns the name of f.
func (f Form) String() string {
	return named.One(f, "Form", "transducer", "acceptor")
}

// Options describe the text of a machine; nil stands for the zero value, a Transducer.
type Options struct {
	Form Form
	// Weights is the meaning of a weight: Costs, −ln p, by default.
	Weights Weights
	// In and Out are the names of labels. For reading, nil means that labels are numbers. For
	// writing, nil means the machine's own tables, or numbers for a machine without tables. An
	// Acceptor uses In for both.
	In, Out *fst.Symbols
	// Add makes readers add unknown names to the tables In and Out. It is for files without tables,
	// such as files of foma and HFST. After an error, names may have been added. Writers ignore it.
	Add bool
}

// resolved returns o with defaults filled in.
func (o *Options) resolved() Options {
	if o == nil {
		return Options{}
	}
	r := *o
	if r.Form == Acceptor {
		r.Out = r.In
	}
	return r
}

// initial is the single initial state, of weight One, of OpenFst's forms.
type initial[W any] struct {
	state int32        // -1: none
	arcs  []fst.Arc[W] // nil unless state is new, numbered after the machine's states
}

// initialOf returns the initial state of f if there is exactly one and its weight is One, and
// otherwise a new state with arcs ε:ε to the initial states of f.
func initialOf[W any](f *fst.FST[W], isOne func(w W) bool) initial[W] {
	starts := f.AppendStarts(nil)
	switch {
	case len(starts) == 0:
		return initial[W]{state: -1}
	case len(starts) == 1 && isOne(starts[0].Weight):
		return initial[W]{state: starts[0].State}
	}
	i := initial[W]{state: int32(f.NumStates())}
	for _, s := range starts {
		i.arcs = append(i.arcs, fst.Arc[W]{To: s.State, Weight: s.Weight})
	}
	return i
}

// numStates returns the number of states of f, including a new initial state.
func (i initial[W]) numStates(f *fst.FST[W]) int32 {
	return int32(f.NumStates()) + int32(min(len(i.arcs), 1))
}

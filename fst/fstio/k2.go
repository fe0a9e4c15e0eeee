package fstio

import (
	"bufio"
	"io"
	"math"
	"strconv"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/internal/text"
	"example.org/pathsum/semiring"
)

// endLabel is the label of arcs to the final state.
const endLabel = -1

// ReadK2 reads a machine in the text form of k2, a library for speech recognition, as written by
// its to_str. Weights in the text are scores, ln p; the machine has the weights of p in ring:
//
//	p q label score        an arc of an acceptor
//	p q label aux score    an arc of a transducer, which reads label and writes aux
//	f                      the last line: the final state
//
// All arcs have the same form. State 0 is initial. The final state has the greatest number and no
// arcs. Arcs to it have the label −1, and −1 or 0 as aux: they become final weights, and several
// from one state are added. States are numbered from 0 in order of appearance, after the initial
// state. An empty text is the machine without states.
//
// The error is a *ParseError for text of another form, such as OpenFst's with costs and no −1 (see
// ReadText), and for a score of +∞ or NaN. Other errors are as for ReadText. The error wraps
// semiring.ErrCapability if the ring does not implement semiring.Probabilistic. Time and memory are
// proportional to the text.
func ReadK2[W any](r io.Reader, ring semiring.Semiring[W]) (*fst.FST[W], error) {
	nonnil.Check("fstio: ReadK2", "reader", r, "ring", ring)
	return readK2(r, "", ring)
}

// ReadK2File is ReadK2 for a named file, which is decompressed if its name ends in .gz.
func ReadK2File[W any](name string, ring semiring.Semiring[W]) (*fst.FST[W], error) {
	nonnil.Check("fstio: ReadK2File", "ring", ring)
	return readFile(name, func(r io.Reader) (*fst.FST[W], error) { return readK2(r, name, ring) })
}

func readK2[W any](r io.Reader, file string, ring semiring.Semiring[W]) (*fst.FST[W], error) {
	c, err := newCosts(ring)
	if err != nil {
		return nil, nested.Errorf("fstio: %w", err)
	}
	k := &k2Reader[W]{
		lines: newLines(r, file, atBlanks), costs: c, builder: fst.NewBuilder(ring),
		states: map[int64]int32{}, finals: map[int32]W{}, final: -1,
	}
	k.builder.AllowZero()
	for k.next() {
		k.add()
	}
	if k.form != 0 && !k.ended {
		k.fail("the text ends without a line of the final state")
	}
	if k.err != nil {
		return nil, k.err
	}
	for s, w := range k.finals {
		k.builder.SetFinal(s, w)
	}
	return k.builder.Freeze()
}

// k2Reader builds a machine from lines.
type k2Reader[W any] struct {
	*lines
	costs[W]
	builder *fst.Builder[W]
	states  map[int64]int32 // except the final state
	finals  map[int32]W
	form    int   // columns of an arc, 0 before the first one
	final   int64 // the target of arcs with label −1, or −1 before the first
	top     int64 // the greatest number of other states
	ended   bool  // there was a line of the final state
}

// add adds the current line.
func (k *k2Reader[W]) add() {
	if k.ended {
		k.fail("a line after the one of the final state, want the end of the text")
		return
	}
	n := len(k.columns)
	if n == 1 {
		k.end()
		return
	}
	if k.form == 0 && (n == 4 || n == 5) {
		k.form = n
		k.begin()
	}
	if n != k.form {
		want := "4 for an arc of an acceptor, 5 for one of a transducer"
		if k.form != 0 {
			want = strconv.Itoa(k.form) + " as in the arcs before"
		}
		k.fail("%d columns, want %s, or 1 for the final state", n, want)
		return
	}
	p, q := k.number(0), k.number(1)
	w := k.score(k.columns[n-1])
	if k.err != nil {
		return
	}
	s := k.state(p)
	if k.columns[2] != strconv.Itoa(endLabel) {
		a := fst.Arc[W]{To: k.state(q), In: k.label(k.columns[2], nil), Weight: w}
		a.Out = a.In
		if n == 5 {
			a.Out = k.label(k.columns[3], nil)
		}
		k.builder.AddArc(s, a)
		return
	}
	if n == 5 && k.columns[3] != strconv.Itoa(endLabel) && k.columns[3] != strconv.Itoa(fst.Epsilon) {
		k.fail("an arc to the final state writes %s, want -1 or 0", text.Quote(k.columns[3]))
	}
	if k.final >= 0 && q != k.final {
		k.fail("label -1 into state %d, want %d as before: only arcs to the final state have it", q, k.final)
	}
	k.final = q
	if old, ok := k.finals[s]; ok {
		w = k.ring.Plus(old, w)
	}
	k.finals[s] = w
}

// end checks the line of the final state.
func (k *k2Reader[W]) end() {
	k.ended = true
	k.begin()
	f := k.number(0)
	_, there := k.states[f]
	switch {
	case f == 0:
		k.fail("the final state is 0, want another one than the initial state")
	case k.final >= 0 && f != k.final:
		k.fail("the final state is %d, but arcs with label -1 lead to state %d", f, k.final)
	case there:
		k.fail("the final state %d has arcs, or arcs to it have another label than -1", f)
	case f < k.top:
		k.fail("the final state is %d, want a number greater than that of state %d", f, k.top)
	}
}

// begin adds the initial state unless it exists already.
func (k *k2Reader[W]) begin() {
	if len(k.states) == 0 {
		k.builder.AddStart(k.state(0), k.ring.One())
	}
}

// number returns the number of a state in a column.
func (k *k2Reader[W]) number(column int) int64 {
	n, err := strconv.ParseInt(k.columns[column], 10, 64)
	if err != nil || n < 0 {
		k.fail("%s is not a state number", text.Quote(k.columns[column]))
	}
	return n
}

// state returns the state for a number in the text.
func (k *k2Reader[W]) state(n int64) int32 {
	s, ok := k.states[n]
	if !ok {
		s = k.builder.AddState()
		k.states[n] = s
		k.top = max(k.top, n)
	}
	return s
}

// score returns the weight of a score.
func (k *k2Reader[W]) score(column string) W {
	score, err := strconv.ParseFloat(column, 64)
	if err != nil || math.IsNaN(score) {
		k.fail("score %s is not a number", text.Quote(column))
		return k.ring.One()
	}
	w, err := k.weight(-score)
	if err != nil {
		k.fail("score %s: %w", text.Quote(column), err)
	}
	return w
}

// WriteK2 writes m in the text form of k2, for ReadK2 and k2's Fsa.from_str, as an acceptor or a
// transducer with scores ln p. The initial state becomes 0, and the others follow by number.
// Several initial states, or one whose weight is not One, are replaced as by WriteText. The text of
// a machine without initial states is empty.
//
// The error wraps fst.ErrInvalid for an arc with two labels in an acceptor, and for a weight
// without ln p, such as a negative one, or with more than p. It wraps semiring.ErrCapability if the
// ring does not implement semiring.Probabilistic. Other errors come from the writer or fst.Expand.
func WriteK2[W any](w io.Writer, m fst.Machine[W], form Form) error {
	nonnil.Check("fstio: WriteK2", "writer", w, "machine", m)
	f, err := fst.Expand(m, nil)
	if err != nil {
		return err
	}
	c, err := newCosts(f.Semiring())
	if err != nil {
		return nested.Errorf("fstio: %w", err)
	}
	k := &k2Writer[W]{costs: c, form: form, out: bufio.NewWriter(w)}
	first := initialOf(f, func(w W) bool { cost, err := c.cost(w); return err == nil && cost == 0 })
	if first.state < 0 {
		return nil
	}
	if err := k.machine(f, first); err != nil {
		return err
	}
	return k.out.Flush()
}

// WriteK2File is WriteK2 to a named file, which is compressed if its name ends in .gz, and written
// completely or not at all: see WriteTextFile.
func WriteK2File[W any](name string, m fst.Machine[W], form Form) error {
	nonnil.Check("fstio: WriteK2File", "machine", m)
	return writeMachine(name, m, func(w io.Writer, f *fst.FST[W]) error { return WriteK2(w, f, form) })
}

// k2Writer writes a machine. Errors of out are reported by its Flush.
type k2Writer[W any] struct {
	costs[W]
	form Form
	out  *bufio.Writer
}

func (k *k2Writer[W]) machine(f *fst.FST[W], first initial[W]) error {
	number := func(s int32) int32 { // in the text
		switch {
		case s == first.state:
			return 0
		case s < first.state:
			return s + 1
		}
		return s
	}
	end := first.numStates(f)
	var arcs []fst.Arc[W]
	write := func(s int32) error {
		for _, a := range arcs {
			if k.form == Acceptor && a.In != a.Out {
				return nested.Errorf("fstio: %w: an arc %d:%d of state %d in an acceptor", fst.ErrInvalid, a.In, a.Out, s)
			}
			if err := k.line(s, number(s), number(a.To), a.In, a.Out, a.Weight); err != nil {
				return err
			}
		}
		if int(s) < f.NumStates() && !k.ring.IsZero(f.Final(s)) {
			return k.line(s, number(s), end, endLabel, endLabel, f.Final(s))
		}
		return nil
	}
	arcs = first.arcs
	if arcs == nil {
		arcs = f.AppendArcs(nil, first.state)
	}
	if err := write(first.state); err != nil {
		return err
	}
	for s := range int32(f.NumStates()) {
		if s != first.state {
			arcs = f.AppendArcs(arcs[:0], s)
			if err := write(s); err != nil {
				return err
			}
		}
	}
	k.out.WriteString(strconv.Itoa(int(end)) + "\n")
	return nil
}

// line writes an arc of state s.
func (k *k2Writer[W]) line(s, from, to, in, out int32, w W) error {
	cost, err := k.cost(w)
	if err != nil {
		return nested.Errorf("fstio: %w: state %d: a weight %v %w, which no score stands for", fst.ErrInvalid, s, w, err)
	}
	numbers := []int32{from, to, in, out}
	if k.form == Acceptor {
		numbers = numbers[:3]
	}
	b := k.out.AvailableBuffer()
	for _, n := range numbers {
		b = append(strconv.AppendInt(b, int64(n), 10), ' ')
	}
	b = strconv.AppendFloat(b, 0-cost, 'g', -1, 64)
	k.out.Write(append(b, '\n'))
	return nil
}

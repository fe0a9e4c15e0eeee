package fstio

import (
	"bufio"
	"cmp"
	"io"
	"math"
	"strconv"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/internal/text"
)

// ReadSymbols reads a table of symbols: a name and its label on every line. The error is a
// *ParseError for text of another form, a label that is not from 0 to 2³¹−1, and a duplicate name
// or label. So it is for invalid UTF-8, a NUL and a line of more than 1 MiB. Time and memory are
// proportional to the text.
func ReadSymbols(r io.Reader) (*fst.Symbols, error) {
	nonnil.Check("fstio: ReadSymbols", "reader", r)
	return readSymbols(r, "")
}

// ReadSymbolsFile is ReadSymbols for a named file, which is decompressed if its name ends in .gz.
// The name is the table's title.
func ReadSymbolsFile(name string) (*fst.Symbols, error) {
	return readFile(name, func(r io.Reader) (*fst.Symbols, error) { return readSymbols(r, name) })
}

func readSymbols(r io.Reader, file string) (*fst.Symbols, error) {
	t := new(fst.Symbols)
	t.SetTitle(file)
	l := newLines(r, file, atBlanks)
	for l.next() {
		if len(l.columns) != 2 {
			l.fail("%d columns, want a name and a label: see ReadText for machines", len(l.columns))
			break
		}
		name := l.columns[0]
		label, err := strconv.ParseInt(l.columns[1], 10, 64)
		if err != nil || label < 0 || label > math.MaxInt32 {
			l.fail("%s is not a label, want a number from 0 to 2³¹−1", text.Quote(l.columns[1]))
			break
		}
		if _, ok := t.Find(name); ok {
			l.fail("%s is there twice", text.Quote(name))
			break
		}
		if err := t.Set(name, int32(label)); err != nil {
			l.fail("%w", err)
		}
	}
	if l.err != nil {
		return nil, l.err
	}
	return t, nil
}

// WriteSymbols writes a table of symbols, labels ascending. The error wraps fst.ErrSymbol for a
// name that would not be read back: an empty name, a name with blanks or invalid UTF-8, or a first
// name that begins like a byte order mark or binary data. Other errors come from w.
func WriteSymbols(w io.Writer, t *fst.Symbols) error {
	nonnil.Check("fstio: WriteSymbols", "writer", w, "symbols", t)
	out := bufio.NewWriter(w)
	first := true
	for label, name := range t.All() {
		if err := checkName(name); err != nil {
			return err
		}
		if first && marked(name+"\t") {
			return nested.Errorf("fstio: %w: a text does not begin with the name %s, which looks like a mark at the beginning of a file", fst.ErrSymbol, text.Quote(name))
		}
		first = false
		out.WriteString(name)
		out.WriteByte('\t')
		out.Write(strconv.AppendInt(out.AvailableBuffer(), int64(label), 10))
		out.WriteByte('\n')
	}
	return out.Flush()
}

// WriteSymbolsFile is WriteSymbols to a named file: see WriteTextFile.
func WriteSymbolsFile(name string, t *fst.Symbols) error {
	nonnil.Check("fstio: WriteSymbolsFile", "symbols", t)
	return writeFile(name, func(w io.Writer) error { return WriteSymbols(w, t) })
}

// ReadBinarySymbols reads a table of symbols in OpenFst's binary form. The error is a *ParseError,
// with the offset of the byte, for data of another form, a label that is not from 0 to 2³¹−1, or a
// duplicate name or label.
func ReadBinarySymbols(r io.Reader) (*fst.Symbols, error) {
	nonnil.Check("fstio: ReadBinarySymbols", "reader", r)
	return newSource(r, "").symbols()
}

// ReadBinarySymbolsFile is ReadBinarySymbols for a named file, which is decompressed if its name
// ends in .gz.
func ReadBinarySymbolsFile(name string) (*fst.Symbols, error) {
	return readFile(name, func(r io.Reader) (*fst.Symbols, error) { return newSource(r, name).symbols() })
}

// symbols reads a table, and returns s.err after an error.
func (s *source) symbols() (*fst.Symbols, error) {
	s.magic("table of symbols in OpenFst's binary form", symbolsMagic)
	t := new(fst.Symbols)
	t.SetTitle(s.text())
	s.int64() // next label
	for n := s.int64(); n > 0 && s.err == nil; n-- {
		at := s.offset
		name, label := s.text(), s.int64()
		if s.err != nil {
			break
		}
		if label < 0 || label > math.MaxInt32 {
			s.fail(at, "label %d of %s, want 0 to 2³¹−1", label, text.Quote(name))
		} else if old, ok := t.Find(name); ok {
			s.fail(at, "%s is there twice, as %d and %d", text.Quote(name), old, label)
		} else if err := t.Set(name, int32(label)); err != nil {
			s.fail(at, "%w", err)
		}
	}
	if s.err != nil {
		return nil, s.err
	}
	return t, nil
}

// WriteBinarySymbols writes a table of symbols in OpenFst's binary form, labels ascending, under
// its title or, without a title, as "symbols". Errors come from w.
func WriteBinarySymbols(w io.Writer, t *fst.Symbols) error {
	nonnil.Check("fstio: WriteBinarySymbols", "writer", w, "symbols", t)
	s := newSink(w)
	s.symbols(t, "symbols")
	if err := s.out.Flush(); err != nil {
		return nested.Errorf("fstio: symbols: %w", err)
	}
	return nil
}

// WriteBinarySymbolsFile is WriteBinarySymbols to a named file: see WriteTextFile.
func WriteBinarySymbolsFile(name string, t *fst.Symbols) error {
	nonnil.Check("fstio: WriteBinarySymbolsFile", "symbols", t)
	return writeFile(name, func(w io.Writer) error { return WriteBinarySymbols(w, t) })
}

// symbols writes a table, with the title untitled if it has no title.
func (s *sink) symbols(t *fst.Symbols, untitled string) {
	next := int64(0)
	for label := range t.All() {
		next = int64(label) + 1
	}
	s.int32(symbolsMagic)
	s.text(cmp.Or(t.Title(), untitled))
	s.int64(next)
	s.int64(int64(t.Len()))
	for label, name := range t.All() {
		s.text(name)
		s.int64(int64(label))
	}
}

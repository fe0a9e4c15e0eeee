package fstio

import (
	"cmp"
	"fmt"
	"io"
	"math"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/nonnil"
)

// ReadBinarySymbols reads a table of symbols in OpenFst's binary form. The error is
// a *ParseError, with the offset of the byte, for data of another form, a label that
// is not from 0 to 2³¹−1, or a name or label that is there twice.
func ReadBinarySymbols(r io.Reader) (*fst.Symbols, error) {
	nonnil.Check("fstio: ReadBinarySymbols", "reader", r)
	s := newSource(r, "")
	t := s.symbols()
	return t, s.err
}

// ReadBinarySymbolsFile is ReadBinarySymbols of a file, which is decompressed if its
// name ends in .gz.
func ReadBinarySymbolsFile(name string) (*fst.Symbols, error) {
	var t *fst.Symbols
	err := readFile(name, func(r io.Reader) error {
		s := newSource(r, name)
		t = s.symbols()
		return s.err
	})
	return t, err
}

// symbols returns nil after an error.
func (s *source) symbols() *fst.Symbols {
	s.magic(symbolsMagic, "table of symbols in OpenFst's binary form")
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
			s.fail(at, "label %d of %q, want 0 to 2³¹−1", label, name)
		} else if old, ok := t.Find(name); ok {
			s.fail(at, "%q is there twice, as %d and %d", name, old, label)
		} else if err := t.Set(name, int32(label)); err != nil {
			s.fail(at, "%v", err)
		}
	}
	if s.err != nil {
		return nil
	}
	return t
}

// WriteBinarySymbols writes a table of symbols in OpenFst's binary form, labels
// ascending, under its title, or "symbols" if it has none. The error is that of w.
func WriteBinarySymbols(w io.Writer, t *fst.Symbols) error {
	nonnil.Check("fstio: WriteBinarySymbols", "writer", w, "symbols", t)
	s := newSink(w)
	s.symbols(t, "symbols")
	if err := s.out.Flush(); err != nil {
		return fmt.Errorf("fstio: symbols: %w", err)
	}
	return nil
}

// symbols writes a table; one without a title gets another name.
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

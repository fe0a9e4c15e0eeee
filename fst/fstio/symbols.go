package fstio

import (
	"bufio"
	"io"
	"math"
	"strconv"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/nonnil"
)

// ReadSymbols reads a table of symbols: a name and its label on every line. The
// error is a *ParseError for text of another form, a label that is not from 0 to
// 2³¹−1, or a name or label that is there twice. Time and memory are in proportion
// to the text.
func ReadSymbols(r io.Reader) (*fst.Symbols, error) {
	nonnil.Check("fstio: ReadSymbols", "reader", r)
	return readSymbols(r, "")
}

// ReadSymbolsFile is ReadSymbols of a file, which is decompressed if its name ends
// in .gz. The name is the table's title.
func ReadSymbolsFile(name string) (*fst.Symbols, error) {
	var t *fst.Symbols
	err := readFile(name, func(r io.Reader) (err error) {
		t, err = readSymbols(r, name)
		return err
	})
	return t, err
}

func readSymbols(r io.Reader, file string) (*fst.Symbols, error) {
	t := new(fst.Symbols)
	t.SetTitle(file)
	l := newLines(r, file, atBlanks)
	for l.next() {
		if len(l.columns) != 2 {
			l.fail("%d columns, want a name and a label", len(l.columns))
			break
		}
		name := l.columns[0]
		label, err := strconv.ParseInt(l.columns[1], 10, 64)
		if err != nil || label < 0 || label > math.MaxInt32 {
			l.fail("%q is no label, want a number from 0 to 2³¹−1", l.columns[1])
			break
		}
		if _, ok := t.Find(name); ok {
			l.fail("%q is there twice", name)
			break
		}
		if err := t.Set(name, int32(label)); err != nil {
			l.fail("%v", err)
		}
	}
	if l.err != nil {
		return nil, l.err
	}
	return t, nil
}

// WriteSymbols writes a table of symbols, labels ascending. The error wraps
// fst.ErrSymbol for a name that would not be read back, one that is empty or has
// blanks; otherwise it is that of w.
func WriteSymbols(w io.Writer, t *fst.Symbols) error {
	nonnil.Check("fstio: WriteSymbols", "writer", w, "symbols", t)
	out := bufio.NewWriter(w)
	for label, name := range t.All() {
		if err := checkName(name); err != nil {
			return err
		}
		out.WriteString(name)
		out.WriteByte('\t')
		out.Write(strconv.AppendInt(out.AvailableBuffer(), int64(label), 10))
		out.WriteByte('\n')
	}
	return out.Flush()
}

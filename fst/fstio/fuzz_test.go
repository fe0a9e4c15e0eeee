package fstio_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/fst/fstio"
	"example.org/pathsum/internal/memtest"
	"example.org/pathsum/semiring"
)

// Allocation limits of readers per byte, as documented in the package comment.
const (
	perText    = 128
	perBinary  = 64
	perArchive = 128

	perTexts     = 1024
	perStringMap = 320
)

// A machine that is read, in any form, can be written and read again, and is then written in the
// same way.
func FuzzReadText(f *testing.F) {
	for _, text := range []string{
		"", "0", "0 1 1 2 0.5\n1\t2.5\n", "3 Infinity", "0 0 0 0\n", "5 6 7\n6 Inf\n",
		"0 1 a x\n0 1 <eps> <eps> 2\n1", "9223372036854775807 0 2147483647 1 1e-300\n0",
		"1 2\r\n\r\n", "0 1 1 1 -0\n1", "0 1 1 1 0x1p-3\n1 -Infinity\n",
	} {
		for form := range 4 {
			f.Add(text, form)
		}
	}
	f.Fuzz(func(t *testing.T, text string, form int) {
		o := new(fstio.Options)
		if form&1 != 0 {
			o.Form = fstio.Acceptor
		}
		if form&2 != 0 {
			o.In, o.Out = fst.NewSymbols("a", "b"), fst.NewSymbols("x")
		}
		var m *fst.FST[semiring.Cost]
		var err error
		memtest.Bound(t, len(text), perText, func() { m, err = fstio.ReadText(strings.NewReader(text), tropical, o) })
		if err != nil {
			return
		}
		if states := 2 * len(text); m.NumStates() > states {
			t.Errorf("%d states from %d bytes", m.NumStates(), len(text))
		}
		var first, second bytes.Buffer
		if err := fstio.WriteText(&first, m, o); err != nil {
			t.Fatal(err)
		}
		again, err := fstio.ReadText(&first, m.Semiring(), o)
		if err != nil {
			t.Fatal(err)
		}
		if again.NumStates() != m.NumStates() || again.NumArcs() != m.NumArcs() {
			t.Errorf("%d states and %d arcs, then %d and %d", m.NumStates(), m.NumArcs(), again.NumStates(), again.NumArcs())
		}
		first.Reset()
		if err := fstio.WriteText(&first, again, o); err != nil {
			t.Fatal(err)
		}
		third, err := fstio.ReadText(bytes.NewReader(first.Bytes()), m.Semiring(), o)
		if err != nil {
			t.Fatal(err)
		}
		if err := fstio.WriteText(&second, third, o); err != nil {
			t.Fatal(err)
		}
		if first.String() != second.String() {
			t.Errorf("wrote %q, then %q", first.String(), second.String())
		}
	})
}

func FuzzReadSymbols(f *testing.F) {
	for _, text := range []string{"", "<eps> 0\na 1\n", "x 2147483647\ny 5", "a 1\na 2", "ü\t3\r\n", "\ufeffa 1\rb 2", "a 1\n\ufeffb 0"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var table *fst.Symbols
		var err error
		memtest.Bound(t, len(text), perText, func() { table, err = fstio.ReadSymbols(strings.NewReader(text)) })
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := fstio.WriteSymbols(&b, table); err != nil {
			if errors.Is(err, fst.ErrSymbol) && strings.Contains(err.Error(), "beginning of a file") {
				return // a table that was read has it in another line
			}
			t.Fatal(err)
		}
		again, err := fstio.ReadSymbols(&b)
		if err != nil || !again.Equal(table) {
			t.Errorf("the table changed, or %v", err)
		}
	})
}

// A machine that is read from binary data is no larger than the data, and is the same after it is
// written and read again.
func FuzzReadBinary(f *testing.F) {
	m := fst.FromPair(tropical, []int32{1, 0, 2}, []int32{3}).WithSymbols(fst.NewSymbols("a", "b"), nil)
	for _, x := range examples(m) {
		var b bytes.Buffer
		if err := fstio.WriteBinary(&b, x.machine, &x.form); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var m *fst.FST[semiring.Cost]
		var err error
		memtest.Bound(t, len(data), perBinary, func() { m, err = fstio.ReadBinary(bytes.NewReader(data), tropical) })
		if err != nil {
			return
		}
		if m.NumStates()+m.NumArcs() > len(data) {
			t.Errorf("%d states and %d arcs from %d bytes", m.NumStates(), m.NumArcs(), len(data))
		}
		for _, container := range []fstio.Container{fstio.Vector, fstio.Const} {
			again := readBinary(t, writeBinary(t, m, &fstio.Binary{Arc: fstio.Log64, Container: container}))
			if write(t, again.WithSymbols(nil, nil), nil) != write(t, m.WithSymbols(nil, nil), nil) {
				t.Error("the machine changed")
			}
		}
	})
}

func FuzzReadArchive(f *testing.F) {
	for i, form := range []fstio.Archive{fstio.Table, fstio.List} {
		machines := []fstio.Container{fstio.Vector, fstio.CompactString}[i]
		var b bytes.Buffer
		a, err := fstio.NewArchiveWriter[semiring.Cost](&b, form, &fstio.Binary{Container: machines})
		if err == nil {
			err = errors.Join(a.Add("a", fst.FromString(tropical, []int32{1})), a.Add("b", fst.FromString(tropical, nil)), a.Close())
		}
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		n := 0
		memtest.Bound(t, len(data), perArchive, func() {
			for e, err := range fstio.ReadArchive(bytes.NewReader(data), tropical) {
				if n++; (err == nil) != (e.FST != nil) || n > 1+len(data) {
					t.Errorf("machine %d of %d bytes: %v, %v", n, len(data), e.FST, err)
				}
			}
		})
	})
}

func FuzzReadBinarySymbols(f *testing.F) {
	f.Add(packed(int32(2125658996), "table", int64(3), int64(2), "<eps>", int64(0), "a", int64(2)))
	f.Fuzz(func(t *testing.T, data []byte) {
		var table *fst.Symbols
		var err error
		memtest.Bound(t, len(data), perBinary, func() { table, err = fstio.ReadBinarySymbols(bytes.NewReader(data)) })
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := fstio.WriteBinarySymbols(&b, table); err != nil {
			t.Fatal(err)
		}
		if again, err := fstio.ReadBinarySymbols(&b); err != nil || !again.Equal(table) {
			t.Errorf("the table changed, or %v", err)
		}
	})
}

// Compressed files are read as their contents; memory is proportional to the contents, however
// small the files are.
func FuzzReadFile(f *testing.F) {
	pack := func(data []byte) []byte {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		if _, err := z.Write(data); err != nil || z.Close() != nil {
			f.Fatal(err)
		}
		return b.Bytes()
	}
	m := fst.FromString(tropical, []int32{1, 2})
	var binary, archive, symbols bytes.Buffer
	a, err := fstio.NewArchiveWriter[semiring.Cost](&archive, fstio.List, nil)
	if err == nil {
		err = errors.Join(fstio.WriteBinary(&binary, m, nil), a.Add("a", m), a.Close(), fstio.WriteBinarySymbols(&symbols, fst.NewSymbols("a")))
	}
	if err != nil {
		f.Fatal(err)
	}
	for kind, data := range [][]byte{[]byte("0 1 1 1\n1\n"), []byte("<eps> 0\na 1\n"), binary.Bytes(), symbols.Bytes(), archive.Bytes()} {
		packed := pack(data)
		f.Add(packed, kind)
		f.Add(packed[:len(packed)-5], kind)
		f.Add(append(packed, packed...), kind)
		f.Add(data, kind)
	}
	f.Add(pack(make([]byte, 1<<20)), 2)
	f.Add(pack(bytes.Repeat([]byte("1 "), 1<<17)), 0)
	read := []func(name string) error{
		func(name string) error { _, err := fstio.ReadTextFile(name, tropical, nil); return err },
		func(name string) error { _, err := fstio.ReadSymbolsFile(name); return err },
		func(name string) error { _, err := fstio.ReadBinaryFile(name, tropical); return err },
		func(name string) error { _, err := fstio.ReadBinarySymbolsFile(name); return err },
		func(name string) (last error) {
			for _, err := range fstio.ReadArchiveFile(name, tropical) {
				last = err
			}
			return last
		},
	}
	f.Fuzz(func(t *testing.T, data []byte, kind int) {
		name := filepath.Join(t.TempDir(), "file.gz")
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
		held := int64(0)
		z, broken := gzip.NewReader(bytes.NewReader(data))
		if broken == nil {
			held, broken = io.Copy(io.Discard, z)
		}
		memtest.Bound(t, len(data)+int(held), perText, func() {
			if err := read[uint(kind)%uint(len(read))](name); err == nil && held == 0 && broken != nil {
				t.Errorf("read, but %v", broken)
			}
		})
	})
}

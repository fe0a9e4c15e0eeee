package fstio_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/fst/fstio"
	"example.org/pathsum/semiring"
)

type (
	costMachine = fst.Machine[semiring.Cost]
	costEntry   = fstio.Entry[semiring.Cost]
)

// entries returns a sequence of machines under the keys 0, 1, …, and then err unless it is nil.
func entries(err error, machines ...*fst.FST[semiring.Cost]) iter.Seq2[costEntry, error] {
	return func(yield func(costEntry, error) bool) {
		for i, m := range machines {
			if !yield(costEntry{Key: fmt.Sprint(i), FST: m}, nil) {
				return
			}
		}
		if err != nil {
			yield(costEntry{}, err)
		}
	}
}

// fileWriters write a machine to a file.
var fileWriters = map[string]func(name string, m costMachine) error{
	"WriteTextFile":   func(name string, m costMachine) error { return fstio.WriteTextFile(name, m, nil) },
	"WriteBinaryFile": func(name string, m costMachine) error { return fstio.WriteBinaryFile(name, m, nil) },
	"WriteK2File":     func(name string, m costMachine) error { return fstio.WriteK2File(name, m, fstio.Transducer) },
	"WriteDOTFile":    func(name string, m costMachine) error { return fstio.WriteDOTFile(name, m, nil) },
}

// namesIn returns the names of the files in a folder.
func namesIn(t *testing.T, dir string) string {
	t.Helper()
	var names []string
	for _, e := range must(os.ReadDir(dir))(t) {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

// Files that are written can be read again, compressed or not, and no other files remain.
func TestFilesRoundTrip(t *testing.T) {
	table := fst.NewSymbols("a", "b")
	f := fst.FromPair(tropical, []int32{1, 2}, []int32{2, 1}).WithSymbols(table, table)
	lazy := fst.Concat(f, f)
	want := must(fst.Expand(lazy, nil))(t)
	dir := t.TempDir()
	for _, name := range []string{"x", "x.gz"} {
		path := filepath.Join(dir, name)
		same := func(what string, g *fst.FST[semiring.Cost], err error) {
			t.Helper()
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			if x, y := write(t, g, nil), write(t, want, nil); x != y {
				t.Errorf("%s: \n%s, want\n%s", what, x, y)
			}
			packed := bytes.HasPrefix(must(os.ReadFile(path))(t), []byte("\x1f\x8b"))
			if packed != (name == "x.gz") || namesIn(t, dir) != name {
				t.Errorf("%s: compressed: %t, in the folder: %s", what, packed, namesIn(t, dir))
			}
		}
		named := &fstio.Options{In: table, Out: table}
		err := fstio.WriteTextFile(path, lazy, nil)
		g, errRead := fstio.ReadTextFile(path, tropical, named)
		same("text", g, errors.Join(err, errRead))

		err = fstio.WriteBinaryFile(path, lazy, nil)
		g, errRead = fstio.ReadBinaryFile(path, tropical)
		same("binary", g, errors.Join(err, errRead))

		err = fstio.WriteArchiveFile(path, fstio.Table, entries(nil, f, want), nil)
		var last costEntry
		for e, err := range fstio.ReadArchiveFile(path, tropical) {
			last = must(e, err)(t)
		}
		same("archive, machine "+last.Key, last.FST, err)

		var plain strings.Builder
		err = errors.Join(fstio.WriteDOTFile(path, lazy, nil), fstio.WriteDOT(&plain, want, nil))
		same("dot", want, err)
		if text := must(io.ReadAll(must(fstio.Open(path, 0))(t)))(t); string(text) != plain.String() {
			t.Errorf("%s: a drawing %s", name, text)
		}
		for what, round := range map[string]func() (*fst.Symbols, error){
			"symbols": func() (*fst.Symbols, error) {
				if err := fstio.WriteSymbolsFile(path, table); err != nil {
					return nil, err
				}
				return fstio.ReadSymbolsFile(path)
			},
			"binary symbols": func() (*fst.Symbols, error) {
				if err := fstio.WriteBinarySymbolsFile(path, table); err != nil {
					return nil, err
				}
				return fstio.ReadBinarySymbolsFile(path)
			},
		} {
			again, err := round()
			same(what, want, err)
			if !again.Equal(table) {
				t.Errorf("%s: another table", what)
			}
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}

// A file may be overwritten with data that are read from it.
func TestFilesOverTheirInput(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.gz")
	f := fst.FromString(tropical, []int32{1})
	if err := fstio.WriteArchiveFile(path, fstio.List, entries(nil, f, f, f), nil); err != nil {
		t.Fatal(err)
	}
	if err := fstio.WriteArchiveFile(path, fstio.Table, fstio.ReadArchiveFile(path, tropical), nil); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, err := range fstio.ReadArchiveFile(path, tropical) {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	if n != 3 {
		t.Errorf("%d machines, want 3", n)
	}
	for name, write := range fileWriters {
		if err := fstio.WriteBinaryFile(path, f, nil); err != nil {
			t.Fatal(err)
		}
		if err := write(path, fst.Star(must(fstio.ReadBinaryFile(path, tropical))(t))); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// After an error, or a panic, a file is unchanged.
func TestFilesWholeOrNotAtAll(t *testing.T) {
	b := fst.NewBuilder(tropical)
	b.AddStates(10_000) // more than the buffers hold
	b.AddStart(0, 0)
	for s := range int32(9_999) {
		b.AddArc(s, fst.Arc[semiring.Cost]{In: 1 + s/9_998, Out: 1, To: s + 1})
	}
	b.SetFinal(9_999, 0)
	a := fst.NewSymbols("a")
	late := must(b.Freeze())(t).WithSymbols(a, a) // its last label has no name
	good := fst.FromString(tropical, []int32{1})
	blank := fst.NewSymbols("a", " ")
	broken := errors.New("the sequence breaks off")
	for what, x := range map[string]struct {
		write func(name string) error
		cause error
	}{
		"text":         {func(name string) error { return fstio.WriteTextFile(name, late, nil) }, fst.ErrSymbol},
		"dot":          {func(name string) error { return fstio.WriteDOTFile(name, late, nil) }, fst.ErrSymbol},
		"symbols":      {func(name string) error { return fstio.WriteSymbolsFile(name, blank) }, fst.ErrSymbol},
		"archive":      {func(name string) error { return fstio.WriteArchiveFile(name, fstio.List, entries(broken, late), nil) }, broken},
		"archive form": {func(name string) error { return fstio.WriteArchiveFile(name, "heap", entries(nil, good), nil) }, nil},
		"binary": {func(name string) error {
			return fstio.WriteBinaryFile(name, good, &fstio.Binary{Container: "heap"})
		}, nil},
		"panic": {func(name string) (err error) {
			defer func() { err = fmt.Errorf("%v", recover()) }()
			return fstio.WriteArchiveFile(name, fstio.List, func(func(costEntry, error) bool) { panic("no sequence") }, nil)
		}, nil},
	} {
		for _, base := range []string{"x", "x.gz"} {
			dir := t.TempDir()
			name := filepath.Join(dir, base)
			err := x.write(name)
			if err == nil || x.cause != nil && (!errors.Is(err, x.cause) || !strings.Contains(err.Error(), name) || strings.Count(err.Error(), "fstio: ") != 1) || namesIn(t, dir) != "" {
				t.Errorf("%s: error %v, in the folder: %s", what, err, namesIn(t, dir))
			}
			if err := os.WriteFile(name, []byte("as before"), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := x.write(name); err == nil || string(must(os.ReadFile(name))(t)) != "as before" || namesIn(t, dir) != base {
				t.Errorf("%s: the file is not as before: %v; in the folder: %s", what, err, namesIn(t, dir))
			}
		}
	}
	missing := filepath.Join(t.TempDir(), "none", "x")
	for name, write := range fileWriters {
		if err := write(missing, good); !errors.Is(err, fs.ErrNotExist) || !strings.HasPrefix(err.Error(), "fstio: ") || !strings.Contains(err.Error(), missing) {
			t.Errorf("%s into no folder: %v", name, err)
		}
	}
}

// The error of a machine that has failed is returned unchanged, and no file is written.
func TestFailedMachinesAreNotWritten(t *testing.T) {
	bad := fst.Union(fst.FromString(tropical, nil), fst.FromString(tropical, nil).WithSymbols(fst.NewSymbols("a"), nil),
		fst.FromString(tropical, nil).WithSymbols(fst.NewSymbols("b"), nil))
	dir := t.TempDir()
	for name, write := range fileWriters {
		if err := write(filepath.Join(dir, "x"), bad); err != fst.Err(bad) || !errors.Is(err, fst.ErrMismatch) || namesIn(t, dir) != "" {
			t.Errorf("%s: %v, in the folder: %s", name, err, namesIn(t, dir))
		}
	}
	var b bytes.Buffer
	a := must(fstio.NewArchiveWriter[semiring.Cost](&b, fstio.Table, nil))(t)
	for name, err := range map[string]error{
		"WriteText": fstio.WriteText(&b, bad, nil), "WriteBinary": fstio.WriteBinary(&b, bad, nil), "WriteDOT": fstio.WriteDOT(&b, bad, nil),
		"Add": a.Add("x", bad), "Close": a.Close(),
	} {
		if err != fst.Err(bad) || b.Len() > 0 {
			t.Errorf("%s: %v after %d bytes", name, err, b.Len())
		}
	}
	for want, do := range map[string]func(){
		"fstio: WriteText: nil machine":         func() { fstio.WriteText[semiring.Cost](&b, nil, nil) },
		"fstio: WriteTextFile: nil machine":     func() { fstio.WriteTextFile[semiring.Cost]("x", nil, nil) },
		"fstio: WriteBinary: nil machine":       func() { fstio.WriteBinary[semiring.Cost](&b, nil, nil) },
		"fstio: WriteBinaryFile: nil machine":   func() { fstio.WriteBinaryFile[semiring.Cost]("x", nil, nil) },
		"fstio: WriteDOT: nil machine":          func() { fstio.WriteDOT[semiring.Cost](&b, nil, nil) },
		"fstio: WriteDOTFile: nil machine":      func() { fstio.WriteDOTFile[semiring.Cost]("x", nil, nil) },
		"fstio: ArchiveWriter.Add: nil machine": func() { a.Add("y", (*fst.FST[semiring.Cost])(nil)) },
		"fstio: WriteSymbolsFile: nil symbols":  func() { fstio.WriteSymbolsFile("x", nil) },
		"fstio: WriteBinarySymbolsFile: nil symbols": func() {
			fstio.WriteBinarySymbolsFile("x", nil)
		},
		"fstio: WriteTexts: nil sequence of machines":      func() { fstio.WriteTexts[semiring.Cost](&b, nil, nil) },
		"fstio: WriteTextsFile: nil sequence of machines":  func() { fstio.WriteTextsFile[semiring.Cost]("x", nil, nil) },
		"fstio: WriteTexts: nil machine":                   func() { fstio.WriteTexts(&b, sequence([]costs{nil}), nil) },
		"fstio: ReadLattices: nil ring":                    func() { fstio.ReadLattices[semiring.Cost](&b, nil, nil) },
		"fstio: ReadLatticesFile: nil ring":                func() { fstio.ReadLatticesFile[semiring.Cost]("x", nil, nil) },
		"fstio: ReadK2: nil reader":                        func() { fstio.ReadK2[semiring.Cost](nil, tropical) },
		"fstio: WriteK2: nil machine":                      func() { fstio.WriteK2[semiring.Cost](&b, nil, 0) },
		"fstio: WriteK2File: nil machine":                  func() { fstio.WriteK2File[semiring.Cost]("x", nil, 0) },
		"fstio: ReadTexts: nil ring":                       func() { fstio.ReadTexts[semiring.Cost](&b, nil, nil) },
		"fstio: WriteArchiveFile: nil sequence of entries": func() { fstio.WriteArchiveFile[semiring.Cost]("x", fstio.Table, nil, nil) },
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); got != want {
					t.Errorf("panic %q, want %q", got, want)
				}
			}()
			do()
		}()
	}
}

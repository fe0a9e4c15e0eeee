package fstio_test

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"example.org/pathsum/fst"
	"example.org/pathsum/fst/fstio"
	"example.org/pathsum/semiring"
)

// forms are all forms of a machine.
func forms() []fstio.Binary {
	var all []fstio.Binary
	for _, arc := range []fstio.ArcType{fstio.Standard, fstio.Log, fstio.Log64} {
		for _, container := range []fstio.Container{fstio.Vector, fstio.Const} {
			all = append(all, fstio.Binary{Arc: arc, Container: container})
		}
	}
	return all
}

func writeBinary[W any](t *testing.T, f *fst.FST[W], o *fstio.Binary) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := fstio.WriteBinary(&b, f, o); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func readBinary(t *testing.T, data []byte) *fst.FST[semiring.Cost] {
	t.Helper()
	return must(fstio.ReadBinary(bytes.NewReader(data), tropical))(t)
}

// A machine that is written and read again is the same, state by state and arc by arc.
func TestBinaryRoundTrip(t *testing.T) {
	symbols := fst.NewSymbols("a", "", "ß c")
	for seed := range uint64(30) {
		f := random(seed, 3, seed%2 == 0)
		if seed%3 == 0 {
			f = f.WithSymbols(symbols, nil)
		}
		for _, x := range examples(f) {
			g := readBinary(t, writeBinary(t, x.machine, &x.form))
			want := write(t, x.machine.WithSymbols(nil, nil), nil)
			if got := write(t, g.WithSymbols(nil, nil), nil); got != want {
				t.Fatalf("seed %d, %v: wrote\n%s, read\n%s", seed, x.form, want, got)
			}
			if !g.InSymbols().Equal(f.InSymbols()) || g.OutSymbols() != nil {
				t.Errorf("seed %d, %v: symbols changed", seed, x.form)
			}
		}
	}
}

// Weights are −ln p in every ring, and several initial states become one.
func TestBinaryWeights(t *testing.T) {
	b := fst.NewBuilder(reals)
	b.AllowZero()
	b.AddStates(3)
	b.AddStart(0, .5)
	b.AddStart(1, .25)
	b.AddArc(0, fst.Arc[float64]{In: 7, Out: 8, To: 2, Weight: .125})
	b.AddArc(1, fst.Arc[float64]{In: 7, Out: 9, To: 2})
	b.SetFinal(2, 3)
	f := must(b.Freeze())(t)
	for _, o := range []*fstio.Binary{nil, {Container: fstio.Const}} {
		data := writeBinary(t, f, o)
		if !bytes.Contains(data, []byte("log64")) {
			t.Error("sums of real numbers are not those of log64 arcs")
		}
		g := readBinary(t, data)
		if g.NumStates() != 4 || g.NumArcs() != 4 {
			t.Fatalf("%d states, %d arcs", g.NumStates(), g.NumArcs())
		}
		ln := func(p float64) semiring.Cost { return semiring.Cost(-math.Log(p)) }
		if got, want := g.AppendArcs(g.AppendArcs(nil, 0), 3), []fst.Arc[semiring.Cost]{
			{In: 7, Out: 8, To: 2, Weight: ln(.125)}, {To: 0, Weight: ln(.5)}, {To: 1, Weight: ln(.25)},
		}; !slices.Equal(got, want) {
			t.Errorf("arcs %v, want %v", got, want)
		}
		if g.Final(2) != ln(3) || g.Final(3) != tropical.Zero() {
			t.Errorf("final weights %v and %v", g.Final(2), g.Final(3))
		}
		if p := must(fstio.ReadBinary(bytes.NewReader(data), reals))(t); p.AppendArcs(nil, 1)[0].Weight != 0 {
			t.Error("an arc of probability 0 is not read as one")
		}
	}
	if !bytes.Contains(writeBinary(t, fst.FromString(tropical, nil), nil), []byte("standard")) {
		t.Error("costs are not those of standard arcs")
	}
}

// Machines without states or without initial ones.
func TestBinaryEmpty(t *testing.T) {
	b := fst.NewBuilder(tropical)
	nothing := must(b.Freeze())(t)
	b.AddStates(2)
	b.AddArc(0, fst.Arc[semiring.Cost]{To: 1})
	startless := must(b.Freeze())(t)
	for _, f := range []*fst.FST[semiring.Cost]{nothing, startless} {
		for _, form := range forms() {
			g := readBinary(t, writeBinary(t, f, &form))
			if g.NumStates() != f.NumStates() || g.NumArcs() != f.NumArcs() || len(g.AppendStarts(nil)) > 0 {
				t.Errorf("%v: %d states and %d arcs became %d and %d", form, f.NumStates(), f.NumArcs(), g.NumStates(), g.NumArcs())
			}
		}
	}
}

func TestBinaryFiles(t *testing.T) {
	f := fst.FromString(tropical, []int32{1, 2}).WithSymbols(nil, fst.NewSymbols("a", "b"))
	name := t.TempDir() + "/f.fst.gz"
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if err := errors.Join(fstio.WriteBinary(z, f, nil), z.Close(), os.WriteFile(name, b.Bytes(), 0o600)); err != nil {
		t.Fatal(err)
	}
	g := must(fstio.ReadBinaryFile(name, tropical))(t)
	if !slices.Equal(g.In(), f.In()) || !g.OutSymbols().Equal(f.OutSymbols()) {
		t.Error("the file has another machine")
	}
	if _, err := fstio.ReadBinarySymbolsFile(name); err == nil || !strings.Contains(err.Error(), name+": byte 0: bad format: this is not a table of symbols") {
		t.Error(err)
	}
	b.Reset()
	table := new(fst.Symbols)
	if err := errors.Join(table.Set("x y", 3), table.Set("", 2147483647), fstio.WriteBinarySymbols(&b, table)); err != nil {
		t.Fatal(err)
	}
	if got := must(fstio.ReadBinarySymbols(&b))(t); !got.Equal(table) {
		t.Error("the table of symbols changed")
	}
}

// Truncated or changed data lead to an error with an offset, or to another machine, but never to a
// panic.
func TestBinaryBroken(t *testing.T) {
	f := random(1, 3, true).WithSymbols(fst.NewSymbols("a", "b", "c"), nil)
	for _, x := range examples(f) {
		form, data := x.form, writeBinary(t, x.machine, &x.form)
		for n := range data {
			_, err := fstio.ReadBinary(bytes.NewReader(data[:n]), tropical)
			if e := new(fstio.ParseError); !errors.As(err, &e) || e.Line != 0 || e.Offset > int64(n) {
				t.Fatalf("%v: the first %d of %d bytes: %v", form, n, len(data), err)
			}
			for _, x := range []byte{0, 1, 127, 255} {
				changed := slices.Clone(data)
				changed[n] = x
				g, err := fstio.ReadBinary(bytes.NewReader(changed), tropical)
				if err == nil && g.NumStates() > len(data) {
					t.Errorf("%v: byte %d is %d: %d states", form, n, x, g.NumStates())
				}
			}
		}
	}
	_, err := fstio.ReadBinary(iotest.ErrReader(errBroken), tropical)
	if !errors.Is(err, errBroken) {
		t.Error(err)
	}
}

// Errors of the underlying writer are returned.
func TestBinaryBrokenWriter(t *testing.T) {
	if err := fstio.WriteBinary(broken{}, fst.FromString(tropical, []int32{1}), &fstio.Binary{Arc: fstio.Log64}); !errors.Is(err, errBroken) {
		t.Error(err)
	}
}

func TestArchive(t *testing.T) {
	for _, form := range []fstio.Archive{fstio.Table, fstio.List} {
		for n := range 5 {
			var machines []*fst.FST[semiring.Cost]
			var b bytes.Buffer
			a := must(fstio.NewArchiveWriter[semiring.Cost](&b, form, nil))(t)
			for i := range n {
				machines = append(machines, random(uint64(i), 3, true))
				if err := a.Add(fmt.Sprintf("key %d", i), machines[i]); err != nil {
					t.Fatal(err)
				}
			}
			if err := a.Close(); err != nil {
				t.Fatal(err)
			}
			i := 0
			for e, err := range fstio.ReadArchive(iotest.OneByteReader(bytes.NewReader(b.Bytes())), tropical) {
				if err != nil {
					t.Fatal(err)
				}
				if e.Key != fmt.Sprintf("key %d", i) || write(t, e.FST, nil) != write(t, machines[i], nil) {
					t.Errorf("%s of %d, %q: another machine", form, n, e.Key)
				}
				i++
			}
			if i != n {
				t.Errorf("%s: %d machines, want %d", form, i, n)
			}
			for size := range b.Len() {
				var last error
				for _, err := range fstio.ReadArchive(bytes.NewReader(b.Bytes()[:size]), tropical) {
					last = err
				}
				if e := new(fstio.ParseError); !errors.As(last, &e) {
					t.Errorf("%s of %d, the first %d of %d bytes: %v", form, n, size, b.Len(), last)
				}
			}
		}
	}
}

func TestArchiveErrors(t *testing.T) {
	if _, err := fstio.NewArchiveWriter[semiring.Cost](new(bytes.Buffer), "x", nil); err == nil {
		t.Error("an unknown form is written")
	}
	a := must(fstio.NewArchiveWriter[semiring.Cost](new(bytes.Buffer), fstio.List, nil))(t)
	f := fst.FromString(tropical, []int32{1})
	if err := errors.Join(a.Add("b", f)); err != nil {
		t.Fatal(err)
	}
	if err := a.Add("a", f); err == nil || a.Close() != err || a.Add("c", f) != err {
		t.Error("keys descend without an error")
	}
	for e, err := range fstio.ReadArchiveFile(t.TempDir()+"/none", tropical) {
		if !errors.Is(err, os.ErrNotExist) || e.FST != nil {
			t.Error(err)
		}
	}
}

// Tables of symbols have names in a binary file, their own or those of the tapes, and keep
// their own when it is read.
func TestBinaryNamesSymbols(t *testing.T) {
	for _, x := range []struct{ title, in, out string }{{"", "input", "output"}, {"letters", "letters", "letters"}} {
		table := fst.NewSymbols("a", "b")
		table.SetTitle(x.title)
		f := fst.FromString(tropical, []int32{1, 2}).WithSymbols(table, table)
		var b bytes.Buffer
		if err := fstio.WriteBinary(&b, f, nil); err != nil {
			t.Fatal(err)
		}
		g := must(fstio.ReadBinary(&b, tropical))(t)
		if in, out := g.InSymbols().Title(), g.OutSymbols().Title(); in != x.in || out != x.out || !g.InSymbols().Equal(table) {
			t.Errorf("titles %q and %q, want %q and %q", in, out, x.in, x.out)
		}
		b.Reset()
		if err := fstio.WriteBinarySymbols(&b, table); err != nil {
			t.Fatal(err)
		}
		if got := must(fstio.ReadBinarySymbols(&b))(t).Title(); got != cmp.Or(x.title, "symbols") {
			t.Errorf("a table with the title %q is written as %q", x.title, got)
		}
	}
	name := filepath.Join(t.TempDir(), "names.txt")
	if err := os.WriteFile(name, []byte("a 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := must(fstio.ReadSymbolsFile(name))(t).Title(); got != name {
		t.Errorf("a file's table has the title %q", got)
	}
}

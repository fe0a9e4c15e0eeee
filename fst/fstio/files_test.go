package fstio_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/fst/fstio"
	"example.org/pathsum/internal/memtest"
	"example.org/pathsum/internal/text"
	"example.org/pathsum/semiring"
)

// A byte order mark is not a part of the first column, and lines end with CR, LF or both.
func TestTextsOfOtherSystems(t *testing.T) {
	for _, end := range []string{"\n", "\r\n", "\r"} {
		for _, mark := range []string{"", "\ufeff"} {
			file := func(lines ...string) io.Reader { return strings.NewReader(mark + strings.Join(lines, end) + end) }
			table := must(fstio.ReadSymbols(file("<eps> 0", "a 1", "b 2")))(t)
			if want := fst.NewSymbols("a", "b"); !table.Equal(want) {
				t.Errorf("%q, %q: the table has %d symbols, or others", mark, end, table.Len())
			}
			f := must(fstio.ReadText(file("0 1 a b 2", "1"), tropical, &fstio.Options{In: table, Out: table}))(t)
			if got := write(t, f, nil); got != "0\t1\ta\tb\t2\n1\n" {
				t.Errorf("%q, %q: the machine is\n%s", mark, end, got)
			}
			m := must(fstio.ReadStringMap(file("go\twent", "see\tsaw"), tropical, nil))(t)
			if got := paths(m); len(got) != 2 || !strings.HasPrefix(got[0], fmt.Sprint(fst.RuneLabels("go"))) {
				t.Errorf("%q, %q: the list is %v", mark, end, got)
			}
		}
	}
	_, err := fstio.ReadSymbols(strings.NewReader("\xff\xfea\x00 \x001\x00"))
	if e := new(fstio.ParseError); !errors.As(err, &e) || e.Line != 1 || !errors.Is(err, text.ErrUTF16) {
		t.Errorf("UTF-16: %v", err)
	}
	for _, name := range []string{"\ufeffa", "\xff\xfea", "\x1f\x8b", "\xd6\xfd\xb2~"} {
		if err := fstio.WriteSymbols(io.Discard, fst.NewSymbols(name)); text.Valid(name) && err != nil || !text.Valid(name) && !errors.Is(err, fst.ErrSymbol) {
			t.Errorf("%q as second name: %v", name, err)
		}
		table := new(fst.Symbols)
		table.Add(name)
		if err := fstio.WriteSymbols(io.Discard, table); !errors.Is(err, fst.ErrSymbol) {
			t.Errorf("%q as first name: %v", name, err)
		}
	}
}

// For a file of another kind, the error contains the kind and the function that reads it.
func TestOtherKinds(t *testing.T) {
	m := fst.FromString(tropical, []int32{1, 2})
	var symbols, archive, packed bytes.Buffer
	a := must(fstio.NewArchiveWriter[semiring.Cost](&archive, fstio.Table, nil))(t)
	z := gzip.NewWriter(&packed)
	_, err := z.Write([]byte("0 1 1 1\n1\n"))
	if err := errors.Join(err, z.Close(), fstio.WriteBinarySymbols(&symbols, fst.NewSymbols("a")), a.Add("a", m), a.Close()); err != nil {
		t.Fatal(err)
	}
	kinds := map[string]struct{ data, want string }{
		"text machine": {"0 1 1 1\n1\n", "ReadText"}, "text symbols": {"ü 0\na 1\n", "ReadSymbols"}, "short text": {"0", "ReadText"},
		"machine": {string(writeBinary(t, m, nil)), "a machine in OpenFst's binary form: see ReadBinary"},
		"symbols": {symbols.String(), "ReadBinarySymbols"}, "archive": {archive.String(), "ReadArchive"}, "gzip": {packed.String(), ".gz"},
		"nothing": {"", "empty"},
	}
	text := []string{"text machine", "short text", "text symbols", "nothing"}
	for _, x := range []struct {
		own  []string
		read func(r io.Reader) error
	}{
		{text, func(r io.Reader) error { _, err := fstio.ReadText(r, tropical, nil); return err }},
		{text, func(r io.Reader) error { _, err := fstio.ReadSymbols(r); return err }},
		{text, func(r io.Reader) error { _, err := fstio.ReadStringMap(r, tropical, nil); return err }},
		{[]string{"machine"}, func(r io.Reader) error { _, err := fstio.ReadBinary(r, tropical); return err }},
		{[]string{"symbols"}, func(r io.Reader) error { _, err := fstio.ReadBinarySymbols(r); return err }},
		{[]string{"archive"}, func(r io.Reader) (last error) {
			for _, err := range fstio.ReadArchive(r, tropical) {
				last = err
			}
			return last
		}},
	} {
		for kind, k := range kinds {
			err := x.read(strings.NewReader(k.data))
			own := strings.Contains(strings.Join(x.own, ","), kind)
			if e := new(fstio.ParseError); !own && (!errors.As(err, &e) || !strings.Contains(err.Error(), k.want) || len(err.Error()) > 200) {
				t.Errorf("a reader of %v is given a %s: %v, want %s", x.own, kind, err, k.want)
			}
		}
	}
}

// A message quotes the beginning of a long token.
func TestMessagesAreShort(t *testing.T) {
	long := strings.Repeat("x", 1<<16)
	table := &fstio.Options{In: fst.NewSymbols("a"), Out: fst.NewSymbols("a")}
	for i, err := range []error{
		second(fstio.ReadText(strings.NewReader(long), tropical, nil)), second(fstio.ReadText(strings.NewReader("0 1 "+long+" 1"), tropical, nil)),
		second(fstio.ReadText(strings.NewReader("0 1 a "+long), tropical, table)), second(fstio.ReadText(strings.NewReader("0 1 1 1 "+long), tropical, nil)),
		second(fstio.ReadText(strings.NewReader("0 1 1 1 "+long), semiring.Boolean{}, nil)),
		second(fstio.ReadText(strings.NewReader("0 1 1 1 "+long), semiring.Scaled{}, &fstio.Options{Weights: fstio.Native})),
		second(fstio.ReadText(strings.NewReader("0 1 1 1 "+long), semiring.Bottleneck{}, nil)),
		second(fstio.ReadText(strings.NewReader("0 1 1 1 "+long), semiring.Counting{}, nil)),
		second(fstio.ReadText(strings.NewReader("0 1 1 1 "+long), semiring.LeftString{}, nil)),
		second(fstio.ReadText(strings.NewReader("0 1 1 1 ("+long+",1)"), must(semiring.Lex[semiring.Cost, float64](tropical, reals))(t), nil)),
		second(fstio.ReadText(strings.NewReader("0\n0"+strings.Repeat("0", 1<<16)), tropical, nil)),
		second(fstio.ReadSymbols(strings.NewReader("a " + long))), second(fstio.ReadSymbols(strings.NewReader(long + " 1\n" + long + " 1"))),
		second(fstio.ReadSymbols(strings.NewReader("a 1\n" + long + " 1"))), second(fstio.ReadSymbols(strings.NewReader(long + " 1\na 1"))),
		second(fstio.ReadStringMap(strings.NewReader(long+"\xff"), tropical, nil)),
		second(fstio.ReadBinarySymbols(bytes.NewReader(packed(int32(2125658996), "", int64(0), int64(2), long, int64(1), long, int64(2))))),
		second(fstio.ReadBinarySymbols(bytes.NewReader(packed(int32(2125658996), "", int64(0), int64(1), long, int64(-1))))),
		second(fstio.ReadBinary(bytes.NewReader(packed(int32(2125659606), long, "standard", make([]byte, 40))), tropical)),
		fstio.WriteSymbols(io.Discard, fst.NewSymbols(long+" ")),
	} {
		if err == nil || len(err.Error()) > 300 {
			t.Errorf("%d: %.300v", i, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// The contents of a compressed file are limited to a multiple of its size, unless Open allows more.
// Data that are read up to the limit have their own bound.
func TestCompressedFilesHaveABound(t *testing.T) {
	dir := t.TempDir()
	line := append(bytes.Repeat([]byte(" "), 1<<10-1), '\n')
	pack := func(name string, size int) string {
		name = filepath.Join(dir, name)
		file := must(os.Create(name))(t)
		z := gzip.NewWriter(file)
		for range size / len(line) {
			if _, err := z.Write(line); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(z.Close(), file.Close()); err != nil {
			t.Fatal(err)
		}
		return name
	}
	const allowed = 16 << 20
	blank, large := pack("blank.gz", allowed), pack("large.gz", 2*allowed)
	if _, err := fstio.ReadTextFile(blank, tropical, nil); err != nil {
		t.Errorf("16 MiB: %v", err)
	}
	archive := func(name string) (last error) {
		for _, err := range fstio.ReadArchiveFile(name, tropical) {
			last = err
		}
		return last
	}
	for i, err := range []error{
		second(fstio.ReadTextFile(large, tropical, nil)), second(fstio.ReadSymbolsFile(large)),
	} {
		if !errors.Is(err, semiring.ErrLimit) || !strings.Contains(err.Error(), "16777216 bytes") || !strings.Contains(err.Error(), "fstio.Open") || !strings.Contains(err.Error(), ".gz") {
			t.Errorf("%d: %v", i, err)
		}
	}
	// States without arcs, and machines of such states: sizes in a header are not trusted, but
	// zeros are states.
	zeros := filepath.Join(dir, "zeros.gz")
	for _, head := range [][]byte{
		packed(int32(2125659606), "vector", "standard", int32(2), int32(0), int64(3), int64(0), int64(-1), int64(0)),
		packed(int32(5656924), int32(1), "a", int32(2125659606), "vector", "standard", int32(2), int32(0), int64(3), int64(0), int64(1<<30), int64(0)),
	} {
		file := must(os.Create(zeros))(t)
		z := gzip.NewWriter(file)
		_, err := z.Write(head)
		for range 2 * allowed >> 16 {
			if err == nil {
				_, err = z.Write(make([]byte, 1<<16))
			}
		}
		if err := errors.Join(err, z.Close(), file.Close()); err != nil {
			t.Fatal(err)
		}
		memtest.Bound(t, allowed, perBinary, func() {
			err := second(fstio.ReadBinaryFile(zeros, tropical))
			if bytes.HasPrefix(head, packed(int32(5656924))) {
				err = archive(zeros)
			}
			if !errors.Is(err, semiring.ErrLimit) || !strings.Contains(err.Error(), "zeros.gz") {
				t.Errorf("zeros: %v", err)
			}
		})
	}
	// A greater limit, and a smaller one, of compressed and of plain files.
	for _, x := range []struct {
		file  string
		limit int64
		fits  bool
	}{{large, 2 * allowed, true}, {large, 2*allowed - 1, false}, {blank, 100, false}, {blank, 0, true}, {large, -1, false}} {
		f := must(fstio.Open(x.file, x.limit))(t)
		_, err := fstio.ReadText(f, tropical, nil)
		if f.Close(); x.fits != (err == nil) || err != nil && !errors.Is(err, semiring.ErrLimit) {
			t.Errorf("%s within %d bytes: %v", filepath.Base(x.file), x.limit, err)
		}
	}
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, bytes.Repeat([]byte("\n"), 100), 0o600); err != nil {
		t.Fatal(err)
	}
	for limit, fits := range map[int64]bool{0: true, 100: true, 99: false} {
		f := must(fstio.Open(plain, limit))(t)
		data, err := io.ReadAll(f)
		if f.Close(); fits != (err == nil) || fits && len(data) != 100 || !fits && len(data) != int(limit) {
			t.Errorf("a plain file within %d bytes: %d, %v", limit, len(data), err)
		}
	}
	if _, err := fstio.Open(filepath.Join(dir, "missing"), 0); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

package tsv

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"example.org/pathsum/internal/memtest"
	"example.org/pathsum/internal/text"
)

func ExamplePairs() {
	const data = "table\tテ ー ブ ル\t3\nhotel\tホ テ ル\nkiosk キオスク\n"
	for p, err := range Pairs(strings.NewReader(data), "loanwords.tsv") {
		if err != nil {
			fmt.Println(err)
			break
		}
		fmt.Println(p.Left, Symbols(p.Right), p.Count)
	}
	// Output:
	// table [テ ー ブ ル] 3
	// hotel [ホ テ ル] 1
	// loanwords.tsv:3: no tab, want 2 to 3 columns
}

func TestPairs(t *testing.T) {
	const data = "\ufeffa\tb\r\nc d\te f\t2.5\n\u00e9\t\u30ab \tb\t1e-3"
	_, err := Collect(Pairs(strings.NewReader(data), "x"))
	if !errors.Is(err, ErrColumns) {
		t.Fatalf("four columns: %v", err)
	}
	got, err := Collect(Pairs(strings.NewReader(strings.Replace(data, " \tb", "", 1)), "x"))
	if err != nil {
		t.Fatal(err)
	}
	want := []Pair{{1, "a", "b", 1}, {2, "c d", "e f", 2.5}, {3, "é", "カ", 1e-3}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestErrors(t *testing.T) {
	long := strings.Repeat("x", text.MaxLine)
	tests := []struct {
		name, data string
		line       int
		want       error
		message    string
	}{
		{"no tab", "a\tb\na b\n", 2, ErrNoTab, "want 2 to 3 columns"},
		{"empty line", "a\tb\n\nc\td\n", 2, ErrNoTab, ""},
		{"four columns", "a\tb\t1\tc\n", 1, ErrColumns, "4, want 2 to 3"},
		{"invalid UTF-8", "a\tb\na\tb\na\té\xff\n", 3, text.ErrUTF8, "at byte 5"},
		{"cut UTF-8", "a\t\xe3\x82", 1, text.ErrUTF8, "at byte 3"},
		{"empty left", "\tb\n", 1, ErrEmptySide, "column 1"},
		{"empty right", "a\t\n", 1, ErrEmptySide, "column 2"},
		{"blank right", "a\t \u3000\t1\n", 1, ErrEmptySide, "column 2"},
		{"no number", "a\tb\tmany\n", 1, ErrCount, `"many", want a finite number > 0`},
		{"empty count", "a\tb\t\n", 1, ErrCount, ""},
		{"zero count", "a\tb\t0\n", 1, ErrCount, ""},
		{"negative count", "a\tb\t-1\n", 1, ErrCount, ""},
		{"infinite count", "a\tb\tinf\n", 1, ErrCount, ""},
		{"NaN count", "a\tb\tnan\n", 1, ErrCount, ""},
		{"huge count", "a\tb\t1e999\n", 1, ErrCount, ""},
		{"too long", "a\tb\n" + long + "\t\n", 2, text.ErrTooLong, "more than 1048576 bytes"},
		{"far too long", long + long, 1, text.ErrTooLong, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := Collect(Pairs(strings.NewReader(test.data), "dir/f.tsv"))
			var e *text.Error
			if !errors.As(err, &e) || e.File != "dir/f.tsv" || e.Line != test.line {
				t.Fatalf("got error %v, want one of dir/f.tsv, line %d", err, test.line)
			}
			if !errors.Is(err, test.want) || !strings.Contains(err.Error(), test.message) {
				t.Errorf("got error %q, want %q and %q", err, test.want, test.message)
			}
		})
	}
}

func TestLongestLine(t *testing.T) {
	for _, end := range []string{"", "\n", "\r\n"} {
		data := strings.Repeat("x", text.MaxLine-2) + "\ty" + end
		got, err := Collect(Pairs(strings.NewReader(data), "f"))
		if err != nil || len(got) != 1 || got[0].Right != "y" {
			t.Errorf("a line of the greatest length with end %q: %d pairs, error %v", end, len(got), err)
		}
	}
}

func TestNoRows(t *testing.T) {
	got, err := Collect(Pairs(strings.NewReader(""), "f"))
	if len(got) != 0 || err != nil {
		t.Errorf("empty file: %v, %v", got, err)
	}
}

func TestStopsEarly(t *testing.T) {
	n := 0
	for range Pairs(strings.NewReader("a\tb\nc\td\nbad\n"), "f") {
		n++
		break
	}
	if n != 1 {
		t.Errorf("%d pairs after break, want 1", n)
	}
}

func TestGoesOnAfterAWrongLine(t *testing.T) {
	var got []string
	for p, err := range Pairs(strings.NewReader("a\tb\nbad\nc\td\nc\t \ne\tf\n"), "f") {
		got = append(got, fmt.Sprint(p.Left, err != nil))
	}
	if want := []string{"afalse", "true", "cfalse", "true", "efalse"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestReaderFails(t *testing.T) {
	broken := errors.New("broken")
	r := io.MultiReader(strings.NewReader("a\tb\nc"), iotest.ErrReader(broken))
	got, err := Collect(Pairs(r, "f"))
	if !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), "f:2: ") || got != nil {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestRows(t *testing.T) {
	var got [][]string
	for row, err := range Rows(strings.NewReader("a\nb\tc\n"), "f", 1, 2) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, row.Columns)
	}
	if d := cmp.Diff([][]string{{"a"}, {"b", "c"}}, got); d != "" {
		t.Error(d)
	}
	defer func() {
		if recover() == nil {
			t.Error("Rows of 3 to 2 columns does not panic")
		}
	}()
	RowsOf("f", 3, 2)
}

func compress(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := io.WriteString(z, text); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func write(t *testing.T, name string, data []byte) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestFiles(t *testing.T) {
	text := strings.Repeat("word\tw o r d\n", 5000)
	plain := write(t, "a.tsv", []byte(text))
	packed := write(t, "a.tsv.gz", append(compress(t, text[:len(text)/2]), compress(t, text[len(text)/2:])...))
	for _, file := range []string{plain, packed} {
		got, err := Collect(PairsOf(file))
		if err != nil || len(got) != 5000 || got[4999] != (Pair{5000, "word", "w o r d", 1}) {
			t.Errorf("%s: %d pairs, error %v", filepath.Base(file), len(got), err)
		}
	}
}

func TestBadFiles(t *testing.T) {
	whole := compress(t, strings.Repeat("word\tw o r d\n", 5000))
	cut := write(t, "cut.gz", whole[:len(whole)-9])
	if _, err := Collect(PairsOf(cut)); !errors.Is(err, io.ErrUnexpectedEOF) || !strings.HasPrefix(err.Error(), cut+":") {
		t.Errorf("truncated file: %v", err)
	}
	text := write(t, "text.gz", []byte("a\tb\nsome more text\n"))
	if _, err := Collect(PairsOf(text)); !errors.Is(err, gzip.ErrHeader) || !strings.Contains(err.Error(), text) {
		t.Errorf("not compressed: %v", err)
	}
	if _, err := Collect(PairsOf(text + "x")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	dir := t.TempDir()
	if _, err := Collect(PairsOf(dir)); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("directory: %v", err)
	}
}

// FuzzPairs compares the streaming reader with a direct parse of the whole file.
func FuzzPairs(f *testing.F) {
	for _, s := range []string{"", "a\tb\n", "a\tb\t2\r\n", "\ufeffa\tb", "a\n", "a\t\n", "\xff\t\xff", "\n\n", "a\tb\t1e5\nc\td\tNaN", "\r", "\ufeff", "a\tb\n\ufeffc\td"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var got []Pair
		var err error
		memtest.Bound(t, len(data), 128, func() { got, err = Collect(Pairs(iotest.OneByteReader(bytes.NewReader(data)), "f")) })
		if bytes.HasPrefix(data, []byte{0xff, 0xfe}) || bytes.HasPrefix(data, []byte{0xfe, 0xff}) {
			if !errors.Is(err, text.ErrUTF16) {
				t.Fatalf("UTF-16: %v", err)
			}
			return
		}
		plain := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.TrimPrefix(string(data), "\ufeff"))
		lines := strings.SplitAfter(plain, "\n")
		if lines[len(lines)-1] == "" {
			lines = lines[:len(lines)-1]
		}
		if err == nil && len(got) != len(lines) {
			t.Fatalf("%d pairs from %d lines", len(got), len(lines))
		}
		var e *text.Error
		if err != nil && (!errors.As(err, &e) || e.Line < 1 || e.Line > len(lines) || got != nil) {
			t.Fatalf("error %v, pairs %v", err, got)
		}
		for i, p := range got {
			c := strings.Split(strings.TrimSuffix(lines[i], "\n"), "\t")
			if p.Left != c[0] || p.Right != c[1] || p.Line != i+1 || !(p.Count > 0) || (len(c) == 2 && p.Count != 1) {
				t.Fatalf("line %q gives %+v", lines[i], p)
			}
		}
	})
}

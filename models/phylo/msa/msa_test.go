package msa

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
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"example.org/pathsum/internal/memtest"
	"example.org/pathsum/semiring"
)

// show returns an alignment as text.
func show(a *Alignment) string {
	var b strings.Builder
	for i, name := range a.Species {
		fmt.Fprintf(&b, "%s ", name)
		for _, c := range a.Rows[i] {
			b.WriteByte(c.Symbol())
		}
		b.WriteByte(' ')
	}
	fmt.Fprint(&b, a.Starts, " ", a.Weights)
	return b.String()
}

type reader = func(io.Reader, string) (*Alignment, error)

const head = "NSEQS = 2\nLENGTH = 4\nTUPLE_SIZE = 1\nNTUPLES = 3\nNAMES = a,b\nALPHABET = ACGT\nNCATS = -1\n\n"

func TestRead(t *testing.T) {
	for _, c := range []struct {
		name string
		read reader
		text string
		want string
	}{
		{"lines", ReadFASTA, ">a x\nAC\nGt\n\n>b\nu-?n", "a ACGT b TNNN [] []"},
		{"ambiguity", ReadFASTA, "\ufeff>a\r\nRYKM\r\n>b\r\nSWBD\r\n>c\r\nHV* A\r\n", "a RYKM b SWBD c HVNA [] []"},
		{"runs", ReadMAF, "a\ns x.1 0 2 + 9 AC\n\na\ns x.1 3 1 + 9 G\na\ns x.1 4 1 + 9 T\ni x\na\ns x.1 5 1 - 9 A\n", "x ACGTA [0 2 4] []"},
		{"tabs", ReadMAF, "a\ns\tx.1\t0\t2\t+\t9\tAC", "x AC [0] []"},
		{"columns without order", ReadSS, head + "0\tAC\t2\n1\tA-\t1\n2\tGG\t1.5\n", "a AAG b CNG [0 1 2] [2 1 1.5]"},
		{"columns in order", ReadSS, head + "0\tAC\t2\n1\tA-\t1\n2\tGG\t1\n\nTUPLE_IDX_ORDER:\n2\n0\n0\n1\n", "a GAAA b GCCN [] []"},
	} {
		for how, r := range map[string]io.Reader{"whole": strings.NewReader(c.text), "byte by byte": iotest.OneByteReader(strings.NewReader(c.text))} {
			a, err := c.read(r, "f")
			if err != nil {
				t.Errorf("%s, %s: %v", c.name, how, err)
				continue
			}
			if got := show(a); got != c.want {
				t.Errorf("%s, %s: %s, want %s", c.name, how, got, c.want)
			}
			if err := a.Check(); err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
		}
	}
	long := ">a\n" + strings.Repeat("ACGTN", 1<<18) + "\n>b\n" + strings.Repeat("NACGT", 1<<18)
	if a, err := ReadFASTA(strings.NewReader(long), "f"); err != nil || a.Columns() != 5<<18 {
		t.Errorf("a long line: %v", err)
	}
}

func TestReadFails(t *testing.T) {
	broken := errors.New("broken")
	for _, read := range []reader{ReadFASTA, ReadMAF, ReadSS} {
		if _, err := read(io.MultiReader(strings.NewReader("\n"), iotest.ErrReader(broken)), "f"); !errors.Is(err, broken) {
			t.Errorf("error %v of a broken reader", err)
		}
	}
}

func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	io.WriteString(z, ">a\nACGT\n")
	z.Close()
	for name, content := range map[string]string{"a.fa": ">a\nACGT\n", "a.FASTA.gz": packed.String(), "cut.fa.gz": packed.String()[:20], "a.txt": "x", "a.gz": "x"} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		a, err := ReadFile(file)
		switch {
		case name == "cut.fa.gz":
			if !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("%s: error %v", name, err)
			}
		case name == "a.txt" || name == "a.gz":
			if !errors.Is(err, ErrFormat) {
				t.Errorf("%s: error %v", name, err)
			}
		case err != nil || show(a) != "a ACGT [] []":
			t.Errorf("%s: %v, %v", name, a, err)
		}
	}
	if _, err := ReadFile(filepath.Join(dir, "none.fa")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

func TestCells(t *testing.T) {
	for c := Cell(1); c <= Missing; c++ {
		if got, ok := ParseCell(c.Symbol()); !ok || got != c {
			t.Errorf("%v, written %c, is read as %v", c, c.Symbol(), got)
		}
		n := 0
		for b := range NumBases {
			if c.Has(b) {
				n++
			}
		}
		if _, ok := c.Observed(); ok != (n == 1) {
			t.Errorf("%c: %d bases, observed %v", c.Symbol(), n, ok)
		}
	}
	if _, ok := ParseCell('.'); ok {
		t.Error("'.' is a cell")
	}
}

func TestFrequencies(t *testing.T) {
	a := &Alignment{Species: []string{"a"}, Rows: [][]Cell{{1, 2, Missing, 4}}, Starts: []int{0, 1, 2, 3}, Weights: []float64{2, 1, 7, 1}}
	if d := cmp.Diff([NumBases]float64{.5, .25, .25, 0}, a.Frequencies()); d != "" {
		t.Error(d)
	}
	a.Rows[0] = []Cell{Missing, Missing, Missing, Missing}
	if d := cmp.Diff([NumBases]float64{.25, .25, .25, .25}, a.Frequencies()); d != "" {
		t.Error(d)
	}
}

func TestCheck(t *testing.T) {
	good := func() *Alignment {
		return &Alignment{Species: []string{"a", "b"}, Rows: [][]Cell{{1, 2, 4}, {8, 15, 3}}, Starts: []int{0, 1, 2}, Weights: []float64{1, 2, .5}}
	}
	for name, spoil := range map[string]func(a *Alignment){
		"":                func(*Alignment) {},
		"0 columns":       func(a *Alignment) { a.Rows[0] = nil },
		"rows of":         func(a *Alignment) { a.Rows = a.Rows[:1] },
		"there twice":     func(a *Alignment) { a.Species[1] = "a" },
		"2 columns of":    func(a *Alignment) { a.Rows[1] = a.Rows[1][:2] },
		"no set of bases": func(a *Alignment) { a.Rows[1][2] = 0 },
		"0x10":            func(a *Alignment) { a.Rows[1][2] = 16 },
		"run 0 starts":    func(a *Alignment) { a.Starts[0] = 1 },
		"run 2 starts":    func(a *Alignment) { a.Starts[2] = 3 },
		"run 1 starts":    func(a *Alignment) { a.Starts[1] = 0 },
		"2 weights":       func(a *Alignment) { a.Weights = a.Weights[:2] },
		"weight NaN":      func(a *Alignment) { a.Weights[0] *= 0; a.Weights[0] /= a.Weights[0] },
		"weight -1":       func(a *Alignment) { a.Weights[0] = -1 },
		"and neighbours":  func(a *Alignment) { a.Starts = nil },
	} {
		a := good()
		spoil(a)
		err := a.Check()
		if name == "" {
			if err != nil || !cmp.Equal(a, a.Clone()) || a.Runs() != 3 || a.Row("b") != 1 || a.Row("c") != -1 {
				t.Errorf("error %v", err)
			}
			continue
		}
		if !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), name) {
			t.Errorf("error %v, want %s", err, name)
		}
	}
}

// perByte bounds what a reader allocates for a byte of text: an alignment and parts of it.
const perByte = 2*cellsPerByte + 100

// sparse returns blocks of a column each, of species of their own.
func sparse(blocks int) string {
	var b strings.Builder
	for i := range blocks {
		fmt.Fprintf(&b, "a\ns s%x 0 1 + 1 A\n", i)
	}
	return b.String()
}

// repeated returns statistics of columns of many species, the first of which is in order
// many times.
func repeated(species, times int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "NSEQS = %d\nLENGTH = %d\nNTUPLES = 1\nNAMES = ", species, times)
	for i := range species {
		fmt.Fprintf(&b, "%x,", i)
	}
	text := strings.TrimSuffix(b.String(), ",")
	return text + "\n\n0\t" + strings.Repeat("A", species) + "\t1\nTUPLE_IDX_ORDER:\n" + strings.Repeat("0\n", times)
}

// A short text that stands for a large matrix is refused before there is one.
func TestReadMemory(t *testing.T) {
	for _, x := range []struct {
		name string
		read reader
		text string
		is   error
	}{
		{"a block for each species", ReadMAF, sparse(30000), semiring.ErrLimit},
		{"a few species", ReadMAF, sparse(800), nil},
		{"a species in all blocks", ReadMAF, strings.Repeat("a\ns x 0 1 + 1 A\n", 30000), nil},
		{"empty blocks", ReadMAF, strings.Repeat("a\ns x 0 1 + 1 A\n\n\n", 30000) + strings.Repeat("a\n", 30000), ErrFormat},
		{"a column many times", ReadSS, repeated(20000, 20000), semiring.ErrLimit},
		{"a column some times", ReadSS, repeated(1000, 900), nil},
		{"a long head", ReadSS, strings.Repeat("a=\n", 50000), ErrFormat},
		{"names", ReadFASTA, ">a\nA\n" + strings.Repeat(">b", 1000) + sparse(20000), ErrFormat},
	} {
		t.Run(x.name, func(t *testing.T) {
			var err error
			memtest.Bound(t, len(x.text), perByte, func() { _, err = x.read(strings.NewReader(x.text), "f") })
			if !errors.Is(err, x.is) {
				t.Errorf("error %v, want %v", err, x.is)
			}
		})
	}
}

// FuzzRead: what a reader accepts is an alignment, of bounded size; errors name a line of
// the text.
func FuzzRead(f *testing.F) {
	for i, s := range []string{">a\nACGT\n>b\nAC-N\n", "a\ns x.1 0 2 + 9 AC\ns y.1 0 2 + 9 AC\n\na\ns x.1 2 1 + 9 G\n", head + "0\tAC\t2\n1\tA-\t1\n2\tGG\t1\nTUPLE_IDX_ORDER:\n2\n0\n0\n1\n", head + "0\tAC\t2\n"} {
		f.Add(uint8(min(i, 2)), []byte(s))
	}
	readers := []reader{ReadFASTA, ReadMAF, ReadSS}
	f.Fuzz(func(t *testing.T, which uint8, text []byte) {
		var a *Alignment
		var err error
		memtest.Bound(t, len(text), perByte, func() { a, err = readers[int(which)%len(readers)](bytes.NewReader(text), "f") })
		if err != nil {
			var e *Error
			if !errors.As(err, &e) || e.Line < 1 || e.Line > bytes.Count(text, []byte("\n"))+bytes.Count(text, []byte("\r"))+1 {
				t.Fatalf("error %v", err)
			}
			return
		}
		if err := a.Check(); err != nil {
			t.Fatal(err)
		}
		if cells := a.Columns() * len(a.Rows); cells > len(text)*len(text)+16 {
			t.Fatalf("%d cells of %d bytes", cells, len(text))
		}
	})
}

package matrix

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/internal/stdintest"
	"example.org/pathsum/semiring/frames"
)

// same reports whether two matrices have the same bits, except for NaN.
func same(a, b *Matrix) bool {
	return a.Frames == b.Frames && a.Symbols == b.Symbols && slices.EqualFunc(a.Numbers, b.Numbers, func(x, y float64) bool {
		return math.Float64bits(x) == math.Float64bits(y) || math.IsNaN(x) && math.IsNaN(y)
	})
}

// random returns a matrix with numbers of all sizes.
func random(rng *rand.Rand, rows, columns int) *Matrix {
	m := &Matrix{Frames: rows, Symbols: columns, Numbers: make([]float64, rows*columns)}
	for i := range m.Numbers {
		m.Numbers[i] = math.Float64frombits(rng.Uint64())
	}
	return m
}

// TestTexts: the same matrix in all text formats.
func TestTexts(t *testing.T) {
	want := &Matrix{Frames: 2, Symbols: 3, Numbers: []float64{1, -.5, math.Inf(-1), 0, 2e-300, 7}}
	for _, s := range []string{
		"1;-.5;-inf\n0;2e-300;7\n",
		"1;-.5;-inf;\n0;2e-300;7;\n",
		"1,-0.5,-Infinity\n0,2e-300,7",
		" 1 , -0.5 ,\t-inf \n 0,2e-300\t,7\n\n \n",
		"1\t-0.5\t-inf\t\n0\t2e-300\t7\n",
		"1 -.5   -inf\n  0 2e-300 7 \n",
		"1.000000000000000000e+00 -5.0e-01 -inf\n0.0e+00 2.0e-300 7e0\n",
		"# frames by symbols\n1;-.5;-inf\n# the last\n0;2e-300;7\n",
		"\ufeff1;-.5;-inf\r\n0;2e-300;7\r\n",
		"[[1, -0.5, -Infinity], [0, 2e-300, 7]]",
		"\ufeff \n[ [1,-0.5,-Infinity]\n,[0 ,2e-300 , 7 ] ] \r\n",
	} {
		got, err := Read(strings.NewReader(s), "x")
		if err != nil || !same(got, want) {
			t.Errorf("%q: %v, %v", s, got, err)
		}
	}
	if row := want.Row(1); !slices.Equal(row, []float64{0, 2e-300, 7}) {
		t.Errorf("row 1 is %v", row)
	}
	one, err := Read(strings.NewReader("1\n2\n"), "x")
	if err != nil || !same(one, &Matrix{Frames: 2, Symbols: 1, Numbers: []float64{1, 2}}) {
		t.Errorf("one column: %v, %v", one, err)
	}
	words, err := Read(strings.NewReader("[[NaN, Infinity]]"), "x")
	if err != nil || !same(words, &Matrix{Frames: 1, Symbols: 2, Numbers: []float64{math.NaN(), math.Inf(1)}}) {
		t.Errorf("words: %v, %v", words, err)
	}
}

// TestRoundTrip: a written matrix is read back unchanged, for all kinds of numbers.
func TestRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, size := range [][2]int{{1, 1}, {3, 5}, {40, 31}, {700, 3}} {
		m := random(rng, size[0], size[1])
		for name, write := range map[string]func(*bytes.Buffer) error{
			"CSV": func(b *bytes.Buffer) error { return m.WriteCSV(b) },
			"npy": func(b *bytes.Buffer) error { return m.WriteNPY(b) },
		} {
			var b bytes.Buffer
			if err := write(&b); err != nil {
				t.Fatal(err)
			}
			if got, err := Read(&b, "x"); err != nil || !same(got, m) {
				t.Errorf("%s, %v: %v", name, size, err)
			}
		}
	}
}

// broken is a writer that fails.
type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, os.ErrClosed }

func TestWriteErrors(t *testing.T) {
	m := random(rand.New(rand.NewPCG(2, 2)), 100, 100)
	if err := m.WriteCSV(broken{}); err != os.ErrClosed {
		t.Error(err)
	}
	if err := m.WriteNPY(broken{}); err != os.ErrClosed {
		t.Error(err)
	}
}

// TestLoad: files by name, compressed and not, and standard input.
func TestLoad(t *testing.T) {
	m := random(rand.New(rand.NewPCG(3, 3)), 4, 3)
	var plain, packed bytes.Buffer
	if err := m.WriteNPY(&plain); err != nil {
		t.Fatal(err)
	}
	z := gzip.NewWriter(&packed)
	z.Write(plain.Bytes())
	z.Close()
	folder := t.TempDir()
	for name, content := range map[string][]byte{"a.npy": plain.Bytes(), "a.npy.gz": packed.Bytes()} {
		file := filepath.Join(folder, name)
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := Load(file); err != nil || !same(got, m) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Load(filepath.Join(folder, "b.npy")); err == nil || !os.IsNotExist(err) {
		t.Errorf("no file: %v", err)
	}
	stdintest.Set(t, "1;2\n3;x\n")
	if _, err := Load("-"); err == nil || !strings.HasSuffix(err.Error(), `:2:3: bad format: "x", want a number`) {
		t.Errorf("standard input: %v", err)
	}
}

// TestKnownValues reads outputs of real networks, which the environment variable names the
// folder of. Published for the first is the best path.
func TestKnownValues(t *testing.T) {
	folder := os.Getenv("PATHSUM_EMISSIONS")
	if folder == "" {
		t.Skip("PATHSUM_EMISSIONS names no folder with outputs of networks")
	}
	for _, c := range []struct {
		file, symbols   string
		frames, columns int
		logs            bool
		want            string
	}{
		{"line.csv.gz", "line.chars.txt", 100, 80, false, "the fak friend of the fomly hae tC"},
		{"bentham0.csv.gz", "bentham.chars.txt", 100, 94, false, ""},
		{"bentham1.csv.gz", "bentham.chars.txt", 100, 94, false, ""},
		{"libri.json.gz", "", 371, 29, true, "i have a good deal of will you remember and what i have set my mind upon no doubt i shall some day achieve"},
	} {
		m, err := Load(filepath.Join(folder, c.file))
		if err != nil || m.Frames != c.frames || m.Symbols != c.columns {
			t.Errorf("%s: %v", c.file, err)
			continue
		}
		make := frames.Scores[float64]
		if c.logs {
			make = frames.LogProbabilities[float64]
		}
		if _, err := make(m.Frames, m.Symbols, m.Numbers, &frames.Options{Unnormalized: true}); err != nil {
			t.Errorf("%s: %v", c.file, err)
		}
		symbols := []rune(" abcdefghijklmnopqrstuvwxyz'")
		if c.symbols != "" {
			text, err := os.ReadFile(filepath.Join(folder, c.symbols))
			if err != nil {
				t.Fatal(err)
			}
			symbols = []rune(string(text))
		}
		if len(symbols)+1 != m.Symbols {
			t.Errorf("%s: %d columns for %d symbols and a blank", c.file, m.Symbols, len(symbols))
		}
		var path strings.Builder
		last := -1
		for t := range m.Frames {
			row := m.Row(t)
			best := slices.Index(row, slices.Max(row))
			if best != last && best < len(symbols) {
				path.WriteRune(symbols[best])
			}
			last = best
		}
		if c.want != "" && path.String() != c.want {
			t.Errorf("%s: best path %q, want %q", c.file, path.String(), c.want)
		}
	}
}

func ExampleMatrix_WriteCSV() {
	m := &Matrix{Frames: 2, Symbols: 3, Numbers: []float64{.5, .25, .25, 0, 1, 0}}
	if err := m.WriteCSV(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 0.5,0.25,0.25
	// 0,1,0
}

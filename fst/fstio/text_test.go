package fstio_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"example.org/pathsum/fst"
	"example.org/pathsum/fst/fstio"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/semiring"
)

var (
	tropical = semiring.Tropical{}
	reals    = semiring.Real{}
)

func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func read(t *testing.T, text string, o *fstio.Options) *fst.FST[semiring.Cost] {
	t.Helper()
	return must(fstio.ReadText(strings.NewReader(text), tropical, o))(t)
}

func write[W any](t *testing.T, f *fst.FST[W], o *fstio.Options) string {
	t.Helper()
	var b strings.Builder
	if err := fstio.WriteText(&b, f, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestReadText(t *testing.T) {
	f := read(t, "7 9000000000 1 2 0.5\n9000000000\t7  0\t4\r\n\n \t\n7 Infinity\n9000000000 1.25", nil)
	if f.NumStates() != 2 || f.NumArcs() != 2 || f.InSymbols() != nil {
		t.Fatalf("%d states, %d arcs", f.NumStates(), f.NumArcs())
	}
	want := []fst.Arc[semiring.Cost]{{In: 1, Out: 2, To: 1, Weight: .5}, {In: 0, Out: 4, To: 0, Weight: 0}}
	if got := f.AppendArcs(f.AppendArcs(nil, 0), 1); !slices.Equal(got, want) {
		t.Errorf("arcs %v, want %v", got, want)
	}
	if s := f.Graph().Starts(); len(s) != 1 || s[0].State != 0 || s[0].Weight != 0 {
		t.Errorf("starts %v", s)
	}
	if f.Final(0) != tropical.Zero() || f.Final(1) != 1.25 {
		t.Errorf("final weights %v and %v", f.Final(0), f.Final(1))
	}
	if f := read(t, "\n", nil); f.NumStates() != 0 || len(f.Graph().Starts()) != 0 {
		t.Error("no text is not the machine without states")
	}
	if f := read(t, "5", nil); f.NumStates() != 1 || f.Final(0) != 0 || len(f.Graph().Starts()) != 1 {
		t.Error("one final state is not read")
	}
}

func TestReadTextWithSymbols(t *testing.T) {
	in, out := fst.NewSymbols("a", "b\u00a0c"), fst.NewSymbols("x")
	f := read(t, "0 1 b\u00a0c x\n0 1 <eps> <eps> 2\n1", &fstio.Options{In: in, Out: out})
	if !slices.Equal(f.In(), []int32{2, 0}) || !slices.Equal(f.Out(), []int32{1, 0}) {
		t.Errorf("labels %v:%v", f.In(), f.Out())
	}
	if f.InSymbols() != in || f.OutSymbols() != out {
		t.Error("the machine lacks the symbols")
	}
	g := read(t, "0 1 a\n0 1 a 3\n1", &fstio.Options{Form: fstio.Acceptor, In: in, Out: out})
	if !slices.Equal(g.In(), []int32{1, 1}) || !slices.Equal(g.Out(), g.In()) || g.OutSymbols() != in {
		t.Errorf("labels %v:%v of an acceptor", g.In(), g.Out())
	}
	if got := write(t, g, &fstio.Options{Form: fstio.Acceptor}); got != "0\t1\ta\n0\t1\ta\t3\n1\n" {
		t.Errorf("wrote %q", got)
	}
	numbers := fst.NewSymbols()
	if got := write(t, f, &fstio.Options{In: in, Out: fst.NewSymbols("y")}); got != "0\t1\tb\u00a0c\ty\n0\t1\t<eps>\t<eps>\t2\n1\n" {
		t.Errorf("wrote %q", got)
	}
	if err := fstio.WriteText(new(bytes.Buffer), f, &fstio.Options{In: numbers}); !errors.Is(err, fst.ErrSymbol) {
		t.Errorf("a label without a name: %v", err)
	}
}

func TestReadTextFails(t *testing.T) {
	broken := errors.New("broken")
	if _, err := fstio.ReadText(iotest.ErrReader(broken), tropical, nil); !errors.Is(err, broken) {
		t.Errorf("a broken reader: %v", err)
	}
	if _, err := fstio.ReadText(strings.NewReader(""), fsttest.Bags{}, nil); !errors.Is(err, semiring.ErrCapability) {
		t.Errorf("a ring without text: %v", err)
	}
}

func TestWriteText(t *testing.T) {
	b := fst.NewBuilder(reals)
	b.AddStates(4)
	b.AddStart(2, 1)
	b.AddArc(2, fst.Arc[float64]{In: 3, Out: 0, To: 0, Weight: .1})
	b.AddArc(0, fst.Arc[float64]{In: 1, Out: 2, To: 2, Weight: 1})
	b.SetFinal(2, 1)
	b.SetFinal(3, 0x1p-1074)
	f := must(b.Freeze())(t)
	native := &fstio.Options{Weights: fstio.Native}
	want := "2\t0\t3\t0\t0.1\n2\n0\t2\t1\t2\n1\t0\n3\t5e-324\n"
	if got := write(t, f, native); got != want {
		t.Errorf("wrote %q, want %q", got, want)
	}
	if err := fstio.WriteText(new(bytes.Buffer), f, &fstio.Options{Form: fstio.Acceptor}); !errors.Is(err, fst.ErrInvalid) {
		t.Errorf("a transducer as acceptor: %v", err)
	}
	two := must(f.WithWeights(f.Graph().Weights(), []fst.Start[float64]{{State: 0, Weight: .5}, {State: 2, Weight: .25}}, f.Graph().Finals()))(t)
	want = "4\t0\t0\t0\t0.5\n4\t2\t0\t0\t0.25\n0\t2\t1\t2\n1\t0\n2\t0\t3\t0\t0.1\n2\n3\t5e-324\n"
	if got := write(t, two, native); got != want {
		t.Errorf("wrote %q, want %q", got, want)
	}
	none := must(f.WithWeights(f.Graph().Weights(), nil, f.Graph().Finals()))(t)
	if got := write(t, none, nil); got != "" {
		t.Errorf("wrote %q for a machine without paths", got)
	}
	if err := fstio.WriteText(failing{}, f, nil); err == nil {
		t.Error("the error of the writer is lost")
	}
	blank := f.WithSymbols(fst.NewSymbols("a b", "c", "d"), nil)
	if err := fstio.WriteText(new(bytes.Buffer), blank, nil); !errors.Is(err, fst.ErrSymbol) {
		t.Errorf("a name with a blank: %v", err)
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("full") }

// A machine that is written and read has the same paths: letters in order of
// traces, as costs of powers of two, tell them apart.
func TestRoundTrip(t *testing.T) {
	for seed := range uint64(300) {
		r := fsttest.Rand(seed)
		letters := 0
		shape := fsttest.Shape{States: 1 + r.IntN(5), Arcs: r.IntN(10), Labels: 3, Epsilon: .2, Acyclic: true, Plain: r.IntN(2) == 0}
		f := fsttest.Frozen(fst.Map(fsttest.New(r, fsttest.Bags{Max: 100}, shape, &letters), tropical, func(w fsttest.Series) semiring.Cost {
			for trace := range w {
				if trace == "" {
					return 0
				}
				return semiring.Cost(math.Ldexp(1, int(trace[0])))
			}
			return tropical.Zero()
		}))
		o := new(fstio.Options)
		if r.IntN(2) == 0 {
			f, o.Form = fsttest.Frozen(fst.ProjectIn(f)), fstio.Acceptor
		}
		if r.IntN(2) == 0 {
			o.In, o.Out = fst.NewSymbols("one", "two", "three"), fst.NewSymbols("α", "β", "γ")
		}
		text := write(t, f, o)
		g := read(t, text, o)
		if got, want := paths(g), paths(f); !slices.Equal(got, want) {
			t.Fatalf("seed %d: paths %v, want %v, after\n%s", seed, got, want, text)
		}
	}
}

// paths returns the paths of an acyclic machine, in some canonical order.
func paths(f *fst.FST[semiring.Cost]) []string {
	var all []string
	for p := range f.Paths() {
		all = append(all, fmt.Sprint(p.In, p.Out, p.Weight))
	}
	slices.Sort(all)
	return all
}

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) string {
		name = filepath.Join(dir, name)
		data := []byte(text)
		if strings.HasSuffix(name, ".gz") {
			var b bytes.Buffer
			z := gzip.NewWriter(&b)
			z.Write(data)
			z.Close()
			data = b.Bytes()
		}
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	symbols := must(fstio.ReadSymbolsFile(put("names.txt.gz", "a 1\nb 2\n")))(t)
	o := &fstio.Options{In: symbols, Out: symbols}
	for _, name := range []string{"m.txt", "m.txt.gz"} {
		f := must(fstio.ReadTextFile(put(name, "0 1 a b 0.5\n1\n"), tropical, o))(t)
		if f.NumStates() != 2 || f.Out()[0] != 2 {
			t.Errorf("%s is misread", name)
		}
		name = put("bad"+name, "0 1 a b 0.5\n1\n1 2 a c\n")
		_, err := fstio.ReadTextFile(name, tropical, o)
		var p *fstio.ParseError
		if !errors.As(err, &p) || p.File != name || p.Line != 3 || !strings.Contains(err.Error(), name+":3: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := fstio.ReadTextFile(filepath.Join(dir, "missing"), tropical, nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	fake := put("fake", "0 1 1 1\n1 2 1 1\n2\n")
	if err := os.Rename(fake, fake+".gz"); err != nil {
		t.Fatal(err)
	}
	if _, err := fstio.ReadTextFile(fake+".gz", tropical, nil); !errors.Is(err, gzip.ErrHeader) {
		t.Errorf("not compressed: %v", err)
	}
}

func TestSymbols(t *testing.T) {
	text := "<eps>\t0\na\t1\nz\t7\nlast\t2147483647\n"
	table := must(fstio.ReadSymbols(strings.NewReader("a 1\nlast 2147483647\n\n<eps>  0\r\nz\t7")))(t)
	var b strings.Builder
	if err := fstio.WriteSymbols(&b, table); err != nil || b.String() != text {
		t.Errorf("wrote %q, %v, want %q", b.String(), err, text)
	}
	for _, name := range []string{"", "a b", "a\tb", "a\nb"} {
		if err := fstio.WriteSymbols(new(bytes.Buffer), fst.NewSymbols(name)); !errors.Is(err, fst.ErrSymbol) {
			t.Errorf("wrote the name %q: %v", name, err)
		}
	}
}

// Nil arguments are rejected before any reading or writing.
func TestNilArguments(t *testing.T) {
	var f *fst.FST[semiring.Cost]
	var ring semiring.Semiring[semiring.Cost]
	for what, do := range map[string]func(){
		"WriteText": func() { fstio.WriteText(io.Discard, f, nil) }, "WriteBinary": func() { fstio.WriteBinary(io.Discard, f, nil) }, "WriteDOT": func() { fstio.WriteDOT(io.Discard, f, nil) },
		"WriteSymbols": func() { fstio.WriteSymbols(io.Discard, nil) }, "WriteBinarySymbols": func() { fstio.WriteBinarySymbols(io.Discard, nil) },
		"ReadText": func() { fstio.ReadText(strings.NewReader("0\n"), ring, nil) }, "ReadBinary": func() { fstio.ReadBinary(nil, tropical) },
		"ReadStringMap": func() { fstio.ReadStringMap(strings.NewReader("a\n"), ring, nil) }, "ReadSymbols": func() { fstio.ReadSymbols(nil) },
	} {
		func() {
			defer func() {
				if got, _ := recover().(string); !strings.HasPrefix(got, "fstio: "+what+": nil ") {
					t.Errorf("%s: panic %q", what, got)
				}
			}()
			do()
		}()
	}
}

package bitext

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.org/pathsum/internal/memtest"
	"example.org/pathsum/internal/text"
	"example.org/pathsum/models/align"
)

func TestRead(t *testing.T) {
	long := strings.Repeat("x", text.MaxLine+1)
	e := "the house\n\na b c d\nx\n\xff\n" + long + "\nlast one\n"
	f := "la  maison \r\nle\na\n\ny\nz\n\tdernier\u00a0mot \nde trop\nencore"
	got, err := Collect(Read(strings.NewReader(e), strings.NewReader(f), &Options{Target: "fr.txt", MaxWords: 3}))
	if err != nil {
		t.Fatal(err)
	}
	want := []struct {
		e, f    string
		problem error
		text    string
	}{
		{"the house", "la maison", nil, ""},
		{"", "le", ErrEmpty, "E:2: empty line"},
		{"a b c d", "a", ErrWords, "E:3: too many words: 4, want at most 3"},
		{"x", "", ErrEmpty, "fr.txt:4: empty line"},
		{"", "y", ErrUTF8, "E:5: invalid UTF-8 at byte 1"},
		{"", "z", ErrLong, "E:6: line too long: more than 1048576 bytes"},
		{"last one", "dernier\u00a0mot", nil, ""},
		{"", "de trop", ErrUnpaired, "E:8: no such line: the other text is longer"},
		{"", "encore", ErrUnpaired, "E:9: no such line: the other text is longer"},
	}
	if len(got) != len(want) {
		t.Fatalf("%d lines, want %d", len(got), len(want))
	}
	for i, l := range got {
		w := want[i]
		if l.Number != i+1 || strings.Join(l.Source, " ") != w.e || strings.Join(l.Target, " ") != w.f || !errors.Is(l.Problem, w.problem) {
			t.Errorf("line %d: %+v", i+1, l)
		}
		if l.Problem != nil && l.Problem.Error() != w.text {
			t.Errorf("line %d: %q, want %q", i+1, l.Problem, w.text)
		}
	}
}

func TestReadJoined(t *testing.T) {
	text := "the house ||| la  maison \r\n||| le\na ||| \na b c d ||| a\nno translation\na ||| b ||| c\n\xff ||| x\na|||b ||| c"
	got, err := Collect(ReadJoined(strings.NewReader(text), &Options{Source: "pairs", MaxWords: 3}))
	if err != nil {
		t.Fatal(err)
	}
	want := []struct {
		e, f    string
		problem error
		text    string
	}{
		{"the house", "la maison", nil, ""},
		{"", "le", ErrEmpty, "pairs:2: no words before |||"},
		{"a", "", ErrEmpty, "pairs:3: no words after |||"},
		{"a b c d", "a", ErrWords, "pairs:4: too many words: 4, want at most 3"},
		{"", "", ErrJoined, "pairs:5: not one |||, want one separator between the two sentences"},
		{"", "", ErrJoined, "pairs:6: not one |||, want one separator between the two sentences"},
		{"", "", ErrUTF8, "pairs:7: invalid UTF-8 at byte 1"},
		{"a|||b", "c", nil, ""},
	}
	if len(got) != len(want) {
		t.Fatalf("%d lines, want %d", len(got), len(want))
	}
	for i, l := range got {
		w := want[i]
		if l.Number != i+1 || strings.Join(l.Source, " ") != w.e || strings.Join(l.Target, " ") != w.f || !errors.Is(l.Problem, w.problem) || l.Problem != nil && l.Problem.Error() != w.text {
			t.Errorf("line %d: %+v", i+1, l)
		}
	}
	broken := errors.New("broken")
	if _, err := Collect(ReadJoined(io.MultiReader(strings.NewReader("a ||| b\n"), iotest.ErrReader(broken)), nil)); !errors.Is(err, broken) {
		t.Errorf("broken: %v", err)
	}
}

func TestReadFails(t *testing.T) {
	broken := errors.New("broken")
	bad := func() io.Reader { return io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(broken)) }
	for name, lines := range map[string]iter.Seq2[Line, error]{
		"E": Read(bad(), strings.NewReader("a\nb\nc\n"), nil),
		"F": Read(strings.NewReader("a\nb\nc\n"), bad(), nil),
	} {
		n := 0
		for _, err := range lines {
			if n++; n == 2 && (!errors.Is(err, broken) || !strings.HasPrefix(err.Error(), name+":2: ")) || n < 2 && err != nil {
				t.Errorf("%s: line %d: %v", name, n, err)
			}
		}
		if n != 2 {
			t.Errorf("%s: %d values, want a line and an error", name, n)
		}
	}
}

func TestReadFiles(t *testing.T) {
	dir := t.TempDir()
	e, f := filepath.Join(dir, "text.e.gz"), filepath.Join(dir, "text.f")
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	io.WriteString(z, "a b\n\nc\n")
	z.Close()
	for name, data := range map[string][]byte{e: packed.Bytes(), f: []byte("x\ny\nz z\n")} {
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	lines, err := Collect(ReadFiles(e, f, nil))
	if err != nil || len(lines) != 3 || len(lines[0].Source) != 2 || len(lines[2].Target) != 2 || lines[1].Problem.Error() != e+":2: empty line" {
		t.Errorf("%v, %v", lines, err)
	}
	if _, err := Collect(ReadFiles(e, f+"x", nil)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	joined := filepath.Join(dir, "joined")
	if err := os.WriteFile(joined, []byte("a b ||| x\n||| y\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	lines, err = Collect(ReadJoinedFile(joined, nil))
	if err != nil || len(lines) != 2 || len(lines[0].Source) != 2 || len(lines[0].Target) != 1 || lines[1].Problem.Error() != joined+":2: no words before |||" {
		t.Errorf("%v, %v", lines, err)
	}
	if _, err := Collect(ReadJoinedFile(joined+"x", nil)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

// perByte bounds what the lines of a text take, for each byte: an empty one is a Line with a
// problem.
const perByte = 800

func TestReadMemory(t *testing.T) {
	const size = 1 << 18
	for _, part := range []string{"a ", "a\n", "\n", "\xff\n", "x"} {
		text := strings.Repeat(part, size/len(part))
		for _, other := range []string{"", text} {
			memtest.Bound(t, len(text)+len(other), perByte, func() {
				Collect(Read(strings.NewReader(text), strings.NewReader(other), nil))
			})
		}
	}
}

// FuzzRead: no line is lost, and each is in its place.
func FuzzRead(f *testing.F) {
	f.Add("a b\n\nc", "x\ny")
	f.Add("\xff\n", "\ufeff\r\n\r\n")
	f.Fuzz(func(t *testing.T, e, f string) {
		var lines []Line
		var err error
		memtest.Bound(t, len(e)+len(f), perByte, func() {
			lines, err = Collect(Read(strings.NewReader(e), strings.NewReader(f), &Options{MaxWords: 4}))
		})
		if errors.Is(err, text.ErrUTF16) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if n := max(count(e), count(f)); len(lines) != n {
			t.Fatalf("%d lines of %d", len(lines), n)
		}
		for i, l := range lines {
			good := len(l.Source) > 0 && len(l.Target) > 0 && len(l.Source) <= 4 && len(l.Target) <= 4
			if l.Number != i+1 || l.Problem == nil && !good || l.Problem != nil && good {
				t.Fatalf("line %d: %+v", i+1, l)
			}
		}
	})
}

// count returns the number of lines.
func count(text string) int {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.TrimPrefix(text, "\ufeff"))
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}

// generate yields n lines.
func generate(n int) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		for i := range n {
			if !yield(Line{Number: i + 1}, nil) {
				return
			}
		}
	}
}

func TestMapKeepsTheOrder(t *testing.T) {
	for _, workers := range []int{0, 1, 2, 7, 64} {
		for _, n := range []int{0, 1, 32, 321} {
			rng := rand.New(rand.NewPCG(uint64(workers), uint64(n)))
			slow := make([]bool, n)
			for i := range slow {
				slow[i] = rng.IntN(50) == 0
			}
			i := 0
			for got, err := range Map(t.Context(), generate(n), workers, func(l Line) (int, error) {
				if slow[l.Number-1] {
					time.Sleep(100 * time.Microsecond)
				}
				return l.Number, nil
			}) {
				if i++; got != i || err != nil {
					t.Fatalf("%d workers: result %d is %d, %v", workers, i, got, err)
				}
			}
			if i != n {
				t.Errorf("%d workers: %d results of %d", workers, i, n)
			}
		}
	}
}

// TestMapEnds: at an error, at a break and when ctx is done, at the right place and
// with no goroutine left.
func TestMapEnds(t *testing.T) {
	before := runtime.NumGoroutine()
	broken := errors.New("broken")
	number := func(l Line) (int, error) { return l.Number, nil }
	end := func(name string, m iter.Seq2[int, error], results int, want error) {
		t.Helper()
		n := 0
		for got, err := range m {
			if n++; err != nil {
				if n != results+1 || !errors.Is(err, want) {
					t.Errorf("%s: value %d: %v", name, n, err)
				}
				continue
			}
			if got != n || n > results {
				t.Errorf("%s: result %d is %d", name, n, got)
			}
		}
		if n != results+1 {
			t.Errorf("%s: %d values, want %d and an error", name, n, results)
		}
	}
	end("error of a line", Map(t.Context(), generate(10000), 3, func(l Line) (int, error) {
		if l.Number >= 500 {
			return 0, broken
		}
		return l.Number, nil
	}), 499, broken)
	end("error of the reading", Map(t.Context(), func(yield func(Line, error) bool) {
		for l := range generate(100) {
			yield(l, nil)
		}
		yield(Line{}, broken)
	}, 3, number), 100, broken)
	done, cancel := context.WithCancel(t.Context())
	cancel()
	for _, err := range Map(done, generate(1), 1, number) {
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var last error
	var calls atomic.Int64
	for got, err := range Map(ctx, generate(1<<30), 2, func(l Line) (int, error) { calls.Add(1); return l.Number, nil }) {
		if last = err; got == 1000 {
			cancel()
		}
	}
	if !errors.Is(last, context.Canceled) {
		t.Errorf("canceled: %v", last)
	}
	for range Map(t.Context(), generate(1<<30), 2, number) {
		break
	}
	for range 100 {
		if runtime.NumGoroutine() <= before {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if n := runtime.NumGoroutine(); n > before {
		t.Errorf("%d goroutines are left of %d", n, before)
	}
}

// diagonal aligns word i with word i.
func diagonal(s align.Sentence) (align.Alignment, error) {
	if s.Source[0] == "bad" {
		return nil, errors.New("no alignment")
	}
	var a align.Alignment
	for i := range min(len(s.Source), len(s.Target)) {
		a = append(a, align.Link{Source: i, Target: i})
	}
	return a, nil
}

func TestAlign(t *testing.T) {
	var e, f, want strings.Builder
	var problems []string
	for i := range 1000 {
		switch i % 100 {
		case 7:
			fmt.Fprint(&e, "\n")
			fmt.Fprint(&f, "x\n")
			fmt.Fprint(&want, "\n")
			problems = append(problems, fmt.Sprintf("E:%d: empty line", i+1))
		case 8:
			fmt.Fprint(&e, "bad\n")
			fmt.Fprint(&f, "x\n")
			fmt.Fprint(&want, "\n")
			problems = append(problems, fmt.Sprintf("line %d: no alignment", i+1))
		default:
			fmt.Fprint(&e, "a b c\n")
			fmt.Fprint(&f, strings.Repeat("y ", 1+i%3), "\n")
			fmt.Fprint(&want, []string{"0-0\n", "0-0 1-1\n", "0-0 1-1 2-2\n"}[i%3])
		}
	}
	for _, workers := range []int{1, 4} {
		var out strings.Builder
		var got []string
		stats, err := Align(t.Context(), &out, Read(strings.NewReader(e.String()), strings.NewReader(f.String()), nil), diagonal, workers,
			func(problem error) { got = append(got, problem.Error()) })
		if err != nil || stats != (Stats{1000, 980}) || out.String() != want.String() {
			t.Errorf("%+v, %v", stats, err)
		}
		if d := cmp.Diff(problems, got); d != "" {
			t.Error(d)
		}
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

func TestAlignFails(t *testing.T) {
	if _, err := Align(t.Context(), full{}, Read(strings.NewReader("a\n"), strings.NewReader("b\n"), nil), diagonal, 1, nil); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("full: %v", err)
	}
	broken := io.MultiReader(strings.NewReader("a\nb\nc"), iotest.ErrReader(io.ErrClosedPipe))
	var out strings.Builder
	stats, err := Align(t.Context(), &out, Read(broken, strings.NewReader("a\nb\nc\n"), nil), diagonal, 2, nil)
	if !errors.Is(err, io.ErrClosedPipe) || out.String() != "0-0\n0-0\n" || stats.Lines != 2 {
		t.Errorf("broken: %q, %+v, %v", out.String(), stats, err)
	}
}

func BenchmarkMap(b *testing.B) {
	const n = 10000
	for b.Loop() {
		for _, err := range Map(context.Background(), generate(n), 2, func(l Line) (int, error) { return l.Number, nil }) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/line")
}

func BenchmarkRead(b *testing.B) {
	const n = 10000
	e, f := strings.Repeat("the quick brown fox jumps over it\n", n), strings.Repeat("le renard brun et rapide saute\n", n)
	for b.Loop() {
		for _, err := range Read(strings.NewReader(e), strings.NewReader(f), nil) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/line")
}

func TestParse(t *testing.T) {
	long := strings.Repeat("x ", 3*maxWords)
	s, err := Parse(long + Separator + " y\tz")
	if err != nil || len(s.Source) != 3*maxWords || len(s.Target) != 2 {
		t.Errorf("%d and %d words, %v", len(s.Source), len(s.Target), err)
	}
	for line, want := range map[string]string{"the man ||| ": "no words after |||", "|||\tle": "no words before |||", "|||": "no words before |||"} {
		if _, err := Parse(line); err == nil || err.Error() != want || !errors.Is(err, ErrEmpty) {
			t.Errorf("%q: %v, want %s", line, err, want)
		}
	}
	for line, want := range map[string]error{"": ErrJoined, "a": ErrJoined, "||| b": ErrEmpty, "a |||": ErrEmpty, "a ||| b ||| c": ErrJoined} {
		if _, err := Parse(line); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", line, err, want)
		}
	}
}

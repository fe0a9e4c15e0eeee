package cascade_test

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
)

// shardFiles writes the lines to files in a new folder, n lines per file. Every second file,
// numbered from first, is compressed.
func shardFiles(tb testing.TB, lines []string, n, first int) (files []string) {
	tb.Helper()
	dir := tb.TempDir()
	for part := range slices.Chunk(lines, n) {
		number := first + len(files)
		text := []byte(strings.Join(part, "\n") + "\n")
		name := filepath.Join(dir, fmt.Sprintf("part-%03d.txt", number))
		if number%2 == 1 {
			var b strings.Builder
			z := gzip.NewWriter(&b)
			if _, err := z.Write(text); err != nil {
				tb.Fatal(err)
			}
			if err := z.Close(); err != nil {
				tb.Fatal(err)
			}
			name, text = name+".gz", []byte(b.String())
		}
		if err := os.WriteFile(name, text, 0o600); err != nil {
			tb.Fatal(err)
		}
		files = append(files, name)
	}
	return files
}

// letters converts letters to labels; a is 1.
func letters(l cascade.Line, s string) []int32 {
	labels := l.Labels(len(s))
	for i := range labels {
		labels[i] = int32(s[i]-'a') + 1
	}
	return labels
}

// word is a string of the letters of a noisyProblem.
func word(rng *rand.Rand) string {
	var b strings.Builder
	for range 1 + rng.IntN(4) {
		b.WriteByte(byte('a' + rng.IntN(5)))
	}
	return b.String()
}

// pair makes an example of a line with two words.
func pair(l cascade.Line) (cascade.Example, error) {
	x, y, ok := strings.Cut(l.Text, "\t")
	if !ok {
		return cascade.Example{}, errNoTab
	}
	return cascade.Example{X: cascade.Labels(letters(l, x)...), Y: cascade.Labels(letters(l, y)...)}, nil
}

// named is pair with the name of the line.
func named(l cascade.Line) (cascade.Example, error) {
	x, err := pair(l)
	x.Name = fmt.Sprintf("%s:%d", filepath.Base(l.File), l.Number)
	return x, err
}

var errNoTab = errors.New("no tab")

// TestLines: files give the same bits as the same examples in memory, for any number of workers
// and if training is interrupted and resumed. Each example comes from the line in its name.
func TestLines(t *testing.T) {
	problem, _ := noisyProblem(t, em.Multinomial{})
	rng := rand.New(rand.NewPCG(1, 1))
	var lines []string
	for range 250 {
		lines = append(lines, word(rng)+"\t"+word(rng))
	}
	lines[137] = "a\tz" // underivable
	files := shardFiles(t, lines, 60, 0)
	stream := cascade.Lines(files, named)
	var data []cascade.Example
	for x, err := range stream.All() {
		if err != nil {
			t.Fatal(err)
		}
		data = append(data, x)
	}
	for i, x := range data {
		if want, _ := pair(cascade.Line{Text: lines[i]}); fmt.Sprint(x.X, x.Y) != fmt.Sprint(want.X, want.Y) {
			t.Fatalf("example %d is %v %v, want %v %v", i, x.X, x.Y, want.X, want.Y)
		}
	}
	want, err := problem.Fit(t.Context(), cascade.Data{Examples: data, Underivable: em.Skip}, &em.Options{Iterations: 4, Workers: 3})
	if err != nil {
		t.Fatal(err)
	}
	if s := want.Skipped; len(s) != 1 || s[0].Name != "part-002.txt:18" || s[0].Index != 137 {
		t.Errorf("skipped %v", s)
	}
	for _, workers := range []int{1, 2, 7, 64} {
		file := filepath.Join(t.TempDir(), "state")
		for _, iterations := range []int{1, 3, 4} {
			d := cascade.Data{Stream: stream, CacheBytes: -1, Underivable: em.Skip}
			if iterations == 3 { // the same data for a checkpoint
				d.Stream = cascade.Sequence(stream.All())
			}
			got, err := problem.Fit(t.Context(), d, &em.Options{Iterations: iterations, Workers: workers, Checkpoint: file})
			if err != nil || iterations == len(want.Objective) && !sameBits(got, want) {
				t.Errorf("%d workers: other bits after %d iterations, error %v", workers, iterations, err)
			}
		}
	}
}

// TestStreamOfLines: a stream of lines gives the same bits as the same examples in memory. This
// holds for any kept part and any ends of shards, for some shards and for all.
func TestStreamOfLines(t *testing.T) {
	problem, _ := noisyProblem(t, em.Multinomial{})
	rng := rand.New(rand.NewPCG(2, 1))
	var lines []string
	for range 150 {
		lines = append(lines, word(rng)+"\t"+word(rng))
	}
	text := cascade.Lines(shardFiles(t, lines, 40, 0), pair)
	var data []cascade.Example
	for x, err := range text.All() {
		if err != nil {
			t.Fatal(err)
		}
		data = append(data, x)
	}
	expect := func(d cascade.Data, conditional bool, q em.Query) *em.Expectations {
		l, err := em.Likelihood(nil), error(nil)
		if conditional {
			l, err = problem.ConditionalLikelihood(d)
		} else {
			l, err = problem.Likelihood(d)
		}
		if err != nil {
			t.Fatal(err)
		}
		q.Theta = problem.Params.Start()
		var e *em.Expectations
		for range 2 { // before and after lattices are kept
			if e, err = l.Expect(t.Context(), q); err != nil {
				t.Fatal(err)
			}
		}
		return e
	}
	for _, way := range []cascade.Strategy{cascade.ByLattice, cascade.ByBlocks} {
		for _, size := range []int{1, 7, 100, 1000} {
			d := cascade.Data{Strategy: way, ShardSize: size}
			for _, q := range []em.Query{{}, {Lo: 1, Hi: 2}, {Lo: (150 - 1) / size}} {
				if size == 1000 && q.Lo > 0 {
					continue
				}
				for _, conditional := range []bool{false, true} {
					d.Examples, d.Stream, q.Workers = data, nil, 1
					want := expect(d, conditional, q)
					for _, d.CacheBytes = range []int64{-1, 4000, 0} { // none, some or all lattices kept
						d.Examples, d.Stream, q.Workers = nil, text, 3
						if got := expect(d, conditional, q); got.LogLikelihood != want.LogLikelihood || !slices.Equal(got.Counts, want.Counts) {
							t.Errorf("%v, shards of %d from %d, %d bytes, conditional %t: other bits", way, size, q.Lo, d.CacheBytes, conditional)
						}
					}
				}
			}
		}
	}
}

// TestStreamOfLinesFails: the error names the first invalid line, for any number of workers. A
// change since the examples were counted is an error, too.
func TestStreamOfLinesFails(t *testing.T) {
	problem, _ := noisyProblem(t, em.Multinomial{})
	var lines []string
	for i := range 100 {
		lines = append(lines, fmt.Sprintf("%c\ta", 'a'+i%5))
	}
	weighed := func(l cascade.Line) (cascade.Example, error) {
		x, err := pair(l)
		if l.Text[0] == '-' {
			x.Weight = em.Times(-1)
		}
		return x, err
	}
	for _, c := range map[string]struct {
		edit  func([]string) []string
		says  string
		wraps error
	}{
		"lines":       {func(x []string) []string { x[31], x[55], x[99] = "b", "c", "\xff"; return x }, "part-000.txt:32: no tab", errNoTab},
		"bytes":       {func(x []string) []string { x[44], x[70] = "\xff", "c"; return x }, "part-000.txt:45: invalid UTF-8", em.ErrInvalid},
		"bad example": {func(x []string) []string { x[50], x[90] = "-a\ta", "b"; return x }, "example 50 has weight -1", em.ErrInvalid},
		"fewer":       {func(x []string) []string { return x[:64] }, "64 examples, but 100 the first time", em.ErrInvalid},
	} {
		for _, workers := range []int{1, 3, 16} {
			files := shardFiles(t, lines, len(lines), 0)
			l := likelihood(t, problem, cascade.Data{Stream: cascade.Lines(files, weighed), CacheBytes: -1, ShardSize: 3})
			if err := os.WriteFile(files[0], []byte(strings.Join(c.edit(slices.Clone(lines)), "\n")), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := l.Expect(t.Context(), em.Query{Theta: problem.Params.Start(), Workers: workers})
			wantIs(t, err, c.wraps)
			wantIn(t, err, c.says)
		}
	}
	for _, d := range []cascade.Data{
		{Stream: cascade.Lines(nil, pair)}, {Stream: cascade.Lines(nil, pair), Examples: make([]cascade.Example, 1)},
	} {
		_, err := problem.Likelihood(d)
		wantIs(t, err, em.ErrInvalid)
	}
}

// TestLinesFail: an error names the file and the line, and ends the sequence.
func TestLinesFail(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	good := write("good", "a\tb\r\nb\ta")
	for _, c := range []struct {
		file, says string
		wraps      error
	}{
		{write("long", "a\tb\n"+strings.Repeat("a", 1<<20+1)+"\nb\ta\n"), "long:2: line too long: more than 1048576 bytes", em.ErrInvalid},
		{write("bytes", "a\xff\tb\n"), "bytes:1: invalid UTF-8 at byte 2", em.ErrInvalid},
		{write("parse", "a\tb\n\nb\ta\n"), "parse:2: no tab", errNoTab},
		{write("packed.gz", strings.Repeat("a\tb\n", 9)), "packed.gz: gzip", nil},
		{filepath.Join(dir, "none"), "none", fs.ErrNotExist},
		{dir, "is a directory", nil},
		{"-", "standard input can be read only once", nil},
	} {
		seen, ended := 0, false
		var last error
		for _, err := range cascade.Lines([]string{good, c.file, good}, pair).All() {
			if ended {
				t.Fatalf("%s: an example after an error", c.file)
			}
			seen++
			last, ended = err, err != nil
		}
		wantIn(t, last, "cascade: ", c.says)
		if c.wraps != nil {
			wantIs(t, last, c.wraps)
		}
		if seen < 3 {
			t.Errorf("%s: %d examples, want those before", c.file, seen-1)
		}
	}
}

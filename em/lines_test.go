package em_test

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
)

// shardFiles writes the lines to files in a new folder, n to each, every second one, by its
// number counted from first, compressed.
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

// letters makes labels of letters, a being 1.
func letters(s string) []int32 {
	labels := make([]int32, len(s))
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
func pair(l em.Line) (em.Example, error) {
	x, y, ok := strings.Cut(l.Text, "\t")
	if !ok {
		return em.Example{}, errNoTab
	}
	return em.Example{X: em.Labels(letters(x)...), Y: em.Labels(letters(y)...)}, nil
}

// named is pair with the name of the line.
func named(l em.Line) (em.Example, error) {
	x, err := pair(l)
	x.Name = fmt.Sprintf("%s:%d", filepath.Base(l.File), l.Number)
	return x, err
}

var errNoTab = errors.New("no tab")

// TestLines: files give the bits that the same examples in memory give, for any number of
// workers and if training is broken off and goes on. Each example comes from the line that
// its name says.
func TestLines(t *testing.T) {
	problem, _ := noisyProblem(t, em.Multinomial{})
	rng := rand.New(rand.NewPCG(1, 1))
	var lines []string
	for range 250 {
		lines = append(lines, word(rng)+"\t"+word(rng))
	}
	lines[137] = "a\tz" // underivable
	files := shardFiles(t, lines, 60, 0)
	stream := em.Lines(files, named)
	var data []em.Example
	for x, err := range stream {
		if err != nil {
			t.Fatal(err)
		}
		data = append(data, x)
	}
	for i, x := range data {
		if want, _ := pair(em.Line{Text: lines[i]}); fmt.Sprint(x.X, x.Y) != fmt.Sprint(want.X, want.Y) {
			t.Fatalf("example %d is %v %v, want %v %v", i, x.X, x.Y, want.X, want.Y)
		}
	}
	want, err := train(t.Context(), problem, em.Data{Examples: data, Underivable: em.Skip}, &em.Options{Iterations: 4, Workers: 3})
	if err != nil {
		t.Fatal(err)
	}
	if s := want.Skipped; len(s) != 1 || s[0].Name != "part-002.txt:18" || s[0].Index != 137 {
		t.Errorf("skipped %v", s)
	}
	for _, workers := range []int{1, 2, 7, 64} {
		file := filepath.Join(t.TempDir(), "state")
		for _, iterations := range []int{1, 3, 4} {
			got, err := train(t.Context(), problem, em.Data{Stream: stream, CacheBytes: -1, Underivable: em.Skip},
				&em.Options{Iterations: iterations, Workers: workers, Checkpoint: file})
			if err != nil || iterations == len(want.Objective) && !sameBits(got, want) {
				t.Errorf("%d workers: other bits after %d iterations, error %v", workers, iterations, err)
			}
		}
	}
}

// TestLinesFail: what is wrong names the file and the line, and nothing comes after it.
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
		for _, err := range em.Lines([]string{good, c.file, good}, pair) {
			if ended {
				t.Fatalf("%s: an example after an error", c.file)
			}
			seen++
			last, ended = err, err != nil
		}
		wantIn(t, last, "em: ", c.says)
		if c.wraps != nil {
			wantIs(t, last, c.wraps)
		}
		if seen < 3 {
			t.Errorf("%s: %d examples, want those before", c.file, seen-1)
		}
	}
}

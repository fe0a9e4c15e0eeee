// Package benchdata reads the inputs of benchmarks, which a generator outside this module
// makes. The idea: they are large and can be regenerated at any time, so they are not stored
// here. The environment variable PATHSUM_BENCH names the folder with the generator's output;
// benchmarks that need it are skipped if it is not set.
package benchdata

import (
	"bufio"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// Open opens the named input and closes it when tb ends.
func Open(tb testing.TB, name string) *os.File {
	tb.Helper()
	dir := os.Getenv("PATHSUM_BENCH")
	if dir == "" {
		tb.Skip("PATHSUM_BENCH is not set")
	}
	f, err := os.Open(filepath.Join(dir, name))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { f.Close() })
	return f
}

// DefaultSeed reports whether the inputs come from the generator's default seed, for which
// reference answers are known.
func DefaultSeed(tb testing.TB) bool {
	tb.Helper()
	text, err := io.ReadAll(Open(tb, "noisy.txt"))
	if err != nil {
		tb.Fatal(err)
	}
	const digest = "bcdd3e07a138b1bfb6ac3ddecc374bebdf55e85570aeb4fb1a564522b7a006bc"
	return fmt.Sprintf("%x", sha256.Sum256(text)) == digest
}

// Lines returns the lines of the named input.
func Lines(tb testing.TB, name string) *bufio.Scanner {
	tb.Helper()
	return bufio.NewScanner(Open(tb, name))
}

// Strings returns the strings of the named input, which has one string per line as quoted
// letters a … z, as labels 1 … 26.
func Strings(tb testing.TB, name string) [][]int32 {
	tb.Helper()
	var all [][]int32
	lines := Lines(tb, name)
	var s []int32
	for lines.Scan() {
		s = s[:0]
		for _, c := range lines.Bytes() {
			if c >= 'a' && c <= 'z' {
				s = append(s, int32(c-'a')+1)
			}
		}
		all = append(all, slices.Clone(s))
	}
	if err := lines.Err(); err != nil {
		tb.Fatal(err)
	}
	return all
}

// Package stdintest gives tests a standard input.
package stdintest

import (
	"io"
	"os"
	"testing"
)

// Set makes standard input a pipe that holds text until the test ends, which must not run
// in parallel with others.
func Set(t testing.TB, text string) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		_, _ = io.WriteString(w, text) // whoever reads less than all breaks the pipe
		w.Close()
	}()
	before := os.Stdin
	os.Stdin = r
	t.Cleanup(func() {
		os.Stdin = before
		r.Close()
	})
}

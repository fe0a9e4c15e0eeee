// Package stdintest provides a standard input for tests.
package stdintest

import (
	"io"
	"os"
	"testing"
)

// Set makes standard input a pipe that contains text until the test ends. The test must not run
// in parallel with others.
func Set(t testing.TB, text string) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		_, _ = io.WriteString(w, text) // a reader that stops early breaks the pipe
		w.Close()
	}()
	before := os.Stdin
	os.Stdin = r
	t.Cleanup(func() {
		os.Stdin = before
		r.Close()
	})
}

package main

import (
	"sync"
	"testing"
)

// loaded returns the grammar of a direction, compiled once.
var loaded = [...]func() (*grammar, error){
	sync.OnceValues(func() (*grammar, error) { return load(writtenSpoken) }),
	sync.OnceValues(func() (*grammar, error) { return load(spokenWritten) }),
}

func grammarOf(t testing.TB, d direction) *grammar {
	t.Helper()
	g, err := loaded[d]()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// Each line of a file beside a grammar is read as it says.
func TestGrammars(t *testing.T) {
	examples, err := readExamples("")
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range examples {
		readings, err := grammarOf(t, x.direction).Apply(x.input, 1)
		if err != nil {
			t.Errorf("%s: %v", x.where, err)
			continue
		}
		if readings[0].text != x.expected {
			t.Errorf("%s: %s\nis read as %s\nwant       %s", x.where, x.input, readings[0].text, x.expected)
		}
	}
}

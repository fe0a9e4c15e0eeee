package main

import (
	"os"
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

// The development lines of the direction from written to spoken, of which one in fifty may be
// wrong.
func TestWrittenDevelopment(t *testing.T) {
	const file = "../../../shared/data/textnorm/english.tsv"
	if _, err := os.Stat(file); err != nil {
		t.Skip("no development lines: ", err)
	}
	examples, err := readExamples(file)
	if err != nil {
		t.Fatal(err)
	}
	right, all := 0, 0
	for _, x := range examples {
		if x.direction != writtenSpoken {
			continue
		}
		all++
		readings, err := grammarOf(t, x.direction).Apply(x.input, 1)
		if err != nil {
			t.Fatal(err)
		}
		if readings[0].text == x.expected {
			right++
		} else {
			t.Logf("%s: %s\nis read as %s\nwant       %s", x.where, x.input, readings[0].text, x.expected)
		}
	}
	if all < 50 || right*50 < all*49 {
		t.Errorf("%d of %d lines are right", right, all)
	}
}

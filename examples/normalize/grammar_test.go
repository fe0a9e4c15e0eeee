package main

import (
	"os"
	"sync"
	"testing"

	"example.org/pathsum/internal/grammars"
	"example.org/pathsum/internal/linegrammar"
)

// loaded returns the grammar of a direction, compiled once.
var loaded = [...]func() (*linegrammar.Grammar, error){
	sync.OnceValues(func() (*linegrammar.Grammar, error) { return grammars.Load(grammars.WrittenSpoken, nil) }),
	sync.OnceValues(func() (*linegrammar.Grammar, error) { return grammars.Load(grammars.SpokenWritten, nil) }),
}

func grammarOf(t testing.TB, d grammars.Direction) *linegrammar.Grammar {
	t.Helper()
	g, err := loaded[d]()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// Each line of a test file of a grammar has its expected reading.
func TestGrammars(t *testing.T) {
	examples, err := grammars.Tests()
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range examples {
		readings, err := grammarOf(t, x.Direction).Apply(x.Input, 1)
		if err != nil {
			t.Errorf("%s: %v", x.Where, err)
			continue
		}
		if readings[0].Text != x.Expected {
			t.Errorf("%s: %s\nis read as %s\nwant       %s", x.Where, x.Input, readings[0].Text, x.Expected)
		}
	}
}

// The development lines from written to spoken; one in fifty may be wrong.
func TestWrittenDevelopment(t *testing.T) {
	if _, err := os.Stat(developmentFile); err != nil {
		t.Skip("no development lines: ", err)
	}
	examples := developmentLines(t, developmentFile)
	right, all := 0, 0
	for _, x := range examples {
		if x.Direction != grammars.WrittenSpoken {
			continue
		}
		all++
		readings, err := grammarOf(t, x.Direction).Apply(x.Input, 1)
		if err != nil {
			t.Fatal(err)
		}
		if readings[0].Text == x.Expected {
			right++
		} else {
			t.Logf("%s: %s\nis read as %s\nwant       %s", x.Where, x.Input, readings[0].Text, x.Expected)
		}
	}
	if all < 50 || right*50 < all*49 {
		t.Errorf("%d of %d lines are right", right, all)
	}
}

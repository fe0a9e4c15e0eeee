package main

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/fst/fstio"
	"example.org/pathsum/semiring"
)

// TestLookAheadAgrees: OpenFst's look-ahead has exactly the same results as the package, for
// any lexicon: OpenFst rounds intermediate weights, and the program reverses this. It compiles
// OpenFst's templates for a minute or more, and so runs only with PATHSUM_OPENFST=compile.
func TestLookAheadAgrees(t *testing.T) {
	if os.Getenv("PATHSUM_OPENFST") != "compile" {
		t.Skip("PATHSUM_OPENFST is not compile")
	}
	dir := t.TempDir()
	program, err := compile(context.Background(), dir, "-O0")
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(8) {
		g, err := grammar(40, 300)
		if err != nil {
			t.Fatal(err)
		}
		for name, f := range map[string]*fst.FST[semiring.Cost]{"lexicon.standard": spelled(t, seed, 300), "grammar.standard": g} {
			if err := write(filepath.Join(dir, name), f, fstio.Standard); err != nil {
				t.Fatal(err)
			}
		}
		var theirs measurement
		if err := theirs.add(context.Background(), program, dir, "look-ahead", "1"); err != nil {
			t.Fatal(err)
		}
		run, err := transcription(dir)
		if err != nil {
			t.Fatal(err)
		}
		result, err := run()
		if err != nil {
			t.Fatal(err)
		}
		ours, err := result()
		if err != nil {
			t.Fatal(err)
		}
		if len(theirs.answer) != 1 || theirs.answer[0] != ours[0] {
			t.Errorf("seed %d: OpenFst finds %v, the package %v", seed, theirs.answer, ours)
		}
	}
}

// spelled returns the prefix tree of random words, each written at its end.
func spelled(t *testing.T, seed uint64, words int) *fst.FST[semiring.Cost] {
	r := rand.New(rand.NewPCG(seed, 3))
	b := fst.NewBuilder(costs)
	root := b.AddState()
	b.AddStart(root, 0)
	b.SetFinal(root, 0)
	type branch struct{ state, label int32 }
	tree := map[branch]int32{}
	for word := range words {
		s := root
		for range 1 + r.IntN(4) {
			label := 1 + r.Int32N(10)
			next, ok := tree[branch{s, label}]
			if !ok {
				next = b.AddState()
				tree[branch{s, label}] = next
				b.AddArc(s, fst.Arc[semiring.Cost]{In: label, To: next})
			}
			s = next
		}
		b.AddArc(s, fst.Arc[semiring.Cost]{Out: int32(word + 1), To: root})
	}
	f, err := b.Freeze()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

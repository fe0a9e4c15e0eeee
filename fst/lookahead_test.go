package fst_test

import (
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/internal/trials"
)

// Compositions with operands that look ahead have the same paths, each once: over the
// free commutative ring all of them differ. They have no more states, and fewer on the
// whole.
func TestLookAhead(t *testing.T) {
	plain, less := 0, 0
	for seed := range trials.Seeds(60) {
		r := fsttest.Rand(seed)
		letters := 0
		a, b := fsttest.New(r, bags, shapes(r), &letters), fsttest.New(r, bags, shapes(r), &letters)
		want := fsttest.Join(bags, fsttest.RelationOf(a), fsttest.RelationOf(b))
		left, right := disguise(t, r, a), disguise(t, r, b)
		if seed%3 != 0 {
			left = fst.LookAhead(a, fst.Output)
		}
		if seed%3 != 1 {
			right = fst.LookAhead(b, fst.Input)
		}
		if seed%5 == 0 { // in the wrong place
			left = fst.LookAhead(a, fst.Input)
		}
		c := fst.Compose(left, right)
		f := must(fst.Expand(c, nil))(t)
		if d := fsttest.Diff(fsttest.RelationOf(f), want); d != "" {
			t.Fatalf("seed %d: %s\na\n%s\nb\n%s", seed, d, a, b)
		}
		all := must(fst.Expand(fst.Compose(a, b), nil))(t).NumStates()
		if f.NumStates() > all {
			t.Fatalf("seed %d: %d states, without look-ahead %d", seed, f.NumStates(), all)
		}
		plain, less = plain+all, less+f.NumStates()
	}
	if less > plain*9/10 {
		t.Errorf("%d states, without look-ahead %d", less, plain)
	}
}

// A lexicon that writes each word at its end, composed with a string of words, has
// nothing but the spelling of the string.
func TestLookAheadHasNoDeadEnds(t *testing.T) {
	b := fst.NewBuilder(reals)
	b.AddStates(1)
	b.AddStart(0, 1)
	b.SetFinal(0, 1)
	for word := range int32(32) {
		s := int32(0)
		for i := range 4 {
			next := b.AddState()
			b.AddArc(s, fst.Arc[float64]{In: 1 + word>>i&1, To: next, Weight: 1})
			s = next
		}
		b.AddArc(s, fst.Arc[float64]{Out: 1 + word, Weight: 1})
	}
	lexicon := must(b.Freeze())(t)
	words := fst.FromString(reals, []int32{7, 3, 3, 20})
	ahead := fst.LookAhead(lexicon, fst.Output)
	f := must(fst.Expand(fst.Compose(ahead, words), nil))(t)
	if n := f.NumStates(); n != 4*5+1 || n != must(fst.Connect(f, nil))(t).NumStates() {
		t.Errorf("%d states, want 21", n)
	}
}

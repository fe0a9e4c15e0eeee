package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"example.org/pathsum/internal/keyboard"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/internal/speller"
	"example.org/pathsum/internal/tsv"
)

func main() { newProgram().Main() }

func newProgram() *program.Program {
	p := program.New("spellingslips", "spellingslips makes misspellings of short words, one random slip in each.",
		"go run ./internal/experiments/spellingslips -lexicon lexicon.tsv >slips.tsv")
	lexicon := p.Input("lexicon", "take the words of `FILE`; lines: word[<TAB>count]")
	n := p.Count("slips", 1000, 1, "make `N` pairs")
	seed := p.Seed()
	p.Check(func() error {
		if *lexicon == "" {
			return errors.New("want -lexicon")
		}
		return nil
	})
	p.Do(func(_ context.Context, r *program.Run) error {
		words, err := program.All(r, speller.Words(tsv.RowsOf(*lexicon, 1, 2), *lexicon))
		if err != nil {
			return err
		}
		pairs, err := slips(speller.Lexicon(words), *n, *seed)
		for _, p := range pairs {
			fmt.Fprintf(r.Out, "%s\t%s\n", p.Word, p.Misspelt)
		}
		return err
	})
	return p
}

// Words for slips: short words in use, in letters that have keys.
const (
	shortest, longest = 3, 4
	used              = 20 // count, if words have any
)

// slips returns n test pairs: short words of the lexicon, drawn uniformly, with one slip each.
// In half of the slips a wrong key is a neighbouring one, in the others any key. A slip that
// makes another word is not used.
func slips(lexicon []speller.Word, n int, seed uint64) ([]speller.Pair, error) {
	known := map[string]bool{}
	counted := false
	for _, w := range lexicon {
		known[w.Text] = true
		counted = counted || w.Count > 0
	}
	var short []string
	for _, w := range lexicon {
		if k := len(w.Text); keyboard.Typed(w.Text) && k >= shortest && k <= longest && (w.Count >= used || !counted) {
			short = append(short, w.Text)
		}
	}
	if len(short) == 0 {
		return nil, fmt.Errorf("no word of %d or %d letters in the lexicon", shortest, longest)
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	pairs := make([]speller.Pair, 0, n)
	for tries := 0; len(pairs) < n; tries++ {
		if tries > 100*n+1000 {
			return nil, fmt.Errorf("-slips %d: only %d slips of %d short words are no words", n, len(pairs), len(short))
		}
		w := short[rng.IntN(len(short))]
		if m := keyboard.Slip(rng, w, len(pairs)); !known[m] {
			pairs = append(pairs, speller.Pair{Word: w, Misspelt: m, Count: 1})
		}
	}
	return pairs, nil
}

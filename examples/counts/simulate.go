package main

import (
	"fmt"
	"math/rand/v2"

	"example.org/pathsum/internal/tagged"
)

// The sentences that are made up.
const (
	sentences, length = 1000, 12
	vocabulary, tags  = 200, 6
	ambiguity         = .3
)

// simulate makes up sentences. Each word has a main tag and another, which it has with a
// probability of its own, up to ambiguity; its last letter hints at the main one.
func simulate(rng *rand.Rand) []tagged.Sentence {
	type entry struct {
		word        string
		main, other int
		share       float64
	}
	lexicon := make([]entry, vocabulary)
	for i := range lexicon {
		main := rng.IntN(tags)
		lexicon[i] = entry{fmt.Sprintf("w%d%c", i, 'a'+main), main, (main + 1 + rng.IntN(tags-1)) % tags, ambiguity * rng.Float64()}
	}
	zipf := rand.NewZipf(rng, 1.01, 1, vocabulary-1)
	all := make([]tagged.Sentence, sentences)
	for i := range all {
		for range length {
			e := lexicon[zipf.Uint64()]
			tag := e.main
			if rng.Float64() < e.share {
				tag = e.other
			}
			all[i].Words, all[i].Tags = append(all[i].Words, e.word), append(all[i].Tags, fmt.Sprintf("T%d", tag))
		}
	}
	return all
}

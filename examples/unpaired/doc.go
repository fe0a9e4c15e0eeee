// Unpaired learns to transliterate names into katakana and back from few pairs, many unpaired
// names of either side, and the pronunciations of some.
//
//	go run ./examples/unpaired
//	go run ./examples/unpaired -data train.tsv.gz -test test.tsv.gz -sounds sounds.tsv.gz -pairs 1000
//	go run ./examples/unpaired -data train.tsv.gz -pairs 1000 -save names.model
//	go run ./examples/unpaired -load names.model -apply names.txt -n 5
//
// Without -data, the pairs are loanwords. Every eighth is held out, 200 of the others are used
// as pairs, and the rest are taken apart: each contributes one side only, so its partner is
// unknown.
//
// The test compares the system trained on all data with the system trained on the pairs alone,
// and reports the gain. The former is saved, and can be tested again with -load and -test. A
// line of -apply is answered in the direction that knows more of its symbols. A symbol that
// does not occur in a pair is read as the closest known symbol or left out, and a line on
// standard error reports it.
//
// newTree in tree.go makes the model, and likelihood in train.go its objective.
//
// # The model
//
// The model is one tree of tapes. A hidden sequence of units is observed on up to three tapes:
// as the letters of a name, as its katakana, and as its sounds. A unit is a letter with zero,
// one or two letters of katakana, which are converted one to one into consonants and vowels.
// Units follow each other by bigrams. They determine the first two tapes, and draw the sounds
// of the third.
//
// Training maximizes one Sum (em.Sum), whose parts have different data:
//
//	pairs                    letters and katakana are seen
//	names                    letters alone
//	names in katakana        katakana alone
//	names with sounds        letters and sounds
//	pairs with sounds        all three
//
// Each part sums over its hidden tapes, and all share the same parameters: the bigrams of
// units, and their sounds. M steps are in closed form. The parameters begin at the smoothed
// bigrams of the aligned pairs (package models/pairgram), which are also the means of their
// priors.
//
// The tree proposes its best candidates. They are ranked by the mean of ln p of the tree and of
// trigrams of the pairs, plus ln p of the candidate as a string and its length, both with
// exponents. The known names of a side train the probability of its strings.
//
// # Coming from Phonetisaurus
//
//	phonetisaurus-train --lexicon pairs.tsv --seq2_del --ngram_order 8
//	phonetisaurus-apply --model train/model.fst --word_list words.txt --nbest 10
//
// learns from pairs only. Here -pairs is the number of lines that are used as pairs; each other
// line contributes only one side:
//
//	go run ./examples/unpaired -data names.tsv -pairs 1000 -save names.model
//	go run ./examples/unpaired -load names.model -apply words.txt -direction forward -n 10
//
// # Person names
//
// PERFORMANCE.md has the gain from unpaired names and sounds with 1,000 pairs of person names,
// and its cost. Settings were chosen on development pairs: the constants of main.go, system.go,
// train.go and tree.go.
package main

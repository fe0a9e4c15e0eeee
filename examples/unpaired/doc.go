// Unpaired learns to transliterate names into katakana and back from few pairs, many names of
// either side without their partners, and the pronunciations of some.
//
//	go run ./examples/unpaired
//	go run ./examples/unpaired -data train.tsv.gz -test test.tsv.gz -sounds sounds.tsv.gz -pairs 1000
//	go run ./examples/unpaired -data train.tsv.gz -pairs 1000 -save names.model
//	go run ./examples/unpaired -load names.model -apply names.txt -n 5
//
// The model is one tree of tapes. A hidden sequence of units is seen on up to three tapes: as
// the letters of a name, as its katakana, and as its sounds. A unit is a letter with none, one
// or two letters of katakana, which are read as consonants and vowels, one to one. Units
// follow each other by bigrams. They spell two tapes, and draw what is on the third.
//
// The model is newTree in tree.go, and what is maximized is likelihood in train.go.
//
// Training maximizes one Sum (em.Sum), whose parts are of different data:
//
//	pairs                    letters and katakana are seen
//	names                    letters alone
//	names in katakana        katakana alone
//	names with sounds        letters and sounds
//	pairs with sounds        all three
//
// Each part sums over what it does not see, and all have the same parameters: how units follow
// each other, and how they sound. M steps are in closed form. These begin at the smoothed
// bigrams of the aligned pairs (package models/pairgram), which are the means of their priors
// too.
//
// Candidates are the best by the tree. Their rank is the mean of ln p of the tree and of
// trigrams of the pairs, plus ln p of the candidate as a string and its length, both with
// exponents. The names that are known on a side say how probable its strings are.
//
// Without -data, the pairs are loanwords, of which 200 are learnt from as pairs. Every eighth
// one is held out, and the others are taken apart, so that no partner of a name is known.
//
// The test compares the system of all data with that of the pairs alone, and says how much the
// names gain. The system of all data is saved, and can be tested again with -load and -test. A
// line of -apply is answered in the direction that knows more of its symbols. A symbol that no
// pair has is read as the closest that is known or left out, and a line on standard error says
// so.
//
// # Coming from Phonetisaurus
//
//	phonetisaurus-train --lexicon pairs.tsv --seq2_del --ngram_order 8
//	phonetisaurus-apply --model train/model.fst --word_list words.txt --nbest 10
//
// learns from pairs, and from nothing else. Here -pairs says how many lines are learnt from as
// pairs, and of each other line only one side is looked at:
//
//	go run ./examples/unpaired -data names.tsv -pairs 1000 -save names.model
//	go run ./examples/unpaired -load names.model -apply words.txt -direction forward -n 10
//
// # Person names
//
// What names without partners and sounds gain with 1,000 pairs of person names, and what it
// costs, is in PERFORMANCE.md. Settings were chosen on development pairs: the constants of
// main.go, system.go, train.go and tree.go.
package main

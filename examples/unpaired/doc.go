// Unpaired learns to transliterate names into katakana and back from few pairs, many names of
// either side without their partners, and the pronunciations of some.
//
//	go run ./examples/unpaired
//	go run ./examples/unpaired -data train.tsv.gz -test test.tsv.gz -sounds sounds.tsv.gz -pairs 1000
//
// The model is one tree of tapes. A hidden sequence of units is seen on up to three tapes: as
// the letters of a name, as its katakana, and as its sounds. A unit is a letter with none, one
// or two letters of katakana, which are read as consonants and vowels, one to one. Units
// follow each other by bigrams. They spell two tapes, and draw what is on the third.
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
package main

// Transliterate learns how European words are written in katakana, and reads
// katakana back, from pairs of words alone.
//
//	go run ./examples/transliterate
//	go run ./examples/transliterate -data train.tsv.gz -test test.tsv.gz
//	go run ./examples/transliterate -data train.tsv.gz -save names.model
//	go run ./examples/transliterate -load names.model -apply words.txt -n 5
//	cut -f1 names.tsv | go run ./examples/transliterate -load names.model -apply -
//
// Without -data it learns from embedded pairs, of which every eighth is held out
// for the test. It prints how many test pairs are right before and after training, and some
// of them. With -apply there is no test, and it learns from all.
//
// # Models of pairs
//
// Katakana write syllables, and a letter of a European word is mostly a consonant or a vowel
// of one. So katakana are read as consonants and vowels, one to one: シャンソン is sh a n' s o n'.
// A model of pairs is n-grams of aligned chunks of letters and of these (package
// models/pairgram): EM sums over all ways to align. What it finds that spells no katakana is
// left out. The default model of each direction is a product of four, with chunks of two
// inventories, read from either end (package models/nbest); -model single is the best of them.
// With -conditional they are trained for p(answer | word).
//
// The models are kinds in model.go and recipe in train.go.
//
// # Words as they come
//
// Letters are taken in a Unicode normalization form, which held-out training words choose where
// it makes a difference (-normalize). A line that is no pair is skipped, and told. A symbol that
// no training word had is read as the closest one that is known, in the other case or without its
// accent, or left out: the word is answered, its score pays for it, and a line on standard error
// says so. Words may have spaces inside. Where most of a column of katakana has spaces, these are
// between its characters. Without -direction, a line of -apply is answered in the direction that
// knows more of it.
//
// # Coming from Phonetisaurus
//
//	phonetisaurus-train --lexicon train.tsv --seq2_del --ngram_order 8
//	phonetisaurus-apply --model train/model.fst --word_list words.txt --nbest 10
//
//	go run ./examples/transliterate -data train.tsv -direction forward -save names.model
//	go run ./examples/transliterate -load names.model -apply words.txt -direction forward -n 10
//
// A third column of the data, the count of a pair, is not looked at. A word with a letter that is
// new to the model has an answer. The other direction comes from the same file.
//
// # Coming from Carmel
//
// What is between letters and katakana is to be seen in internal/experiments/katakanacascade, a
// cascade of three machines that is trained on the same pairs. It is less accurate.
//
// # Person names
//
// How well all this does on 63,246 names with their katakana, beside Phonetisaurus, is in
// PERFORMANCE.md.
package main

// Transliterate learns how European words are written in katakana, and reads
// katakana back, from pairs of words alone.
//
//	go run ./examples/transliterate
//	go run ./examples/transliterate -data train.tsv.gz -test test.tsv.gz
//	go run ./examples/transliterate -data train.tsv.gz -save names.model
//	go run ./examples/transliterate -load names.model -apply words.txt -n 5
//	cut -f1 names.tsv | go run ./examples/transliterate -load names.model -apply -
//
// Without -data it learns from embedded pairs; every eighth of them is held out for the test.
// It prints the accuracy on the test pairs before and after training, and some of them. With
// -apply there is no test, and it learns from all.
//
// # Models of pairs
//
// Katakana write syllables, and a letter of a European word mostly stands for a consonant or a
// vowel. So katakana are converted one to one into consonants and vowels: シャンソン is sh a n' s o
// n'. A model of pairs is n-grams of aligned chunks of letters and of these (package
// models/pairgram): EM sums over all alignments. Candidates that do not spell katakana are left
// out. The default model of each direction is a product of four, with chunks of two
// inventories, read from either end (package models/nbest); -model single is the best of them.
// With -conditional they are trained for p(answer | word).
//
// kinds in model.go and recipe in train.go define the models.
//
// # Words as they come
//
// Letters are taken in a Unicode normalization form; if forms differ, held-out training words
// choose (-normalize). Lines that are not pairs are skipped and reported. A symbol that does
// not occur in training is read as the closest known symbol, in the other case or without its
// accent, or left out. The word still gets an answer with a lower score, and standard error
// reports the symbol. Words may contain spaces. If most of a column of katakana has spaces,
// these separate its characters. Without -direction, a line of -apply is answered in the
// direction that knows more of its symbols.
//
// # Coming from Phonetisaurus
//
//	phonetisaurus-train --lexicon train.tsv --seq2_del --ngram_order 8
//	phonetisaurus-apply --model train/model.fst --word_list words.txt --nbest 10
//
//	go run ./examples/transliterate -data train.tsv -direction forward -save names.model
//	go run ./examples/transliterate -load names.model -apply words.txt -direction forward -n 10
//
// A third column of the data, the count of a pair, is ignored. A word with an unknown letter
// still gets an answer. The same file also has the other direction.
//
// # Coming from Carmel
//
// internal/experiments/katakanacascade models the steps between letters and katakana, as a
// cascade of three machines that is trained on the same pairs. It is less accurate.
//
// # Person names
//
// PERFORMANCE.md has the accuracy on 63,246 names with their katakana, compared with
// Phonetisaurus.
package main

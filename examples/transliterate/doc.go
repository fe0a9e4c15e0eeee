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
// The models are kinds and recipe in pairs.go.
//
// # A noisy channel
//
// -model cascade is three machines (package models/channel), for those who want to see what is
// between letters and katakana:
//
//	letter n-gram ∘ channel ∘ table
//
// The first knows which sequences of letters are likely. The second turns each
// letter, whatever its neighbours, into no, one or two letters of romaji, and may
// insert some; its probabilities are trained. The third is a fixed table that
// spells katakana in romaji. Nobody says which letters of a pair belong to which
// katakana, or what the romaji between them are: EM sums over all the possibilities.
//
// The cascade is newCascade in cascade.go.
//
// Candidates are the katakana of the greatest probability, summed over all romaji and
// alignments between. Letters are found from katakana in two steps: the best
// under a bigram model of letters, then the best of these under the n-gram model that
// predicts held-out words best. The test is also made of a channel that copies letters.
// -heatmap draws the channel, and -export writes the three machines, with their symbols, as an
// archive for OpenFst:
//
//	go run ./examples/transliterate -model cascade -export cascade.far
//	farextract --filename_suffix=.fst cascade.far
//	fstcompose word.fst channel.fst | fstarcsort | fstcompose - table.fst | fstshortestpath
//
// The table does not accept every sequence of romaji, and the probability of those
// that it rejects is lost. So Σ ln P(katakana | letters), the objective, is of a
// model whose probabilities sum to less than 1; the order of the candidates is
// that of the model on condition that the table accepts.
//
// # Words as they come
//
// Letters are taken in a Unicode normalization form, which held-out training words choose
// where it makes a difference (-normalize). A symbol that no training word had is read as the
// closest one that is known, in the other case or without its accent, or left out: the word is
// answered, its score pays for it, and a line on standard error says so. Words may have spaces
// inside. Where most of a column of katakana has spaces, these are between its characters.
// Without -direction, a line of -apply is answered in the direction that knows more of it.
//
// # Coming from Phonetisaurus
//
//	phonetisaurus-train --lexicon train.tsv --seq2_del --ngram_order 8
//	phonetisaurus-apply --model train/model.fst --word_list words.txt --nbest 10
//
//	go run ./examples/transliterate -data train.tsv -direction forward -save names.model
//	go run ./examples/transliterate -load names.model -apply words.txt -direction forward -n 10
//
// A third column of the data, the count of a pair, weighs it in a cascade only. A word with a
// letter that is new to the model has an answer. The other direction comes from the same file.
//
// # Coming from Carmel
//
//	carmel --train-cascade pairs letters.wfsa channel.fst table.fst
//	carmel -sriOEk 10 letters.wfsa.trained channel.fst.trained table.fst.trained < katakana
//
//	go run ./examples/transliterate -model cascade -data pairs.tsv -save cascade.model
//	go run ./examples/transliterate -load cascade.model -apply katakana -direction backward -n 10
//
// A cascade of other machines is a program of a few lines: package models/channel has an
// example. What is found is the best string, summed over its paths, not the best path.
//
// # Person names
//
// How well all this does on 63,246 names with their katakana, beside Phonetisaurus, is in
// PERFORMANCE.md.
package main

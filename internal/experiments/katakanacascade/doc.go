// Katakanacascade makes the row of the cascade in the table of person names of
// examples/transliterate/PERFORMANCE.md: a noisy channel of three machines (package
// models/channel), which shows what is between letters and katakana, and is less accurate than
// models of pairs.
//
//	letter n-gram ∘ channel ∘ table
//
// The first knows which sequences of letters are likely. The second turns each letter, whatever its
// neighbours, into no, one or two letters of romaji, and may insert some; its probabilities are
// trained. The third is a fixed table that spells katakana in romaji. Nobody says which letters of
// a pair belong to which katakana, or what the romaji between them are: EM sums over all the
// possibilities. The cascade is newCascade in cascade.go.
//
//	go run ./internal/experiments/katakanacascade
//	go run ./internal/experiments/katakanacascade -data train.tsv.gz -test test.tsv.gz -iterations 20
//
// Candidates are the katakana of the greatest probability, summed over all romaji and
// alignments between. Letters are found from katakana in two steps: the best
// under a bigram model of letters, then the best of these under the n-gram model that
// predicts held-out words best. The test is also made of a channel that copies letters.
// -matrix draws the channel, and -export writes the three machines, with their symbols, as an
// archive for OpenFst:
//
//	go run ./internal/experiments/katakanacascade -export cascade.far
//	farextract --filename_suffix=.fst cascade.far
//	fstcompose word.fst channel.fst | fstarcsort | fstcompose - table.fst | fstshortestpath
//
// The table does not accept every sequence of romaji, and the probability of those
// that it rejects is lost. So Σ ln P(katakana | letters), the objective, is of a
// model whose probabilities sum to less than 1; the order of the candidates is
// that of the model on condition that the table accepts.
//
// # Coming from Carmel
//
//	carmel --train-cascade pairs letters.wfsa channel.fst table.fst
//	carmel -sriOEk 10 letters.wfsa.trained channel.fst.trained table.fst.trained < katakana
//
//	go run ./internal/experiments/katakanacascade -data pairs.tsv -save cascade.model
//	go run ./internal/experiments/katakanacascade -load cascade.model -apply katakana -direction backward -n 10
//
// A cascade of other machines is a program of a few lines: package models/channel has an
// example. What is found is the best string, summed over its paths, not the best path.
package main

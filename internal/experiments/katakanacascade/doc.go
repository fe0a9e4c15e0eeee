// Katakanacascade makes the row of the cascade in the table of person names of
// examples/transliterate/PERFORMANCE.md. The cascade is a noisy channel of three machines
// (package models/channel), which models the steps between letters and katakana, and is less
// accurate than models of pairs.
//
//	letter n-gram ∘ channel ∘ table
//
// The first machine gives the probabilities of sequences of letters. The second turns each
// letter, independently of its neighbours, into zero, one or two letters of romaji, and may
// insert some; its probabilities are trained. The third is a fixed table that spells katakana
// in romaji. The alignment of the letters and the katakana of a pair, and the romaji between
// them, are hidden: EM sums over all possibilities. newCascade in cascade.go makes the cascade.
//
//	go run ./internal/experiments/katakanacascade
//	go run ./internal/experiments/katakanacascade -data train.tsv.gz -test test.tsv.gz -iterations 20
//
// Candidates are the most probable katakana, summed over all intermediate romaji and
// alignments. The search from katakana to letters has two steps: it finds the best candidates
// under a bigram model of letters, and then ranks them by the n-gram model that predicts
// held-out words best. The program also tests a channel that copies letters. -matrix draws the
// channel, and -export writes the three machines, with their symbols, as an archive for
// OpenFst:
//
//	go run ./internal/experiments/katakanacascade -export cascade.far
//	farextract --filename_suffix=.fst cascade.far
//	fstcompose word.fst channel.fst | fstarcsort | fstcompose - table.fst | fstshortestpath
//
// The table rejects some sequences of romaji, and their probability is lost. So Σ ln P(katakana
// | letters), the objective, belongs to a model whose probabilities sum to less than 1; the
// order of the candidates is the same as in the model conditioned on acceptance by the table.
//
// # Coming from Carmel
//
//	carmel --train-cascade pairs letters.wfsa channel.fst table.fst
//	carmel -sriOEk 10 letters.wfsa.trained channel.fst.trained table.fst.trained < katakana
//
//	go run ./internal/experiments/katakanacascade -data pairs.tsv -save cascade.model
//	go run ./internal/experiments/katakanacascade -load cascade.model -apply katakana -direction backward -n 10
//
// A cascade of other machines takes a few lines: package models/channel has an example. The
// result is the best string, summed over its paths, not the best path.
package main

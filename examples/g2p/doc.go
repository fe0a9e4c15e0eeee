// G2p learns from pairs how words are pronounced, or names transcribed, and does so with
// others.
//
//	go run ./examples/g2p
//	go run ./examples/g2p -data train.tsv.gz -dev dev.tsv.gz -test test.tsv.gz
//	go run ./examples/g2p -data train.tsv.gz -save g2p.model
//	go run ./examples/g2p -load g2p.model -decode words.txt > sounds.tsv
//
// The pairs are aligned in chunks by EM, and a model of n-grams of chunks is made of all
// alignments, by their posterior probability (package models/pairgram). Each word then
// gets the most probable targets, summed over all ways to align. The default data are
// Spanish words, with sounds by the rules of Spanish spelling.
//
// What is not set by flags, the order of the n-grams and how much the discounts of
// Kneser-Ney are to be scaled, is chosen on the pairs of -dev, which are not learnt from.
// Several lists of chunks, or -direction both, make several models; their product
// decodes, with equal weights, and what is chosen is what is best for the product. Counts
// say how often a pair is learnt from; in a test each pair counts once.
//
// With -conditional a log-linear model on top of the only model is trained for the
// probability of the target given the word. It looks at the word around each chunk.
//
// With -decode, each line of a file, or of standard input (-), is a word, and gets one line
// of output: the word and its candidates, with tabs between. Without candidates a line on
// standard error says why; the line of a word with a tab is empty.
//
// # Scores
//
// A word with several targets is right if the first candidate is one of them. Symbol
// errors are edits to the target that is relatively closest, divided by its length, over
// all words. Pairs count each by itself: with two targets for a word at most one is right.
//
// # What it achieves
//
// All on the test parts; settings were chosen on the dev parts (of the six languages, on
// the mean over all). Words and symbols wrong, and pairs right at 1 and among 10, in %:
//
//	data                  flags                                     words  symbols   pairs
//	English (CMU)         -order 8 -discount 1                       26.11     6.33
//	  product of four     -order 8 -discount 1.1 -direction both
//	                      -chunks 10,01,11+10,11,12,21               25.28     6.07
//	  conditional         -order 8 -discount 1 -conditional          24.53     5.84
//	six languages, mean   -order 6 -discount 1.2                     16.11     3.11
//	  product of two      -order 6 -discount 1.2 -direction both     15.15     2.95
//	from katakana         -swap -order 6 -discount 1.2               73.03    22.00   25.67 / 60.70
//	  product of four     -swap -order 6 -discount 1.2 -direction both
//	                      -chunks 10,01,11+10,01,11,12,21            72.13    21.55   26.53 / 62.16
//	to katakana           -direction backward -order 6
//	                      -discount 1.2                              55.18    22.51   44.82 / 79.97
//	  product of two      -chunks 10,01,11:backward+10,01,11,12,21:forward
//	                      -order 6 -discount 1.2                     54.27    22.13   45.73 / 80.89
//
// Phonetisaurus with 8-grams has 26.4 and 6.4 for English, 17.8 as the mean of the six
// languages, 21.2 / 43.1 from katakana and 42.6 / 78.6 to katakana, on the same parts.
//
// The English model takes 9.4 s of processor time, the reading of the data included, and
// 520 MB; ten candidates take .7 ms a word (-workers 1). The product of four takes 40 s and
// 5 to 7 ms, the conditional model 150 s, 1.7 GB and .9 ms.
package main

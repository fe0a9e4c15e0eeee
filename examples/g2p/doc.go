// G2p learns from pairs how words are pronounced, or names transcribed, and predicts it for
// other words.
//
//	go run ./examples/g2p
//	go run ./examples/g2p -data train.tsv.gz -test test.tsv.gz
//	go run ./examples/g2p -data train.tsv.gz -save g2p.model
//	go run ./examples/g2p -load g2p.model -apply words.txt -n 3 -scores > sounds.tsv
//
// EM aligns the pairs in chunks, and a model of n-grams of chunks is estimated from all
// alignments, weighted by their posterior probabilities (package models/pairgram). The program
// predicts the most probable targets of a word, summed over all alignments. The default data
// are Spanish words, with sounds by the rules of Spanish spelling. Lines that are not pairs are
// skipped and reported.
//
// model and conditionals in train.go make the models, and transcribe in model.go applies them.
//
// With -apply, each line of a file, or of standard input (-), is a word. Its line of output has
// the word and its best candidates, one or -n, separated by tabs. With -scores each candidate
// is followed by its probability. A symbol that does not occur in training is read as the
// closest known symbol, é as e, or left out; a line on standard error reports it. If the models
// have no target in common, the first that has one answers. The answer to a word that contains
// a tab is an empty line.
//
// # Symbols and models
//
// Characters with parts may be one symbol or several: the pairs of -dev, which are held out,
// decide. If most words have spaces with several characters between them, as in Vietnamese, the
// pairs of -dev also decide whether spaces separate symbols or occur within phrases; -spaced
// saves the time for that. The order of the n-grams and the scale of the Kneser-Ney discounts
// have defaults that suit dictionaries of 3,600 to 110,000 words: a choice on some hundred
// pairs would be mostly chance. Several lists of chunks, or -direction both, make several
// models; their product decodes, with equal weights. Counts weight the training pairs; in a
// test each pair counts once.
//
// If words follow several conventions of spelling, one per word, -classes makes a mixture of
// models, one for each hidden class of words; with 0 held-out words determine the number of
// classes.
//
// -conditional trains a log-linear model on top of each of the models, for the probability of
// the target given the word. Its features describe the word around each chunk. This is the most
// accurate model of large data, with -direction both by a little.
//
// # Scores
//
// A word with several targets is right if the first candidate is one of them. Symbol errors are
// edits to the target that is relatively closest, divided by its length, over all words. Scores
// of pairs count each pair by itself: with two targets for a word at most one is right.
// PERFORMANCE.md has the accuracy and the cost of the models.
//
// # Coming from Phonetisaurus
//
// Both programs learn from a dictionary of word<TAB>S O U N D S.
//
//	phonetisaurus-align --input=d.tsv --ofile=d.corpus   g2p -data d.tsv -aligned d.corpus
//	estimate-ngram -o 8 -t d.corpus -wl d.arpa
//	phonetisaurus-arpa2wfst --lm=d.arpa --ofile=d.fst    g2p -data d.tsv -save d.model
//	phonetisaurus-g2pfst --model=d.fst --wordlist=w      g2p -load d.model -apply w
//	  --nbest=5 --pmass=…                                  -n 5 -scores
//	d.arpa, as it is                                     g2p -load d.arpa -apply w
//	                                                     g2p -data d.tsv -arpa d.arpa
//	                                                     g2p -data d.tsv -phonetisaurus d.fst
//
// A model that was trained there can be used here: -load reads its n-grams in the ARPA format,
// with the same scores. Targets are then summed over their alignments. A model that was trained
// here can be used there: -arpa writes its n-grams with pairs as a|b}x|y, and -phonetisaurus
// the transducer that the decoder reads. -openfst writes a transducer that spells out the
// symbols, for OpenFst's own tools.
//
// # Coming from Sequitur
//
//	g2p.py --train d --devel 5% --write-model m-1
//	g2p.py --model m-1 --ramp-up --train d … (m-2, m-3, …)   g2p -data d.tsv -save d.model
//	g2p.py --model m-6 --apply w                             g2p -load d.model -apply w
//	  --variants-number 5                                      -n 5 -scores
//	g2p.py --model m-6 --test t                              g2p -load d.model -test t.tsv
//	g2p.py --encoding … --transpose                          -normalize nfc|nfd, -swap
//
// Its lexicon has a space after the word: sed 's/ /\t/' converts it for this program. There is
// no ramp-up: one run makes the model of any order.
package main

// G2p learns from pairs how words are pronounced, or names transcribed, and does so with
// others.
//
//	go run ./examples/g2p
//	go run ./examples/g2p -data train.tsv.gz -test test.tsv.gz
//	go run ./examples/g2p -data train.tsv.gz -save g2p.model
//	go run ./examples/g2p -load g2p.model -apply words.txt -n 3 -scores > sounds.tsv
//
// The pairs are aligned in chunks by EM, and a model of n-grams of chunks is made of all
// alignments, by their posterior probability (package models/pairgram). Each word then
// gets the most probable targets, summed over all ways to align. The default data are
// Spanish words, with sounds by the rules of Spanish spelling. A line that is no pair is skipped,
// and told.
//
// The models are what model and conditionals in train.go make, and transcribe in model.go asks
// them.
//
// Whether characters that have parts are one symbol or several is chosen on the pairs of -dev,
// which are not learnt from. If most words have spaces with several characters between them, so
// is whether the spaces stand between symbols or within phrases, as in Vietnamese; -spaced saves
// the time for that. The order of the n-grams, and how much the discounts of Kneser-Ney are scaled,
// have defaults that suit dictionaries of 3,600 to 110,000 words: a choice on some hundred pairs
// would follow chance. Several lists of chunks, or -direction both, make several models; their
// product decodes, with equal weights. Counts say how often a pair is learnt from; in a test each
// pair counts once.
//
// Where words are written by several habits, each kept through a word, -classes makes a mixture
// of models, one for each hidden class of words; with 0 their number is chosen on held-out words.
//
// With -conditional a log-linear model on top of each of the models is trained for the
// probability of the target given the word. It looks at the word around each chunk. This is the
// most accurate model of large data, with -direction both by a little.
//
// With -apply, each line of a file, or of standard input (-), is a word, and gets one line
// of output: the word and its best candidates, one or -n, with tabs between. Behind each stands its
// probability with -scores. A symbol that no training word has is read as the closest that is known,
// é as e, or left out; a line on standard error says so. Where several models agree on no target,
// the first that has one answers. The line of a word with a tab is empty.
//
// # Scores
//
// A word with several targets is right if the first candidate is one of them. Symbol
// errors are edits to the target that is relatively closest, divided by its length, over
// all words. Pairs count each by itself: with two targets for a word at most one is right.
// How accurate the models are, and what they cost, is in PERFORMANCE.md.
//
// # Coming from Phonetisaurus
//
// A dictionary of word<TAB>S O U N D S is what both learn from.
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
// A model that was trained there can be used here as it is: -load reads its n-grams in the form
// of ARPA, with the same scores. Targets are then summed over their alignments. A model that was
// trained here can be used there: -arpa writes its n-grams with pairs as a|b}x|y, and
// -phonetisaurus the transducer that the decoder reads. -openfst writes one that spells the
// symbols out, for OpenFst's own tools.
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
// Its lexicon has a space behind the word: sed 's/ /\t/' makes it a file for this program. There
// is no ramp-up: one run makes the model of any order.
package main

// Tagging learns parts of speech from tagged sentences and tags others.
//
// Three models, of package models/crf, share the same features: a chain conditional
// random field (-model crf), which weighs whole sequences of tags; a maximum-entropy
// Markov model (memm), which chooses each tag given the one before; and logistic
// regression of each word by itself (node). What they know of a word is its spelling,
// its first and last letters, its shape, and the words before and after; and which tags it and
// its neighbours had in training, if they are frequent. The fourth, a
// hidden Markov model of package models/hmm (hmm), also says how probable the words
// are, and so knows one thing of each only: which word it is, or for rare ones how it
// ends.
//
//	go run ./examples/tagging
//	go run ./examples/tagging -model memm -data train.txt.gz -test test.txt.gz
//
// A row of the data is a word and its tag; with -column 3 the tag is in the third of
// several columns. A sentence with a wrong row is left out, and the program says so.
//
// The models are train in conditional.go, and train in hidden.go. What they know of words is in
// package internal/tagged.
//
// A trained model can be saved, and tags sentences later, one a line, words with spaces
// between; each gets a line of output. A word is what is before the last slash of a token:
//
//	go run ./examples/tagging -save model -apply sentences.txt
//	echo 'The old dog barks .' | go run ./examples/tagging -load model -apply - -n 3
//	go run ./examples/tagging -load model -test test.txt.gz
//
// -plot draws the objective by iteration, -matrix which tags are mistaken for which.
//
// Words that were never seen are tagged by their letters and neighbours. With -n 3 a line
// has the three best taggings, each with its probability given the words.
//
// Without -data it learns from embedded sentences, of which every sixth is held out for
// the test. Weights have a Gaussian prior and are found by stochastic gradient ascent,
// an iteration being a pass over the sentences; the hidden Markov model counts. The
// program prints the objective of each iteration, how many words of the test are tagged
// right, how many of those that do not occur in training, and which tags are mistaken
// for which.
//
// # Coming from MBT
//
// Memory-based tagging is Debian's package mbt. Its files have the same two columns.
//
//	mbtg -T train                     tagging -data train -test test -save model
//	mbt -s train.settings -t lines    tagging -load model -apply lines
//	mbt -s train.settings -T test     tagging -load model -test test
//
// # Coming from CRFsuite
//
//	crfsuite learn -m model train     tagging -data train -save model
//	  -a l2sgd -p c2=.5                 (what this program does)
//	crfsuite tag -m model test        tagging -load model -apply lines
//	crfsuite dump model               Predictor.Weight and Transition of package crf
//
// PERFORMANCE.md has accuracy, time and memory on two treebanks, with MBT's beside them.
package main

// Tagging learns parts of speech from tagged sentences and tags others.
//
//	go run ./examples/tagging
//	go run ./examples/tagging -model memm -data train.txt.gz -test test.txt.gz
//
// Three models, of package models/crf, share the same features: a chain conditional random
// field (-model crf), which weighs whole sequences of tags; a maximum-entropy Markov model
// (memm), which chooses each tag given the one before; and logistic regression of each word by
// itself (node). The features of a word are its spelling, its first and last letters, its
// shape, the words before and after, and the tags that it and its neighbours had in training,
// if they are frequent. The fourth, a hidden Markov model of package models/hmm (hmm), also
// models the probability of the words, and so has a single feature: the word, or for rare words
// its ending.
//
// A row of the data is a word and its tag; -column 3 takes the tag from the third of several
// columns. A sentence with a bad row is left out, and the program reports it.
//
// train in conditional.go and train in hidden.go train the models. Package internal/tagged has
// the features of words.
//
// Without -data it learns from embedded sentences; every sixth of them is held out for the
// test. Weights have a Gaussian prior and are found by stochastic gradient ascent, whose
// iterations are passes over the sentences; the hidden Markov model counts. The program prints
// the objective of each iteration, the accuracy on all words of the test and on those that do
// not occur in training, and the most frequent confusions.
//
// # New sentences
//
// A trained model can be saved, and later tags sentences, one per line, words separated by
// spaces; each gets a line of output. The word of a token is the part before its last slash:
//
//	go run ./examples/tagging -save model -apply sentences.txt
//	echo 'The old dog barks .' | go run ./examples/tagging -load model -apply - -n 3
//	go run ./examples/tagging -load model -test test.txt.gz
//
// Unknown words are tagged by their letters and neighbours. With -n 3 a line has the three best
// taggings, each with its probability given the words.
//
// -plot draws the objective by iteration, -matrix the confusions of tags.
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
// PERFORMANCE.md has accuracy, time and memory on two treebanks, compared with MBT.
package main

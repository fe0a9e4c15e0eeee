// Grammarcurve draws how good the trees of an induced grammar are after each iteration of its
// training: F1 of brackets, and the accuracy of heads.
//
// The objective never falls, and these may: a grammar that explains tags better need not be closer
// to what linguists draw. Before each iteration all sentences are parsed with the parameters as
// they are, and scored; of several starts the one with the highest objective is drawn.
//
//	go run ./internal/experiments/grammarcurve -data wsj10.tsv.gz -plot curve.svg
//	go run ./internal/experiments/grammarcurve -data wsj10.tsv.gz -model dmv -init harmonic-trees
//
// The data are those of examples/grammar.
package main

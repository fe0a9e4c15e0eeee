// Grammar induces the structure of sentences from their tags alone, and compares what it
// finds with what linguists drew.
//
// There are three models, of package models/grammar. The dependency model with valence (-model
// dmv) says which word depends on which, the constituent-context model (ccm) which words belong
// together. Their product, trained to agree on the same trees, says both better than
// either alone (Klein and Manning 2004; Liang, Klein and Jordan 2007).
//
//	go run ./examples/grammar
//	go run ./examples/grammar -data wsj10.tsv.gz -model dmv -init harmonic-trees -plot curve.svg
//
// The dependency model starts in three ways, and the one whose objective ends highest wins;
// -init names one of them. No sentence needs a known structure for that choice.
//
// Without -data it takes some dozens of embedded sentences; a corpus worth the name gives
// better grammars. The program prints precision, recall and F1 of unlabelled brackets, how
// many words have the right head, and how many are joined to it in either direction. Beside
// them are those of trees that always branch to one side. Some sentences follow in brackets,
// found and drawn. With -plot it scores every iteration and draws the curves.
package main

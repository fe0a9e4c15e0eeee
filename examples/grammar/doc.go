// Grammar induces the structure of sentences from their tags alone, and compares what it
// finds with what linguists drew.
//
// There are three models, of package models/grammar. The dependency model with valence (-model
// dmv) says which word depends on which, the constituent-context model (ccm) which words belong
// together. Their product, trained to agree on the same trees, finds both better than either
// alone in newspaper text (Klein and Manning 2004; Liang, Klein and Jordan 2007), but not the
// heads in web texts; see PERFORMANCE.md.
//
//	go run ./examples/grammar
//	go run ./examples/grammar -data wsj10.tsv.gz -model dmv -init harmonic-trees
//
// The model is newModel in main.go.
//
// The dependency model starts in three ways, and the one whose objective ends highest wins;
// -init names one of them. No sentence needs a known structure for that choice.
//
// A trained model can be saved. It then parses new sentences, one a line, of tags or of words
// with tags, word_TAG:
//
//	go run ./examples/grammar -data wsj10.tsv.gz -save model -apply sentences.txt
//	echo the_DT dog_NN barks_VBZ | go run ./examples/grammar -load model -apply -
//	go run ./examples/grammar -load model -apply sentences.txt -n 5
//	go run ./examples/grammar -load model -test wsj40.tsv.gz
//
// The answer to a line is (X (X (DT the) (NN dog)) (VBZ barks)), a tab, and 3 1 0. Brackets are
// those of the Penn treebank, which NLTK (Tree.fromstring) and evalb read; constituents have no
// label but X. Then comes column 7 of CoNLL-X and CoNLL-U: the number of the head of each word,
// 0 for the root. With -n 5 the five most probable parses are there, each with ln of its
// probability given the tags in one more column.
//
// What training never saw, tags included, has a small probability (grammar.Model.Open), and an
// unknown tag is reported. A sentence of more than 40 words, 60 if the model is no product, is
// parsed in parts, and this is reported, too; it has one parse whatever -n is.
//
// Without -data it takes some dozens of embedded sentences; a corpus worth the name gives
// better grammars. The program prints precision, recall and F1 of unlabelled brackets, how
// many words have the right head, and how many are joined to it in either direction. Beside
// them are those of trees that always branch to one side. Some sentences follow in brackets,
// found and drawn. -plot draws the objective by iteration, from each start; the scores by
// iteration are a figure of internal/experiments/grammarcurve.
//
// # Coming from the published models
//
// No package of Debian induces grammars. Programs of Klein and Manning's models take trees of the
// Penn treebank, cut to ten words, and print a score. Here a script makes five columns of such
// trees, which -data reads, and a trained model is a file that parses other text:
//
//	tags alone, 40 iterations of EM          -data wsj10.tsv -iterations 40
//	CCM                                      -model ccm
//	DMV, its harmonic initializer            -model dmv -init harmonic-counts
//	DMV × CCM                                -model product
//	the trees that were found                -o parses.tsv, or -apply sentences.txt
//	evalb gold.mrg parses.mrg                printed: precision, recall, F1, heads
//	other sentences by the same model        -load model -test wsj40.tsv
//
// PERFORMANCE.md has their published scores beside those of this program, with time and memory.
package main

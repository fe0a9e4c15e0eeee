// Grammar induces the structure of sentences from their tags alone, and compares it with the
// annotation of linguists.
//
//	go run ./examples/grammar
//	go run ./examples/grammar -data wsj10.tsv.gz -model dmv -init harmonic-trees
//
// There are three models, of package models/grammar. The dependency model with valence (-model
// dmv) determines which word depends on which, the constituent-context model (ccm) which words
// form a constituent. Their product, trained to agree on the same trees, finds both better than
// either alone in newspaper text (Klein and Manning 2004; Liang, Klein and Jordan 2007), but
// not the heads in web texts; see PERFORMANCE.md.
//
// The model is newModel in main.go.
//
// The dependency model starts in three ways, and the start with the highest final objective
// wins; -init selects one of them. This choice needs no annotated structure.
//
// Without -data the program learns from some dozens of embedded sentences; a real corpus gives
// better grammars. It prints precision, recall and F1 of unlabelled brackets, the number of
// words with the right head, and the number joined to it in either direction. The same scores
// of trees that always branch to one side are printed for comparison. Some sentences follow in
// brackets, induced and annotated. -plot draws the objective by iteration, from each start;
// internal/experiments/grammarcurve draws the scores by iteration.
//
// # New sentences
//
// A trained model can be saved. It then parses new sentences, one per line, of tags or of words
// with tags, word_TAG:
//
//	go run ./examples/grammar -data wsj10.tsv.gz -save model -apply sentences.txt
//	echo the_DT dog_NN barks_VBZ | go run ./examples/grammar -load model -apply -
//	go run ./examples/grammar -load model -apply sentences.txt -n 5
//	go run ./examples/grammar -load model -test wsj40.tsv.gz
//
// The answer to a line is (X (X (DT the) (NN dog)) (VBZ barks)), a tab, and 3 1 0. Brackets are
// in the format of the Penn treebank, which NLTK (Tree.fromstring) and evalb read; all
// constituents have the label X. Then comes column 7 of CoNLL-X and CoNLL-U: the number of the
// head of each word, 0 for the root. With -n 5 the line has the five most probable parses, each
// followed by ln of its probability given the tags in another column.
//
// Events without training counts, including unknown tags, have a small probability
// (grammar.Model.Open), and an unknown tag is reported. A sentence of more than 40 words, 60 if
// the model is not a product, is parsed in parts, and this is reported, too; it has one parse
// for any -n.
//
// # Coming from the published models
//
// Debian has no package that induces grammars. Programs for Klein and Manning's models take
// trees of the Penn treebank, cut to ten words, and print a score. Here a script converts such
// trees into five columns, which -data reads, and a trained model is a file that parses other
// text:
//
//	tags alone, 40 iterations of EM          -data wsj10.tsv -iterations 40
//	CCM                                      -model ccm
//	DMV, its harmonic initializer            -model dmv -init harmonic-counts
//	DMV × CCM                                -model product
//	the trees that were found                -o parses.tsv, or -apply sentences.txt
//	evalb gold.mrg parses.mrg                printed: precision, recall, F1, heads
//	other sentences by the same model        -load model -test wsj40.tsv
//
// PERFORMANCE.md compares the published scores with the scores, time and memory of this
// program.
package main

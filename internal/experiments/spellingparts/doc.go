// Spellingparts tests the channels of a trained speller separately, each times the frequency of
// words to the power .55: the row "in context" in examples/spelling/PERFORMANCE.md, and the
// memoryless channel. Candidates are found with the defaults of models/edit.
//
//	go run ./examples/spelling -data birkbeck.train.tsv.gz -dev birkbeck.dev.tsv.gz \
//	  -lexicon lexicon.tsv -test birkbeck.test.tsv.gz -save speller
//	go run ./internal/experiments/spellingparts -load speller -test birkbeck.test.tsv.gz
package main

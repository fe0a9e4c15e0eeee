// Spellingslips makes test pairs of short words of a lexicon, each with one random slip of a
// finger: the column "slips" in examples/spelling/PERFORMANCE.md.
//
//	go run ./internal/experiments/spellingslips -lexicon lexicon.tsv >slips.tsv
//	go run ./examples/spelling -load speller -test slips.tsv
package main

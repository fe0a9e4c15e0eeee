// Align finds which words of a text correspond to which words of its translation,
// from many sentences and their translations alone.
//
// A hidden Markov model for each direction (package models/align) is trained by
// expectation maximization, either by itself or so that the two directions agree
// (Liang, Taskar and Klein 2006; Liang, Klein and Jordan 2007). The posteriors of
// links in the two directions are combined, and links whose posterior is not less
// than a threshold are chosen. -train says how to train:
//
//	agreement      what has been found best (align.Recipe)
//	independent    each direction by itself
//	product2006    links counted by the product of the two posteriors
//	agreement2007  the E step of both directions' potentials together
//
// Model 1 prepares the hidden Markov models, and -iterations is of these.
//
//	go run ./examples/align
//
// A file of -e or -f may be a pipe, as <(zcat e.gz) is, or - for standard input: the text is
// read only once. Both files have the same number of lines. With -bitext both sentences are
// in a line, e ||| f.
//
// Without them it learns from embedded sentences, English and German, of which
// some have reference alignments: the first half of these serves to choose the
// threshold, the second half to score the result. It prints the alignment error
// rate, precision and recall at several thresholds, and what the error rate is at
// the one chosen. -plot draws the posteriors of a sentence, -curve the error rate by
// iteration of all four ways to train, as in figure 1 of the second paper.
//
// With -o the training text is aligned, line by line. A line that cannot be used, one
// that is empty on either side, say, is reported and has an empty line there.
package main

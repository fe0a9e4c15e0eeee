// Align finds which words of a text correspond to which words of its translation,
// from many sentences and their translations alone.
//
//	go run ./examples/align
//
// Without a text it learns from embedded sentences, English and German. Some of them have
// reference alignments: the first half of these selects the threshold, the second half scores
// the result. The program prints the alignment error rate, precision and recall at several
// thresholds, and the error rate at the selected one. -matrix draws the posteriors of a
// sentence, -plot the objective of training.
//
// The model is in aligner.go, and links.go writes its links. Package wordalign reads the texts
// and scores links by references.
//
// # Training
//
// A hidden Markov model for each direction (package models/align) is trained by
// expectation maximization, either by itself or so that the two directions agree
// (Liang, Taskar and Klein 2006; Liang, Klein and Jordan 2007). The posteriors of links in the
// two directions are combined, and the program chooses the links whose posterior reaches a
// threshold. The flag -train selects the training:
//
//	agreement    the best recipe known (align.Recipe)
//	independent  each direction by itself
//
// IBM Model 1 initializes the hidden Markov models; -iterations counts iterations of the
// latter. The flag -model selects another model of positions, -classes and -spelling change the
// models, and -prune saves memory. With -train agreement, a training sentence of at most
// -longest words is aligned without most of its own counts, so that other sentences have more
// weight for rare words. The model keeps this share for adaptation to new text.
//
// internal/experiments/aligncurve draws the error rate by iteration of four ways to train, as in
// figure 1 of the second paper, and has further settings, which PERFORMANCE.md compares.
//
// # Text
//
// Each line of -bitext has both sentences, e ||| f; alternatively, line n of -e and line n of
// -f have them, and both files have the same number of lines. A file may be a pipe, or - for
// standard input: it is read only once. With -o the text is aligned, line by line; -forward and
// -backward get the links of the single directions. A line that cannot be used, for example
// because one side is empty, is reported and gets an empty line of links; it is an error if
// more than one in ten are bad. Sentences of more than -longest words are split into pieces for
// training and aligned in overlapping windows, in memory that does not depend on their length;
// their links lie within half a window of the diagonal.
//
// -posteriors writes links as 0-0:0.98, and -scores adds two columns, ln P(f|e) and ln P(e|f).
//
// # New text
//
//	align -bitext text -save model
//	align -load model -bitext new >links
//	align -load model -apply - <new >links
//
// With -load, -e and -f or -bitext are new text. It is aligned as if it had been part of the
// training text (align.Model.Adapt), so that unknown words find their partners, and its lines
// learn from each other. Any number of its lines may be empty or bad. At the best threshold the
// error rate is .1 or .2 points above the rate after training with the text, on average, or .3
// or .4 with -spelling. Adapting takes .2 s instead of 1.1 after 10,000 sentences, and .5 s
// instead of 8.4 after 100,000. Lines of -dev and -test are such text.
//
// Each line e ||| f of -apply is answered at once by a line of links. The line is a new text by
// itself, and its answer does not depend on other lines. That costs .1 points after 10,000
// sentences. Without adaptation (-adapt=false) the error rate there is half as much again. The
// model keeps its threshold unless -threshold, or for -e and -f or -bitext a development set,
// replaces it.
//
// # Coming from other programs
//
// From fast_align:
//
//	fast_align -i text -d -o -v >fwd     align -bitext text -forward fwd -backward rev -o links
//	fast_align -i text -d -o -v -r >rev  (both directions and their combination in one run)
//	atools -i fwd -j rev -c union        (the same with -combine union)
//	force_align.py … <new                align -load model -apply - <new
//	-d -o                                -model diagonal -train independent
//
// internal/experiments/symmetrize combines, inverts and scores alignments written by other
// programs, as atools does.
//
// From eflomal:
//
//	eflomal-align -s e -t f -f fwd -r rev  align -e e -f f -forward fwd -backward rev -o links
//	eflomal-makepriors, and -p priors      align -save model, and -load model -e e -f f
//	--model 1                              -model model1
//
// From GIZA++ (mkcls, plain2snt, snt2cooc and symal are not needed here):
//
//	GIZA++ twice, symal   align -e e -f f -o links -combine grow-diag-final-and
//	mkcls -n50            -classes 50
//	-m2 5 -mh 0           -model model2
//
// Links are word positions from 0, E first, in both directions, as in the output of fast_align
// and eflomal. References are lines of i-j, sure, and i?j or ipj, possible; their positions
// count from the number that -gold-from gives. PERFORMANCE.md compares accuracy, time and
// memory with these programs.
package main

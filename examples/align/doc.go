// Align finds which words of a text correspond to which words of its translation,
// from many sentences and their translations alone.
//
// A hidden Markov model for each direction (package models/align) is trained by
// expectation maximization, either by itself or so that the two directions agree
// (Liang, Taskar and Klein 2006; Liang, Klein and Jordan 2007). The posteriors of
// links in the two directions are combined, and links whose posterior is not less
// than a threshold are chosen. -train says how to train:
//
//	agreement    what has been found best (align.Recipe)
//	independent  each direction by itself
//
// Model 1 prepares the hidden Markov models, and -iterations is of these. Other models of
// positions take their place by -model; -classes and -spelling change them, too, and -prune saves
// memory. A sentence that was learnt from is aligned without most of what it counted itself, so
// that what others say of rare words has more weight. That is for -train agreement, and for
// sentences of at most -longest words. The model keeps the share for new text that it is adapted
// to.
//
// The model is in aligner.go, and links.go writes its links. Package wordalign reads the texts
// and scores links by references.
//
//	go run ./examples/align
//
// Without a text it learns from embedded sentences, English and German, of which
// some have reference alignments: the first half of these serves to choose the
// threshold, the second half to score the result. It prints the alignment error
// rate, precision and recall at several thresholds, and what the error rate is at
// the one chosen. -matrix draws the posteriors of a sentence, -plot what training raises.
//
// internal/experiments/aligncurve draws the error rate by iteration of four ways to train, as in
// figure 1 of the second paper, and has further settings, which PERFORMANCE.md compares.
//
// # Text
//
// Both sentences are in a line of -bitext, e ||| f, or in the lines of two files, -e and -f,
// which have the same number of lines. A file may be a pipe, or - for standard input: it is
// read only once. With -o the text is aligned, line by line; -forward and -backward have the
// links of the directions alone. A line that cannot be used, one that is empty on either
// side, say, is reported and has an empty line there; more than one in ten are an error.
// Sentences of more than -longest words are learnt from in pieces and aligned in windows that
// overlap, in memory that does not depend on their length; their links lie within half a window
// of the diagonal.
//
// -posteriors writes links as 0-0:0.98, and -scores adds two columns, ln P(f|e) and ln P(e|f).
//
// # New text
//
//	align -bitext text -save model
//	align -load model -bitext new >links
//	align -load model -apply - <new >links
//
// With -load, -e and -f or -bitext are new text: it is aligned as if it had been in the text
// learnt from (align.Model.Adapt), so that words which were not there find their partners, and
// its lines learn from each other. Any number of its lines may be empty or bad. At the best
// threshold the error rate is .1 or .2 points above that of training with the text, on average,
// or .3 or .4 with -spelling. It takes .2 s in place of 1.1 after 10,000 sentences, and .5 s in
// place of 8.4 after 100,000. Lines of -dev and -test are such text.
//
// Each line e ||| f of -apply is answered at once by a line of links: it is a new text by itself,
// and its answer does not depend on other lines. That costs .1 points after 10,000 sentences.
// Without any of this (-adapt=false) the error rate is half as much again there. The model keeps
// its threshold, unless -threshold says another one, or for -e and -f or -bitext a development set.
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
// Alignments that other programs have written are combined, inverted and scored by
// internal/experiments/symmetrize, as by atools.
//
// From eflomal:
//
//	eflomal-align -s e -t f -f fwd -r rev  align -e e -f f -forward fwd -backward rev -o links
//	eflomal-makepriors, and -p priors      align -save model, and -load model -e e -f f
//	--model 1                              -model model1
//
// From GIZA++ (and mkcls, plain2snt, snt2cooc and symal, which have no part here):
//
//	GIZA++ twice, symal   align -e e -f f -o links -combine grow-diag-final-and
//	mkcls -n50            -classes 50
//	-m2 5 -mh 0           -model model2
//
// Links are the words' positions from 0, E first, as fast_align and eflomal write them, in
// both directions. References are lines of i-j, sure, and i?j or ipj, possible, counted as
// -gold-from says. PERFORMANCE.md has accuracy, time and memory beside these programs'.
package main

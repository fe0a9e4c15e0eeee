// Normalize says written English as it is spoken, "2 a.m." as "two AM", and writes down what
// was said, with grammars of weighted transducers.
//
// A grammar is a text: regular expressions over characters (package fst/rx) in the files of
// internal/grammars, with the tests of each kind of token beside it. A sentence is a weighted
// closure of tokens: numbers, dates, amounts of money, and so on, or plain words, with what stands
// between them. Which kind a token has is a choice with a probability. All of it is one machine,
// and a reading of a line is an output of that machine, the best path first.
//
//	go run ./examples/normalize
//	echo 'at 2 a.m. on 5 jan. 2012' | go run ./examples/normalize -apply -
//	echo 'two dollars and five cents' | go run ./examples/normalize -inverse -apply -
//
// Without -apply it reads the development lines and counts those whose best reading is what was
// expected, by direction and kind. The embedded ones are the tests of the grammars.
//
// The model is Load in internal/grammars/grammars.go, which stands beside the texts. Package
// internal/linegrammar applies it to lines, trains and explains it.
//
// # How a line is put together
//
// A written line is tokens, each read as a whole or not at all (written/sentence.rx):
//
//	sentence = {* @inner: @token | \  | <kind.mark> @mark | …};
//
// {* S: E} of package fst/rx is E any number of times, where no two meet within S, neither in what
// is read nor in what is written. S are all characters but blanks, brackets, quotation marks and
// marks such as ? and !. So a token goes from one of these to the next, with a full stop or an
// apostrophe that touches it: a rule that takes the beginning of "$5million" or "12nd" takes
// nothing, and no output joins the words of two readings. The kinds of tokens compete by their
// probabilities. What none of them takes is other (other.rx), which is tokens once more, of letters
// and of digits: letters are copied, a run of digits is a number or said one by one, signs such as /
// and @ are said, and a blank stands between what would meet. Groups of digits that are no date and
// no number are said digit by digit. other costs more than the other kinds, and less than nothing.
//
// A spoken line has blanks between items as it is. An item is read in any case, by one composition
// before all kinds; words and the names of months are copied in their own.
//
// CONVENTIONS.md says which of several ways to read a line comes first, and how to change that: with
// rules of one's own, which are read before all others.
//
//	own = @dollars | "NATO":"the alliance"
//	    | ((1 \,? [0-9]{3}) >> @thousand);
//
//	normalize -rules own.rx -apply lines.txt
//
// The machines of the grammars are kept beside the program in the form of OpenFst, and a test
// compares them with what the grammars make. Grammars are compiled, in about a second each, where
// there are rules of one's own, and to train, to explain and to export.
//
// # Characters
//
// The labels of the machine are code points, of ASCII and of what the grammars name. Another
// character, and a byte that belongs to none, is a sequence of bytes, which have the labels behind
// all code points. So every line has a reading, and what no rule knows is copied.
//
// # Training
//
// The probabilities of choices are learnt from pairs of lines by EM, with the parse hidden. What is
// maximized is the share of the expected reading in all readings of the line, with a Dirichlet
// prior around the probabilities in the grammars. Words before and behind a token are features of
// its kind: "two thirty" is a time behind "at" and a number behind "room".
//
//	go run ./examples/normalize -train -save parameters.tsv
//	echo 'room two thirty' | go run ./examples/normalize -load parameters.tsv -inverse -apply -
//
// A cross-validation in three parts counts the held-out lines that are read as expected: of the
// development lines and of embedded ones that only words around a token decide. With all
// alternatives alike, with the probabilities of the grammars, and with trained ones it is, from
// written to spoken, 83, 91 and 111 of 111 lines; from spoken to written, 270, 277 and 291 of 297:
//
//	go run ./internal/experiments/normalizefolds -data english.tsv
//
// A grammar read backward is a noisy channel: the same command finds the text that an n-gram model
// of words and the grammar together make most probable. From what the same lines are read as it
// finds 81 of 111 and 204 of 297 again, the grammar alone 31 and 97.
//
// # Coming from Thrax, Pynini and OpenFst
//
// Package fst/rx has a table of the functions of Pynini beside its operators. A grammar is written,
// compiled and applied so:
//
//	export T = Optimize[("a" : "b") @ C];             t = ("a":"b") >> @c;
//	StringFile['units.tsv']                           @"units.tsv"
//	CDRewrite[tau, l, r, sigma*]                      @tau / @l __ @r
//	t <2.5>                                           @t <+2.5>, or {kind: time = @t | date = @d}
//	thraxmakedep sentence.grm && make                 (kept; go generate compiles them)
//	thraxrewrite-tester --far=all.far --rules=…       normalize -apply -
//	pynini.lib.rewrite.top_rewrite(line, fst)         normalize -apply -
//	rewrite.rewrites(line, fst), lattices             normalize -apply - -n 5
//	weights by hand                                   normalize -train -save parameters.tsv
//
// -export writes the machines as an archive whose labels are bytes, for Pynini and OpenFst's tools:
//
//	normalize -export all.far -apply /dev/null        with -inverse, from spoken to written
//	farextract --filename_suffix=.fst all.far
//	fstcompose line.fst written-spoken.fst | fstshortestpath | fsttopsort | fstprint
//
// These find the same best readings of all 306 development lines. A machine of others is applied
// by internal/experiments/normalizefar. Neither Thrax nor Pynini is a package of Debian, and
// neither learns. What OpenFst's tools and this program take for a line is in PERFORMANCE.md.
package main

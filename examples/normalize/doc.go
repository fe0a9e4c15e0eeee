// Normalize converts written English to its spoken form, "2 a.m." to "two AM", and spoken to
// written form, with grammars of weighted transducers.
//
// A grammar is a text: regular expressions over characters (package fst/rx) in the files of
// internal/grammars, next to the tests of each kind of token. A sentence is a weighted closure
// of tokens, such as numbers, dates, amounts of money or plain words, and of the characters
// between them. The kind of a token is a choice with a probability. The whole grammar is one
// machine, and the readings of a line are outputs of this machine, the best path first.
//
//	go run ./examples/normalize
//	echo 'at 2 a.m. on 5 jan. 2012' | go run ./examples/normalize -apply -
//	echo 'two dollars and five cents' | go run ./examples/normalize -inverse -apply -
//
// Without -apply it reads the development lines and counts those whose best reading is the
// expected one, by direction and kind. The embedded lines are the tests of the grammars.
//
// Load in internal/grammars/grammars.go, next to the texts, makes the model. Package
// internal/linegrammar applies it to lines, trains it and explains it.
//
// # How a line is put together
//
// A written line consists of tokens, each read as a whole or not at all (written/sentence.rx):
//
//	sentence = {* @inner: @token | \  | <kind.mark> @mark | …};
//
// In package fst/rx, {* S: E} repeats E any number of times, such that no two items meet within
// S, neither in the input nor in the output. S has all characters except blanks, brackets,
// quotation marks and marks such as ? and !. So a token extends from one of these to the next,
// including an adjacent full stop or apostrophe. A rule that matches only the beginning of
// "$5million" or "12nd" matches nothing, and outputs never join the words of two readings. The
// kinds of tokens compete by their probabilities. The kind other (other.rx) accepts the rest,
// as sequences of letters and of digits: letters are copied, a run of digits is a number or
// spelt digit by digit, signs such as / and @ are spoken, and a blank separates adjacent words.
// Groups of digits that are neither a date nor a number are spelt digit by digit. The kind
// other costs more than the other kinds, and less than to have no reading.
//
// A spoken line already has blanks between items. Items are read case-insensitively, by one
// composition before all kinds; words and the names of months are copied in their own case.
//
// CONVENTIONS.md defines the order of the readings of a line, and explains how to change it:
// with your own rules, which take precedence over all others.
//
//	own = @dollars | "NATO":"the alliance"
//	    | ((1 \,? [0-9]{3}) >> @thousand);
//
//	normalize -rules own.rx -apply lines.txt
//
// The machines of the grammars are stored next to the program in OpenFst's format, and a test
// compares them with the compiled grammars. Grammars are compiled, in about a second each, only
// if there are your own rules, and for training, explaining and exporting.
//
// # Characters
//
// The labels of the machine are code points: ASCII and the characters in the grammars. Any
// other character, and a byte that is not part of a character, is a sequence of bytes, which
// have the labels after all code points. So every line has a reading, and characters without a
// rule are copied.
//
// # Training
//
// EM learns the probabilities of choices from pairs of lines, with the parse hidden. It
// maximizes the share of the expected reading in all readings of the line, with a Dirichlet
// prior around the probabilities in the grammars. Words before and after a token are features
// of its kind: "two thirty" is a time after "at" and a number after "room".
//
//	go run ./examples/normalize -train -save parameters.tsv
//	echo 'room two thirty' | go run ./examples/normalize -load parameters.tsv -inverse -apply -
//
// A cross-validation in three parts counts the held-out lines whose reading is the expected
// one. The lines are the development lines and embedded ones that only words around a token
// decide. With uniform probabilities, with those in the grammars, and with trained ones the
// count from written to spoken is 83, 91 and 111 of 111 lines; from spoken to written it is
// 270, 277 and 291 of 297:
//
//	go run ./internal/experiments/normalizefolds -data english.tsv
//
// A grammar read backward is a noisy channel: the same command finds the text that is most
// probable by an n-gram model of words and the grammar together. Given the readings of the same
// lines, it recovers 81 of 111 and 204 of 297 lines, the grammar alone 31 and 97.
//
// # Coming from Thrax, Pynini and OpenFst
//
// Package fst/rx has a table of Pynini's functions and the corresponding operators. A grammar
// is written, compiled and applied like this:
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
// -export writes the machines as an archive with bytes as labels, for Pynini and OpenFst's
// tools:
//
//	normalize -export all.far -apply /dev/null        with -inverse, from spoken to written
//	farextract --filename_suffix=.fst all.far
//	fstcompose line.fst written-spoken.fst | fstshortestpath | fsttopsort | fstprint
//
// These find the same best readings of all 306 development lines.
// internal/experiments/normalizefar applies machines made by other programs. Neither Thrax nor
// Pynini is a package of Debian, and neither learns. PERFORMANCE.md compares the time per line
// of OpenFst's tools and this program.
package main

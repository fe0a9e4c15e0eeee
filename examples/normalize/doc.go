// Normalize says written English as it is spoken, "2 a.m." as "two AM", and writes down what
// was said, with grammars of weighted transducers.
//
// A grammar is a text: regular expressions over characters (package fst/rx) in the files of
// grammars/, with the tests of each kind of token beside it. A sentence is a weighted closure of
// tokens: numbers, dates, amounts of money, and so on, or plain words, with what stands between
// them. Which kind a token has is a choice with a probability. All of it is one machine, and a
// reading of a line is an output of that machine, the best path first.
//
//	go run ./examples/normalize
//	echo 'at 2 a.m. on 5 jan. 2012' | go run ./examples/normalize -apply -
//	echo 'two dollars and five cents' | go run ./examples/normalize -inverse -apply -
//
// Without -apply it reads the development lines and counts those whose best reading is what was
// expected, by direction and kind. The embedded ones are the tests of the grammars.
//
// # Characters
//
// The labels of the machine are code points, of ASCII and of what the grammars name. Another
// character, and a byte that belongs to none, is a sequence of bytes, which have the labels behind
// all code points. So every line has a reading, and what no rule knows is copied.
package main

// Package tsv reads text line by line, above all tab-separated files.
//
// The idea: a file is a sequence of rows, read as they are needed and never held
// as a whole; the first thing wrong ends the sequence with an error that says in
// which file and line it is and what was expected. Rows yields the columns of
// each line, Pairs a pair of sides with a count. Every row is accounted for: no
// line is a comment, and an empty line is an error as well. Lines, below them, yields
// the lines of any text, and goes on after one that is not as it should be.
//
// A file is UTF-8 text; a byte order mark at its beginning and a carriage return
// before a line feed are ignored, and the last line may lack its line feed. A file
// whose name ends in .gz is decompressed as it is read, and the one called - is standard
// input.
package tsv

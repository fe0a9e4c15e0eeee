// Package bitext reads parallel text and aligns it as it is read.
//
// The idea: two files are line-parallel, line n of the one translates line n of the
// other. Read yields every line, whatever is wrong with it: what cannot be aligned,
// such as a line that is empty on one side, has a Problem that says so with file and
// line, and is still there. So nothing that is done line by line loses its place.
// Map does it in many goroutines and yields the results in the order of the lines;
// Align writes alignments so, one line for each line. Of a text of any size only a
// few lines are in memory at once.
//
// Text is UTF-8, words are divided by spaces or tabs; a file whose name ends in .gz
// is decompressed as it is read. Lines are at most 1 MiB long.
package bitext

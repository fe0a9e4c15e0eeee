// Package text reads text files written by other programs. The idea: every reader of the
// library uses it, so that a byte order mark, the line ends of other systems and bytes that are
// not text have the same meaning everywhere.
//
// There are two levels over the same bytes. [Lines] and [LineReader] return whole lines, each
// with its error, and continue after a line that is not text; package tsv makes rows of them.
// [Cursor] returns characters, words and pieces of lines of any length; the first error ends
// it. Both return an [*Error] with file and line.
//
// A text is UTF-8 without the character 0. A byte order mark at its beginning is ignored, a
// line ends with a line feed, a carriage return or both, and the last line may lack its end. A
// file whose name ends in .gz is decompressed while it is read, and the name - is standard
// input.
package text

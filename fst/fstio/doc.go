// Package fstio reads and writes machines, archives of machines and tables of symbols in the
// forms of OpenFst's tools. The ring may be any whose weights have a logarithm or a text form. It
// also reads lists of strings as machines, the lattices of Kaldi and the text of k2, and draws
// machines in the language of Graphviz's dot.
//
//	// What fstcompile reads: an arc a line, from, to, reads, writes, weight; then final states.
//	text := "0 1 1 2 .5\n0 0 3 3\n1\n"
//	f, err := fstio.ReadText(strings.NewReader(text), semiring.Tropical{}, nil)
//	…
//	if err := fstio.WriteBinary(&file, f, nil); err != nil {
//	…
//	again, err := fstio.ReadBinary(&file, semiring.Tropical{})
//
// Which function for which question:
//
//   - text: [ReadText], [WriteText]; several machines in one: [ReadTexts], [WriteTexts]
//   - binary form: [ReadBinary], [WriteBinary]
//   - lattices of Kaldi: [ReadLattices]; machines of k2: [ReadK2], [WriteK2]
//   - archives of machines: [ReadArchive], [NewArchiveWriter], [WriteArchiveFile]
//   - tables of symbols: [ReadSymbols], [WriteSymbols], [ReadBinarySymbols],
//     [WriteBinarySymbols]
//   - lists of strings, such as a lexicon: [ReadStringMap]
//   - drawings: [WriteDOT], and package svg for pictures of them
//
// Each function has a variant with the suffix File for a named file, whose errors contain the name
// of the file; a file is compressed if its name ends in .gz. For a file of another kind, the error
// contains the kind and the function that reads it. A file is written completely or not at all, and
// may be the file from which the machine was read.
//
//	err := fstio.WriteBinaryFile("both.fst", fst.Compose(a, b), nil)
//
// Any machine can be written: a machine that is not frozen is expanded by [fst.Expand]. If it has
// failed, its error is returned and no file is written.
//
// # Text
//
// The text form is also the form of AT&T's tools. A line is an arc or a final state, in
// columns separated by spaces or tabs:
//
//	p q i o [w]   arc (p, i:o/w, q) of a transducer
//	p q i [w]     arc (p, i:i/w, q) of an acceptor
//	p [w]         final state p
//
// The first state in the text is initial. A missing weight is One; the others are costs, −ln p, as
// everywhere in OpenFst: see below. Labels are numbers, or names if there is a table of symbols; 0
// is ε. A table of symbols has a name and its label on every line. Blank lines are ignored. In all
// text, a byte order mark at the beginning is dropped, and a line ends with a line feed, a carriage
// return or both.
//
// In the notation of package fst, p and q are states in Q, i and o labels, w is a weight in K, and
// a machine is (Q, λ, ρ, arcs). The form has no λ: WriteText replaces several weighted initial
// states by one.
//
// Foma and HFST write this form with names, and their files have no tables. With Add, [Options]
// build the tables from the files. First give the tables the name @0@ for 0, which is how these
// tools write ε. Other names between @_ and _@ are ordinary names, except [fst.OtherName]: it
// stands for all symbols that the table does not name. The form does not list symbols of the
// alphabet that occur on no arc; add them to the table first. @_UNKNOWN_SYMBOL_@, paired with
// another symbol, becomes the label of fst.OtherName by [fst.Relabel].
//
// # Weights
//
// In text, the binary form and lists of strings, a weight means −ln p, as in OpenFst, also for its
// log arcs. In a text with [Native] weights, an option for reading and writing, weights have the
// ring's own format:
//
//	ring                    Costs, by default  Native
//	semiring.Tropical       the cost           the cost
//	semiring.Log            −ln p              ln p
//	semiring.Real           −ln p              p
//	semiring.Scaled         −ln p              p
//	semiring.Viterbi        −ln p              p
//	semiring.Probabilistic  −ln p              as its Format has it
//	any other               as Native          as its Format has it
//
// This holds for a semiring.Probabilistic whose text of a weight is one number, or which has no
// text form. Weights of several parts, as in semiring.Expectation and Lex, are Native in text; in
// binary form a weight with more than p is an error. Logarithms round: Costs of Real, Scaled and
// Viterbi are read back as p up to a relative error of about 10⁻¹⁶·(1+|ln p|), and Native weights
// exactly. A p outside the range of the ring is an error.
//
// # Lists of strings
//
// ReadStringMap makes a machine from a lexicon or any list of pairs, one per line, with tabs
// between columns:
//
//	x         the string x, read and written
//	x y [w]   the pair of x and y, with a weight as in text
//
// Labels of strings are characters, bytes or words: see Tokens. Blanks are characters too, and a
// column may be empty; empty lines are ignored.
//
// # Binary form
//
// ReadBinary and WriteBinary support these types of OpenFst's machines, with arcs of type standard,
// log and log64 and with or without tables of symbols. ReadBinary accepts aligned files;
// WriteBinary writes unaligned ones:
//
//	vector
//	const                        const8                        …16 …64
//	compact_string               compact8_string               …16 …64
//	compact_weighted_string      compact8_weighted_string      …16 …64
//	compact_acceptor             compact8_acceptor             …16 …64
//	compact_unweighted_acceptor  compact8_unweighted_acceptor  …16 …64
//	compact_unweighted           compact8_unweighted           …16 …64
//
// ReadArchive and ArchiveWriter support archives (FAR) of these machines, with and without an
// index. A file's weights have 32 or 64 bits. Reading the binary form is about four times as fast
// as reading text.
//
// # Memory
//
// Readers allocate memory for the data that they have read, not for sizes that a header claims. In
// addition to 128 KiB, they allocate at most 128 bytes for each byte of a text or an archive. The
// factor is 320 for a list of strings, 1024 for a text of several machines or lattices, and 64 for
// other binary data, including garbage. For a file in .gz, the size of its contents counts.
// Functions for a named file read at most 64 times its size or 16 MiB, whichever is more; [Open]
// takes a different limit.
package fstio

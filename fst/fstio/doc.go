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
// Each function has a twin for a file by name, with File at its end, and errors then name the
// file; it is compressed if the name ends in .gz. A file of another kind is an error that names
// the kind, and the function for it. A file is written whole or not at all, and may be that
// from which the machine was read.
//
//	err := fstio.WriteBinaryFile("both.fst", fst.Compose(a, b), nil)
//
// What is written may be any machine: one that is not frozen is expanded by [fst.Expand], and
// if it has failed, its error comes out and nothing is written.
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
// The state that the first line begins with is initial. A weight that is left out
// is One; the others are costs, −ln p, as everywhere in OpenFst: see below. Labels are numbers,
// or names where there is a table of symbols; 0 is ε. A table of symbols has a name and its label
// on every line. Blank lines do not count. In all text, a byte order mark at the beginning is
// dropped, and a line ends with a line feed, a carriage return or both.
//
// In the notation of package fst, p and q are states in Q, i and o labels, w is a
// weight in K, and a machine is (Q, λ, ρ, arcs). The form has no λ: see WriteText
// for what becomes of several weighted initial states.
//
// Foma and HFST write this form with names, and their files have no tables. [Options] with
// Add make the tables of the files. Give the tables the name @0@ for 0 before, as this is how
// ε is written there. Other names between @_ and _@ are names like any others, but for
// [fst.OtherName]: it stands for all symbols that the table does not name. The form does not say
// which symbols a machine knows that are on none of its arcs; they must be in the table before.
// @_UNKNOWN_SYMBOL_@, beside another symbol, becomes the label of fst.OtherName by [fst.Relabel].
//
// # Weights
//
// The text, the binary form and lists of strings have one meaning for a weight, OpenFst's:
// −ln p, also for its log arcs. A text with [Native] weights, an option for reading and
// writing, has what the ring writes itself:
//
//	ring               Costs, by default    Native
//	semiring.Tropical  the cost             the cost
//	semiring.Log       −ln p                ln p
//	semiring.Real      −ln p                p
//	semiring.Scaled    −ln p                p
//	semiring.Viterbi   −ln p                p
//	semiring.Prober    −ln p                as its Format has it
//	any other          as Native            as its Format has it
//
// A semiring.Prober is of this kind if its text of a weight is one number or it has no text.
// Those of several parts, such as semiring.Expectation and Lex, are not: they are Native in
// text, and in binary form a weight with more than p is an error. A logarithm rounds: Costs
// of Real, Scaled and Viterbi are read back as p up to a relative error of about 10⁻¹⁶·(1+|ln p|),
// and Native weights exactly. A p that leaves the range of the ring is an error.
//
// # Lists of strings
//
// ReadStringMap makes a machine of a lexicon or any list of pairs, a line each, with tabs
// between columns:
//
//	x         the string x, read and written
//	x y [w]   the pair of x and y, with a weight as in text
//
// Labels of strings are characters, bytes or words: see Tokens. Blanks are characters
// too, and a column may be empty; a line that is empty does not count.
//
// # Binary form
//
// ReadBinary and WriteBinary know these types of OpenFst's machines, with arcs of type
// standard, log and log64 and with tables of symbols inside or not; what is read may be
// aligned, what is written is not:
//
//	vector
//	const                        const8                        …16 …64
//	compact_string               compact8_string               …16 …64
//	compact_weighted_string      compact8_weighted_string      …16 …64
//	compact_acceptor             compact8_acceptor             …16 …64
//	compact_unweighted_acceptor  compact8_unweighted_acceptor  …16 …64
//	compact_unweighted           compact8_unweighted           …16 …64
//
// ReadArchive and an ArchiveWriter know archives (FAR) of them, with and without an
// index. A file's weights have 32 or 64 bits. A machine in binary form is read some four times
// faster than one in text form.
//
// # Memory
//
// Readers believe what is there, not what a header promises. Beside 128 KiB, they allocate at
// most 128 bytes for each byte of a text or an archive. For each byte of a list of strings it is
// 320, of a text of several machines or lattices 1024, and of other binary data 64, garbage
// included. For a file in .gz, its contents count, of which functions for a file by name read no
// more than 64 times its size or 16 MiB. [Open] has another limit.
package fstio

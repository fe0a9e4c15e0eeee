// Package msa reads multiple alignments of nucleotide sequences.
//
// An Alignment is a matrix of cells, a row per species and a column per site. A Cell is the set of
// possible bases: one base if it was observed, all four if it is missing, two or three for an
// ambiguity code. Columns form runs: columns within a run are neighbours in the genome.
//
//	a, err := msa.ReadFASTA(file, "apes.fa")
//	...
//	base, ok := a.Rows[a.Row("human")][0].Observed()
//
// Which function:
//
//   - a file, by its name: [ReadFile]; FASTA: [ReadFASTA]; MAF, the multiple alignment format of
//     UCSC: [ReadMAF]; the sufficient statistics of PHAST: [ReadSS]
//   - dots, several rows of a species: the same readers of [Options]; dropped or changed content:
//     [Alignment].Remarks
//   - cells: [ParseCell], [Base], [Cell.Observed], [Missing]
//   - relative frequencies of the bases: [Alignment.Frequencies]; runs: [Alignment.Run]
//
// Errors are *Error and contain the file and line. The memory for a file is at most proportional to
// its size: an alignment has at most 2²⁰ cells plus 64 per byte of its text, and at most 2³⁰ cells,
// a byte each. For a larger one the error wraps semiring.ErrLimit.
package msa

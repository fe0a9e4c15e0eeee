// Package msa reads and holds multiple alignments of nucleotide sequences.
//
// An Alignment is a matrix of cells, a row per species and a column per site. A Cell is the set
// of bases that may stand there: one if it was observed, all four if it is missing, two or three
// for an ambiguity code. Columns form runs: within a run they are neighbours in the genome,
// across runs they are not.
//
//	a, err := msa.ReadFASTA(file, "apes.fa")
//	...
//	base, ok := a.Rows[a.Row("human")][0].Observed()
//
// Which function:
//
//   - a file, by its name: [ReadFile]; FASTA: [ReadFASTA]; MAF, the multiple alignment format of
//     UCSC: [ReadMAF]; the sufficient statistics of PHAST: [ReadSS]
//   - dots, several rows of a species: the same readers of [Options]; what was dropped or changed:
//     [Alignment].Remarks
//   - cells: [ParseCell], [Base], [Cell.Observed], [Missing]
//   - shares of the bases: [Alignment.Frequencies]; runs: [Alignment.Run]
//
// Errors are *Error and say file and line. The memory that a file can take is at most in
// proportion to its size: an alignment has no more than 64 cells for each byte of its text, and
// 2²⁰ more. No alignment has more than 2³⁰ cells, a byte each. For a larger one the error wraps
// semiring.ErrLimit.
package msa

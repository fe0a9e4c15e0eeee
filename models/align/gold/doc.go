// Package gold scores alignments of words by manual reference alignments.
//
// A Reference contains sure links (S) and merely possible links (Och and Ney 2003, §6). Counts are
// the statistics for precision, recall and the alignment error rate, and add up over sentences.
// Sweep scores choices by a threshold (align.Choice) at every threshold at which they change, which
// finds the best threshold on a development set.
//
//	reference, err := gold.Parse("0-0 1-2 1?1")
//	...
//	curve, err := gold.Sweep([]align.Choice{both}, []gold.Reference{reference})
//	...
//	best := curve.Best()
//
// Which function:
//
//   - references, from lines: [Parse], [Read], [ReadFile], [Collect]; from a WPT file: [ReadWPT]
//   - references whose positions count from 1: [FromOne]; detection of the first position: [First]
//   - scores of an alignment: [Compare], then [Counts.AER], [Counts.Precision], [Counts.Recall]
//   - the best threshold: [Sweep], or a [Sweeper] for many sentences, then [Curve.Best]; the scores
//     at another: [Curve.At]
//
// # Formats
//
// Two formats are read and written. In the first, each line is a sentence: links i-j (sure) and i?j
// or ipj (possible) of source word i and target word j, both counted from 0. Without possible links
// it is the Pharaoh format. In the second, the format of the shared tasks of 2003 and 2005 (WPT),
// each line is a link: the sentence, the source word and the target word, all counted from 1, and S
// or P.
package gold

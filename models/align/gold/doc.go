// Package gold judges alignments of words by reference alignments that people made.
//
// A Reference says which links are sure (S) and which are merely possible (Och and Ney 2003,
// §6). Counts are what it takes to compute precision, recall and the alignment error rate, and
// add up over sentences. Sweep scores choices by a threshold (align.Choice) at every threshold
// that makes a difference, so that a development set tells the very best one.
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
//   - references whose positions count from 1: [FromOne]; whether they do: [First]
//   - scores of an alignment: [Compare], then [Counts.AER], [Counts.Precision], [Counts.Recall]
//   - the best threshold: [Sweep], or a [Sweeper] for many sentences, then [Curve.Best]; the
//     scores at another: [Curve.At]
//
// # Formats
//
// Two formats are read and written. In the one, each line is a sentence: links i-j (sure) and
// i?j or ipj (possible) of source word i and target word j, both counted from 0. Without possible
// links it is the Pharaoh format. In the other, of the shared tasks of 2003 and 2005 (WPT), each
// line is a link: number of the sentence, word of the source, word of the target, and S or P, all
// counted from 1.
package gold

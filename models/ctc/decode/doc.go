// Package decode finds the texts that the frames of a recognizer spell: the outputs of a network
// for speech or handwriting, read with a lexicon and a language model.
//
// The weight of a text is a sum: over all of its alignments, the product of the emissions read and
// of the probabilities that a language model, a speller of unknown words and the caller's own
// acceptor give to it. The search follows many texts at a time, frame by frame, and merges
// the alignments that have read the same.
//
//	d, err := decode.New(decode.Options{
//		Topology:   ctc.Standard(28, 27), // columns: a, …, z, a space, the blank
//		Symbols:    letters,
//		Separators: []int32{27}, // the label of the space
//		Lexicon:    words,
//		Language:   bigram,
//		Beam:       frames.BeamOptions{Width: 300, Margin: 12},
//	})
//	…
//	texts, report, err := d.Decode(ctx, emissions, 10)
//	best := texts[0]
//
// Which function for which question:
//
//   - the best n texts, summed over their alignments: [Predictor.Decode]. Each [Text] has its
//     weight and posterior, and the frames and the confidence of its labels and words
//   - frames that arrive bit by bit: [Predictor.Online], [Stream.Push]; the text so far:
//     [Stream.Best]; the part of it that is settled: [Stream.Final]; the end: [Stream.Close]
//   - the single best alignment: [Predictor.BestPath]
//   - the text with the fewest errors to be expected: [MinimumRisk]
//   - is it the best of all texts, and how much was dropped: [Report]
//   - words that are not in the lexicon: Options.Letters; words that are expected: [HotWord]; any
//     other preference: Options.Machine
//   - the frames of a text that is known: package ctc aligns it
//
// # Exact or within a beam
//
// Without limits in Options.Beam, Decode is exact: it finds the texts with the greatest sums and
// their posteriors among all texts. Memory is frames × states of the models, and the time
// depends on how many texts are nearly as good as the best. That is for short inputs and small
// models. Without a lexicon it is faster than a width of 100; a line of 100 frames and 80 columns
// takes a second.
//
// Within limits it is a prefix beam search (Graves 2012, §7.5; Hannun et al. 2014). A width of
// 100 to 1000 states is usual, and a margin of 8 to 12 nats. Report.Lost bounds the weight of all
// that was dropped. If it cannot change the list, Report.Exact is true. For long inputs the bound
// is loose.
//
// # Lexicon and language model
//
// The lexicon is a prefix tree; the language model is asked for a word when its last label is
// read. Before that, the search estimates it by the most probable word below the node of the
// tree, without context. The tree, the topology and the n-gram model are composed as frames ask
// for it: a product of their own, which takes a few table look-ups for an arc.
// ../../PERFORMANCE.md has measured times.
//
// # Sources
//
// Graves, Supervised sequence labelling with recurrent neural networks (2012). Hannun, Maas,
// Jurafsky and Ng, First-pass large vocabulary continuous speech recognition using
// bi-directional recurrent DNNs (2014). Ortmanns and Ney, Look-ahead techniques for fast beam
// search (2000).
package decode

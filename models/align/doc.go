// Package align aligns the words of sentences that are translations of each other.
//
// # Sentences, links, posteriors
//
// The two languages are called E and F. A Sentence is a pair of sentences, one of
// each; positions count from 0. A Link joins a word of E with a word of F, an
// Alignment is a set of links, and a Posterior holds the probability of every
// possible link of one Sentence. All of them are in the order (E, F), whichever
// language a model generates from which: results of the two directions can be
// compared and combined entry by entry.
//
// # Models
//
// A word of one side comes from a word of the other or from NULL. Train estimates two
// models of this at once, one per direction, from parallel text without links: the
// lexicon, that is, translation probabilities of all pairs of words that occur together
// in a sentence, and positions, by IBM Model 1 or 2, Model 2 along a diagonal, or a
// hidden Markov model. It goes through stages; each says which positions, which E step
// and which counts. Two ways of training both directions to agree are built in
// (agreement-based learning): Joint with Averaged, exact coordinate ascent on the sum of
// both path sums under common potentials, and Multiplied, the product of posteriors,
// which has no objective and the lower error rates. Recipe holds what is best.
//
// A Model aligns new sentences as it would those it was trained on (Posteriors), scores
// them (Score), and can be saved and read back to the last bit. Choosing links from
// posteriors is another matter, see below.
//
// All inference is that of graph.Trellis, with a layer for each word generated, over the
// positions of the other side. In the HMM a word from NULL lets the path stay where it
// is, so NULL needs no states; where positions are independent of each other all paths
// go through a single node between two words. Matrices are shared by the sentences of a
// length.
//
// Train is expectation maximization stage by stage, with what em.Fit offers: checkpoints,
// cancellation, events, examples that are skipped and named. It is a loop of its own for
// the sake of memory. Fit holds the start, θ before and after an M step and the expected
// counts, and a combination of package agree as many counts for each shard, all as long
// as the lexicon is large: 36 MB each with 100 000 sentences. Train makes its M step in
// place, word by word, and its shards keep what is in their sentences only.
//
// # From posteriors to alignments
//
// Average and Product make one Posterior of those of the two directions. A Choice
// turns it into an Alignment by a threshold: Posterior itself (all links that are not
// less probable), Competitive, or Symmetric, which chooses in each direction and then
// applies a symmetrization such as GrowDiagFinalAnd. Package gold finds the threshold
// that is best on a development set, and scores alignments; package bitext aligns
// text of any size as it is read.
//
// # Cost
//
// The lexicon takes 40 bytes per pair of words and the corpus 4 bytes per cell, a pair of
// places in a sentence; memory grows with both. An iteration takes time in proportion
// to the cells, for the HMM with a small part proportional to E²·F + E·F². Half of it is
// access to the lexicon in memory.
//
// Processor time and size of the process of examples/align, from the text to the trained
// models of both directions and the aligned text, with one worker: each direction by
// itself, Model 1 and the HMM five times each; and Recipe, which keeps matrices of 20
// classes for every length. With two workers the processor time is 1.07 times as long.
//
//	sentences     independent       Recipe
//	   10 000     1.6 s   51 MB     1.9 s   76 MB
//	   50 000     6.7 s  120 MB     7.4 s  186 MB
//	  100 000    13   s  196 MB    16   s  320 MB
//	  223 000    32   s  364 MB    34   s  612 MB
package align

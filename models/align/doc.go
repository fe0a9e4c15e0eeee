// Package align aligns the words of sentences that are translations of each other.
//
// An alignment is a set of links, pairs of words that translate each other. A word of one side
// comes from a word of the other, or from NULL if it has no counterpart. A Model holds two models
// of this kind, one per direction. They are trained on parallel text without links, separately or
// so that they agree. A Model returns posteriors, the probability of a link of each pair of words.
// Links are chosen from posteriors in a separate step, with a threshold to be tuned.
//
//	corpus := align.NewCorpus()
//	err := corpus.Add(s) // each Sentence
//	...
//	model, err := align.New(corpus, nil)
//	result, err := model.Fit(ctx, corpus, nil)
//	forward, backward, err := model.Posteriors(s)
//	links := align.Average(forward, backward).Align(.5)
//
// Which function:
//
//   - a model of a text, and its training: [NewCorpus], [New], [Model.Fit]; the best options known:
//     [Recipe]
//   - posteriors of a sentence, seen in training or not: [Model.Posteriors], [Model.LogProb]; of a
//     sentence of the corpus, without its own counts: [Model.PosteriorsOf]
//   - posteriors of new text, one sentence or many, as if it had been in the training text:
//     [Model.Adapt]
//   - one posterior from two directions: [Average], [Product], [Min], [Max]
//   - links by a threshold: [Posterior.Align], [Competitive], [Symmetric]
//   - one alignment from two: [GrowDiagFinalAnd], [Grow], [Intersection], [Union]
//   - sentences that are too long: [Windows]; for training: [Pieces]
//   - files: [Model.Save], [Load]; memory: [Corpus.Prune]
//
// Package gold finds the best threshold on a development set and scores alignments. Package bitext
// aligns text of any size in a stream.
//
// # Sides
//
// A Sentence has a source and a target; positions count from 0. In formulas the source is E and the
// target is F. Links, alignments and posteriors are in the order (source, target), whichever side a
// model generates: results of the two directions can be compared and combined element by element.
//
// # Models
//
// A Model has a lexicon: translation probabilities of all pairs of words that occur together in a
// sentence. Its positions follow IBM Model 1 or 2, Model 2 along a diagonal, or a hidden Markov
// model. Training has stages; each defines the positions, the E step and the counts. Two methods
// of training both directions to agree are built in (agreement-based learning, package em/agree).
// [Joint] with [Averaged] is exact coordinate ascent on an objective. [Multiplied], the product of
// posteriors, has no objective and the lower error rates.
//
// All inference is by package trellis, with a layer for each word generated, over the positions of
// the other side. In the HMM a word from NULL keeps the state of the path, so NULL needs no states.
// If positions are independent of each other, all paths go through a single node between two words.
//
// # Training
//
// Each direction is an agree.Submodel whose features are the links, a Stage is a combination of
// both, and Fit is an em.Fit per stage with all its features: methods, checkpoints, cancellation,
// events, and skipped sentences reported by name. θ holds the translations of both directions as
// one group, in which t(f|e) and t(e|f) of a pair are adjacent. Its law performs the M step word by
// word, in place.
//
// # Jumps
//
// The idea: the jump of the HMM to the next position depends on the words before and after the
// jump. Like the positions of IBM Model 4 (Brown et al. 1993), a jump has two word classes: C, of
// the hidden word at the last position, and D, of the observed word at the next one. Most pairs of
// classes have few jumps, so they are pooled with all jumps from C:
//
//	p(jump | C, D) ∝ n(jump, C, D) + strength · n(jump, C)/n(C)
//
// where n(jump, C, D) is the expected number of jumps, n(jump, C) their sum over D, and strength is
// Prior.Jumps. This prior has no density. Without pooling, 20 classes are too many for 10,000
// sentences. With the strength +Inf, D has no effect.
//
// # Backing off to classes
//
// The idea: the text contains little evidence about a rare word, but its class is frequent. So each
// word gets a few pseudo-links, divided among the words of the other side in the same proportions
// as the links of its class. Prior.Classes is their number for the word classes of jumps, which are
// induced from the text. Prior.Strength is their number for stems or any other named classes. For e
// of class C and f of class D,
//
//	t(f|e) ∝ n(e,f) + strength · n(C,D)/n(C) · n(f)/n(D)
//
// where n(e,f) is the expected number of links of the two words, n(C,D) the expected number of
// links of their classes, and n(C) the sum over D. n(f)/n(D) is the relative frequency of f in its
// class. The pseudo-links follow the counts from one M step to the next and have no density, so the
// objective may fall. A Dirichlet prior for few translations per word gives to NULL the links that
// the directions do not yet agree about; classes leave agreement intact. An M step takes some
// nanoseconds more per pair of words.
//
// # Own counts
//
// The idea: the probability of a rare pair is estimated from few sentences, perhaps only the
// sentence to be aligned, so training confirms its own earlier choice there. A sentence is aligned
// better with the counts of the other sentences. This is deleted estimation, in the sense of
// Jelinek and Mercer (1980), as a rule of decoding: it does not affect training. For sentence s of
// the training text,
//
//	t⁻(f|e) = max((t(f|e)·N(e) − γ·c(e,f)) / (N(e) − γ·c(e)), floor)
//
// and t⁻(e|f), defined in the same way, replace t in the Joint E step. c(e,f) is the number of
// links of the two words that the last E step counted in s, with equal words combined, and c(e) its
// sum over f. N(e) is the number of links of e in the last M step, with the pseudo-links of backing
// off. γ is Options.Deleted. NULL and jumps do not change. c cannot be recomputed at the final
// parameters: it must be the count of the last E step. It is therefore stored, as sparse numbers of
// 8 bits. Deletion lowers the error rate of decoding with the Joint E step, but not with Own. Adapt
// applies it to new text.
//
// # Cost
//
// Training takes 36 bytes per pair of words, of which 16 are θ and 16 its counts, and 2 bytes per
// cell, a pair of positions in a sentence; Corpus.Prune reduces the number of pairs. The own
// counts of a sentence of ten words take 50 bytes. The time of an iteration is proportional to the
// cells. The HMM adds a part proportional to E²·F + E·F² for E and F words. Word classes double
// the time of an iteration. A goroutine takes 16·E² bytes for each word class in a sentence of E
// words, 50 MB for 250 words of 50 classes: split longer sentences with Windows. To look up
// sentences outside the corpus, a model takes 4 bytes more per pair. ../PERFORMANCE.md has
// numbers.
package align

// Package align aligns the words of sentences that are translations of each other.
//
// A word of one side comes from a word of the other, or from NULL. A Model holds two models of
// this, one per direction, which are learnt from parallel text without links, by themselves or
// so that they agree. It gives each pair of words of a sentence a posterior in both directions;
// choosing links from posteriors is another matter, with a threshold to be tuned.
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
//   - a model of a text, and its training: [NewCorpus], [New], [Model.Fit]; the best options
//     known: [Recipe]
//   - what a trained model says of a sentence, seen in training or not: [Model.Posteriors],
//     [Model.LogProb]; of a sentence of the corpus, as if it had hardly been there:
//     [Model.PosteriorsOf]
//   - of new text, a sentence or many, as if it had been there for training: [Model.Adapt]
//   - one posterior from two directions: [Average], [Product], [Least], [Greatest]
//   - links by a threshold: [Posterior.Align], [Competitive], [Symmetric]
//   - one alignment from two: [GrowDiagFinalAnd], [Grow], [Intersection], [Union]
//   - sentences that are too long: [Windows], to train on [Pieces]
//   - files: [Model.Save], [Load]; memory: [Corpus.Prune]
//
// Package gold finds the threshold that is best on a development set, and scores alignments;
// package bitext aligns text of any size as it is read.
//
// # Sides
//
// A Sentence has a source and a target; positions count from 0. In formulas the source is E and
// the target is F. Links, alignments and posteriors are in the order (source, target), whichever
// side a model generates: results of the two directions can be compared and combined entry by
// entry.
//
// # Models
//
// A Model has a lexicon: translation probabilities of all pairs of words that occur together in
// a sentence. Its positions follow IBM Model 1 or 2, Model 2 along a diagonal, or a hidden
// Markov model. Training goes through stages; each says which positions, which E step and which
// counts. Two ways of training both directions to agree are built in (agreement-based learning):
// Joint with Averaged, exact coordinate ascent on the sum of both path sums under common
// potentials, and Multiplied, the product of posteriors, which has no objective and the lower
// error rates.
//
// All inference is by package trellis, with a layer for each word generated, over the positions
// of the other side. In the HMM a word from NULL lets the path stay where it is, so NULL needs
// no states; where positions are independent of each other all paths go through a single node
// between two words.
//
// # Training
//
// Each direction is an agree.Submodel whose features are the links, a Stage is a combination of
// both, and Fit is an em.Fit per stage with what that offers: methods, checkpoints,
// cancellation, events, sentences that are skipped and named. θ holds the translations of both
// directions as one group, in which t(f|e) and t(e|f) of a pair stand side by side; its law
// makes the M step of one word after the other, in place.
//
// # Jumps
//
// The idea: how far the HMM goes for the next word depends on what it has just left and on what
// comes next. Like the positions of IBM Model 4 (Brown et al. 1993), a jump has two word classes:
// C, of the hidden word at the last position, and D, of the word seen that the jump is made for.
// Jumps of most two classes are few, so they are pooled with all jumps from C:
//
//	p(jump | C, D) ∝ n(jump, C, D) + strength · n(jump, C)/n(C)
//
// where n(jump, C, D) is the jumps expected, n(jump, C) their sum over D, and strength is
// Prior.Jumps. There is no density behind this either. Without pooling, 20
// classes are too many for 10,000 sentences. With the strength +Inf D has no part.
//
// # Backing off to classes
//
// The idea: of a word that is rare the text says little, but its class is frequent. So a word is
// given a few links that nobody has seen, divided among the words of the other side as the links
// of its class are. Prior.Classes is their number for the word classes that jumps depend on too,
// which need no knowledge of the languages, and Prior.Strength for stems or any other classes
// that have names. For e of class C and f of class D,
//
//	t(f|e) ∝ n(e,f) + strength · n(C,D)/n(C) · n(f)/n(D)
//
// where n(e,f) is the links expected of the two words, n(C,D) those of all words of their
// classes, n(C) the sum over D, and n(f)/n(D) the share of f of the words of its class. What
// classes say follows the counts from one M step to the next and is no density, so the objective
// may fall. Unlike a Dirichlet prior that wants few translations of a word, which loses to NULL
// the links that the directions do not yet agree about, it leaves agreement intact. An M step
// takes some nanoseconds more per pair of words.
//
// # Own counts
//
// The idea: the probability of a rare pair is learnt from few sentences, perhaps from the very
// one that is being aligned, so training confirms what it once chose there. A sentence is better
// aligned by what the others say of its words. This is deleted estimation, in the sense of
// Jelinek and Mercer (1980), as a rule of decoding: training has no part in it. For sentence s of
// the training text,
//
//	t⁻(f|e) = max((t(f|e)·N(e) − γ·c(e,f)) / (N(e) − γ·c(e)), floor)
//
// and likewise t⁻(e|f), take the places of t in the Joint E step. c(e,f) is the links of the two
// words that the last E step counted in s, all equal words together, and c(e) its sum over f;
// N(e) is the links of e in the last M step, with what backing off added; γ is Options.Deleted.
// NULL and jumps stay. At the parameters that training has ended with, c would be of no help: it
// must be what was counted. So it is kept, as sparse numbers of 8 bits. It lowers the error rate
// of decoding with the Joint E step, and not with Own. Adapt does the same for new text.
//
// # Cost
//
// Training takes 36 bytes per pair of words, of which 16 are θ and 16 its counts, and 2 bytes
// per cell, a pair of places in a sentence; Corpus.Prune makes do with fewer pairs. What a
// sentence of ten words counted itself takes 50 bytes. An iteration takes time in proportion to the
// cells, for the HMM with a part proportional to E²·F + E·F², which word classes double: with
// them an iteration takes twice as long. A goroutine takes 16·E² bytes for each word class that a
// sentence of E words has, 50 MB for 250 words of 50 classes: cut what is longer by Windows.
// Sentences that are not of the corpus are looked up, for which a model takes 4 bytes more per
// pair. ../PERFORMANCE.md has numbers.
package align

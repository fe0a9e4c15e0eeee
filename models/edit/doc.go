// Package edit is about strings that are rewritten edit by edit: stochastic edit distance, and
// the correction of misspelt words with it.
//
// The edits are the arcs of a transducer. The probability that x becomes y is the sum over all
// ways to edit x into y, a path sum. Training is package em on that machine, from pairs of
// strings alone; the edit distance is −ln of a probability, of all ways or of the best.
//
//	m, err := edit.NewConditional(alphabet, alphabet, em.Dirichlet{Alpha: 1.01})
//	...
//	result, err := m.Fit(ctx, cascade.Pairs(misspelt), nil)
//	p, err := m.Predictor()
//	best, err := p.Best([]rune("gif"), []rune("giph"))
//
// Which function:
//
//   - independent edits: p(x, y) [NewJoint], p(y | x) [NewConditional]
//   - edits that depend on their neighbours, and swaps: [NewContextual]
//   - edits of several symbols at once, f as ph: [NewChunks]
//   - probabilities shared by edits that are alike: [NewFeatured]
//   - one of several channels for each word: [NewMixture]
//   - training on pairs: Model.Fit, of cascade.Model, and [Contextual.Fit]; on a string and a set
//     of strings, or on two sets: cascade.Set, Pair.Sources
//   - the most probable edits: [Predictor.Best]; ln p: [Predictor.LogProb]; how often each edit
//     is expected: [Predictor.Posteriors]
//   - the words that a string most probably comes from: [NewCorrector], [Corrector.Best]; how
//     probable each is: [Corrector.Posteriors]; given words, ranked likewise: [Corrector.Rank]
//   - the words that are the fewest edits away: [NewNearest]; a lexicon: [Words]
//   - a stage of a cascade or a tree: Model.Stages[0], after [Model.Reader]
//   - files: Model.Save, of cascade.Model; [Load]
//
// # Models
//
// A memoryless model has one state: substitutions a:b, deletions a:ε and insertions ε:b are
// drawn independently, each with its own probability. A joint model's probabilities of all pairs
// sum to 1, a conditional model's of all targets of one source.
//
// A Contextual model reads contexts in place of symbols, a label for each (Model.Labels). A rare
// context takes its probabilities from a smaller one. Model.Reader is the machine that writes
// these labels, so that the model can stand anywhere in a problem of package em.
//
// A Corrector does not look at all words of a large lexicon: the time of a search does not grow
// with it, and a better word may be missed. Corrections from a small lexicon are exact, and so
// are Posteriors from any, which look at all words.
//
// Labels of characters are their code points, unless you choose others: cascade.Text, [Words] and
// fst.RuneLabels write them, and string(labels) reads them.
//
// Source: Ristad and Yianilos 1998, "Learning string-edit distance".
package edit

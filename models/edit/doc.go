// Package edit implements stochastic edit distance, a model of strings that are rewritten edit by
// edit, and uses it to correct misspelt words.
//
// The edits are the arcs of a transducer. The probability that x becomes y is the sum over all ways
// to edit x into y, a path sum. Package em trains the machine from pairs of strings. The edit
// distance is −ln of a probability: of all ways, or of the best one.
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
//   - probabilities shared by similar edits: [NewFeatured]
//   - one of several channels for each word: [NewMixture]
//   - training on pairs: Model.Fit, of cascade.Model, and [Contextual.Fit]; on a string and a set
//     of strings, or on two sets: cascade.Set, Pair.Sources
//   - the most probable edits: [Predictor.Best]; ln p: [Predictor.LogProb]; how often each edit is
//     expected: [Predictor.Posteriors]
//   - the most probable words for a string: [NewCorrector], [Corrector.Best]; their probabilities:
//     [Corrector.Posteriors]; a ranking of given words: [Corrector.Rank]
//   - the words that are the fewest edits away: [NewNearest]; a lexicon: [Words]
//   - a stage of a cascade or a tree: Model.Stages[0], after [Model.Reader]
//   - files: Model.Save, of cascade.Model; [Load]
//
// # Models
//
// A memoryless model has one state: substitutions a:b, deletions a:ε and insertions ε:b are drawn
// independently, each with its own probability. In a joint model the probabilities of all pairs sum
// to 1, in a conditional model the probabilities of all targets of one source.
//
// A Contextual model reads contexts in place of symbols, a label for each (Model.Labels). A rare
// context takes its probabilities from a smaller one. Model.Reader is the machine that writes these
// labels, so that the model can stand anywhere in a problem of package em.
//
// A Corrector does not look at all words of a large lexicon: the search time does not grow with the
// lexicon, and a better word may be missed. Corrections from a small lexicon are exact. Posteriors
// are exact for any lexicon and look at all its words.
//
// By convention the label of a character is its code point: cascade.Text, [Words] and
// fst.RuneLabels convert text to labels, and string(labels) converts them back.
//
// Source: Ristad and Yianilos 1998, "Learning string-edit distance".
package edit

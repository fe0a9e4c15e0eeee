// Package grammar induces the structure of sentences from nothing but their tags.
//
// The idea: a sentence of n tags has many trees. Two models say, from different points of
// view, how probable each is: the dependency model with valence (DMV) tells who is the head
// of whom and how many arguments a head takes; the constituent-context model (CCM) tells of
// every span, by the tags in it and beside it, whether it is a constituent. Their Product
// gives every tree the product of both probabilities, and training raises
//
//	O_agree = Σ over sentences of ln Σ over trees of P_DMV(tags, tree) · P_CCM(spans, tree),
//
// the probability that both models, on their own, generate the same sentence and the same
// tree (exact product EM: Klein and Manning 2004; Liang, Klein and Jordan 2007). It is
// ordinary EM (em.Fit) on one forest per sentence: a tree of the forest is one of
// dependencies with the constituents that the heads make as they take their arguments,
// those to the right first. Every edge that completes a constituent weighs what the CCM
// says of it, every edge that takes an argument or stops what the DMV says. Each model's
// M step uses the expected counts of its own parameters.
//
// Sentences of one length share a forest, made by rules over items (forest.Deduction), the
// weights of which are arguments (em.Trees). What a sentence needs of its own is 4 bytes
// per part of which its trees may consist, n² of them:
//
//	                                        edges          10, 20, 40 words
//	DMV      items are sides of a head      ⅔ n³           800   5 800    44 400
//	CCM      spans                          n³/6           440   2 270    14 100
//	Product  spans with a head              n⁴/7         2 200  26 000   362 000
//
// # Use
//
// New makes the model of a kind for sentences, at its start (Options.Start); Model.Fit
// trains it, and the log likelihood that an observer sees is O_agree; a Predictor finds the
// best trees, by probability, or by the expected number of constituents or heads that are
// right. Package treebank reads sentences with known structure and scores parses; package
// pcfg trains grammars whose rules are given.
//
// # Results
//
// In percent, after 40 iterations, with unlabelled F1 of brackets and directed and
// undirected accuracy of heads, by
//
//	go run ./examples/grammar -data FILE -model MODEL -init NAME
//
// On sentences of at most 10 words: 555 of the Wall Street Journal, in the sample of the
// Penn Treebank that is distributed with NLTK; and the 1 157 and 5 375 of the development
// and training parts of UD English EWT, where brackets are the yields of heads, and heads
// are those of Universal Dependencies, other ones than the model's or the Penn converter's.
//
//	                          WSJ                  EWT dev              EWT train
//	ccm                       70.4                 54.3                 40.9
//	dmv      harmonic-counts  73.3  44.5  62.4     54.2  28.0  51.1     54.5  27.0  50.4
//	         harmonic-trees   53.7  19.6  50.4     46.5  31.7  50.1     45.9  32.4  50.8
//	         split-uniform    53.7  19.5  50.6     42.7  28.3  48.4     42.0  25.8  47.5
//	product  harmonic-counts  76.8  44.8  63.5     56.1  22.2  46.7     52.1  26.2  48.6
//	         harmonic-trees   76.8  44.8  63.5     56.1  22.1  46.7     55.3  24.1  46.6
//	         split-uniform    75.0  41.6  61.4     55.9  19.2  44.4     55.5  22.2  45.2
//	right branching           63.3  19.1  53.7     51.9  17.1  47.7     50.5  17.5  47.7
//
// The product is ahead of both of its parts in F1 from every start, but for the first on
// EWT train, and hardly depends on it. On EWT it prefers other heads than the annotators.
// Klein and Manning (2004) report 71.9 for CCM, 52.1 and 43.2 for DMV and 77.6 and 47.5 for
// the product, on 7 422 sentences of the Journal.
//
// On the 3 764 sentences of at most 40 words of the same sample, from harmonic counts, with
// the processor time and the memory of the whole program, parses included:
//
//	ccm       41.2                 20 s    686 MB
//	dmv       42.2  24.3  47.3     16 s    124 MB
//	product   40.6  21.9  50.8    169 s    976 MB
//
// Most of the memory of the two that know spans is for their parameters: a probability for
// every sequence of tags that occurs.
//
// # Cost
//
// Nanoseconds of processor time per edge of an E step of the product, all included, each
// the least of several runs, beside the same sums and counts as loops over a chart of
// float64 numbers, written by hand for this model and nothing against underflow; the best
// tree of a sentence; and building the chart of a length, once (BenchmarkExpect and
// others):
//
//	                10 words   20 words   40 words
//	E step                23         12        8.4
//	by hand               13        5.2        3.0
//	best tree             23                   6.3
//	building             530                   470
//
// # Sources
//
// Klein and Manning 2002, "A generative constituent-context model for improved grammar
// induction"; 2004, "Corpus-based induction of syntactic structure"; Eisner and Satta 1999
// for items that are sides of a head; Liang, Klein and Jordan 2007, "Agreement-based
// learning".
package grammar

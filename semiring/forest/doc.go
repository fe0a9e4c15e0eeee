// Package forest sums over the trees of weighted hypergraphs.
//
// The idea: in many models facts follow from other facts, a constituent from two smaller
// constituents, a subtree's likelihood from the likelihoods of its children. A node is a fact. An
// edge is an inference of a node, its head, from other nodes, its tails, with a weight. A tree of
// edges is a derivation. A forest holds all derivations, and a sum over them is one pass in the
// forest's ring.
//
//	// CKY parsing as a deduction: X derives the words I … J−1.
//	d := forest.NewDeduction[span](semiring.Viterbi{})
//	forest.Join(d, "binary",
//		func(b span) (int, bool) { return b.J, true }, // b ends where c begins
//		func(c span) (int, bool) { return c.I, true },
//		func(b, c span) {
//			…
//			d.Derive(span{x, b.I, c.J}, semiring.NewScaled(p[x+" → "+b.X+" "+c.X]), b, c)
//			…
//		})
//	…
//	chart, err := d.Run(span{"S", 0, 3})
//	…
//	parses, err := forest.BestTrees(chart.Forest)
//
// Which function for which question:
//
//   - make a forest: [Deduction] from rules, [New] from its edges; other weights:
//     [Forest.WithWeights]; another ring: [Map]
//   - total weight of all trees: [TreeSum]; of all derivations of each node: [Inside]; of its
//     contexts: [Outside]; of all trees through each node and edge: [Through]
//   - expected uses of each edge: [Posteriors], the gradient of ln Z; second derivatives:
//     [HessianVector]
//   - best trees: [BestTree], [BestTrees]; random trees: [NewSampler]; values of a tree: [Fold]
//   - expected values: [Mean], [Covariance]; uncertainty: [Entropy], [CrossEntropy],
//     [KullbackLeibler]
//   - a smaller forest: [PrunePosterior]
//
// # Costs
//
// All functions take time proportional to the number of nodes, edges and tails, plus the size of a
// best or random tree. Functions do not recurse on the Go stack, so forests and trees may be as
// deep as memory allows. In Scaled the weight of a tree may be arbitrarily small. PICTURES.md
// draws forests and trees.
//
// # Building forests
//
// Forests are rarely written edge by edge. A Deduction builds them from rules over items, small
// comparable values such as “X derives the words i … j−1”. Derive adds one derivation with its
// weight and tails. A Rule derives items from one item, a Join from two items that agree in a
// key. Run applies the rules until no new items follow and freezes the part that the goals depend
// on. The Chart contains the item of each node and the rule of each edge. CKY is one Join;
// prediction and memoized recursion are rules that respond to items that are requests.
//
// Building a forest takes about twelve times as long as Posteriors. If only weights change, build
// the forest once and replace the weights (WithWeights, Map).
//
// Package batch compiles many small forests, an E step over a treebank, and evaluates one forest
// for many columns of leaf values, such as a phylogenetic tree for an alignment.
//
// # Notation
//
// K is a semiring (⊕, ⊗, 0̄, 1̄); an edge e of weight w derives its head v from its tails
// u₁ … u_n, n ≥ 0 (a backward hypergraph, or B-graph). With I for inside and O for
// outside weights, ρ for the weights of roots:
//
//	I(v) = ⊕ over edges of v of w ⊗ I(u₁) ⊗ … ⊗ I(u_n)
//	O(u) = ρ(u) ⊕ over uses of u as a tail, u = u_i, of O(v) ⊗ w ⊗ ⊗_{j≠i} I(u_j)
//	Z    = ⊕ over roots of ρ(v) ⊗ I(v)
//
// A tree weighs ρ ⊗ the weights of its edges in preorder, even if ⊗ is not commutative; an edge
// counts once per use. Edges and roots of weight 0̄ are not part of any tree. A node without a
// derivation is valid and weighs 0̄.
//
// # Cycles
//
// Nodes may be derived from themselves, for example by unary and empty rules of a grammar. Each
// tree is finite, but there are infinitely many. Inside weights are then the least solution of
// polynomial equations I = F(I). Nodes that are derived from each other form a cycle, and cycles
// are solved one after the other, tails first:
//
//   - if every edge has at most one tail on the cycle, F is linear, and the cycle is a cycle of a
//     graph: see package graph;
//   - otherwise, in a commutative ring, by Newton's method from 0̄, without subtraction. Each
//     step is a path sum over the graph of the derivatives F'; a few steps suffice. The ring must
//     have the capabilities required for cycles of graphs, and Metric or Keyer;
//   - in a selective ring, best first (Knuth 1977) if no edge makes its head better than its
//     tails, otherwise by correction, which fails if a node improves itself.
//
// Over numbers a bound from above, a z with F(z) ≤ z, proves each sum: to within 1e-9, or else
// the error is semiring.ErrInaccurate. If no such z is found, sums grow without limit or are too
// close to divergence: semiring.ErrDiverges. X → X X with probability ½, else a word, is
// critical: its sum is 1, but the mean size of its trees is infinite.
//
// Outside weights, posteriors and second derivatives each solve the same linear equations, at the
// inside weights, once more. Random trees are finite with probability 1.
//
// Sources: K. Etessami and M. Yannakakis, "Recursive Markov chains, stochastic grammars, and
// monotone systems of nonlinear equations" (2009); J. Esparza, S. Kiefer and M. Luttenberger,
// "Newtonian program analysis" (2010); D. Knuth, "A generalization of Dijkstra's algorithm"
// (1977).
//
// # Graphs
//
// A graph is a forest whose edges have at most one tail: an arc derives its source from its
// target, and an edge without tails derives a final state. Then I is the backward weight, O the
// forward weight, and trees are paths. Package graph is faster for graphs.
//
// # Where ⊗ does not commute
//
// Inside weights, tree sums and best trees are defined as before. But the context of a node has a
// left and a right part, and a sum of pairs (left, right) is not a weight. Outside returns an
// error unless every edge has at most one tail, so that right parts are empty; Through works for
// any ring. Sums over trees require ⊗ to distribute over ⊕ from both sides, or only from the left
// if every edge has at most one tail. Otherwise a semiring.OneSided algebra, such as LeftString,
// is rejected.
//
// The cost of passes is in semiring/PERFORMANCE.md.
package forest

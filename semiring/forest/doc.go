// Package forest sums over the trees of weighted hypergraphs.
//
// The idea: in many models something follows from others, a constituent from two smaller ones,
// a subtree's likelihood from its children's. What is deduced is a node, an edge says that its
// head follows from its tails and with what weight, and a tree of edges is a derivation. A
// forest holds all derivations, and a sum over them is one pass in whatever ring it carries.
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
//   - how much do all trees weigh: [TreeSum]; all derivations of each node: [Inside]; its
//     contexts: [Outside]; all trees through each node and edge: [Through]
//   - how often is each edge used: [Posteriors], the gradient of ln Z; [HessianVector]
//   - which trees are best: [BestTree], [BestTrees]; random trees: [NewSampler]; what a tree
//     says: [Fold]
//   - expected values: [Mean], [Covariance]; uncertainty: [Entropy], [CrossEntropy],
//     [KullbackLeibler]
//   - a smaller forest: [PrunePosterior]
//
// All take time in proportion to the nodes, edges and tails; a best or random tree costs its
// size in addition. Nothing here recurses on the Go stack: forests and trees may be as deep as
// memory allows. In Scaled the weight of a tree may be as small as it likes. PICTURES.md
// beside this text draws forests and trees.
//
// # Building forests
//
// Few forests are written edge by edge. A Deduction builds them from rules over items,
// small comparable values such as “X derives the words i … j−1”. Derive adds one
// derivation with its weight and tails. Rule and Join say what follows from an item, or
// from two that agree in a key. Run applies the rules until nothing new follows and
// freezes what the goals depend on. The Chart says which item each node and which rule
// each edge stands for. CKY is one Join; prediction and memoized recursion are rules that
// answer to items that say what is wanted.
//
// To build a forest costs what Posteriors costs a dozen times: where weights change and
// rules do not, build once and exchange the weights (WithWeights, Map).
//
// Package batch compiles many small forests, an E step over a treebank, and evaluates one
// forest for many columns of leaf values, as a phylogenetic tree for an alignment.
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
// A tree weighs ρ ⊗ the weights of its edges in preorder, also where ⊗ is not
// commutative; an edge counts as often as the tree uses it. Edges and roots of weight 0̄
// are no part of any tree. A node without a derivation is no error: it weighs 0̄.
//
// # Cycles
//
// Nodes may be derived from themselves, as by unary and empty rules of a grammar. Trees stay
// finite, but there is no end of them. Inside weights are then the least solution of
// I = F(I), polynomials; nodes that are derived from each other are a cycle, and cycles are
// solved one after the other, tails first:
//
//   - where every edge has at most one tail on the cycle, F is linear, and the cycle is one
//     of a graph: what package graph says of cycles holds;
//   - elsewhere, in a commutative ring, by Newton's method from 0̄, without subtraction. Each
//     step is a path sum over the graph of the derivatives F'; a few steps do. The ring needs
//     what cycles of graphs need, and Metric or Keyer;
//   - in a ring that selects, best first (Knuth 1977), if no edge makes what it derives
//     better than its tails, else by correction as long as none improves itself.
//
// Over numbers a bound from above, a z with F(z) ≤ z, proves each sum: within 1e-9 of it, or
// else it is semiring.ErrInaccurate. Where there is no such z, sums grow without limit, or
// are too close to that to tell: semiring.ErrDiverges. X → X X with probability ½, else a
// word, is the limit: its sum is 1, but its trees have no mean size.
//
// Outside weights, posteriors and second derivatives solve the same linear equations, at the
// inside weights, once more each. Random trees end, with probability 1.
//
// Sources: K. Etessami and M. Yannakakis, "Recursive Markov chains, stochastic grammars, and
// monotone systems of nonlinear equations" (2009); J. Esparza, S. Kiefer and M. Luttenberger,
// "Newtonian program analysis" (2010); D. Knuth, "A generalization of Dijkstra's algorithm"
// (1977).
//
// # Graphs
//
// A graph is a forest whose edges have one tail at most: a state is derived by
// its arcs, each from the state that it leads to, and if it is final by an edge without
// tails. Then I is the backward weight, O the forward weight, and trees are paths. Package
// graph does the same for less.
//
// # Where ⊗ does not commute
//
// Inside weights, tree sums and best trees are the same as ever. But what is outside of
// a node lies on both sides of it, and the sum of many pairs (left, right) is no weight.
// Outside is refused unless no edge has two tails, where nothing lies to the right;
// Through answers for any ring. Sums over trees need ⊗ to distribute over ⊕ from both
// sides, or from the left alone if no edge has two tails: elsewhere a semiring.OneSided
// algebra, such as LeftString, is refused.
//
// What passes cost is in semiring/PERFORMANCE.md.
package forest

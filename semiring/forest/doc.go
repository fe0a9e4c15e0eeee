// Package forest sums over the trees of weighted hypergraphs.
//
// Many models are systems of deductions: a constituent follows from two smaller ones, a
// subtree's likelihood from those of its children, a table of a graphical model from
// others. The things deduced are nodes; a hyperedge says that its head follows from its
// tails, however many, and how much that weighs; and a derivation of a node is a tree of
// edges. A forest holds all derivations of all nodes in the space of one edge per
// deduction, though there may be exponentially many. Summing over them is the inside
// algorithm, in whatever ring the forest carries: probabilities, costs, truth values,
// counts, or pairs and vectors of them.
//
// Notation: K is a semiring (⊕, ⊗, 0̄, 1̄); an edge e of weight w derives its head v from
// its tails u₁ … u_n, n ≥ 0 (a backward hypergraph, or B-graph). With I for inside and
// O for outside weights, ρ for the weights of roots:
//
//	I(v) = ⊕ over edges of v of w ⊗ I(u₁) ⊗ … ⊗ I(u_n)
//	O(u) = ρ(u) ⊕ over uses of u as a tail, u = u_i, of O(v) ⊗ w ⊗ ⊗_{j≠i} I(u_j)
//	Z    = ⊕ over roots of ρ(v) ⊗ I(v)
//
// A tree weighs ρ ⊗ the weights of its edges in preorder, also where ⊗ is not
// commutative; an edge counts as often as the tree uses it. Edges and roots of weight 0̄
// are no part of any tree. A node without a derivation is no error: it weighs 0̄.
//
// # Which function
//
// With m for the number of nodes, edges and tails together, and t for the size of a
// tree, which is written out edge by edge:
//
//	TreeSum, Inside     how much do all trees weigh, all derivations   O(m)
//	                    of each node
//	Outside             all contexts of each node                     O(m)
//	Through             all trees through each node and edge          O(m), more if ⊗ does
//	                                                                  not commute
//	Posteriors          how often is each edge used                   O(m)
//	BestTree            which tree is best                            O(m + t)
//	BestTrees           which are best, in order                      O(m), then O(t + …)
//	                                                                  a tree
//	NewSampler, Sample  random trees                                  O(m), then O(t log m)
//	Mean                expected values of trees                      O(m)
//	Covariance          and how they vary together                    O(m · dimension)
//	Entropy,            how uncertain the tree is, how far two        O(m)
//	KullbackLeibler     weightings of a forest are apart
//	HessianVector       second derivatives of ln Z                    O(m)
//	PrunePosterior      a smaller forest of the better trees          O(m)
//	Deduction.Run       the forest of what follows from rules         O(applications)
//
// Nothing here recurses on the Go stack: forests and trees may be as deep as memory
// allows. In Scaled the weight of a tree may be as small as it likes.
//
// # Building forests
//
// Few forests are written edge by edge. A Deduction builds them from rules over items,
// small comparable values such as “X derives the words i … j−1”: Derive adds one
// derivation with its weight and tails, Rule and Join say what follows from an item, or
// from two that agree in a key, and Run applies the rules until nothing new follows and
// freezes what the goals depend on. The Chart says which item each node and which rule
// each edge stands for. CKY is one Join; prediction and memoized recursion are rules that
// answer to items that say what is wanted.
//
// # Batches and lanes
//
// Package batch compiles many small forests into twelve bytes per edge, with weights
// looked up in a table: an E step over a treebank (Batch). And it evaluates one forest for
// many columns of leaf values, as a phylogenetic tree for an alignment (Lanes).
//
// # Graphs
//
// An acyclic graph is a forest whose edges have one tail at most: a state is derived by
// its arcs, each from the state that it leads to, and if it is final by an edge without
// tails. Then I is the backward weight, O the forward weight, and trees are paths. Package
// graph does the same for less, and knows cycles.
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
// # Cost
//
// Nanoseconds of processor time per edge, each the least of several runs, beside loops
// by hand over float64 numbers that do the same and nothing against underflow
// (BenchmarkInside and others):
//
//	                                                      Scaled   Real   by hand
//	CKY, 2.8 million edges      build                         –     112         –
//	                            Inside                       2.5    1.7       1.7
//	                            Posteriors                   9.1    6.8       4.9
//	a million edges, whose      Inside                       4.7    3.2       2.3
//	tails are anywhere          Outside                       17      –       6.5
//	                            Posteriors                    20      –        14
//
// To build a forest costs what Posteriors costs a dozen times: where weights change and
// rules do not, build once and exchange the weights (WithWeights, Map, package batch).
package forest

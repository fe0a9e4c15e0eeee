// Package graph sums over the paths of weighted graphs.
//
// The idea: a graph carries its semiring, and every question about it is a path sum. The weights
// determine the meaning of the answer: probabilities, costs, truth values, counts, or pairs and
// vectors of them. The algorithm follows from the topology of the graph and the laws of the ring;
// the caller never picks it.
//
//	// A coin is thrown until it shows heads, which it does with probability 1/4.
//	//   0 --tails .75--> 0,  0 --heads .25--> 1
//	g, err := graph.FromArcs(semiring.Real{}, map[int32]float64{1: 1},
//		[]graph.Arc[float64]{{To: 0, Weight: .75}, {To: 1, Weight: .25}})
//	…
//	p, err := graph.Posteriors(g)
//	…
//	fmt.Printf("total %.2f, expected tails %.2f, heads %.2f\n", p.Total, p.Arc[0], p.Arc[1])
//
// It prints total 1.00, expected tails 3.00, heads 1.00. Which function for which question:
//
//   - make a graph: [FromArcs]; [New] of the arcs of each state in turn, as compressed rows
//   - how much do all paths weigh: [PathSum]; up to and from each state: [Forward], [Backward];
//     between two states: [AllPairs], [NewPairs]
//   - how often is each part used: [Posteriors], the gradient of ln Z, where Z is the path sum;
//     in the storage of an earlier result: [PosteriorsInto]; second derivatives: [HessianVector]
//   - what is expected along a path: [Mean], [Covariance]; how uncertain is it: [Entropy],
//     [CrossEntropy], [KullbackLeibler]
//   - random paths: [NewSampler]
//   - the best path, or paths: [BestPath], [BestPaths]; the best label sequences:
//     [UniqueBestPaths], or, by the sum over their paths, [BestSequences]
//   - a smaller graph: [PruneBeam], [PrunePosterior]
//   - one large sum on several cores: [Graph.WithWorkers]
//   - an [Implicit] graph, made as it is searched: [Search] (A*), [ExpandWithin], [Beam]
//   - the same arcs, other weights: [Graph.WithWeights]; another ring: [Map]
//
// # Requirements and costs
//
// Let n be the number of states, m the number of arcs, and P the cost of Posteriors, two to three
// passes over the arcs. PathSum, Forward, Backward and pairs accept any ring and take one pass plus
// the cost of cycles.
//
// Probabilities that ⊕ adds (Real, Scaled, Log and rings derived from them) make a graph a
// distribution, in which paths have probabilities in proportion to their weights:
//
//	Posteriors                        P
//	HessianVector                     about 2·P
//	Mean, Covariance of d numbers     P; about (1 + d)·P; and d operations per non-zero
//	NewSampler                        about P, then per path its length
//	Entropy, CrossEntropy,            P or 2·P, and m or 2·m logarithms
//	KullbackLeibler
//	PrunePosterior                    P + O(n + m)
//	BestSequences                     P, then as hard as the graph is ambiguous
//
// If ⊕ selects (Tropical, Viterbi, Bottleneck, …):
//
//	BestPath, BestPaths               a pass, then per path about its length
//	UniqueBestPaths                   a pass, then at least the paths' length
//	PruneBeam                         P + O(n + m)
//	Search, ExpandWithin              O(a·log n) for n states met and a arcs out of them
//	Beam, in any Probabilistic ring   O(a + n·log n)
//
// Lazy compositions of package fst are implicit graphs, which can be searched without expanding
// them. Search and ExpandWithin are exact if the heuristic is admissible: it must not overestimate
// the cost of the rest of a path. Beam is approximate, and reports the number of states that it
// dropped. ExpandWithin and Beam return a graph for further queries. All three stop with
// semiring.ErrLimit after a given number of states, and when their context is done.
//
// Package batch compiles thousands of small graphs, such as the lattices of an E step.
// Package trellis has graphs in layers whose steps share matrices, such as hidden Markov
// models.
//
// # Notation
//
// K is a semiring (⊕, ⊗, 0̄, 1̄), and a* = 1̄ ⊕ a ⊕ a⊗a ⊕ …; λ are initial weights, ρ final
// weights, (p, w, q) an arc; α are forward, β backward weights. The weight of a path is
// λ(start) ⊗ arc weights ⊗ ρ(end) in the order of the path, even if ⊗ is not commutative. Arcs,
// starts and final weights of weight 0̄ do not belong to any path.
//
// # Cycles
//
// An acyclic graph takes one pass in topological order. In a cyclic graph, each strongly
// connected component is solved separately: by Dijkstra's algorithm or label correction if ⊕
// selects, by elimination of states or by iteration if it adds.
//
//   - A cycle without a sum gives semiring.ErrDiverges, never infinity; the error names a state
//     and the mass. Rounding does not hide divergence: .7 + .2 + .1 in any order diverges.
//   - Negative weights are the exception: if their series has no limit, the sum may be its analytic
//     continuation, without an error, as for PathSum and semiring.Real. A loop of −3 has the sum ¼.
//   - Sums of probabilities are exact to roundings however close to divergence they are, as
//     long as no state gains mass. In other cases [ErrorBound] returns a bound on the error;
//     above 1e-9 a sum fails with semiring.ErrInaccurate.
//   - A component that would take too much memory gives semiring.ErrLimit. [Graph.WithContext]
//     makes long sums end when a context is done. Results are the same on every run, bit by
//     bit.
//
// CYCLES.md in this folder describes the algorithms, their costs and the conditions in full.
// ../PERFORMANCE.md lists measured times: an acyclic PathSum takes 1.5 to 10 ns per arc,
// depending on the targets of the arcs. Number the states of a large graph in topological order
// with neighbours close together, as a breadth-first expansion does.
package graph

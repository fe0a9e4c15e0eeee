// Package graph sums over the paths of weighted graphs.
//
// The idea: a graph carries its semiring, and every question about it is a path sum. What
// the weights are decides what the answer means: probabilities, costs, truth values,
// counts, or pairs and vectors of them. The algorithm follows from the topology of the
// graph and the laws of the ring; the caller never picks it.
//
//	g, err := graph.New(semiring.Real{}, row, to, weight, starts, final)
//	…
//	total, err := graph.PathSum(g) // the weight of all paths
//	p, err := graph.Posteriors(g)  // how often a random path uses each arc
//
// # Which function
//
// In any ring:
//
//	PathSum           ⊕ over all paths
//	Forward           α: ⊕ over the paths to each state
//	Backward          β: ⊕ over the paths from each state
//	AllPairs, Pairs   ⊕ over the paths between two states
//
// Where weights are probabilities that ⊕ adds, in Real, Scaled, Log and rings derived
// from them, a graph is a distribution that draws its paths in proportion to their
// weights. P is the cost of Posteriors, m the number of arcs:
//
//	Posteriors        expected uses of every part;                 P
//	                  the gradient of ln Z by ln weights
//	HessianVector     its second derivatives times a vector        about 2·P
//	Mean              expected sum of given vectors along a path   P + non-zeros
//	Covariance        of these sums, d × d                         about (1 + d)·P
//	                                                               + d·non-zeros
//	NewSampler        random paths                                 about P, then per path
//	                                                               its length
//	Entropy           of the distribution                          P + m logarithms
//	CrossEntropy,     of two weightings of one topology            2·P + m or 2·m
//	KullbackLeibler                                                logarithms
//	PrunePosterior    without parts that are seldom used           P + O(n + m)
//	BestSequences     label sequences, the most probable first,    P, then as hard as
//	                  each with the sum over its paths             the graph is ambiguous
//
// Where ⊕ selects:
//
//	BestPath,         the best path, or all, best first            a pass, then per path
//	BestPaths                                                      about its length
//	UniqueBestPaths   the best label sequences, each once          a pass, then at least
//	                                                               their length
//	PruneBeam         without parts on no good path                P + O(n + m)
//
// An Implicit graph makes its arcs when it is asked for them, and may be infinite. Lazy
// compositions of package fst are implicit graphs; nothing need be expanded to search
// them. With n states met and a arcs out of them:
//
//	Search            all paths, best first, by A*                 O(a·log n) for the
//	                                                               first path
//	Within            the part that PruneBeam leaves               the same, as far as
//	                                                               the beam goes
//	Beam              the part that survives a beam of given       O(a + n·log n)
//	                  width and score
//
// Search and Within are exact if the heuristic is admissible; Beam is approximate, and says
// what it dropped. Within and Beam return a graph: BestPath gives the best path kept,
// PathSum the pruned path sum, Posteriors the pruned posteriors. All three stop with
// semiring.ErrLimit after a given number of states, and when their context is done.
//
// Package batch compiles thousands of small graphs, such as the lattices of an E step.
// Package trellis has graphs in layers whose steps share matrices, such as hidden Markov
// models.
//
// # Notation
//
// K is a semiring (⊕, ⊗, 0̄, 1̄), and a* = 1̄ ⊕ a ⊕ a⊗a ⊕ …; λ are initial weights, ρ
// final weights, (p, w, q) an arc; α are forward, β backward weights. The weight of a path
// is λ(start) ⊗ arc weights ⊗ ρ(end) in the order of the path, also where ⊗ is not
// commutative. Arcs, starts and final weights of weight 0̄ are no part of any path.
//
// # Algorithms
//
// An acyclic graph takes one pass in topological order, O(states + arcs). If there are
// cycles, the strongly connected components are taken in topological order, and only those
// that contain a cycle cost more than a pass. For one of k states and e arcs:
//
//	selective ring            Dijkstra, if no arc is better        O(e·log k)
//	                          than 1̄; else label correction        O(k·e)
//	k-closed ring             relaxation in rounds; elimination    O(e·rounds), often few,
//	                          if 64 rounds and the cost of         then at most twice
//	                          elimination have not been enough     elimination
//	other rings               elimination of states in an order    the arithmetic on f ≤ k²
//	                          of little fill                       entries; f is near e on
//	                                                               loops, nests, trees, hubs
//	Real, Scaled, Log,        a dense matrix                       O(k³)
//	at most 16 states
//	the same, costly to       iteration; elimination if hundreds   O(e) per sweep; a few
//	eliminate                 of sweeps do not do                  dozen mostly do
//
// The order of elimination depends on topology alone and is shared by all weightings of a
// graph. The elimination is computed once per weighting and serves forward and backward. A
// component that would fill with more than 2²⁴ entries and 4 per arc is refused with
// semiring.ErrLimit, unless it can be iterated.
//
// A ring without Star must be able to tell whether weights are equal, by Metric or Keyer.
// Then a* is summed by at most 48 steps that double the number of terms, until a step goes
// no farther than 1e-12 (by Keyer: nowhere).
//
// Iteration is for components that take more than 8·(k + e) + 2¹⁹ multiplications to
// eliminate. It solves x = A·x + b in float64 by sweeps of Gauss and Seidel, accelerated by
// a Krylov method (BiCGSTAB), every value measured by its own size. It starts once a
// positive vector v with A·v < v has shown that there is a solution, and ends when the
// residual of every state is a few roundings. Random walks that mix slowly take too many
// sweeps. They are eliminated if that takes at most 4000 multiplications per state and arc;
// else iterated for thousands of sweeps; and then eliminated at any price. Results are the
// same on every run, bit by bit. Graph.WithContext makes long sums end when a context is
// done.
//
// # Accuracy
//
// Close to divergence, 1/(1 − a) makes of one rounding of a an error of any size. For
// numbers that are not negative, elimination therefore does not subtract: it keeps what
// leaves each state (Grassmann, Taksar and Heyman 1985). In Real and Scaled, components
// whose states pass on no more than they have, or get no more than there is, are then exact
// to about (states)·2⁻⁵³, however little leaks: 1e-15 on rings of 1000 states that lose
// 2⁻⁴⁸ at one of them.
//
// Elsewhere a bound on the error travels with the sum. ErrorBound returns it; above 1e-9 a
// sum fails with semiring.ErrInaccurate. It is
//
//   - where states gain mass that others lose: what cancels among gains and losses,
//     measured by an approximate eigenvector;
//   - in Log, besides: the rounding of logarithms, as often as cycles repeat it;
//   - for negative weights, numbers out of the range of float64 and masses of other
//     rings: the bound that elimination carries;
//   - of iteration: the residual divided by 1 − ρ, with ρ the spectral radius, or times
//     the length of paths, whichever is less. Above 1e-11 the component is eliminated, if
//     that can be.
//
// # Divergence
//
// A cycle whose sum has no value is semiring.ErrDiverges, never infinity: mass 1 or more in
// rings of probabilities, a negative cost in Tropical, any cycle in Counting. The error
// names a state of the component and gives the mass of the cycle, or ρ. Rounding does not
// hide divergence: .7 + .2 + .1 in any order diverges, 1 − 1e-9 does not. In rings of
// probabilities that add, a cycle converges if its mass is below 1 by more than rounding
// may have done:
//
//   - Numbers that are not negative (Real, Scaled, Log): some state must lose a mass, to
//     the exact sum of its arcs, above (8 + √arcs) roundings of 1 by 2⁻⁵³. Where states
//     gain mass that others lose, all that is lost must exceed four times what rounding
//     the arcs may have done.
//   - Other weights, and masses of expectations and the like: a mass must be below 1 by
//     four times the bound on its rounding error.
//   - Iteration: A·v < v shows ρ < 1, by a margin of four times the rounding errors in
//     every state, and A·v ≥ v shows ρ ≥ 1, up to such a margin.
//
// Derived rings without the capability Prober, such as a Product, rely on Star alone.
//
// Negative weights in Real and Scaled are allowed. Where the sum converges absolutely it is
// that sum. Elsewhere it is the solution of x = A·x + b by elimination, in an order that
// looks at topology only, as long as every pivot 1 − a is positive; if one is not, it is
// semiring.ErrDiverges. Iteration is for absolute convergence alone.
//
// A component of a k-closed ring that does not settle is left to elimination, whose stars
// tell whether it diverges. A star by doubling diverges if its last step went farther than
// the tolerance; the error says how far. Masses above 1 − 1e-13 or so look divergent.
// Weights that grow with every product, such as exact fractions, had better have a Star of
// their own.
//
// # Cost
//
// An acyclic PathSum takes 1.5 to 10 ns per arc, depending on where the arcs lead:
// ../PERFORMANCE.md has the tables. Number the states of a large graph in topological
// order with neighbours close together, as a breadth-first expansion does.
package graph

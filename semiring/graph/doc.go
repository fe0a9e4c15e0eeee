// Package graph sums over the paths of weighted graphs.
//
// A graph carries its semiring, and every question about it is a path sum: how
// much do all paths weigh (PathSum), those to each state (Forward) and from it
// (Backward), how often is each arc used (Posteriors), which paths are best
// (BestPath, BestPaths). What the weights are decides what the answer means:
// probabilities, costs, truth values, counts, or pairs and vectors of them.
//
// Notation: K is a semiring (⊕, ⊗, 0̄, 1̄), a* = 1̄ ⊕ a ⊕ a⊗a ⊕ …; Q states, λ
// initial weights, ρ final weights, arcs (p, w, q); α forward, β backward weights.
// The weight of a path is λ(start) ⊗ arc weights ⊗ ρ(end) in the order of the path,
// also where ⊗ is not commutative. Arcs, starts and final weights of weight 0̄ are no
// part of any path.
//
// # Which algorithm
//
// The caller never picks it; topology and ring do. With n states, m arcs, and for a
// component (strongly connected) its k states, e arcs and f entries of fill:
//
//	acyclic graph             one pass in topological order        O(n + m)
//	cyclic, selective ring    per component: Dijkstra, if no arc   O(e log k)
//	                          is better than 1̄,
//	                          otherwise label correction           O(k·e)
//	cyclic, k-closed ring     per component: relaxation in rounds  O(e·rounds), often a
//	                          until nothing changes; elimination   few, then at most
//	                          if 64 rounds and its cost have not   twice elimination
//	                          been enough
//	cyclic, ring with Star    per component: elimination of its    O(arithmetic on f),
//	                          states in an order of little fill    f ≤ k², near e on
//	                                                               loops, nests of them,
//	                                                               trees, hubs
//	the same, ring Real,      per component that takes more than   O(e) per sweep, of
//	Scaled or Log             8·(k + e) + 2¹⁹ multiplications to   which a few dozen do
//	                          eliminate: iteration; elimination
//	                          again where hundreds of sweeps do not
//	                          per component of at most 16 states   O(k³)
//	                          left or entered with mass below 1:
//	                          a dense matrix
//	cyclic, ring without      the same, with a star by doubling    48 times that for the
//	Star                      the number of terms                  stars at most
//	AllPairs                  elimination once, then its second    O(n·(m + f))
//	                          half from every state
//	BestPaths                 after one pass, per path its length  O(m + …)
//	                          and a few heap operations
//
// Components are taken in topological order, so that only the cyclic ones cost more
// than a pass. What to eliminate and in which order is a plan that depends on topology
// alone and is shared by all weightings of a graph; the elimination is computed once per
// weighting and serves forward and backward. In rings other than those three, graphs that
// would fill with more than 2²⁴ entries and 4 per arc, as random graphs of many thousands
// of states do, are refused with semiring.ErrLimit.
//
// # Queries
//
// Where weights are probabilities that ⊕ adds, in Real, Scaled, Log and rings derived
// from them, a graph is a distribution that draws its paths in proportion to their
// weights. With P the cost of Posteriors, a backward and a forward pass:
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
// And where ⊕ selects:
//
//	PruneBeam         without parts on no good path                P + O(n + m)
//	UniqueBestPaths   the best label sequences, each once          a backward pass, then
//	                                                               at least their length
//
// # Implicit graphs
//
// An Implicit graph makes its arcs when it is asked for them, and may be infinite. Lazy
// compositions of package fst are implicit graphs; nothing need be expanded to search
// them:
//
//	Search    all paths, best first, by A*; exact if the heuristic   O(a·log n) for the
//	          is admissible, Dijkstra without one                    first path
//	Within    the part that PruneBeam leaves, exact if Search is     the same, as far as
//	                                                                 the beam goes
//	Beam      the part that survives a beam of given width and       O(a + n·log n)
//	          score; approximate, and says what it dropped
//
// with n states met and a arcs out of them. Within and Beam return a graph, so that
// BestPath gives the best path kept, PathSum the pruned path sum, Posteriors the
// pruned posteriors. All stop with semiring.ErrLimit after a given number of states,
// and when their context is done.
//
// # Trellises
//
// Graphs in layers, whose steps are matrices of weights that sequences share, are in
// package trellis: hidden Markov models and the like.
//
// # Batches
//
// Package batch compiles thousands of small graphs, an E step's lattices, into eight
// bytes per arc, with weights looked up in a table.
//
// # Iteration
//
// A component that fills up in elimination is solved as the linear equations x = A·x + b
// in float64. Sweeps of Gauss and Seidel are accelerated by a Krylov method (BiCGSTAB); as
// a last resort, thousands of them are made alone. The values of its states may lie
// farther apart than float64 reaches, or its weights may: then every state is measured
// in a unit of its own, the weight of the best path to it. Iteration is repeated with
// every value measured by its own size, so that small values are as accurate as great
// ones: until the residual |b + A·x − x| of every state is a few roundings of |b| +
// |A|·|x|. At most 1e-12 of that is accepted.
// Results are the same on every run, bit by bit.
//
// Iteration starts once it is certain that there is a solution: by a positive vector v
// with A·v < v in every state, which bounds the spectral radius ρ of A below 1 (Collatz,
// Wielandt).
//
// In random walks that mix slowly, some hundred sweeps, those for v included, are not
// enough. Then the component is eliminated if that takes no more multiplications than
// iteration might go on to take, 4000 per state and arc. Grids and their like are, of n
// states in about 50·n^1.5, but no random graphs. What takes more is iterated
// on, for thousands of sweeps; and if that comes to nothing, too, the component is
// eliminated at any price. Only where it is too large for that is the answer ErrLimit,
// with what is known. Graph.WithContext makes such sums end when a context is done.
//
// In a k-closed ring (semiring.KClosed: k best costs, sets, truncated strings) a
// cycle need not be followed for ever, so that relaxation usually gets by without Star
// and without fill, on the side of ⊗ that the ring wants.
//
// A ring without Star must at least be able to tell whether weights are equal, by
// Metric or Keyer: a* is then summed until a step that doubles the number of terms goes
// no farther than 1e-12 (no step by Keyer), by at most 48 steps.
//
// # Accuracy
//
// Close to divergence, 1/(1 − a) makes of one rounding of a an error of any size. For
// numbers that are not negative, elimination therefore does not subtract: it keeps what
// leaves each state (Grassmann, Taksar and Heyman 1985). In Real and Scaled, components
// whose states pass on no more than they have, as probabilities do, or get no more than
// there is, are then exact to about (states)·2⁻⁵³, however little leaks: 1e-15 on rings
// of 1000 states that lose 2⁻⁴⁸ at one of them.
//
// Elsewhere a bound on the error travels with the sum, and a bound above 1e-9 is
// ErrInaccurate, which says by how much; ErrorBound returns it. It is
//
//   - where states gain mass that others lose, what cancels among gains and losses,
//     measured by an approximate eigenvector;
//   - in Log, besides, the rounding of logarithms, as often as cycles repeat it;
//   - for negative weights, numbers out of the range of float64 and masses of other
//     rings, the bound that elimination carries;
//   - of iteration, the residual divided by 1 − ρ, or multiplied by the length of paths,
//     Σ Aⁿ·x in proportion to x, whichever is less. Above 1e-11, the component is
//     eliminated if that can be.
//
// # Divergence
//
// A cycle whose sum has no value is semiring.ErrDiverges, never infinity: mass 1 or
// more in rings of probabilities, a negative cost in Tropical, any cycle in Counting.
// Rounding does not hide it. In rings of probabilities that add (semiring.Prober, with 1̄
// ⊕ 1̄ of mass 2), a cycle counts as convergent if its mass is below 1 by more than rounding
// may have done; .7 + .2 + .1 in any order diverges, 1 − 1e-9 does not, nor does a dense
// component of which little mass leaves. In detail:
//
//   - Numbers that are not negative (Real, Scaled, Log): some state must lose a mass, to
//     the exact sum of its arcs, above (8 + √arcs) roundings of 1 by 2⁻⁵³. Where states
//     gain mass that others lose, all that is lost together must exceed four times what
//     rounding the arcs may have done.
//   - Other weights, and masses of expectations and the like: elimination carries a bound
//     on the rounding error of every number, and a mass must be below 1 by four times it.
//   - Iteration: ρ < 1 is certified by A·v < v, by a margin of four times the rounding
//     errors in every state, and ρ ≥ 1 by A·v ≥ v up to such a margin.
//
// The error names a state of the component and gives the mass of the cycle, or ρ. Derived
// rings without the capability Prober, such as a Product, rely on Star alone.
//
// Negative weights in Real and Scaled are allowed. The value is then the solution of
// the equations x = Ax + b by elimination in an order that looks at topology only:
// where the sum converges absolutely it is that sum, elsewhere its analytic
// continuation as long as no pivot 1 − a on the way fails to be positive, which is
// semiring.ErrDiverges too. Iteration is for absolute convergence alone.
//
// A component of a k-closed ring that does not settle is left to elimination, whose
// stars tell whether it diverges: a negative cycle under the k best costs has none. A
// star by doubling diverges if its last step went farther than the tolerance; the error
// says how far. Masses above 1 − 1e-13 or so look so, and weights that grow with every
// product, such as exact fractions, had better have a Star of their own.
//
// # Cost
//
// Cost grows as the work does, in proportion to arcs, as long as memory keeps up.
// Nanoseconds of processor time per arc (3.6 GHz, caches of 1 MB and 32 MB), of acyclic
// graphs with ten arcs out of each state, with the order of states known (the first pass
// over a graph takes about 1 ns more for it, and Forward in a ring without Sweeper, which
// these have, 4 for the transpose; BenchmarkScale):
//
//	                         near: 10⁴   10⁵   10⁶   10⁷     far: 10⁴   10⁵   10⁶   10⁷ arcs
//	Scaled      PathSum             1.5   1.4   1.7   1.7          1.5   1.6   2.7   9.6
//	Scaled      Forward             2.1   2.1   2.4   3.1          2.4   2.4   2.9    11
//	Scaled      Posteriors          6.5   6.6   7.0   8.5          7.8   6.9   9.3    28
//	Log         PathSum             7.5   7.6   7.8   7.6          7.5   7.9   9.1    27
//	Log         Forward             7.7   8.7   8.8   9.3          7.7    11    12    32
//	Log         Posteriors           18    18    18    18           17    18    23    83
//	Tropical    PathSum             1.3   1.3   1.3   1.4          1.4   1.3   2.2   3.8
//	Tropical    Forward             1.2   1.2   1.1   1.1          1.2   1.1   1.5   2.8
//	Tropical    Posteriors          9.6    11    11    11           11    11    22    56
//	Expectation PathSum             4.2   4.4   6.4   6.5          4.3   4.6   6.6    27
//	Expectation Forward             5.5   4.6   6.5   6.8          5.0   4.8   8.3    29
//	Expectation Posteriors           17    19    19    21           17    19    22    79
//	Batch.Counts                    3.4   3.5   4.2   4.3          3.4   3.7   5.1    20
//
// Near, the arcs of a state lead to the next 50 states, as in a lattice; far, to any
// state ahead. Where the figures rise:
//
//   - Far: the sum of a state anywhere is read for each arc, and in Forward written.
//     10⁶ arcs have 10⁵ states and 0.8 to 3.2 MB of sums, more than the cache of 1 MB
//     (L2); 10⁷ arcs have ten times that, in more pages than the processor remembers
//     the addresses of. Weights are read in order in both directions.
//   - Posteriors add to their passes the writing of fresh results, 8 bytes per arc,
//     which the system hands out page by page.
//
// So number the states of a large graph in topological order with neighbours close
// together, as a breadth-first expansion does.
package graph

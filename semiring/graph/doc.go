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
//	acyclic graph             one pull pass in topological order   O(n + m)
//	cyclic, selective ring    per component: Dijkstra, if no arc   O(e log k)
//	                          is better than 1̄,
//	                          otherwise label correction           O(k·e)
//	cyclic, ring with Star    per component: elimination of its    O(arithmetic on f),
//	                          states in an order of little fill    f ≤ k², near e on
//	                                                               loops, nests of them,
//	                                                               trees, hubs
//	BestPaths                 after one pass, per path its length  O(m + …)
//	                          and a few heap operations
//
// Components are taken in topological order, so that only the cyclic ones cost more
// than a pass. Their elimination follows a plan that depends on topology alone and is
// shared by all weightings of a graph; it is computed once per weighting and serves
// forward and backward. Graphs that would fill with more than 2²⁴ entries, as random
// graphs of many thousands of states do, are refused with ErrLimit.
//
// # Divergence
//
// A cycle whose sum has no value is ErrDiverges, never infinity: mass 1 or more in
// rings of probabilities, a negative cost in Tropical, any cycle in Counting.
// Rounding does not hide it. In rings of probabilities that add (semiring.Prober,
// with 1̄ ⊕ 1̄ of mass 2) elimination carries a bound on the rounding error of every
// number, and a cycle counts as convergent if its mass is below 1 by more than four
// times that bound; .7 + .2 + .1 in any order diverges, 1 − 1e-9 does not, nor does a
// dense component of which little mass leaves. Derived rings without the capability
// Prober, such as a Product, rely on Star alone.
//
// Negative weights in Real and Scaled are allowed. The value is then the solution of
// the equations x = Ax + b by elimination in an order that looks at topology only: where
// the sum converges absolutely it is that sum, elsewhere its analytic continuation as
// long as no pivot 1 − a on the way fails to be positive, which is ErrDiverges too.
//
// # Batches
//
// A Batch holds thousands of small graphs in eight bytes per arc, with weights looked
// up in a table: an E step's lattices. Batch.Counts computes expected counts per entry
// of the table in two passes over a graph without a transpose.
package graph

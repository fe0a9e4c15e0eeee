// Package fst is about weighted finite-state transducers: machines that read a
// string on one tape, write one on another, and give the pair a weight. There are
// two phases: build with a Builder, then use the frozen FST.
//
// # Notation
//
// K is a semiring with ⊕, ⊗, 0̄, 1̄ and, where it exists, a* = 1̄ ⊕ a ⊕ a⊗a ⊕ ….
// A machine T has states Q, initial weights λ, final weights ρ and arcs
// (p, i:o/w, q): from state p to q, reading the label i and writing o, with weight
// w in K. Labels are numbers; 0 is ε, nothing read or written. A path multiplies
// λ ⊗ w₁ ⊗ … ⊗ wₙ ⊗ ρ, and ⟦T⟧(x, y) is the ⊕ over all paths that read x and write
// y. An acceptor is a transducer whose arcs write what they read.
//
// # Machines
//
// An [FST] is frozen: arrays that no one changes, shared freely by goroutines.
// [FST.Graph] is the part of it that path sums see, in package semiring/graph;
// [FST.WithWeights], [FST.WithSemiring] and [Map] put other weights on the same
// arcs without doing anything twice. A [Machine] is what frozen and lazy machines
// have in common. [Compose] is lazy and makes states and arcs as they are asked
// for; [Expand] freezes what is reachable, within a limit. An [Arena] does the
// same in memory that it reuses, for building millions of small machines.
//
// [Union], [Concat], [Star], [Plus], [Optional], [Reverse], [Invert], [ProjectIn],
// [ProjectOut], [Connect] and [ArcSortIn] make frozen machines from frozen
// machines, over every ring, with weights on the right side of ⊗ where that makes
// a difference.
//
// Which arcs a path of a result came from is a matter of weights: over the ring of
// expressions of semiring/expr, with a parameter for every arc of interest, the
// weight of every path says it.
package fst

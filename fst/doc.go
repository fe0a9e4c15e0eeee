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
// Machines also come from strings ([FromString], [FromPair], [StringMap]), from the edits
// between them ([Edits]), from the encoding of characters ([UTF8]), from text and
// OpenFst's files (package fstio), expressions (rx) and rules (rewrite). [Match] gives labels
// that stand for others, such as “any other label”, their meaning.
//
// [Union], [Concat], [Star], [Plus], [Optional], [Reverse], [Invert], [ProjectIn],
// [ProjectOut], [Connect] and [ArcSortIn] make frozen machines from frozen
// machines, over every ring, with weights on the right side of ⊗ where that makes
// a difference.
//
// # Optimization
//
// These make machines that are frozen (or lazy, where it says so) and keep the relation
// of their operand, but where the table says something else. With n states, m arcs, and
// m′ arcs of the result:
//
//	RemoveEpsilon      no arcs ε:ε; also lazy             any ring without ε-cycles,  path sums over ε-arcs
//	                                                      path sums with them         + O(m′)
//	Determinize        one arc per label read; also lazy  division, keys; acceptors   O(m′ log m′), m′ may be
//	                                                      and functional transducers  exponential
//	DeterminizeBest    the best output of each input      the same, order             the same
//	PushWeights        weights early or late              division, path sums         a path sum + O(m)
//	PushLabels         output early or late               any                         labels moved
//	Minimize           fewest states of a deterministic   those of PushWeights, keys  a path sum + O(m), or
//	                   machine                                                        O(m log m) with cycles
//	Optimize           the above, as far as they go       all of these                all of these
//	Codec              labels and weights as labels       keys for weights            O(m)
//	Synchronize        reading and writing in step        any                         O(m′ · delay)
//	Replace            arcs by machines; also lazy        any                         O(m′)
//	TopSort, Renumber  states in another order            any                         O(n + m)
//	Intersect          both, lazy                         commutative                 that of Compose
//	Difference         one but not the other, lazy        any                         determinization + O(m′)
//	Complement         the strings that it does not have  any                         determinization + O(m′)
//	ShortestPaths      the n best paths                   order                       O(m) + paths
//	ShortestStrings    the n best strings                 order                       O(m) + prefixes
//	PruneBeam,         what is on good or likely paths    order; probabilities        two path sums
//	PrunePosterior
//
// [Equivalent] compares deterministic machines, [RandomlyEquivalent] any two,
// [Isomorphic] their form; a [Sampler] draws random paths. A ring that lacks what is
// needed is an error that names it, and what may grow without bound has a limit
// (Options).
//
// An arc of a frozen machine takes 12 bytes and its weight; an acceptor that
// RemoveEpsilon or Determinize made has its labels once, and takes 8. While it lasts,
// Determinize keeps for every member of a set of states 12 bytes, the weight and its
// key, and about 40 for the set.
//
// Seconds of processor time beside OpenFst 1.7.9, the least of several runs, and peak
// memory in megabytes, where measured: 50,000 words from the words one by one (453,876
// arcs) to the minimal automaton (96,528 arcs), and with a cost per word (99,109
// arcs); ε-removal where 30 % of 400,000 arcs are ε, acyclic (57.8 million arcs
// result), and 20 % of 80,000, with ε-cycles; and the 100 best paths of a lattice of a
// million arcs (BenchmarkMinimize, BenchmarkRemoveEpsilon, BenchmarkShortestPaths):
//
//	                                     OpenFst          this package
//	Determinize, Minimize                1.5 s   144 MB   0.34 s   146 MB
//	Determinize, Minimize, with costs    2.5 s   147 MB   0.31 s   146 MB
//	RemoveEpsilon, acyclic, Tropical     5.5 s   957 MB   3.0 s   1220 MB
//	RemoveEpsilon, acyclic, Log          4.8 s            3.4 s
//	RemoveEpsilon, cyclic, Tropical      0.14 s           0.04 s
//	RemoveEpsilon, cyclic, Log           0.12 s           0.04 s
//	ShortestPaths                        0.31 s  253 MB   0.05 s   109 MB
//
// # Provenance
//
// Which arcs a path of a result came from is a matter of weights: over the ring of
// expressions of semiring/expr, with a parameter for every arc of interest, the
// weight of every path says it.
package fst

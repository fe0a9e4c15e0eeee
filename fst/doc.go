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
// for; a [LookAhead] as an operand keeps most dead ends out, and graph.Search finds the
// best paths without expanding it. [Expand] freezes what is reachable, within a limit.
// A lazy machine of one's own is a [Machine], or a [Finder] if it finds arcs by label.
// An [Arena] composes and expands in memory that it reuses, for building millions of
// small machines.
//
// A ring, machine or function that is nil, or a nil pointer in an interface, is a mistake
// of the program: functions panic where it is given, with a message such as
// “fst: Invert: nil machine”.
//
// Machines also come from strings ([FromString], [FromPair], [StringMap]), from the edits
// between them ([Edits]), from the encoding of characters ([UTF8]), from text and
// OpenFst's files (package fstio), expressions (rx), rules (rewrite) and grammars (cfg).
// [Match] gives labels that stand for others, such as “any other label”, their meaning.
//
// [Apply] is the whole way from a string to the best that a machine makes of it, and
// [Weight] that to the weight of a pair of strings.
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
//	NormalizeEpsilon   ε on one tape at the end alone     the same                    that of RemoveEpsilon
//	Determinize        one arc per label read; also lazy  division, keys; acceptors   O(m′ log m′), m′ may be
//	                                                      and functional transducers  exponential
//	DeterminizeBest    the best output of each input      the same, order             the same
//	DeterminizeAll     several outputs, where they end    division, keys              the same
//	Disambiguate       one path per string read           those of Determinize        pairs of states + O(m′),
//	DisambiguateBest   the same for the best output       the same, order             m′ may be exponential
//	PushWeights        weights early or late              division, path sums         a path sum + O(m)
//	PushLabels         output early or late               any                         labels moved
//	Minimize           fewest states of a deterministic   those of PushWeights, keys  a path sum + O(m), or
//	                   machine                                                        O(m log m) with cycles
//	MergeBisimilar     one state for those that go on     keys                        near O(m log n) where
//	                   alike; any machine                                             few arcs leave a state
//	Optimize           the above, as far as they go       all of these                all of these
//	Codec              labels and weights as labels       keys for weights            O(m)
//	Synchronize        in step; also lazy                 any                         O(m′ · delay)
//	Replace            arcs by machines; also lazy        any                         O(m′)
//	TopSort, Renumber  states in another order            any                         O(n + m)
//	Intersect          both, lazy                         commutative                 that of Compose
//	Difference         one but not the other, lazy        any                         determinization + O(m′)
//	Complement         the strings that it does not have  any                         determinization + O(m′)
//	ShortestPaths      the n best paths                   order                       O(m) + paths
//	ShortestStrings    the n best strings                 order or probabilities      O(m) + prefixes
//	Apply              the best outputs of a string       order or probabilities      that of Expand + prefixes
//	Weight             the weight of a pair of strings    any                         that of Expand + a path sum
//	PruneBeam,         what is on good or likely paths    order; probabilities        two path sums
//	PrunePosterior
//	ExpandWithin       PruneBeam of a lazy machine, made  order                       a search, O(m′)
//	                   as far as that takes
//	PruneArcs          no arcs of rejected weights        any                         O(n + m)
//
// [Equivalent] compares deterministic machines, [RandomlyEquivalent] any two,
// [Isomorphic] their form, [Equal] each of their parts; a [Sampler] draws random paths.
// A ring that lacks what is needed is an error that names it, and what may grow without
// bound has a limit (Options).
//
// An arc of a frozen machine takes 12 bytes and its weight; an acceptor that
// RemoveEpsilon or Determinize made has its labels once, and takes 8. While it lasts,
// Determinize keeps for every member of a set of states 12 bytes, the weight and its
// key, and about 40 for the set. Expand needs up to twice the memory of its result.
//
// Seconds of processor time and peak memory in megabytes beside OpenFst 1.7.9, on the
// same files, the answers being the same (go run ./internal/openfst FOLDER): edits between any words
// composed with the prefix tree of 50,000 words (13.7 million arcs); 40 noisy words
// with two edits at most, expanded, and with any, best first; 50,000 words that are
// written at their end, composed with 500 states that take 20 each; 50,000 words from
// the words one by one (453,876 arcs) to the minimal automaton (50,822 states and
// 96,528 arcs), and with a cost per word (52,205 and 99,109); ε-removal where 30 % of
// 400,000 arcs are ε, acyclic (57.8 million arcs result), and 20 % of 80,000, with
// ε-cycles; and the 100 best paths of a lattice of a million arcs:
//
//	                                     OpenFst          this package
//	Compose, Expand                      0.87 s   289 MB   0.39 s   500 MB
//	the same for 40 words, BestPath      0.07 s    34 MB   0.05 s    40 MB
//	Compose for 40 words, graph.Search   0.14 s    40 MB   0.10 s    36 MB
//	LookAhead, Compose, Expand           0.19 s   120 MB   0.13 s    66 MB
//	Determinize, Minimize                1.1 s    119 MB   0.32 s   141 MB
//	Determinize, Minimize, with costs    1.8 s    122 MB   0.35 s   140 MB
//	RemoveEpsilon, acyclic, Tropical     4.1 s    982 MB   2.8 s    993 MB
//	RemoveEpsilon, acyclic, Log          5.1 s    985 MB   3.6 s    987 MB
//	RemoveEpsilon, cyclic, Tropical      0.13 s    23 MB   0.03 s    22 MB
//	RemoveEpsilon, cyclic, Log           0.11 s    23 MB   0.04 s    21 MB
//	ShortestPaths                        0.31 s   143 MB   0.03 s   116 MB
//
// # Coming from OpenFst
//
// What its tools do, and Pynini's functions beside them, is here:
//
//	fstarcsort           ArcSortIn, ArcSortOut; no operation needs it
//	fstclosure           Star, Plus, Optional
//	fstcompile, fstprint fstio.ReadText, WriteText; FST.String for people
//	fstcompose           Compose, lazily; Expand freezes it
//	fstconcat, fstunion  Concat, Union
//	fstconnect           Connect
//	fstconvert, far…     fstio.ReadBinary, WriteBinary, ReadArchive, NewArchiveWriter
//	fstdeterminize       Determinize; DeterminizeBest for
//	                     --det_type=disambiguate, DeterminizeAll for nonfunctional;
//	                     ExpandWithin of Determinize for --weight
//	fstdifference        Difference, of which either machine may have ε and choices
//	fstdisambiguate      Disambiguate
//	fstdraw              fstio.WriteDOT
//	fstencode            Codec
//	fstepsnormalize      NormalizeEpsilon
//	fstequal             Equal
//	fstequivalent        Equivalent; RandomlyEquivalent for --random
//	fstinfo              FST.NumStates, NumArcs; Graph for the topology
//	fstintersect         Intersect
//	fstinvert            Invert
//	fstisomorphic        Isomorphic
//	fstmap               Map (to_log, to_std, times, power, rmweight); Quotient of
//	                     every state alone (arc_sum); Codec (quantize: see Options.Delta)
//	fstminimize          Minimize, also of machines with cycles; MergeBisimilar after
//	                     PushWeights for --allow_nondet
//	fstproject           ProjectIn, ProjectOut
//	fstprune             PruneBeam, PrunePosterior; PruneArcs for weights of arcs alone;
//	                     ExpandWithin for lazy machines
//	fstpush              PushWeights, PushLabels
//	fstrandgen           Sampler; of Uniform for --select=uniform
//	fstrelabel           Relabel, FST.WithSymbols
//	fstreplace           Replace; Calls for labels of calls and returns
//	fstreverse           Reverse
//	fstreweight          PushWeights; FST.WithWeights for potentials of one's own
//	fstrmepsilon         RemoveEpsilon
//	fstshortestdistance  graph.Forward, graph.Backward of FST.Graph
//	fstshortestpath      ShortestPaths; ShortestStrings for --unique
//	fstspecial           Match (σ, ρ, φ)
//	fstsynchronize       Synchronize
//	fsttopsort           TopSort
//	optimize             Optimize
//	string_map, _file    StringMap, fstio.ReadStringMap
//	rewrites, top_…,     Apply, an iterator: all, the first n, whether the second is as good
//	optimal_rewrites     as the best; Compose and Expand for rewrite_lattice
//	matches              Weight
//	cdrewrite, Thrax     packages rewrite and rx
//	grmcfapproximate     package cfg
//
// GALLERY.md beside this text draws what each operation makes of a small machine.
//
// # Provenance
//
// Which arcs a path of a result came from is a matter of weights: over the ring of
// expressions of semiring/expr, with a parameter for every arc of interest, the
// weight of every path says it.
package fst

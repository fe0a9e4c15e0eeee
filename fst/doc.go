// Package fst is about weighted finite-state transducers: machines that read a string on one
// tape, write one on another, and give the pair a weight. There are two phases: build with a
// [Builder], then use the frozen [FST]. Operations take machines and return machines, most of
// them made as they are asked for; [Expand] freezes one.
//
// The shortest useful program: what do the edits make of a string, best first?
//
//	letters := fst.RuneLabels("abc")
//	weights := fst.Edits[semiring.Cost]{Replace: 1, Delete: 1, Insert: 1}
//	edits, err := weights.Within(semiring.Tropical{}, letters, letters, 1)
//	…
//	for p, err := range fst.Apply(edits, fst.RuneLabels("cab"), 0) {
//		…
//		fmt.Println(string(p.Out), p.Weight)
//	}
//
// # Which function
//
//	to build a machine              OneState, FromArcs, Builder; FromString, FromPair, StringMap,
//	                                Edits, UTF8; packages fstio (files), rx (expressions),
//	                                rewrite (rules), cfg (grammars)
//	what it makes of a string       Apply, ApplyText; Weight for a pair of strings
//	one machine after another       Compose; LookAhead and Match for its operands
//	sets of strings                 Union, Intersect, Difference, Complement
//	strings one after the other     Concat, Star, Plus, Optional
//	other labels or weights         Invert, ProjectIn, ProjectOut, Relabel, Map
//	a smaller machine               Optimize, or one by one RemoveEpsilon, Determinize,
//	                                PushWeights, Minimize
//	the best paths or strings       ShortestPaths, ShortestStrings; graph.Search if lazy
//	what is likely or good          PruneBeam, PrunePosterior; ExpandWithin if lazy
//	sums, posteriors                package semiring/graph, of FST.Graph
//	are two machines the same       Equal, Isomorphic, Equivalent, RandomlyEquivalent
//	two paths for one string        Unambiguous; Disambiguate
//	random paths                    Sampler
//	millions of small machines      Arena
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
// # Frozen and lazy machines
//
// An [FST] is frozen: arrays that no one changes, shared freely by goroutines. [FST.Graph] is
// the part that path sums see. [FST.WithWeights], [FST.WithSemiring] and [Map] put other
// weights on the same arcs. A [Machine] is what frozen and lazy machines have in common; a
// lazy machine of one's own is one, and a [Finder] if it finds arcs by label.
//
// An operation is lazy if it can be: it takes Machines, and the Machine that it returns makes
// states and arcs as they are asked for. Errors on the way are found by [Err], and by Expand.
// Composed with a string, or searched for the best paths, such a machine is made in small
// part. Expand makes all of it, within a limit, and takes a shortcut where the operands are
// frozen. [Invert], [ProjectIn], [ProjectOut], [Relabel] and [Map] of a frozen machine are
// frozen at once.
//
// Operations that need the whole machine, such as [Minimize], [PushWeights], [Reverse] and
// [Connect], take and return an *FST. An [Arena] composes and expands in memory that it
// reuses.
//
// A ring, machine or function that is nil, or a nil pointer in an interface, is a mistake
// of the program: functions panic where it is given, with a message such as
// “fst: Invert: nil machine”.
//
// # Requirements and costs
//
// All of these keep the relation of their operand, unless the table says something else.
// With n states, m arcs, and m′ arcs of the result:
//
//	RemoveEpsilon      no arcs ε:ε; lazy          any ring without ε-cycles,  path sums over ε-arcs
//	                                              path sums with them         + O(m′)
//	NormalizeEpsilon   ε at the end on one tape   the same                    that of RemoveEpsilon
//	Determinize        one arc per label read;    division, keys; acceptors   O(m′ log m′), m′ may be
//	                   lazy                       and functional transducers  exponential
//	DeterminizeBest    an input's best output     the same, order             the same
//	DeterminizeAll     many outputs, at the end   division, keys              the same
//	Disambiguate       one path per string read   those of Determinize        state pairs + O(m′),
//	DisambiguateBest   the same, best output      the same, order             m′ may be exponential
//	PushWeights        weights early or late      division, path sums         a path sum + O(m)
//	PushLabels         output early or late       any                         labels moved
//	Minimize           fewest states of a         those of PushWeights, keys  a path sum + O(m), or
//	                   deterministic machine                                  O(m log m) with cycles
//	MergeBisimilar     one state for those that   keys                        near O(m log n) if few
//	                   go on alike; any machine                               arcs leave a state
//	Optimize           all of the above           all of these                all of these
//	Codec              labels, weights as labels  keys for weights            O(m)
//	Synchronize        in step; lazy              any                         O(m′ · delay)
//	Replace            arcs by machines; lazy     any                         O(m′)
//	TopSort, Renumber  another order of states    any                         O(n + m)
//	Intersect          both; lazy                 commutative                 that of Compose
//	Difference         not the other; lazy        any                         determinization + O(m′)
//	Complement         all other strings; lazy    any                         determinization + O(m′)
//	ShortestPaths      the n best paths           order                       O(m) + paths
//	ShortestStrings    the n best strings         order or probabilities      O(m) + prefixes
//	Apply              best outputs of a string   order or probabilities      Expand + prefixes
//	Weight             the weight of a pair       any                         Expand + a path sum
//	PruneBeam,         good or likely paths       order; probabilities        two path sums
//	PrunePosterior
//	ExpandWithin       PruneBeam if lazy          order                       a search, O(m′)
//	PruneArcs          without rejected weights   any                         O(n + m)
//
// A ring that lacks what is needed is an error that names it. What may grow without bound
// has a limit ([Options]).
//
// An arc of a frozen machine takes 12 bytes and its weight. An acceptor that RemoveEpsilon or
// Determinize made has its labels once, and takes 8. While it lasts, Determinize keeps for
// every member of a set of states 12 bytes, the weight and its key, and about 40 for the set.
// Expand needs up to twice the memory of its result. PERFORMANCE.md beside this text has
// measured times; GALLERY.md draws what each operation makes of a small machine.
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
//	fstdifference        Difference; either machine may have ε and choices
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
//	rewrites, top_…,     ApplyText, Apply, iterators: all, the first n, whether the second is
//	optimal_rewrites     as good as the best; Compose and Expand for rewrite_lattice
//	matches              Weight
//	cdrewrite, Thrax     packages rewrite and rx
//	grmcfapproximate     package cfg
//
// # Provenance
//
// Which arcs a path of a result came from is a matter of weights: over the ring of
// expressions of semiring/expr, with a parameter for every arc of interest, the
// weight of every path says it.
package fst

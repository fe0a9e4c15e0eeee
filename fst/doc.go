// Package fst is about weighted finite-state transducers: machines that read a string on one
// tape, write one on another, and give the pair a weight. There are two phases: build with a
// [Builder], then use the frozen [FST]. Operations take machines of any kind:
//
//	// Which three words are the likeliest, given what was typed?
//	best, err := fst.ShortestPaths(fst.Compose(words, typist), 3, nil)
//
// An operation is lazy or it computes. A lazy one, such as [Compose], returns a machine that is
// made as it is asked for. It has no error, so that expressions can be written. An operation
// that computes, such as [ShortestPaths], takes options last and returns a result and an error,
// also the error of a machine in the expression. [Expand] computes a machine itself, frozen.
//
// Which function for which question:
//
//   - build: [OneState], [FromArcs], [FromString], [StringMap], [Edits], [NewBuilder]; packages
//     fstio (files), rx (expressions), rewrite (rules), cfg (grammars)
//   - what becomes of a string: [Apply], [ApplyText], [BestText], [SampleText]; [Weight] of
//     a pair, [PathSum] of all
//   - what becomes of a string of which only weights of symbols are known: package soft
//   - one machine after another: [Compose]; [LookAhead] and [Match] for its operands
//   - sets of strings: [Union], [Intersect], [Difference], [Complement]; [Concat], [Star],
//     [Plus], [Optional]; [Replace] calls machines by arcs
//   - other labels or weights: [Invert], [FST.Inverse], [ProjectIn], [ProjectOut], [Relabel], [Map]
//   - a smaller machine: [Optimize], or step by step [RemoveEpsilon], [Determinize],
//     [PushWeights], [Minimize]
//   - the best: [ShortestPaths], [BestPaths], [ShortestStrings], [PruneBeam]; lazily
//     graph.Search and [ExpandWithin]; what is likely: [PrunePosterior], [Sampler]
//   - sums and posteriors: package semiring/graph, of [FST.Graph]
//   - are two the same: [Equal], [Isomorphic], [Equivalent], [RandomlyEquivalent]; has a string
//     two paths: [Unambiguous], [Disambiguate]
//   - millions of small machines: [Arena]
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
// An operation is lazy if it can be. Composed with a string, or searched for the best paths, its
// machine is made in small part. Expand makes all of it, within a limit, and takes a shortcut
// where the operands are frozen. [Invert], [ProjectIn], [ProjectOut], [Relabel] and [Map] of a
// frozen machine are frozen at once. Constructors such as [FromArcs] return a Machine, too,
// which is frozen unless it has failed.
//
// Operations that need the whole machine, such as [Minimize], [PushWeights], [Reverse] and
// [Connect], expand it first and return an *FST. For a frozen machine that costs nothing. An
// [Arena] composes and expands in memory that it reuses.
//
// # Errors
//
// If a lazy operation cannot be applied, it returns a machine that has failed: it has no states,
// and [Err] returns the error. An operation on a failed machine returns the same error again,
// and computes nothing. A lazy machine may also fail later, when states are made. Operations
// that compute return such errors; whoever reads a machine in another way asks Err at the end. A
// message names the operation, its operands and the cause, such as
// “fst: Compose(2 states and 1 arc, Star): machines do not fit together: …”. A package with lazy
// operations of its own returns a [Failed] machine.
//
// A ring, machine or function that is nil, or a nil pointer in an interface, is a mistake
// of the program: functions panic where it is given, with a message such as
// “fst: Invert: nil machine”.
//
// # Requirements and costs
//
// All operations keep the relation of their operand, unless their comment says something else.
// A ring that lacks what is needed is an error that names it. What may grow without bound
// has a limit ([Options]). PERFORMANCE.md beside this text has a table of what each operation
// wants of a ring and costs, and measured times; GALLERY.md draws what each makes of a small
// machine.
//
// An arc of a frozen machine takes 12 bytes and its weight. An acceptor that RemoveEpsilon or
// Determinize made has its labels once, and takes 8. While it lasts, Determinize keeps for
// every member of a set of states 12 bytes, the weight and its key, and about 40 for the set.
// Expand needs up to twice the memory of its result.
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
//	optimal_rewrites     as good as the best; BestText; Compose and Expand for rewrite_lattice
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

// Package fst implements weighted finite-state transducers: machines that read a string on one
// tape, write a string on another, and assign a weight to the pair. A machine is built once, then
// combined with others and queried. The weights belong to a ring of package semiring, here
// probabilities:
//
//	channel := fst.OneState(semiring.Real{}, 1, // a channel that loses one a in ten
//		fst.Arc[float64]{In: 'a', Out: 'a', Weight: .9},
//		fst.Arc[float64]{In: 'a', Out: fst.Epsilon, Weight: .1},
//		…
//	x := fst.FromString(semiring.Real{}, fst.RuneLabels("aab"))
//	y := fst.FromString(semiring.Real{}, fst.RuneLabels("ab"))
//	lattice, err := fst.Expand(fst.Compose(fst.Compose(x, channel), y), nil)
//	…
//	p, err := fst.PathSum(lattice, nil) // P(ab | aab), the sum over both ways to lose an a
//
// Functions by task:
//
//   - build: [OneState], [FromArcs], [FromString], [StringMap], [Edits], [NewBuilder]; packages
//     fstio (files), rx (expressions), rewrite (rules), cfg (grammars)
//   - rewrite a string: [Apply], [ApplyText], [BestText], [SampleText]; the weight of a pair of
//     strings is [Weight], of all pairs [PathSum]
//   - rewrite a string of uncertain symbols, given the weights of the symbols: package soft
//   - chain machines: [Compose]; [LookAhead] and [Match] for its operands
//   - sets of strings: [Union], [Intersect], [Difference], [Complement]; [Concat], [Star],
//     [Plus], [Optional]; [Replace] lets arcs call other machines
//   - change labels or weights: [Invert], [FST.Inverse], [ProjectIn], [ProjectOut], [Relabel],
//     [Map]
//   - a smaller machine: [Optimize], or step by step [RemoveEpsilon], [Determinize],
//     [PushWeights], [Minimize]
//   - find the best paths: [ShortestPaths], [BestPaths], [ShortestStrings], [PruneBeam]; lazily
//     graph.Search and [ExpandWithin]; likely paths: [PrunePosterior], [Sampler]
//   - sums and posteriors: package semiring/graph, applied to [FST.Graph]
//   - compare machines: [Equal], [Isomorphic], [Equivalent], [RandomlyEquivalent]; detect and
//     remove ambiguity: [Unambiguous], [Disambiguate]
//   - millions of small machines: [Arena]
//
// # Notation
//
// K is a semiring with ⊕, ⊗, 0̄, 1̄ and, where it exists, a* = 1̄ ⊕ a ⊕ a⊗a ⊕ ….
// A machine T has states Q, initial weights λ, final weights ρ and arcs
// (p, i:o/w, q): from state p to q, reading the label i and writing o, with weight
// w in K. Labels are numbers; 0 is ε, nothing read or written. A path multiplies
// λ ⊗ w₁ ⊗ … ⊗ wₙ ⊗ ρ, and ⟦T⟧(x, y) is the ⊕ over all paths that read x and write
// y. This function is the relation of T. An acceptor is a transducer whose arcs write the label
// that they read.
//
// # Frozen and lazy machines
//
// An operation is either lazy or eager. A lazy operation, such as [Compose], returns a machine
// that creates its states and arcs on demand. It returns no error, so calls can be nested in
// expressions. An eager operation, such as [ShortestPaths], takes options as its last argument
// and returns a result and an error. The error may come from a machine in the expression.
// [Expand] returns the frozen form of a machine.
//
// An [FST] is frozen: its arrays never change, so goroutines may share it freely. [FST.Graph]
// is the machine without labels, over which path sums are taken. [FST.WithWeights],
// [FST.WithSemiring] and [Map] put other weights on the same arcs. [Machine] is the interface
// of frozen and lazy machines. Your own lazy machine implements it, and [Finder] if it finds
// arcs by label.
//
// An operation is lazy if possible. If its machine is composed with a string, or searched for
// the best paths, only a small part is created. Expand creates all of it, within a limit, and
// takes a shortcut if the operands are frozen. [Invert], [ProjectIn], [ProjectOut], [Relabel]
// and [Map] of a frozen machine are frozen immediately. Constructors such as [FromArcs] also
// return a Machine, which is frozen unless construction failed.
//
// Operations that need the whole machine, such as [Minimize], [PushWeights], [Reverse] and
// [Connect], expand it first and return an *FST. For a frozen machine the expansion is free. An
// [Arena] composes and expands in memory that it reuses.
//
// # Errors
//
// If a lazy operation cannot be applied, it returns a failed machine: it has no states, and
// [Err] returns the error. An operation on a failed machine returns the same error and computes
// nothing. A lazy machine may also fail later, when states are created. Eager operations return
// such errors; code that reads a machine in another way must call Err at the end. A message
// names the operation, its operands and the cause, such as “fst: Compose(2 states and 1 arc,
// Star): machines do not fit together: …”. A package with its own lazy operations returns a
// [Failed] machine.
//
// A ring, machine or function that is nil, or a nil pointer in an interface, is a programming
// error: the function that receives it panics, with a message such as “fst: Invert: nil
// machine”.
//
// # Requirements and costs
//
// All operations keep the relation of their operand unless documented otherwise. If the ring
// lacks a required capability, the error names the capability. Results that may grow without
// bound have a limit ([Options]). PERFORMANCE.md in this directory lists requirements and costs
// of each operation, with measured times; GALLERY.md draws the result of each operation on a
// small machine.
//
// An arc of a frozen machine takes 12 bytes and its weight. An acceptor made by RemoveEpsilon
// or Determinize stores its labels once, and takes 8 bytes per arc and the weight. While it
// runs, Determinize keeps 12 bytes, the weight and its key for every member of a set of states,
// and about 40 bytes per set. Expand needs up to twice the memory of its result.
//
// # Coming from OpenFst
//
// Equivalents of the OpenFst tools, and of Pynini's functions:
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
//	fstreweight          PushWeights; FST.WithWeights for your own potentials
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
// Weights can record the arcs from which a path of a result came: over the ring of expressions
// of semiring/expr, with a parameter for every arc of interest, the weight of every path
// contains the parameters of its arcs.
package fst

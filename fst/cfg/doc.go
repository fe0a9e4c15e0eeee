// Package cfg has weighted context-free grammars as machines that may call each other. The
// idea: a grammar is a stage like any other. All its derivations of what a lattice reads are
// a forest, [Grammar.Parse]; and where a machine is wanted, calls of nonterminals are followed
// to a depth as they are, and below it the machine has either more strings than the grammar,
// or fewer.
//
//	// In how many ways can a + a + a be read? S → S + S | a.
//	const a, plus, S = 1, 2, 3
//	grammar, err := cfg.FromRules(semiring.Real{}, S, []int32{a, plus}, []cfg.Rule[float64]{
//		{Left: S, Right: []int32{S, plus, S}, Weight: 1}, {Left: S, Right: []int32{a}, Weight: 1}})
//	…
//	parses, err := grammar.Parse(fst.FromString(semiring.Real{}, sentence), nil)
//	…
//	fmt.Println(forest.TreeSum(parses.Forest)) // 2
//
// Which function for which question:
//
//   - a grammar of plain rules: [FromRules]; of machines that call each other: [New]; from a
//     text: Compiler.Network of package fst/rx
//   - all derivations of a string or lattice: [Grammar.Parse]; then package semiring/forest
//     says how probable they are, which is best, what is expected of them
//   - the tree that edges of this forest stand for: [Parses.Tree]; what it reads: [Parses.Words]
//   - a machine with all strings of the grammar, and others: [Grammar.Superset]
//   - a machine with some of its strings, and no others: [Grammar.Subset]
//   - are these machines exact: [Grammar.StronglyRegular]
//
// # Grammars
//
// A [Grammar] is a recursive transition network, as [fst.Replace] has them: for every
// nonterminal a machine of its right-hand sides, with arcs that write nonterminals for
// calls. Right-hand sides may be any regular sets, or relations; [FromRules] makes them
// of plain rules, and Compiler.Network of package fst/rx of definitions that refer to
// themselves, which is a text form of grammars.
//
// # What is exact, and what is not
//
// Nonterminals that derive each other are a component. A component is linear if all
// calls within it are the last thing that its right-hand sides do, or all are the first:
// a right-linear or left-linear grammar, which is regular. If all components are linear,
// the grammar is strongly regular, and the machines here have its strings and weights.
//
// In any other component calls may be nested without limit, and return to where they
// came from, for which no finite memory will do. [Grammar.Superset] follows calls up to
// a depth as they are; below it a call leads into the one copy that all calls share, and
// its end leads on behind any call of the same nonterminal: every derivation keeps its
// path and weight, and there are paths that are no derivations. Depth 0 is the
// transformation of Mohri and Nederhof. [Grammar.Subset] leaves out the derivations in
// which calls are nested deeper than that. With S → a S b | ε, Superset(0) has all of
// a*b*, Superset(2) that without ab², a²b and the like, and Subset(2) has ε, ab and
// a²b².
//
// # Weights
//
// The weight of a derivation is the product of those of its rules, in a commutative
// ring. Of the weight of a string, Subset has a part of the terms of the sum, and
// Superset all of them and others: in the tropical ring, a string costs at most as much
// in Superset, and at least as much in Subset, as its best derivation. Where sums are
// taken, what is no derivation adds up, too: probabilities of Superset sum to more than
// one, and may diverge (S → S S | a enters S again and again without reading), those of
// Subset sum to less. A probability distribution is had by dividing by the sum at each state
// (cascade.NormalizeStates), by training the machine, or by fst.PushWeights if the sum exists.
//
// # Sources
//
// Y. Bar-Hillel, M. Perles and E. Shamir, "On formal properties of simple phrase structure
// grammars" (1961), has the intersection with a regular set; J. Earley, "An efficient
// context-free parsing algorithm" (1970).
//
// M. Mohri and M.-J. Nederhof, "Regular approximation of context-free grammars through
// transformation" (2001); M.-J. Nederhof, "Practical experiments with regular
// approximation of context-free languages" (2000), which compares it with others, calls
// it the approximation by recursive transition networks, and has the depth.
package cfg

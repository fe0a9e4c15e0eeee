// Package cfg has weighted context-free grammars as machines that may call each other. The idea: a
// grammar is a stage like any other. [Grammar.Parse] returns the derivations of a lattice's strings
// as a forest. If a machine is needed, calls of nonterminals are followed exactly down to a depth;
// below it the machine accepts either more strings than the grammar, or fewer.
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
//     computes their probability, the best one and expectations
//   - the tree that edges of this forest stand for: [Parses.Tree]; its words: [Parses.Words]
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
// # Exact and approximate machines
//
// Nonterminals that derive each other are a component. A component is linear if all
// calls within it are the last thing that its right-hand sides do, or all are the first:
// a right-linear or left-linear grammar, which is regular. If all components are linear,
// the grammar is strongly regular, and the machines here have its strings and weights.
//
// In any other component calls may be nested without limit and return to their callers, which no
// finite memory can represent. [Grammar.Superset] follows calls exactly up to a depth. Below it,
// all calls share one copy of the component, whose end continues after any call of the same
// nonterminal: every derivation keeps its path and weight, but some paths are not derivations.
// Depth 0 is the transformation of Mohri and Nederhof. [Grammar.Subset] leaves out the derivations
// in which calls are nested deeper than that. With S → a S b | ε, Superset(0) has all of a*b*,
// Superset(2) that without ab², a²b and the like, and Subset(2) has ε, ab and a²b².
//
// # Weights
//
// The weight of a derivation is the product of the weights of its rules, in a commutative ring. The
// weight of a string is a sum over derivations: Subset has some of its terms, and Superset all of
// them and others. In the tropical ring, a string costs at most as much in Superset, and at least
// as much in Subset, as its best derivation. In rings that add, paths that are not derivations
// contribute to sums: probabilities of Superset sum to more than one, and may diverge (S → S S | a
// enters S again and again without reading). Probabilities of Subset sum to less than one. To get a
// probability distribution, divide by the sum at each state (cascade.NormalizeStates), train the
// machine, or use fst.PushWeights if the sum exists.
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

// Package rewrite compiles context-dependent rewrite rules into transducers.
//
// The idea: a rule φ → ψ / λ __ ρ rewrites φ as ψ where λ precedes it and ρ follows it: a t between
// vowels becomes a d, a schwa is inserted before a final r. φ, λ and ρ may be any regular sets and
// φ → ψ any weighted relation. The result is a weighted relation, too: the machine of all pairs of
// a string and an output of the rule. fst.Apply applies it to a string. Inverted, it undoes the
// rule; composed with other rules, it is a grammar of sounds or spellings.
//
//	// A t between vowels becomes a d.
//	vowel := fst.FromArcs(ring, map[int32]bool{1: true}, []fst.Arc[bool]{
//		{In: 'a', Out: 'a', To: 1, Weight: true}, {In: 'i', Out: 'i', To: 1, Weight: true}})
//	tToD := fst.FromPair(ring, fst.RuneLabels("t"), fst.RuneLabels("d"))
//	f, err := rewrite.Compile([]rewrite.Rule[bool]{{Change: tToD, Left: vowel, Right: vowel}},
//		&rewrite.Options[bool]{Alphabet: fst.RuneLabels("aitd")})
//	…
//	for out, err := range fst.ApplyText(f, "atitat", nil) {
//		fmt.Println(out.Text, err) // adidat
//	}
//
// Which function for which question:
//
//   - one rule, or several that compete at a place: [Compile]
//   - must it be applied, and from which end: Application and Direction of [Options]
//   - which of several matches is taken: Match of [Options]
//   - rules of a decision tree: [TreeRules]
//   - rules as expressions, such as t:d / [ai] __ [ai]: package rx
//
// # What a rule does
//
// A string is read from one end to the other. Where λ matches and φ ρ follows, φ is replaced by ψ,
// and reading continues after φ; elsewhere labels of the alphabet are copied. If several strings in
// φ match, or several rules of a list, each of them is an alternative with the weight of φ → ψ;
// with the Match Longest or Shortest only one φ and one rule apply at a position. With the
// Application Obligatory a label must not be copied where a rule matches; with Optional it may be,
// and a Coin weights both choices.
//
// A rule with an empty φ is an insertion. It consumes no input, so it does not compete with other
// changes. At each position one of the insertions is applied first, and then one of the changes
// that read a label, with the inserted labels in the output before it. The Match chooses among
// insertions and among changes separately, and a Coin is tossed for each of the two. So a → b, ε →
// x / a __ makes bxbx of aa, as in foma and HFST, and a* → x, longest match, makes xxxbx of ab:
// before a, for a, before b and at the end.
//
// So if each change is a conditional distribution, a list of rules with the Match Longest or
// Shortest, obligatory or with a coin, is a conditional distribution of outputs given the input.
//
// Contexts are matched against the string in its current form: from left to right, λ against the
// output and ρ against the input; from right to left, λ against the input and ρ against the output;
// at once, both against the input. So a → b / b __ rewrites baaa as bbbb from left to right, and as
// bbaa otherwise.
//
// # What is left out
//
// Contexts that are in the output on both sides, foma's \/, are not a Direction. They do not define
// the order of rewriting, only which outputs are consistent, and there may be several consistent
// outputs or none at all: with them, a → b / b __ b rewrites baab as both baab and bbbb, and a → b
// / b __ a has no output for baaa. So an obligatory rule would lose strings, and no list of such
// rules would be a conditional distribution.
//
// There is no undirected rewriting either, in which overlapping matches are chosen in all ways, as
// foma's and HFST's aba → x rewrites ababa as xba and abx. Each way would have the weight One, so
// the result would not be a distribution. An Optional rule at once makes all choices, including no
// change. If ψ completes no φ, the outputs that still contain a match can be removed by a
// composition: (aba):x /^sim^opt __ >> ~(.* aba .*) in package rx.
//
// # How it is compiled
//
// A change whose φ may be empty is split in two: its insertions, and the rest. A state consists of
// a subset of the states of λ, for the left context; the state of φ → ψ; the contexts ρ that were
// promised, with the states that each has reached; and the states of every φ ρ that began where no
// rule was applied, which must not be completed. For the longest match these are the φ ρ that began
// where the change did, and continue where it ends. A coin whose rule is not applied promises a φ
// ρ. Of several remembered states, those that imply another, such as counters of one repetition,
// are dropped. Strings contain no marks, and machines are not complemented. This replaces the
// cascade of five machines of Kaplan and Kay, "Regular models of phonological rule systems" (1994),
// and Mohri and Sproat, "An efficient compiler for weighted rewrite rules" (1996).
package rewrite

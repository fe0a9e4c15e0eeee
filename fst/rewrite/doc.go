// Package rewrite compiles context-dependent rewrite rules into transducers.
//
// The idea: a rule φ → ψ / λ __ ρ says that φ becomes ψ where λ comes before it and ρ
// after it: a t between vowels becomes a d, a schwa is put in before a final r. φ, λ and
// ρ may be any regular sets and φ → ψ any weighted relation, and so is the result: the
// machine of all pairs of a string and of what the rule makes of it. fst.Apply
// applies it to a string; inverted it undoes the rule, and composed with other rules it is
// a grammar of sounds or spellings.
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
// A string is read from one end to the other. Where λ matches and φ ρ follows, φ is
// replaced by ψ, and reading goes on after it; everywhere else a label of the
// alphabet is copied. If several strings in φ match, or several rules of a
// list, each of them is an alternative, and has the weight of φ → ψ; with the Match Longest
// or Shortest there is one φ at a place, and one rule. With the
// Application Obligatory a label must not be copied where a rule could be applied; with
// Optional it may be, and a Coin weighs both.
//
// A φ that is empty is an insertion. It reads nothing, so that it takes no other change's place: at
// each place the insertions come first, of which one is applied, and then the changes that read a
// label, with what was inserted in the output before them. The Match chooses among insertions and
// among changes, and a Coin is tossed for either. So a → b, ε → x / a __ makes bxbx of aa, as in
// foma and HFST, and a* → x, longest match, makes xxxbx of ab: before a, for a, before b
// and at the end.
//
// So a list of rules with the Match Longest or Shortest is a conditional distribution, of
// outputs given the input, if each change is one, obligatory or with a coin.
//
// The contexts are those that are there at the time: from left to right, λ is matched
// against the output and ρ against the input; from right to left, ρ against the output;
// and at once, both against the input. So a → b / b __ makes caaa of baaa either bbbb
// or bbaa.
//
// # What is left out
//
// Contexts that are in the output on both sides, foma's \/, are not a Direction. They do not say
// in which order a string is rewritten, but which outputs agree with themselves, and of these there
// may be several or none: with them, a → b / b __ b makes both baab and bbbb of baab, and
// a → b / b __ a makes nothing of baaa. So an obligatory rule would lose strings, and no list of
// such rules would be a conditional distribution.
//
// Nor is rewriting without a direction one, where matches that overlap are chosen in all ways, as
// foma's and HFST's aba → x makes xba and abx of ababa. Each way would have the weight One, so that
// this is no distribution either. An Optional rule at once makes all choices, also that of no
// change; where ψ completes no φ, those that leave a match are removed by a composition:
// (aba):x /^sim^opt __ >> ~(.* aba .*) in package rx.
//
// # How it is compiled
//
// A change whose φ may be empty is cut in two: its insertions, and the rest.
// A state is what has to be remembered: where the left context is, in a subset of the
// states of λ; where in φ → ψ the path is; which contexts ρ were promised and how far
// each has come; and for all places where no rule was applied, how far φ ρ has come,
// which must not be completed. For the longest match these are the φ ρ that began where
// the change did, and go on where it ends. A coin whose rule is not applied promises a
// φ ρ. Where several are remembered together, those that imply another are left
// out, as counters of one repetition do. No marks are put into strings, and nothing is
// complemented. This takes the place of the cascade of five machines of Kaplan and Kay, "Regular
// models of phonological rule systems" (1994), and Mohri and Sproat, "An efficient compiler for
// weighted rewrite rules" (1996).
package rewrite

// Package rx implements weighted and probabilistic regular expressions: a short notation for
// transducers with fixed or trainable weights. An [Expr] is an expression, made by [Parse] or by
// functions such as [Concat] and [ProbStar]. A [Compiler] compiles expressions into machines, and
// holds the definitions of the names in them.
//
//	// Each a becomes b at a cost of 1; each b stays.
//	compiler := rx.NewCompiler(semiring.Tropical{}, fst.NewSymbols("a", "b"))
//	f, err := compiler.Compile(rx.MustParse("(a:b<+1> | b)*"))
//	…
//	for out, err := range fst.ApplyText(f, "abba", nil) {
//		fmt.Println(out.Text, out.Weight, err) // bbbb 2
//	}
//
// Which function for which question:
//
//   - an expression from a text: [Parse], [MustParse]; [Expr.String] is the way back
//   - from parts: [Symbol], [Text], [OneOf], [Union], [Concat], [Star], [Repeat], [Cross],
//     [Compose], [Subtract], [Intersect], …; fewer states: [Minimal]
//   - exceptions before a rule: [Otherwise]; a less preferred alternative: [Weight] of a [Cost]
//   - probabilities, given or to be trained: [ProbUnion], [ProbStar], [Choice], [Coin]; the
//     compiler's field Groups supplies their values
//   - rewrite rules: [Rewrite]
//   - the same symbol in several positions, such as aa, bb, …: [Each]
//   - tokens that are read in full or not at all: [Tokens]
//   - definitions from a text: [Compiler.Load], [ParseDefinitions]; from files and string maps:
//     [Compiler.LoadFile], [ReadDefinitions]; one by one: [Compiler.Define],
//     [Compiler.DefineMachine], to which [Ref] and [Call] refer
//   - the alphabet of a text of definitions: [Alphabet]
//   - a machine: [Compiler.Compile]; back to an expression: [Compiler.Decompile]
//   - a context-free grammar: [Compiler.Network]
//
// TUTORIAL.md in this directory is a first grammar in eleven steps. MEANING.md defines the weights
// of each operator and the sizes of machines.
//
// # Syntax
//
// E and F are expressions, from the loosest to the tightest operator:
//
//	E >> F             composition: F reads what E writes
//	E / L __ R         rewrite rule: E where L comes before it and R after it
//	E / L __ R, F / __ rewrite rules, one of them applied at each position
//	E | F              union
//	E || F             E, and F for the strings that E does not read
//	E +_p F            probabilistic union: E with probability p, else F
//	E & F   E - F      strings of both; strings of E that are not in F
//	E F                concatenation
//	~E                 strings of the alphabet that are not in E
//	E* E+ E?           any number of times, at least once, at most once
//	E{2} E{2,} E{2,5}  twice, at least twice, two to five times
//	E*_p               probabilistic closure: with probability p once more, else stop
//	E^inv E^rev        tapes exchanged, strings reversed
//	E^in E^out         acceptors of the inputs and of the outputs of E
//	E^min              the same relation with fewer states
//	A:B                every string of A with every string of B
//	a                  the symbol a, read and written
//	'th' \* \u{3b5}    a symbol with any name
//	"two p.m."         these characters, one after the other
//	[a-z'th'] [^xy]    one of these symbols, one of the others
//	.                  one of the symbols of the alphabet; any symbol: see Other symbols
//	$                  in L, the beginning of the string; in R, its end
//	()                 the empty string, read and written
//	<p> <+2>           the same with weight p, with a cost of 2
//	{g: E | F | G}     one of several, with the probabilities of the group g
//	{g: x=E | y=F}     the same with names for the alternatives
//	<g.x>              the probability of the alternative x of g as a weight
//	@name              the expression defined as name
//	@name(E, F)        the same with E and F in place of its parameters
//	@"units.tsv"       the pairs of strings in a file
//	{@x in [a-z]: E}   E for each symbol: @x is the same symbol wherever it occurs in E
//	{* S, T: E}        E any number of times; no boundary is inside a run of S, or of T
//	(E)                E
//
// A character that is neither a blank nor ASCII punctuation is a symbol; blanks are ignored, and #
// begins a comment. Operands of : are atoms: texts need parentheses, as in (colour):(color), or
// quotes, as in "colour":"color". Write a blank between an operand of : and an adjacent symbol, as
// in a:s z, and parentheses around a weight that is repeated, as in .(<+1>)*. Otherwise a:sz and
// .<+1>* are errors, because a:(sz) or (.<+1>)* may be meant. A name consists of letters, digits
// and _, and does not begin with a digit.
//
// A missing context matches everywhere. The first / of a list may be followed by ^rtl, for rules
// that are applied from right to left, or ^sim, at all positions at once; ^opt, for rules that need
// not be applied, or ^opt_p, for rules that are applied with probability p where they match; and
// ^longest or ^shortest, for one match at a position: a:b /^rtl^opt_λ c __. Under ^opt_p the
// outputs of a string sum to 1 only if no two matches at one position compete: with ("to":"2" |
// "too":"3") /^opt_.5 __ the outputs of "too" sum to 1.5, because both match there with .5; with
// ^opt_.5^longest they sum to 1.
//
// A p is a number, 0.7, or the name of a coin, λ, for the probability of its heads; tails are
// written 1-λ in angle brackets and (1-λ) after + and *. A coin is a group of two alternatives,
// heads and tails. Groups with the same name are one group, wherever they occur: their parameters
// are tied, and they must have the same alternatives, in any order if these have names. Unnamed
// alternatives are numbered from 0. A group that occurs only in weights <g.x> has the alternatives
// named there.
//
// # Definitions
//
// A text of definitions has any number of these, each ended by a semicolon:
//
//	import "numbers.rx";    the definitions of another file
//	name = E;               @name stands for E, also in definitions before it
//	name(a, b) = E;         @name(F, G) stands for E with F in place of @a, G of @b
//	"units.tsv" = E;        the same for @"units.tsv"
//
// A file name is a path relative to the directory of the file that contains it, within the file
// system that is passed to LoadFile. All files share one name space. ReadDefinitions describes the
// format of a file of pairs of strings.
//
// A definition with parameters names a pattern that a grammar repeats: delete(x) = @x:(); list(x,
// comma) = @x (@comma @x)*; The parenthesis directly follows the name; after a blank it is the next
// part of a concatenation. An argument that is a rewrite rule needs parentheses of its own.
// Parameters hide definitions of the same name, but not the definitions that an argument names.
// Groups are tied: {g: @x | a} has the same probabilities for each argument.
//
// An argument replaces every occurrence of its parameter, and each occurrence may match another
// string: with twice(x) = @x @x, @twice([a-z]) is any two letters, and so is @twice(@letter). To
// repeat the same letter, use a variable: {@x in [a-z]: @x @x} is aa | bb | … | zz, and so is
// @doubled([a-z]) with doubled(set) = {@x in @set: @x @x}. The set after in is a class, a symbol,
// or the name of one; unions and differences of these need parentheses. E may be any expression,
// and is written out for each symbol, within the Limit of the Compiler. Such variables are like the
// agreement variables of SFST.
//
// {* [0-9], [a-z]: E} is a sequence of tokens E: at each boundary, the symbols read on both sides
// do not belong to the same set, and neither do the symbols written. So a run of digits is one
// token, read in full or not at all, and no output joins the words of two tokens.
//
// Recursive definitions have no machine, but Compiler.Network makes a recursive transition network
// of them: they are a text form of context-free grammars. A definition with parameters must not be
// recursive.
//
// # Other symbols
//
// If the alphabet contains the symbol fst.OtherName, it stands for all symbols that the alphabet
// does not name, as ? and @_IDENTITY_SYMBOL_@ do in foma and HFST. Then a dot is any symbol at all,
// [^ab] any but a and b, ~E any string that is not in E, and a rule copies unknown symbols. Load
// adds it if a definition names it, as other = '@_IDENTITY_SYMBOL_@'; does.
//
// Such a symbol is copied, as by a dot, or replaced, as by .:b and .:(). fst.ApplyText treats each
// character without a name as a symbol of its own: a dot and [^ab] read it, and where it is copied
// it is written unchanged. For labels instead of texts, fst.Match with Matching.Other does so.
// Expressions that would write such a symbol without reading it in the same position are errors:
// a:., .:. and (.:b)^inv, which write any symbol. So is a variable for one, as in {@x in .: @x @x}.
//
// Alphabets are not extended, as foma's are: combined expressions share one Compiler and its
// alphabet, and machines of several alphabets must be compiled again with a common one. Operations
// of package fst that move outputs to other arcs, such as Determinize of a transducer, PushLabels
// and Synchronize, destroy copies: the symbols that are read and written are no longer on one arc.
//
// # Coming from Pynini and Thrax
//
//	cross(a, b)             A:B; "a":"b" for texts
//	accep, escape           "text", \[; 'name' for a generated symbol [name]
//	string_map, string_file "a":"b" | …, @"pairs.tsv": both become trees
//	union, +, difference    E | F, E F, E - F
//	closure(n, m), ques     E{n,m}, E*, E+, E?
//	delete, insert          E:(), ():E
//	add_weight              <+2>
//	cdrewrite               E / L __ R; several of them, with a comma, are one machine
//	@, compose              >>
//	invert, project         ^inv, ^in, ^out
//	optimize                ^min
//	priority union          E || F
//	functions               name(a, b) = E;
//	union(*[f(x) for x …])  {@x in [a-z]: @f(@x)}
//	export, import          Compiler.Compile of a Ref; import "file.rx";
//	token_type byte, utf8   Alphabet, and fst.UTF8 between both
//	rewrite.rewrites, top   fst.ApplyText
//	pdt, mpdt               Compiler.Network, package fst/cfg
//
// # Sources
//
// Eisner 2002, "Parameter estimation for probabilistic finite-state transducers";
// Glushkov 1961 for the construction; Gerdemann and van Noord 1999, "Transducers from
// rewrite rules with backreferences", for the longest match.
package rx

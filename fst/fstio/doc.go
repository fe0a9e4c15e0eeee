// Package fstio reads and writes machines and tables of symbols in the text form
// of AT&T's and OpenFst's tools, over any ring whose weights have a text form.
//
// A line is an arc or a final state, in columns separated by spaces or tabs:
//
//	p q i o [w]   arc (p, i:o/w, q) of a transducer
//	p q i [w]     arc (p, i:i/w, q) of an acceptor
//	p [w]         final state p
//
// The state that the first line begins with is initial. A weight that is left out
// is One. Labels are numbers, or names where there is a table of symbols; 0 is ε.
// A table of symbols has a name and its label on every line. Blank lines do not
// count.
//
// In the notation of package fst, p and q are states in Q, i and o labels, w is a
// weight in K, and a machine is (Q, λ, ρ, arcs). The form has no λ: see WriteText
// for what becomes of several weighted initial states.
package fstio

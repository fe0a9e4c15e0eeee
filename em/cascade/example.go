package cascade

import (
	"fmt"
	"slices"

	"example.org/pathsum/em"
	"example.org/pathsum/em/internal/soft"
	"example.org/pathsum/em/internal/tapes"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/machines"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring/expr"
)

// Example is one observation (X, Y) of a pair of strings drawn from the model. Its sides may be
// only partly known. Its likelihood is the sum of ⟦f⟧(x, y) over x in X and y in Y.
//
// A machine that is conditional on its input (Conditional) does not model the probability of an
// input. If X is unknown, the likelihood adds up the conditional probabilities over all inputs.
// If outputs do not bound the length of the input, this objective has no maximum and rises until
// a sum diverges. Give X, or put a machine for it in front.
type Example struct {
	X, Y Side
	// Branches holds the observation at the end of each of Problem.Branches.
	Branches []Side
	// Tapes holds the observation on each tape of a Problem with Edges, which has no X and Y.
	// Tapes beyond its length are unobserved.
	Tapes []Side
	// Weight is the number of times that the example was observed, a finite number ≥ 0; the zero
	// value of the field means once. An example of weight 0, Times(0), is excluded from training
	// and need not have a derivation.
	Weight em.Multiplicity
	// Name identifies the example in errors and reports; if it is empty, the index does.
	Name string
}

// Side is the observation on one tape of an example: a string (Labels), a regular set (Set), the
// output of a recognizer (Soft), or, the zero value, unknown: Σ*. If a function such as Pattern
// fails, its side carries the error, and every use of the example returns it.
type Side struct {
	known tapes.Side
	err   error
}

// Labels returns the side of an observed string of labels, which must not contain fst.Epsilon.
// Without arguments it is the empty string. The slice is kept.
func Labels(labels ...int32) Side { return Side{known: tapes.Side{Labels: labels, String: true}} }

// Text returns the side of an observed string of characters, labelled by their code points, as in
// fst.RuneSymbols. Invalid UTF-8 becomes U+FFFD.
func Text(text string) Side { return Labels([]rune(text)...) }

// Set returns the side that is known to be a string of acceptor; a weight multiplies each
// string's probability. The weights must be of the problem's Space: see Constants. If acceptor
// has failed, Err of the side is its error.
func Set(acceptor Stage) Side {
	nonnil.Check("cascade: Set", "acceptor", acceptor)
	f, err := machines.Exprs.Expand(acceptor, nil)
	if err != nil {
		return Side{err: err}
	}
	return Side{known: tapes.Side{Set: f}}
}

// Intersect returns the side that satisfies both a and b, their intersection: weights of strings in
// it multiply, and it is empty if a and b are different strings. Sets have weights of the Space of
// p, in which the weights of a Soft side become constants. Err of the result is the error of a, of
// b, or of fst.Intersect.
func Intersect(p *em.Params, a, b Side) Side {
	nonnil.Check("cascade: Intersect", "parameters", p)
	switch {
	case a.err != nil || b.err == nil && b.Unknown():
		return a
	case b.err != nil || a.Unknown():
		return b
	case a.known.String && b.known.String && slices.Equal(a.known.Labels, b.known.Labels):
		return a
	}
	return Set(machines.Exprs.Intersect(acceptorOf(p, a), acceptorOf(p, b)))
}

// Err returns the error of a failed side, otherwise nil.
func (s Side) Err() error { return s.err }

// acceptorOf returns the acceptor of a side that is not absent.
func acceptorOf(p *em.Params, s Side) fst.Machine[expr.W] {
	switch {
	case s.known.Soft() != nil:
		f, err := soft.Acceptor(s.known.Soft(), p.Space(), fst.DefaultLimit)
		if err != nil {
			return fst.Failed[expr.W](p.Space(), nested.Errorf("cascade: a soft string: %w", err))
		}
		return f
	case s.known.Set != nil:
		return tapes.Acceptor(s.known.Set)
	}
	return machines.Exprs.FromString(p.Space(), s.known.Labels)
}

// Unknown reports whether the side is unknown, as the zero value is.
func (s Side) Unknown() bool { return s.err == nil && s.known.Absent() }

// Labels returns the labels of a string; false if the side is a set, a soft string, or absent.
func (s Side) Labels() ([]int32, bool) { return s.known.Labels, s.known.String }

// String returns the labels of a string, "a set of 3 states", "a soft string of 7 frames", or
// "anything".
func (s Side) String() string {
	switch {
	case s.err != nil:
		return s.err.Error()
	case s.known.Soft() != nil:
		return fmt.Sprintf("a soft string of %d frames", s.known.Soft().Emissions.Frames())
	case s.known.Set != nil:
		return fmt.Sprintf("a set of %d states", s.known.Set.NumStates())
	case s.known.String:
		return fmt.Sprint(s.known.Labels)
	}
	return "anything"
}

// Wildcards of a Pattern.
const (
	AnyLabel  int32 = -1 // one label of the alphabet
	AnyString int32 = -2 // any number of them
)

// Pattern returns the side of a partly observed string: some labels are wildcards for labels of
// the alphabet, as in a damaged inscription or the beginning of a word. A pattern may have one
// AnyString; with two, some strings would match in several ways and count several times.
//
// Err of the side wraps em.ErrInvalid for a label that is neither > 0 nor a wildcard, for an
// alphabet with a duplicate label or a label ≤ 0, and for a second AnyString.
func Pattern(p *em.Params, alphabet []int32, labels ...int32) Side {
	nonnil.Check("cascade: Pattern", "parameters", p)
	f, err := pattern(p, alphabet, labels)
	if err != nil {
		return Side{err: nested.Errorf("cascade: Pattern: %w", err)}
	}
	return Set(f)
}

func pattern(p *em.Params, alphabet, labels []int32) (*fst.FST[expr.W], error) {
	seen := map[int32]bool{}
	for _, l := range alphabet {
		if l <= fst.Epsilon || seen[l] {
			return nil, fmt.Errorf("%w: label %d in the alphabet of a pattern, want different labels > 0", em.ErrInvalid, l)
		}
		seen[l] = true
	}
	b := machines.Exprs.NewBuilder(p.Space())
	here := b.AddState()
	b.AddStart(here, expr.One)
	read := func(l, to int32) { b.AddArc(here, fst.Arc[expr.W]{In: l, Out: l, Weight: expr.One, To: to}) }
	strings := 0
	for i, l := range labels {
		if l == AnyString {
			if strings++; strings > 1 {
				return nil, fmt.Errorf("%w: position %d of a pattern is the second AnyString", em.ErrInvalid, i)
			}
			for _, a := range alphabet {
				read(a, here)
			}
			continue
		}
		if l != AnyLabel && l <= fst.Epsilon {
			return nil, fmt.Errorf("%w: label %d at position %d of a pattern", em.ErrInvalid, l, i)
		}
		next := b.AddState()
		if l == AnyLabel {
			for _, a := range alphabet {
				read(a, next)
			}
		} else {
			read(l, next)
		}
		here = next
	}
	b.SetFinal(here, expr.One)
	return b.Freeze()
}

// Hamming returns the acceptor of all strings over alphabet with the length of reference. Each
// label that differs from reference has the weight loss, a parameter of value 1 of p's Space. As
// an example's Y, it is the Hamming loss of a labeling. A label below 0 makes it a failed
// machine.
func Hamming(p *em.Params, loss expr.W, reference, alphabet []int32) Stage {
	nonnil.Check("cascade: Hamming", "parameters", p)
	k := p.Space()
	m := machines.Exprs.NewBuilder(k)
	s := m.AddState()
	m.AddStart(s, k.One())
	for _, right := range reference {
		next := m.AddState()
		for _, label := range alphabet {
			w := loss
			if label == right {
				w = k.One()
			}
			m.AddArc(s, fst.Arc[expr.W]{In: label, Out: label, Weight: w, To: next})
		}
		s = next
	}
	m.SetFinal(s, k.One())
	f, err := m.Freeze()
	if err != nil {
		return fst.Failed[expr.W](k, nested.Errorf("cascade: Hamming: %w", err))
	}
	return f
}

package fst

import (
	"cmp"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/internal/text"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// Apply returns an iterator over the strings that f makes of in, best first, each once:
// pairs of in, without ε, and the string, with the weight ⟦f⟧(in, out). There is none if
// f does not read in; there may be infinitely many.
//
//	for p, err := range fst.Apply(rule, fst.RuneLabels("baaa"), 0) {
//		if err != nil {
//			…
//		}
//		fmt.Println(string(p.Out), p.Weight)
//	}
//
// Where labels have names, a text becomes labels by f.InSymbols().Encode or EncodeRunes,
// and an output becomes a text by f.OutSymbols().Decode or DecodeRunes.
//
// What is best is for the ring to say. In a semiring.Ordered one it is the string with the
// best path, whose weight it has (see graph.UniqueBestPaths); strings that are equally good
// come one after the other, so that the first is the only best one if the weight of the
// second is another. In a ring of probabilities that ⊕ adds it is the most probable
// string, with the sum over its paths, which may be hard to find (see graph.BestSequences).
// Either way weights may step back by a rounding error. Any other ring has no order, and
// the error wraps semiring.ErrCapability; Compose and Expand serve it.
//
// The call composes in with f and expands the result; limit is Expand's, and also bounds the
// states that BestSequences keeps. ⊗ need not be commutative. f may be lazy: a composition
// remembers what it has made for the next string, and the limit counts all of that. Where
// f makes so much of in that it should not be expanded, as edits and a large lexicon do,
// graph.Search finds the best paths.
//
// The error is as for Expand, or one of the above, and the last element. It wraps
// semiring.ErrLimit if in leads to infinitely many states of f, and ErrSymbol if f does
// not read in, and its table of symbols lacks a label of in. Every range over the
// iterator starts anew; it may be used by several goroutines at once. Apply panics if
// a label is negative.
func Apply[W any](f Machine[W], in []int32, limit int) iter.Seq2[Path[W], error] {
	nonnil.Check("fst: Apply", "machine", f)
	return NewArena(f.Semiring()).Apply(f, in, limit)
}

// Apply is the function Apply, for one string after the other: it composes and expands in
// the memory of the Arena, and the iterator is valid until the next Reset.
func (a *Arena[W]) Apply(f Machine[W], in []int32, limit int) iter.Seq2[Path[W], error] {
	read := compact(slices.Clone(in))
	outputs, err := a.lattice(limit, a.String(read), f)
	if err == nil && !outputs.ends() {
		inSymbols, _ := symbolsOf(f)
		err = inSymbols.check(read)
	}
	return func(yield func(Path[W], error) bool) {
		if err != nil {
			yield(Path[W]{}, err)
			return
		}
		for s, err := range bestStrings(outputs, outputs.arcs.out, limit) {
			if err != nil {
				yield(Path[W]{}, nested.Errorf("fst: apply: %w", err))
				return
			}
			if !yield(Path[W]{read, s.Labels, s.Weight}, nil) {
				return
			}
		}
	}
}

// Written is a text that a machine writes, with its weight.
type Written[W any] struct {
	Text   string
	Weight W
}

// ApplyText is Apply for texts, from characters to characters: best first, each once.
//
//	for out, err := range fst.ApplyText(rule, "baaa", 0) {
//		if err != nil {
//			…
//		}
//		fmt.Println(out.Text, out.Weight)
//	}
//
// Where f has tables of symbols, a text is any string of names that it is in a row, and an
// output is its names in a row: with the names "a" and "<br>", the text "a<br>" is two labels.
// If there are names of several characters, a text may be several strings of names; its outputs
// then are those of all of them, and ⊕ adds what leads to the same text. Where f has no
// table, labels are code points. A machine of bytes is composed with UTF8.
//
// Errors are those of Apply. They also wrap ErrSymbol for a text that is not a string of names,
// or a label that has no name or is no character; and ErrInvalid for a NUL or invalid
// UTF-8.
func ApplyText[W any](f Machine[W], text string, limit int) iter.Seq2[Written[W], error] {
	nonnil.Check("fst: ApplyText", "machine", f)
	return func(yield func(Written[W], error) bool) {
		_, table := symbolsOf(f)
		outputs, err := NewArena(f.Semiring()).applied(f, text, limit)
		if err == nil && table.wide() {
			outputs, err = spelled(Connect(outputs))
			table = nil
		}
		if err != nil {
			yield(Written[W]{}, err)
			return
		}
		for s, err := range bestStrings(outputs, outputs.arcs.out, limit) {
			out := Written[W]{Weight: s.Weight}
			if err != nil {
				err = nested.Errorf("fst: apply: %w", err)
			} else {
				out.Text, err = table.DecodeRunes(s.Labels)
			}
			if !yield(out, err) || err != nil {
				return
			}
		}
	}
}

// applied returns what f makes of a text.
func (a *Arena[W]) applied(f Machine[W], text string, limit int) (*FST[W], error) {
	inSymbols, _ := symbolsOf(f)
	read, err := a.text(inSymbols, text)
	if err != nil {
		return nil, err
	}
	return a.lattice(limit, read, f)
}

// BestText returns the first text of ApplyText, with its weight.
//
//	spoken, err := fst.BestText(numbers, "42", 0)
//
// The error is that of ApplyText, or wraps graph.ErrNoPath if f makes nothing of text.
func BestText[W any](f Machine[W], text string, limit int) (Written[W], error) {
	nonnil.Check("fst: BestText", "machine", f)
	for out, err := range ApplyText(f, text, limit) {
		return out, err
	}
	return Written[W]{}, nothingFor(text)
}

// SampleText draws one of the texts that f writes for text: out with probability
// ⟦f⟧(text, out) / Σ ⟦f⟧(text, ·). The same random numbers give the same text.
//
//	noisy, err := fst.SampleText(typist, "cast", 0, src)
//
// The weights of f must be probabilities that ⊕ adds. Each call composes and expands, within
// the limit of Expand; to draw often from one machine, take a Sampler.
//
// Errors are those of NewSampler, among them graph.ErrNoPath if f makes nothing of text, and of
// ApplyText for texts, symbols and the limit.
func SampleText[W any](f Machine[W], text string, limit int, src rand.Source) (string, error) {
	nonnil.Check("fst: SampleText", "machine", f, "source of randomness", src)
	outputs, err := NewArena(f.Semiring()).applied(f, text, limit)
	if err != nil {
		return "", err
	}
	if !outputs.ends() {
		return "", nothingFor(text)
	}
	sampler, err := NewSampler(outputs)
	if err != nil {
		return "", nested.Errorf("fst: SampleText: %s: %w", quoted(text), err)
	}
	_, outSymbols := symbolsOf(f)
	return outSymbols.DecodeRunes(sampler.Sample(src).Out)
}

// nothingFor returns the error for a text that a machine does not read.
func nothingFor(s string) error {
	return fmt.Errorf("fst: nothing is written for %s: %w", quoted(s), graph.ErrNoPath)
}

func quoted(s string) string { return text.Quote(s) }

// Weight returns ⟦f⟧(in, out), the ⊕ over all paths that read in and write out: Zero if the
// pair is not in the relation. In an acceptor, the weight of a string is the weight of the pair
// of it and itself. Any ring will do. The error is as for Expand, with its limit, or for
// graph.PathSum; it wraps ErrSymbol if the pair is not in the relation and has a label that is
// not in f's table of symbols. Weight panics if a label is negative.
func Weight[W any](f Machine[W], in, out []int32, limit int) (W, error) {
	nonnil.Check("fst: Weight", "machine", f)
	return NewArena(f.Semiring()).Weight(f, in, out, limit)
}

// PathSum returns the ⊕ over all paths of f, those of all pairs of strings: a probability of all,
// the cost of the best one, whether there is any. Machines that are made as they are asked for
// are expanded, within the limit of Expand. The error is as for Expand or graph.PathSum.
func PathSum[W any](f Machine[W], limit int) (W, error) {
	nonnil.Check("fst: PathSum", "machine", f)
	frozen, err := Expand(f, limit)
	if err != nil {
		return *new(W), err
	}
	return graph.PathSum(frozen.Graph())
}

// Weight is the function Weight, in the memory of the Arena.
func (a *Arena[W]) Weight(f Machine[W], in, out []int32, limit int) (W, error) {
	paths, err := a.lattice(limit, a.String(in), f, a.String(out))
	if err == nil && !paths.ends() {
		inSymbols, outSymbols := symbolsOf(f)
		err = cmp.Or(inSymbols.check(in), outSymbols.check(out))
	}
	if err != nil {
		return *new(W), err
	}
	return graph.PathSum(paths.Graph())
}

// ends reports whether a state is final.
func (f *FST[W]) ends() bool {
	return slices.ContainsFunc(f.final, func(w W) bool { return !f.ring.IsZero(w) })
}

// lattice returns the frozen composition of machines. At most one of them has weights
// other than One, so that ⊗ need not be commutative.
func (a *Arena[W]) lattice(limit int, first Machine[W], more ...Machine[W]) (*FST[W], error) {
	for _, m := range more {
		c, err := a.compose(first, m)
		if err != nil {
			return nil, err
		}
		first = c
	}
	return a.Expand(first, limit)
}

// bestStrings returns an iterator over the strings of labels that f has, one per arc, best
// first. The limit is as for graph.BestSequences.
func bestStrings[W any](f *FST[W], labels []int32, limit int) iter.Seq2[graph.Sequence[W], error] {
	if _, ok := semiring.As[semiring.Ordered[W]](f.ring); !ok {
		return graph.BestSequences(f.Graph(), labels, &graph.SequenceOptions{MaxStates: max(limit, 0)})
	}
	return func(yield func(graph.Sequence[W], error) bool) {
		unique, err := graph.UniqueBestPaths(f.Graph(), labels)
		if err != nil {
			yield(graph.Sequence[W]{}, err)
			return
		}
		for s, p := range unique {
			if !yield(graph.Sequence[W]{Labels: s, Weight: p.Weight}, nil) {
				return
			}
		}
	}
}

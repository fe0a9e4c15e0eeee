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

// Apply returns an iterator over the strings that m makes of in, best first, each once:
// pairs of in, without ε, and the string, with the weight ⟦m⟧(in, out). There is none if
// m does not read in; there may be infinitely many.
//
//	for p, err := range fst.Apply(rule, fst.RuneLabels("baaa"), nil) {
//		if err != nil {
//			…
//		}
//		fmt.Println(string(p.Out), p.Weight)
//	}
//
// Where labels have names, a text becomes labels by m.InSymbols().Encode or EncodeRunes,
// and an output becomes a text by m.OutSymbols().Decode or DecodeRunes.
//
// What is best is for the ring to say. In a semiring.Ordered one it is the string with the
// best path, whose weight it has (see graph.UniqueBestPaths); strings that are equally good
// come one after the other, so that the first is the only best one if the weight of the
// second is another. In a ring of probabilities that ⊕ adds it is the most probable
// string, with the sum over its paths, which may be hard to find (see graph.BestSequences).
// Either way weights may step back by a rounding error. Any other ring has no order, and
// the error wraps semiring.ErrCapability; Compose and Expand serve it.
//
// The call composes in with m and expands the result; o.Limit is Expand's, and also bounds the
// states that BestSequences keeps. ⊗ need not be commutative. m may be lazy: a composition
// remembers what it has made for the next string, and the limit counts all of that. Where
// m makes so much of in that it should not be expanded, as edits and a large lexicon do,
// graph.Search finds the best paths.
//
// The error is as for Expand, or one of the above, and the last element. It wraps
// semiring.ErrLimit if in leads to infinitely many states of m, and ErrSymbol if m does
// not read in, and its table of symbols lacks a label of in. Every range over the
// iterator starts anew; it may be used by several goroutines at once. Apply panics if
// a label is negative.
func Apply[W any](m Machine[W], in []int32, o *Options) iter.Seq2[Path[W], error] {
	nonnil.Check("fst: Apply", "machine", m)
	return NewArena(m.Semiring()).Apply(m, in, o)
}

// Apply is the function Apply, for one string after the other: it composes and expands in
// the memory of the Arena, and the iterator is valid until the next Reset.
func (a *Arena[W]) Apply(m Machine[W], in []int32, o *Options) iter.Seq2[Path[W], error] {
	nonnil.Check("fst: Apply", "machine", m)
	read := compact(slices.Clone(in))
	outputs, err := a.lattice("Apply", o, a.String(read), m)
	if err == nil && !ends(outputs) {
		inSymbols, _ := symbolsOf(m)
		err = failure("Apply", inSymbols.check(read), m)
	}
	return func(yield func(Path[W], error) bool) {
		if err != nil {
			yield(Path[W]{}, err)
			return
		}
		for s, err := range bestStrings(outputs, outputs.arcs.out, o) {
			if err != nil {
				yield(Path[W]{}, failure("Apply", err, m))
				return
			}
			if !yield(Path[W]{In: read, Out: s.Labels, Weight: s.Weight}, nil) {
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
//	for out, err := range fst.ApplyText(rule, "baaa", nil) {
//		if err != nil {
//			…
//		}
//		fmt.Println(out.Text, out.Weight)
//	}
//
// Where m has tables of symbols, a text is any string of names that it is in a row, and an
// output is its names in a row: with the names "a" and "<br>", the text "a<br>" is two labels.
// If there are names of several characters, a text may be several strings of names; its outputs
// then are those of all of them, and ⊕ adds what leads to the same text. Where m has no
// table, labels are code points. A machine of bytes is composed with UTF8.
//
// If both tapes have one table and it has OtherName, a text that is no string of names may have
// characters without names. They are symbols then, which OtherName stands for: an arc that reads
// OtherName reads any of them, and writes the same one if it writes OtherName. This takes time in
// proportion to m and its table for each such text, and m is expanded if it is not frozen.
//
// Errors are those of Apply. They also wrap ErrSymbol for a text that is not a string of names,
// or a label that has no name or is no character; and ErrInvalid for a NUL or invalid
// UTF-8.
func ApplyText[W any](m Machine[W], text string, o *Options) iter.Seq2[Written[W], error] {
	nonnil.Check("fst: ApplyText", "machine", m)
	return texts("ApplyText", m, text, o)
}

// texts is ApplyText, for the operation op.
func texts[W any](op string, m Machine[W], text string, o *Options) iter.Seq2[Written[W], error] {
	return func(yield func(Written[W], error) bool) {
		var table *Symbols
		outputs, err := NewArena(m.Semiring()).applied(op, m, text, o)
		if err == nil {
			table = outputs.outSymbols
		}
		if table.wide() {
			outputs, err = spelled(connect(outputs))
			table, err = nil, failure(op, err, m)
		}
		if err != nil {
			yield(Written[W]{}, err)
			return
		}
		for s, err := range bestStrings(outputs, outputs.arcs.out, o) {
			out := Written[W]{Weight: s.Weight}
			if err == nil {
				out.Text, err = table.DecodeRunes(s.Labels)
			}
			if !yield(out, failure(op, err, m)) || err != nil {
				return
			}
		}
	}
}

// applied returns the lattice of what m makes of a text.
func (a *Arena[W]) applied(op string, m Machine[W], text string, o *Options) (*FST[W], error) {
	if err := Err(m); err != nil {
		return nil, err
	}
	knows, err := knowing(op, m, text)
	if err != nil {
		return nil, failure(op, err, m)
	}
	inSymbols, _ := symbolsOf(knows)
	read, err := a.text(inSymbols, text)
	if err != nil {
		return nil, failure(op, err, m)
	}
	return a.lattice(op, o, read, knows)
}

// BestText returns the first text of ApplyText, with its weight.
//
//	spoken, err := fst.BestText(numbers, "42", nil)
//
// The error is that of ApplyText, or wraps graph.ErrNoPath if m makes nothing of text.
func BestText[W any](m Machine[W], text string, o *Options) (Written[W], error) {
	nonnil.Check("fst: BestText", "machine", m)
	for out, err := range texts("BestText", m, text, o) {
		return out, err
	}
	return Written[W]{}, failure("BestText", nothingFor(text), m)
}

// SampleText draws one of the texts that m writes for text: out with probability
// ⟦m⟧(text, out) / Σ ⟦m⟧(text, ·). The same random numbers give the same text.
//
//	noisy, err := fst.SampleText(typist, "cast", src, nil)
//
// The weights of m must be probabilities that ⊕ adds. Each call composes and expands, within
// the limit of Expand; to draw often from one machine, take a Sampler.
//
// Errors are those of NewSampler, among them graph.ErrNoPath if m makes nothing of text, and of
// ApplyText for texts, symbols and the limit.
func SampleText[W any](m Machine[W], text string, src rand.Source, o *Options) (string, error) {
	nonnil.Check("fst: SampleText", "machine", m, "source of randomness", src)
	outputs, err := NewArena(m.Semiring()).applied("SampleText", m, text, o)
	if err != nil {
		return "", err
	}
	if !ends(outputs) {
		return "", failure("SampleText", nothingFor(text), m)
	}
	sampler, err := graph.NewSampler(outputs.Graph())
	if err != nil {
		return "", failure("SampleText", nested.Errorf("%s: %w", quoted(text), err), m)
	}
	out, err := outputs.outSymbols.DecodeRunes(pathOf(outputs, sampler.Sample(src)).Out)
	return out, failure("SampleText", err, m)
}

// nothingFor returns the error for a text that a machine does not read.
func nothingFor(s string) error {
	return fmt.Errorf("nothing is written for %s: %w", quoted(s), graph.ErrNoPath)
}

func quoted(s string) string { return text.Quote(s) }

// Weight returns ⟦m⟧(in, out), the ⊕ over all paths that read in and write out: Zero if the
// pair is not in the relation. In an acceptor, the weight of a string is the weight of the pair
// of it and itself. Any ring will do. The error is as for Expand, with its limit, or for
// graph.PathSum; it wraps ErrSymbol if the pair is not in the relation and has a label that is
// not in m's table of symbols. Weight panics if a label is negative.
func Weight[W any](m Machine[W], in, out []int32, o *Options) (W, error) {
	nonnil.Check("fst: Weight", "machine", m)
	return NewArena(m.Semiring()).Weight(m, in, out, o)
}

// PathSum returns the ⊕ over all paths of m, those of all pairs of strings: a probability of all,
// the cost of the best one, whether there is any. Machines that are made as they are asked for
// are expanded, within the limit of Expand. The error is as for Expand or graph.PathSum.
func PathSum[W any](m Machine[W], o *Options) (W, error) {
	f, err := opened("PathSum", m, o)
	if err != nil {
		return *new(W), err
	}
	sum, err := graph.PathSum(f.Graph())
	return sum, failure("PathSum", err, m)
}

// Weight is the function Weight, in the memory of the Arena.
func (a *Arena[W]) Weight(m Machine[W], in, out []int32, o *Options) (W, error) {
	nonnil.Check("fst: Weight", "machine", m)
	paths, err := a.lattice("Weight", o, a.String(in), m, a.String(out))
	if err != nil {
		return *new(W), err
	}
	if !ends(paths) {
		inSymbols, outSymbols := symbolsOf(m)
		if err := cmp.Or(inSymbols.check(in), outSymbols.check(out)); err != nil {
			return *new(W), failure("Weight", err, m)
		}
	}
	sum, err := graph.PathSum(paths.Graph())
	return sum, failure("Weight", err, m)
}

// ends reports whether a state is final.
func ends[W any](f *FST[W]) bool {
	return slices.ContainsFunc(f.final, func(w W) bool { return !f.ring.IsZero(w) })
}

// lattice returns the frozen composition of machines. At most one of them has weights
// other than One, so that ⊗ need not be commutative.
func (a *Arena[W]) lattice(op string, o *Options, first Machine[W], more ...Machine[W]) (*FST[W], error) {
	for _, m := range more {
		first = a.compose(op, first, m, nil)
	}
	f, err := a.expand(first, o)
	if err != nil {
		return nil, expansionFailure(op, err, first)
	}
	return f, nil
}

// bestStrings returns an iterator over the strings of labels that f has, one per arc, best
// first. The limit is as for graph.BestSequences.
func bestStrings[W any](f *FST[W], labels []int32, o *Options) iter.Seq2[graph.Sequence[W], error] {
	if _, ok := semiring.As[semiring.Ordered[W]](f.ring); !ok {
		return graph.BestSequences(f.Graph(), labels, &graph.SequenceOptions{MaxStates: o.given()})
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

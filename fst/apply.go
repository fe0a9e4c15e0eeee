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

// Apply returns an iterator over the output strings of m for the input in, best first, each
// once. Each element has In, the labels of in without ε, Out, the output string, and Weight,
// ⟦m⟧(in, out). The sequence is empty if m does not read in; it may be infinite.
//
//	for p, err := range fst.Apply(rule, fst.RuneLabels("baaa"), nil) {
//		if err != nil {
//			…
//		}
//		fmt.Println(string(p.Out), p.Weight)
//	}
//
// If labels have names, m.InSymbols().Encode or EncodeRunes converts a text to labels, and
// m.OutSymbols().Decode or DecodeRunes converts an output to a text.
//
// The ring defines the order. In a semiring.Ordered ring, the best string is the string with
// the best path, and has the weight of that path (see graph.UniqueBestPaths). Equally good
// strings follow each other, so the first is the only best one if the second has another
// weight. In a ring of probabilities that ⊕ adds, the best string is the most probable one. Its
// weight is the sum over its paths, and it may be hard to find (see graph.BestSequences). In
// both cases weights may be out of order by a rounding error. Any other ring has no order, and
// the error wraps semiring.ErrCapability; use Compose and Expand for it.
//
// The call composes in with m and expands the result; o.Limit bounds this expansion, and also
// the states that BestSequences keeps. ⊗ need not be commutative. m may be lazy: a composition
// keeps its states and arcs for the next string, and the limit counts all of them. If the
// composition is too large to expand, as with edits and a large lexicon, use graph.Search to
// find the best paths.
//
// An error, as for Expand or one of the above, is the last element. It wraps semiring.ErrLimit
// if in leads to infinitely many states of m. It wraps ErrSymbol if m does not read in and its
// symbol table lacks a label of in. Every range over the iterator restarts it; several
// goroutines may use it at once. Apply panics if a label is negative.
func Apply[W any](m Machine[W], in []int32, o *Options) iter.Seq2[Path[W], error] {
	nonnil.Check("fst: Apply", "machine", m)
	return NewArena(m.Semiring()).Apply(m, in, o)
}

// Apply is the function Apply for a series of strings: it composes and expands in the memory of
// the Arena, and the iterator is valid until the next Reset.
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

// WeightedText is a text that a machine writes, with its weight.
type WeightedText[W any] struct {
	Text   string
	Weight W
}

// ApplyText is Apply for texts: it maps characters to characters, best first, each text once.
//
//	for out, err := range fst.ApplyText(rule, "baaa", nil) {
//		if err != nil {
//			…
//		}
//		fmt.Println(out.Text, out.Weight)
//	}
//
// If m has symbol tables, ApplyText splits the text into a sequence of names, and joins the
// names of an output: with the names "a" and "<br>", the text "a<br>" is two labels. If there
// are names of several characters, a text may be split into names in several ways. ApplyText
// then returns the outputs of all of them, and ⊕ adds the weights of paths to the same text. If
// m has no table, labels are code points. To use a machine over bytes, compose it with UTF8.
//
// If both tapes have the same table and it contains OtherName, a text that cannot be split into
// names may have characters without names. OtherName then stands for these characters: an arc
// that reads OtherName reads any of them, and writes the same character if it writes OtherName.
// For each such text, this takes time proportional to m and its table, and m is expanded if it
// is not frozen.
//
// Errors are as for Apply. They also wrap ErrSymbol for a text that cannot be split into names,
// and for a label that has no name or is not a character; and ErrInvalid for a NUL or invalid
// UTF-8.
func ApplyText[W any](m Machine[W], text string, o *Options) iter.Seq2[WeightedText[W], error] {
	nonnil.Check("fst: ApplyText", "machine", m)
	return texts("ApplyText", m, text, o)
}

// texts is ApplyText, for the operation op.
func texts[W any](op string, m Machine[W], text string, o *Options) iter.Seq2[WeightedText[W], error] {
	return func(yield func(WeightedText[W], error) bool) {
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
			yield(WeightedText[W]{}, err)
			return
		}
		for s, err := range bestStrings(outputs, outputs.arcs.out, o) {
			out := WeightedText[W]{Weight: s.Weight}
			if err == nil {
				out.Text, err = table.DecodeRunes(s.Labels)
			}
			if !yield(out, failure(op, err, m)) || err != nil {
				return
			}
		}
	}
}

// applied returns the lattice of the paths of m that read a text.
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
// The error is as for ApplyText, or wraps graph.ErrNoPath if m has no output for text.
func BestText[W any](m Machine[W], text string, o *Options) (WeightedText[W], error) {
	nonnil.Check("fst: BestText", "machine", m)
	for out, err := range texts("BestText", m, text, o) {
		return out, err
	}
	return WeightedText[W]{}, failure("BestText", nothingFor(text), m)
}

// SampleText draws a text from the outputs of m for text: out with probability ⟦m⟧(text, out) /
// Σ ⟦m⟧(text, ·). The same random numbers give the same text.
//
//	noisy, err := fst.SampleText(typist, "cast", src, nil)
//
// The weights of m must be probabilities that ⊕ adds. Each call composes and expands, within
// the limit of Expand; to draw often from one machine, use a Sampler.
//
// Errors are as for NewSampler, including graph.ErrNoPath if m has no output for text, and as
// for ApplyText for texts, symbols and the limit.
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
	return fmt.Errorf("no output for %s: %w", quoted(s), graph.ErrNoPath)
}

func quoted(s string) string { return text.Quote(s) }

// Weight returns ⟦m⟧(in, out), the ⊕ over all paths that read in and write out: Zero if the
// pair is not in the relation. In an acceptor, the weight of a string x is ⟦m⟧(x, x). Any ring
// is allowed. The error is as for Expand, with its limit, or for graph.PathSum; it wraps
// ErrSymbol if the pair is not in the relation and has a label that is not in m's symbol table.
// Weight panics if a label is negative.
func Weight[W any](m Machine[W], in, out []int32, o *Options) (W, error) {
	nonnil.Check("fst: Weight", "machine", m)
	return NewArena(m.Semiring()).Weight(m, in, out, o)
}

// PathSum returns the ⊕ over all paths of m, for all pairs of strings: the total probability,
// the cost of the best path, or whether a path exists, depending on the ring. Lazy machines are
// expanded, within the limit of Expand. The error is as for Expand or graph.PathSum.
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

// bestStrings returns an iterator over the label strings of f, where labels has a label per
// arc, best first. The limit is as for graph.BestSequences.
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

package fst

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"example.org/pathsum/internal/named"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/internal/text"
	"example.org/pathsum/semiring"
)

// FromString returns the acceptor of a single string of labels: states 0 … n, an arc
// labels[i]:labels[i] from state i to i+1, all weights One. A label 0 is an arc ε:ε. It panics
// if a label is negative.
func FromString[W any](ring semiring.Semiring[W], labels []int32) *FST[W] {
	nonnil.Check("fst: FromString", "ring", ring)
	return FromPair(ring, labels, labels)
}

// FromPair returns the transducer of a single pair of strings in and out, aligned label by
// label: the shorter string is padded with ε. States, weights and panics are as for FromString.
func FromPair[W any](ring semiring.Semiring[W], in, out []int32) *FST[W] {
	nonnil.Check("fst: FromPair", "ring", ring)
	d := new(draft[W])
	stringDraft(d, ring, in, out)
	f, err := d.freeze(ring)
	if err != nil {
		panic(err.Error()) // 2³¹ labels
	}
	f.unit = true
	return f
}

// StringMap returns the machine of the given pairs of strings: a trie, whose paths are as for
// FromPair and share common prefixes. A path has its weight at its end, where the weights of
// equal pairs are added up. Labels 0 are omitted.
//
// Err wraps ErrInvalid for a negative label, or a weight that is not a number or is Zero. In
// many rings, a forgotten Weight is Zero. Err wraps semiring.ErrLimit for more than 2³¹−1
// states.
//
// For a lexicon, use pairs with one word on both tapes. States are in depth-first order, arcs
// are sorted by label. O(labels · log paths).
func StringMap[W any](ring semiring.Semiring[W], paths []Path[W]) Machine[W] {
	nonnil.Check("fst: StringMap", "ring", ring)
	return built("StringMap", ring, func() (*FST[W], error) { return stringMap(ring, paths) })
}

func stringMap[W any](ring semiring.Semiring[W], paths []Path[W]) (*FST[W], error) {
	strings := make([]aligned[W], len(paths))
	for i, p := range paths {
		strings[i] = aligned[W]{compact(p.In), compact(p.Out), p.Weight}
		if slices.ContainsFunc(p.In, negative) || slices.ContainsFunc(p.Out, negative) {
			return nil, fmt.Errorf("%w: path %d has a negative label", ErrInvalid, i)
		}
		if ring.IsZero(p.Weight) {
			return nil, fmt.Errorf("%w: path %d has the weight Zero, which usually means that the field Weight was not set", ErrInvalid, i)
		}
	}
	slices.SortStableFunc(strings, aligned[W].compare)
	b := NewBuilder(ring)
	at := []int32{b.AddState()} // the states along the last string
	b.AddStart(0, ring.One())
	var last aligned[W]
	for _, s := range strings {
		k := s.common(last)
		at = at[:k+1]
		for ; k < s.len(); k++ {
			in, out := s.label(k)
			to := b.AddState()
			b.AddArc(at[k], Arc[W]{In: in, Out: out, To: to, Weight: ring.One()})
			at = append(at, to)
		}
		b.SetFinal(at[k], ring.Plus(b.final[at[k]], s.weight))
		last = s
		if b.err != nil {
			break
		}
	}
	return b.Freeze()
}

func negative(label int32) bool { return label < 0 }

// aligned is a pair of strings, read label by label; the shorter one is padded with ε.
type aligned[W any] struct {
	in, out []int32
	weight  W
}

func (a aligned[W]) len() int { return max(len(a.in), len(a.out)) }

func (a aligned[W]) label(k int) (in, out int32) { return labelAt(a.in, k), labelAt(a.out, k) }

// common returns the length of the common prefix of a and b.
func (a aligned[W]) common(b aligned[W]) int {
	n := min(a.len(), b.len())
	for k := range n {
		ai, ao := a.label(k)
		bi, bo := b.label(k)
		if ai != bi || ao != bo {
			return k
		}
	}
	return n
}

func (a aligned[W]) compare(b aligned[W]) int {
	k := a.common(b)
	if k == a.len() || k == b.len() {
		return cmp.Compare(a.len(), b.len())
	}
	ai, ao := a.label(k)
	bi, bo := b.label(k)
	return cmp.Or(cmp.Compare(ai, bi), cmp.Compare(ao, bo))
}

// A text is converted to a string of labels in one of three ways: its characters (runes) or
// bytes are themselves labels, or its parts are names in a table of Symbols. In the first two,
// a NUL cannot be a label, because 0 is ε.

// RuneLabels returns the code points of the characters of text. Invalid UTF-8 becomes the
// character U+FFFD, as in a range over text.
func RuneLabels(text string) []int32 { return []rune(text) }

// ByteLabels returns the bytes of text.
func ByteLabels(text string) []int32 {
	labels := make([]int32, len(text))
	for i := range len(text) {
		labels[i] = int32(text[i])
	}
	return labels
}

// UTF8 returns the transducer from bytes to characters: it maps the bytes of every string of
// the given characters to their code points. To convert between bytes and characters, compose
// with it or with its Invert. Err wraps ErrInvalid for a NUL or a number that is not a code
// point. The transducer is deterministic in its bytes.
func UTF8[W any](ring semiring.Semiring[W], characters []rune) Machine[W] {
	nonnil.Check("fst: UTF8", "ring", ring)
	return built("UTF8", ring, func() (*FST[W], error) { return utf8Machine(ring, characters) })
}

func utf8Machine[W any](ring semiring.Semiring[W], characters []rune) (*FST[W], error) {
	b := NewBuilder(ring)
	root := b.AddState()
	b.AddStart(root, ring.One())
	b.SetFinal(root, ring.One())
	type edge struct {
		from int32
		by   byte
	}
	next := map[edge]int32{}
	for _, r := range characters {
		if r <= 0 || !utf8.ValidRune(r) {
			return nil, fmt.Errorf("%w: %U is not a character with a label", ErrInvalid, r)
		}
		bytes := utf8.AppendRune(nil, r)
		s, last := root, len(bytes)-1
		for _, by := range bytes[:last] {
			e := edge{s, by}
			to, ok := next[e]
			if !ok {
				to = b.AddState()
				next[e] = to
				b.AddArc(s, Arc[W]{In: int32(by), To: to, Weight: ring.One()})
			}
			s = to
		}
		e := edge{s, bytes[last]}
		if _, ok := next[e]; !ok { // characters may be repeated
			next[e] = root
			b.AddArc(s, Arc[W]{In: int32(bytes[last]), Out: r, To: root, Weight: ring.One()})
		}
	}
	return b.Freeze()
}

// Edits are the weights of the edits of a string: a label is kept, replaced by another,
// deleted, or inserted.
type Edits[W any] struct {
	Keep, Replace, Delete, Insert W
}

// Machine returns the transducer of any number of edits between strings over the labels in and
// strings over the labels out. It has one state, which is final, with
// (len(in)+1)·(len(out)+1)−1 arcs. With costs 0, 1, 1, 1 in the tropical ring, the best path of
// x ∘ Machine ∘ y costs the Levenshtein distance of x and y. Err wraps ErrInvalid for a label
// that is not positive or occurs twice on its tape.
func (e Edits[W]) Machine(ring semiring.Semiring[W], in, out []int32) Machine[W] {
	nonnil.Check("fst: Edits.Machine", "ring", ring)
	return built("Edits.Machine", ring, func() (*FST[W], error) { return e.machine(ring, in, out, nil) })
}

// Within returns the transducer of at most most edits, where keeping a label does not count as
// an edit: most+1 states, all final, each with the arcs of Machine. Composed after a string x,
// it is the Levenshtein automaton of x. Err is as for Machine, and wraps ErrInvalid if most is
// negative.
func (e Edits[W]) Within(ring semiring.Semiring[W], in, out []int32, most int) Machine[W] {
	nonnil.Check("fst: Edits.Within", "ring", ring)
	return built("Edits.Within", ring, func() (*FST[W], error) {
		if most < 0 {
			return nil, fmt.Errorf("%w: at most %d edits", ErrInvalid, most)
		}
		return e.machine(ring, in, out, &most)
	})
}

// machine returns a machine whose states count edits up to limit, or a single state if limit is
// nil.
func (e Edits[W]) machine(ring semiring.Semiring[W], in, out []int32, limit *int) (*FST[W], error) {
	if err := errorsOfAlphabets(in, out); err != nil {
		return nil, err
	}
	b := NewBuilder(ring)
	b.AllowZero() // an edit of weight Zero is excluded
	last, step := int32(0), int32(0)
	if limit != nil {
		last, step = int32(*limit), 1
	}
	b.AddStates(int(last) + 1)
	b.AddStart(0, ring.One())
	for s := range last + 1 {
		b.SetFinal(s, ring.One())
		edit := func(i, o int32, w W) {
			if s+step <= last {
				b.AddArc(s, Arc[W]{In: i, Out: o, To: s + step, Weight: w})
			}
		}
		for _, o := range out {
			edit(Epsilon, o, e.Insert)
		}
		for _, i := range in {
			edit(i, Epsilon, e.Delete)
			for _, o := range out {
				if i == o {
					b.AddArc(s, Arc[W]{In: i, Out: o, To: s, Weight: e.Keep})
				} else {
					edit(i, o, e.Replace)
				}
			}
		}
	}
	return b.Freeze()
}

func errorsOfAlphabets(tapes ...[]int32) error {
	for _, tape := range tapes {
		seen := map[int32]bool{}
		for _, l := range tape {
			switch {
			case l <= Epsilon:
				return fmt.Errorf("%w: label %d in the alphabet, want labels > 0", ErrInvalid, l)
			case seen[l]:
				return fmt.Errorf("%w: label %s occurs twice in the alphabet", ErrInvalid, named.Label(l))
			}
			seen[l] = true
		}
	}
	return nil
}

// EncodeRunes returns the labels of the characters of s, where each character must be a name;
// for a nil table, it returns their code points. It does not find names of several characters:
// use ApplyText and similar functions for them. The error wraps ErrSymbol if a character has no
// label, and ErrInvalid if s has a NUL or is not UTF-8.
func (t *Symbols) EncodeRunes(s string) ([]int32, error) {
	if err := checkText(s); err != nil {
		return nil, err
	}
	if t == nil {
		return RuneLabels(s), nil
	}
	labels := make([]int32, 0, utf8.RuneCountInString(s))
	for _, r := range s {
		label, ok := t.labels[string(r)]
		if !ok {
			hint := ""
			if t.widest > 1 {
				hint = "; for names of several characters, see ApplyText and Encode"
			}
			return nil, nested.Errorf("fst: %w: %q at position %d has no label%s", ErrSymbol, string(r), len(labels), hint)
		}
		labels = append(labels, label)
	}
	return labels, nil
}

func checkText(s string) error {
	if strings.ContainsRune(s, 0) || !utf8.ValidString(s) {
		return nested.Errorf("fst: %w: a text with a NUL or bytes that are not UTF-8", ErrInvalid)
	}
	return nil
}

// DecodeRunes returns the text of labels: their names, concatenated; for a nil table, the
// characters with these code points. ε is skipped. If all names have one character, EncodeRunes
// is the inverse. The error wraps ErrSymbol if a label has no name, or is not a code point.
func (t *Symbols) DecodeRunes(labels []int32) (string, error) {
	var text strings.Builder
	for i, label := range labels {
		switch name, ok := t.runes(label); {
		case label == Epsilon:
		case !ok && t == nil:
			return "", nested.Errorf("fst: %w: label %d at position %d is not a character", ErrSymbol, label, i)
		case !ok:
			return "", nested.Errorf("fst: %w: label %d at position %d has no name", ErrSymbol, label, i)
		default:
			text.WriteString(name)
		}
	}
	return text.String(), nil
}

// runes returns the text of a label.
func (t *Symbols) runes(label int32) (string, bool) {
	if t == nil {
		return string(label), utf8.ValidRune(label)
	}
	return t.Name(label)
}

// wide reports whether a name has several characters.
func (t *Symbols) wide() bool { return t != nil && t.widest > 1 }

// text returns the acceptor of the characters of a text or, if t has names of several
// characters, of all sequences of names whose concatenation is the text.
func (a *Arena[W]) text(t *Symbols, s string) (*FST[W], error) {
	if !t.wide() {
		labels, err := t.EncodeRunes(s)
		if err != nil {
			return nil, err
		}
		return a.String(labels), nil
	}
	if err := checkText(s); err != nil {
		return nil, err
	}
	var at []int // the offsets of characters, and of the end
	for i := range s {
		at = append(at, i)
	}
	at = append(at, len(s))
	b := NewBuilder(a.ring)
	b.AddStates(len(at))
	b.AddStart(0, a.ring.One())
	last := int32(len(at) - 1)
	b.SetFinal(last, a.ring.One())
	reached := make([]bool, len(at))
	reached[0] = true
	end := 0
	for i, from := range at {
		for j := i + 1; reached[i] && j < len(at) && j <= i+t.widest; j++ {
			if label, ok := t.labels[s[from:at[j]]]; ok && t.isText(label) {
				b.AddArc(int32(i), Arc[W]{In: label, Out: label, To: int32(j), Weight: a.ring.One()})
				reached[j] = true
				end = max(end, j)
			}
		}
	}
	if !reached[last] {
		return nil, nested.Errorf("fst: %w: %s at position %d has no label", ErrSymbol, text.Quote(s[at[end]:]), end)
	}
	f, err := b.Freeze()
	if err == nil {
		f.unit = true
	}
	return f, err
}

// spelled returns f with a code point as output for each character of output names, so that
// sequences of names with the same text become the same string. All states of f must lie on
// paths. The error wraps ErrSymbol for a label without a name.
func spelled[W any](f *FST[W]) (*FST[W], error) {
	b := NewBuilder(f.ring)
	b.AllowZero()
	b.AddStates(f.NumStates())
	for _, s := range f.starts {
		b.AddStart(s.State, s.Weight)
	}
	var all []Arc[W]
	for s := range int32(f.NumStates()) {
		b.SetFinal(s, f.final[s])
		all = f.AppendArcs(all[:0], s)
		for _, a := range all {
			name, err := f.outSymbols.DecodeRunes([]int32{a.Out})
			if err != nil {
				return nil, err
			}
			from, to := s, a.To
			characters := []rune(name)
			for len(characters) > 1 {
				next := b.AddState()
				b.AddArc(from, Arc[W]{In: a.In, Out: characters[0], To: next, Weight: a.Weight})
				from, a.In, a.Weight, characters = next, Epsilon, f.ring.One(), characters[1:]
			}
			a.Out, a.To = Epsilon, to
			if len(characters) > 0 {
				a.Out = characters[0]
			}
			b.AddArc(from, a)
		}
	}
	return b.Freeze()
}

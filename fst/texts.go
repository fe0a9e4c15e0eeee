package fst

import (
	"strings"
	"unicode/utf8"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/text"
)

// EncodeRunes returns the labels of the characters of s, each of them a name of
// one rune; of a nil table their code points. Names of several characters are not looked
// for: ApplyText and its like find them. The error wraps ErrSymbol if a character has no
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

// DecodeRunes returns the text of labels, which EncodeRunes undoes if names have one character:
// their names in a row; of a nil table the characters that they are. ε is nothing. The error
// wraps ErrSymbol if a label has no name, or is no character.
func (t *Symbols) DecodeRunes(labels []int32) (string, error) {
	var text strings.Builder
	for i, label := range labels {
		switch name, ok := t.runes(label); {
		case label == Epsilon:
		case !ok && t == nil:
			return "", nested.Errorf("fst: %w: label %d at position %d is no character", ErrSymbol, label, i)
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

// text returns the acceptor of a text: of its characters or, if t has names of several
// characters, of all strings of names that are it in a row.
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
	var at []int // where characters begin, and the end
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
			if label, ok := t.labels[s[from:at[j]]]; ok && label != Epsilon {
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

// spelled returns f with outputs of one code point for each character of their names, so that
// strings of names with the same text are one string. All states of f lie on paths. The error
// wraps ErrSymbol for a label without a name.
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

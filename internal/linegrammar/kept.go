package linegrammar

import (
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"example.org/pathsum/fst"
	"example.org/pathsum/fst/fstio"
)

// Keep writes the machine that is applied in the binary form of OpenFst, for Kept. The names of its
// output labels are the texts that they stand for.
func (g *Grammar) Keep(w io.Writer) error {
	names := fst.NewSymbols()
	for i, text := range g.texts.all {
		if err := names.Set(text, firstText+int32(i)); err != nil {
			return err
		}
	}
	return fstio.WriteBinary(w, g.running.WithSymbols(nil, names), nil)
}

// Kept reads a grammar that Keep wrote: it applies lines, and has no model that could be trained or
// explained.
func Kept(name string, r io.Reader) (*Grammar, error) {
	f, err := fstio.ReadBinary(r, tropical)
	if err != nil {
		return nil, err
	}
	g := &Grammar{Name: name, Alphabet: fst.NewSymbols(), texts: &texts{labels: map[string]int32{}}}
	for l, name := range f.OutSymbols().All() {
		if l >= firstText {
			g.texts.labels[name] = l
			g.texts.all = append(g.texts.all, name)
		}
	}
	if err := g.addCharacters(f.In()); err != nil {
		return nil, err
	}
	g.running, err = fst.ArcSortIn(f.WithSymbols(nil, nil), nil)
	return g, err
}

// addCharacters adds to the alphabet those of labels that are characters.
func (g *Grammar) addCharacters(labels []int32) error {
	all := slices.Clone(labels)
	slices.Sort(all)
	for _, l := range slices.Compact(all) {
		if _, known := g.Alphabet.Name(l); known || l >= raw {
			continue
		}
		if !utf8.ValidRune(l) {
			return fmt.Errorf("label %d, want a code point", l)
		}
		if err := g.Alphabet.Set(string(l), l); err != nil {
			return err
		}
	}
	return nil
}

package linegrammar

import (
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"example.org/pathsum/fst"
	"example.org/pathsum/fst/fstio"
)

// Keep writes the machine that Apply uses in OpenFst's binary format, for Kept. The names of
// its output labels are the texts that they encode.
func (g *Grammar) Keep(w io.Writer) error {
	names := fst.NewSymbols()
	for i, text := range g.texts.all {
		if err := names.Set(text, firstText+int32(i)); err != nil {
			return err
		}
	}
	return fstio.WriteBinary(w, g.running.WithSymbols(nil, names), nil)
}

// Kept reads a grammar that Keep wrote. It can be applied to lines, but has no model to train
// or explain.
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

// addCharacters adds the labels that are characters to the alphabet.
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

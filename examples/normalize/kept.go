package main

import (
	"compress/gzip"
	"context"
	"embed"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"example.org/pathsum/fst"
	"example.org/pathsum/fst/fstio"
	"example.org/pathsum/semiring"
)

// The machines of the grammars with their default probabilities are kept beside the program, in the
// binary form of OpenFst: what a line needs is there without compiling. A test makes them anew from
// the grammars and compares.
//
//go:generate go test . -run ^TestKept$ -update
//go:embed kept/*.fst.gz
var keptMachines embed.FS

// keptName is where the machine of a direction is.
func keptName(d direction) string { return "kept/" + d.String() + ".fst.gz" }

// keep writes the machine that is applied. The names of its output labels are the texts that they
// stand for.
func (g *grammar) keep(w io.Writer) error {
	names := fst.NewSymbols()
	for i, text := range g.texts.all {
		if err := names.Set(text, firstText+int32(i)); err != nil {
			return err
		}
	}
	return fstio.WriteBinary(w, g.running.WithSymbols(nil, names), nil)
}

// kept returns the grammar of a direction as it is kept: it applies lines, and has no model that
// could be trained or explained.
func kept(d direction) (*grammar, error) {
	f, err := readKept(d)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", keptName(d), err)
	}
	g := &grammar{direction: d, alphabet: fst.NewSymbols(), texts: &texts{labels: map[string]int32{}}}
	for l, name := range f.OutSymbols().All() {
		if l >= firstText {
			g.texts.labels[name] = l
			g.texts.all = append(g.texts.all, name)
		}
	}
	if err := g.addCharacters(f.In()); err != nil {
		return nil, err
	}
	if g.running, err = fst.ArcSortIn(f.WithSymbols(nil, nil), nil); err != nil {
		return nil, err
	}
	return g, nil
}

func readKept(d direction) (*fst.FST[semiring.Cost], error) {
	file, err := keptMachines.Open(keptName(d))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	z, err := gzip.NewReader(file)
	if err != nil {
		return nil, err
	}
	return fstio.ReadBinary(z, tropical)
}

// addCharacters adds to the alphabet those of labels that are characters.
func (g *grammar) addCharacters(labels []int32) error {
	all := slices.Clone(labels)
	slices.Sort(all)
	for _, l := range slices.Compact(all) {
		if _, known := g.alphabet.Name(l); known || l >= raw {
			continue
		}
		if !utf8.ValidRune(l) {
			return fmt.Errorf("label %d, want a code point", l)
		}
		if err := g.alphabet.Set(string(l), l); err != nil {
			return err
		}
	}
	return nil
}

// interruptible returns what do returns, or the error of the context as soon as that is done: do
// then goes on alone.
func interruptible[T any](ctx context.Context, do func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		v, err := do()
		done <- result{v, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

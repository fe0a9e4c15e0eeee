package main

import (
	"errors"
	"fmt"
	"io"
	"unicode"
	"unicode/utf8"

	"example.org/pathsum/fst"
	"example.org/pathsum/fst/fstio"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/internal/script"
	"example.org/pathsum/models/pairgram"
	"example.org/pathsum/semiring"
)

// exports are the flags that write a model for other tools.
const exports = "arpa openfst phonetisaurus"

// errExport says which models other tools can use.
var errExport = errors.New("-arpa, -openfst, -phonetisaurus: want a single joint model that reads forward")

// exported reports whether a model is to be written for other tools.
func (e *experiment) exported() bool {
	return e.arpa.Given() || e.openfst.Given() || e.phonetisaurus.Given()
}

// checkExports returns the error for models of these kinds that are to be written for others.
func (e *experiment) checkExports(kinds []kind) error {
	if e.exported() && (*e.classes != 1 || len(kinds) > 1 || len(kinds[0].directions) > 1 || kinds[0].directions[0] == backward) {
		return errExport
	}
	return nil
}

// machine makes a transducer of a model.
type machine func(m *pairgram.Model, ring semiring.Semiring[semiring.Cost], weight func(semiring.ScaledFloat) semiring.Cost, source, target *fst.Symbols) (*fst.FST[semiring.Cost], error)

// export writes the model for other tools, where that was asked for.
func (e *experiment) export(t *transcriber) error {
	if !e.exported() {
		return nil
	}
	m := t.models[0]
	if len(t.models) > 1 || len(t.conditionals) > 0 || m.Reversed() {
		return errExport
	}
	if e.arpa.Given() {
		err := e.arpa.Write(func(w io.Writer) error { return m.WriteARPA(w, t.symbols.word, t.symbols.target) })
		if err != nil {
			return err
		}
	}
	for _, x := range []struct {
		to   *program.Output
		make machine
	}{{e.openfst, pairgram.Machine[semiring.Cost]}, {e.phonetisaurus, pairgram.ClusterMachine[semiring.Cost]}} {
		if !x.to.Given() {
			continue
		}
		f, err := x.make(m, semiring.Tropical{}, nil, t.symbols.word, t.symbols.target)
		if err != nil {
			return err
		}
		if err := x.to.Write(func(w io.Writer) error { return fstio.WriteBinary(w, f, nil) }); err != nil {
			return err
		}
	}
	return nil
}

// arpaTranscriber reads a pair model in the form of ARPA. A side is cut at spaces if one of its
// symbols has several characters, and targets always are.
func arpaTranscriber(r io.Reader) (*transcriber, error) {
	s := symbols{fst.NewSymbols(), fst.NewSymbols()}
	m, err := pairgram.ReadARPA(r, "ARPA", s.word, s.target)
	if err != nil {
		return nil, fmt.Errorf("no models: %w", err)
	}
	c := columns{Target: script.Column{Spaced: true}}
	form := script.Composed
	for _, name := range names(s.word) {
		c.Word.Spaced = c.Word.Spaced || utf8.RuneCountInString(name) > 1 && name != "<unk>"
		if first, _ := utf8.DecodeRuneInString(name); unicode.Is(unicode.Mn, first) {
			form = script.AsIs // parts of characters are symbols: words are as they stand
		}
	}
	c.Word.Form = form
	return newTranscriber(c, s, nil, m)
}

package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/saved"
	"example.org/pathsum/models/pairgram"
)

// fileFormat is that of a file of models, which holds a head; the models follow.
const fileFormat saved.Format = "pathsum g2p 3"

// head is what a file of models begins with.
type head struct {
	Columns          columns
	WordNames, Names []string // of the symbols
	Models           int
	Classes          []float64 // probabilities; nil: there are none
	Conditional      bool      // in place of joint models
}

// save writes the models, for loadTranscriber.
func (t *transcriber) save(w io.Writer) error {
	h := head{t.columns, names(t.symbols.word), names(t.symbols.target), len(t.models), t.classes, len(t.conditionals) > 0}
	if err := fileFormat.Write(w, h); err != nil {
		return err
	}
	for i, m := range t.models {
		save := m.Save
		if h.Conditional {
			save = t.conditionals[i].Save
		}
		if err := save(w); err != nil {
			return err
		}
	}
	return nil
}

// loadTranscriber reads what save wrote, or a pair model in the form of ARPA.
func loadTranscriber(r io.Reader) (*transcriber, error) {
	b := bufio.NewReaderSize(r, 1<<16)
	if start, err := b.Peek(1 << 12); bytes.Contains(start, []byte("\\data\\")) && (err == nil || err == io.EOF) {
		return arpaTranscriber(b)
	}
	t, err := loadModels(b)
	if err != nil {
		return nil, fmt.Errorf("no models: %w", err)
	}
	return t, nil
}

func loadModels(r *bufio.Reader) (*transcriber, error) {
	var h head
	if err := fileFormat.Read(r, &h); err != nil {
		return nil, err
	}
	if n := len(h.Classes); n > 0 && h.Models%n != 0 {
		return nil, fmt.Errorf("%d models of %d classes", h.Models, n)
	}
	s := symbols{fst.NewSymbols(h.WordNames...), fst.NewSymbols(h.Names...)}
	if h.Conditional {
		var all []*pairgram.Conditional
		for range h.Models {
			c, err := pairgram.LoadConditional(r)
			if err != nil {
				return nil, err
			}
			all = append(all, c)
		}
		return conditionalTranscriber(h.Columns, s, all...)
	}
	var models []*pairgram.Model
	for range h.Models {
		m, err := pairgram.Load(r)
		if err != nil {
			return nil, err
		}
		models = append(models, m)
	}
	return newTranscriber(h.Columns, s, h.Classes, models...)
}

// names returns the names of all symbols but ε, in the order of their labels.
func names(s *fst.Symbols) []string {
	var all []string
	for label, name := range s.All() {
		if label != fst.Epsilon {
			all = append(all, name)
		}
	}
	return all
}

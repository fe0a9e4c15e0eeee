package main

import (
	"errors"
	"fmt"
	"io"

	"example.org/pathsum/internal/saved"
	"example.org/pathsum/internal/transliteration"
	"example.org/pathsum/models/channel"
	"example.org/pathsum/models/ngram"
)

// fileFormat is that of trained models: a head, and behind it the models as their packages save
// them. It is the format of examples/transliterate, whose files hold models of pairs.
const fileFormat saved.Format = "pathsum transliterate 4"

// head is what a file of models begins with. The table of romaji is that of the program.
type head struct {
	Letters, Kana transliteration.SavedColumn // Kana: of models of pairs
	Cascade       bool
	Conditional   bool                                 // of models of pairs
	Models        [len(transliteration.Directions)]int // of pairs
}

// save writes the cascade, for load.
func (c *cascadeSystem) save(w io.Writer) error {
	return fileFormat.WriteSeries(w, head{Letters: c.letters.Saved(), Cascade: true}, c.search, c.rank, c.channel)
}

// load reads a cascade, which answers as the one that was saved.
func load(r io.Reader) (*cascadeSystem, error) {
	r = saved.Series(r)
	var h head
	if err := fileFormat.Read(r, &h); err != nil {
		return nil, fmt.Errorf("no saved model: %w", err)
	}
	if !h.Cascade {
		return nil, errors.New("it is no cascade, but models of examples/transliterate")
	}
	t, err := loadTable()
	if err != nil {
		return nil, err
	}
	c := &cascadeSystem{letters: h.Letters.Column(), table: t}
	if c.search, err = ngram.Load(r); err != nil {
		return nil, err
	}
	if c.rank, err = ngram.Load(r); err != nil {
		return nil, err
	}
	if c.channel, err = channel.Load(r); err != nil {
		return nil, err
	}
	if err := c.addBackward(); err != nil {
		return nil, err
	}
	c.ways, err = c.transliterators(c.channel.Theta)
	return c, err
}

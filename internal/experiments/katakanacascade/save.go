package main

import (
	"fmt"
	"io"

	"example.org/pathsum/internal/saved"
	"example.org/pathsum/internal/transliteration"
	"example.org/pathsum/models/channel"
	"example.org/pathsum/models/ngram"
)

// fileFormat is the format of trained cascades: the table of letters, followed by the models in
// the formats of their packages. The table of romaji is fixed in the program.
const fileFormat saved.Format = "pathsum katakanacascade 1"

// save writes the cascade in the format that load reads.
func (c *cascadeSystem) save(w io.Writer) error {
	return fileFormat.WriteSeries(w, c.letters.Saved(), c.search, c.rank, c.channel)
}

// load reads a cascade, which answers like the saved one.
func load(r io.Reader) (*cascadeSystem, error) {
	r = saved.Series(r)
	var letters transliteration.SavedColumn
	if err := fileFormat.Read(r, &letters); err != nil {
		return nil, fmt.Errorf("no saved model: %w", err)
	}
	t, err := loadTable()
	if err != nil {
		return nil, err
	}
	c := &cascadeSystem{letters: letters.Column(), table: t}
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

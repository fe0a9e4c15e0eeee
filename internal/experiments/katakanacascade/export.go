package main

import (
	"io"

	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/fst/fstio"
	"example.org/pathsum/semiring"
)

// tropical is the ring of exported machines, whose weights are costs, −ln p.
var tropical = semiring.Tropical{}

// export writes the machines of the cascade as an archive of OpenFst: channel, from letters to
// romaji, letters, their n-gram model for the search, and table, from romaji to katakana. Each
// has its tables of symbols. A space is called <space>, because the text format of tables
// requires it.
func (c *cascadeSystem) export(w io.Writer) error {
	a, err := fstio.NewArchiveWriter[semiring.Cost](w, fstio.Table, nil)
	if err != nil {
		return err
	}
	letters, romaji, kana := spaceless(c.letters.Symbols), spaceless(c.table.romaji), spaceless(c.table.kana)
	for _, m := range []struct {
		key     string
		machine cascade.Stage
		in, out *fst.Symbols
	}{
		{"channel", c.channel.Stages[0], letters, romaji},
		{"letters", c.backward.Stages[0], letters, letters},
		{"table", c.channel.Stages[1], romaji, kana},
	} {
		f, err := cascade.Instantiate(c.channel.Params, m.machine, c.channel.Theta, tropical)
		if err != nil {
			return err
		}
		if f, err = fst.Connect(f, nil); err != nil {
			return err
		}
		if f, err = fst.ArcSortIn(f, nil); err != nil {
			return err
		}
		if err := a.Add(m.key, f.WithSymbols(m.in, m.out)); err != nil {
			return err
		}
	}
	return a.Close()
}

// spaceless returns symbols whose names have no space.
func spaceless(s *fst.Symbols) *fst.Symbols {
	all := fst.NewSymbols()
	for label, name := range s.All() {
		if name == " " {
			name = "<space>"
		}
		if label != fst.Epsilon {
			all.Add(name)
		}
	}
	return all
}

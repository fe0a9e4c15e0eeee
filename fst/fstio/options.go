package fstio

import "example.org/pathsum/fst"

// Form tells how many columns of labels the text has.
type Form int

const (
	// Transducer is the form with an input and an output label on every arc.
	Transducer Form = iota
	// Acceptor is the form with one label on every arc, both read and written.
	Acceptor
)

// Options say what the text of a machine looks like; nil stands for the zero
// value, a Transducer.
type Options struct {
	Form Form
	// In and Out are the names of labels. For reading, nil means that labels are
	// numbers; for writing, that the machine's own tables are used, and numbers
	// if it has none. An Acceptor uses In for both.
	In, Out *fst.Symbols
}

// resolved returns what o stands for.
func (o *Options) resolved() Options {
	if o == nil {
		return Options{}
	}
	r := *o
	if r.Form == Acceptor {
		r.Out = r.In
	}
	return r
}

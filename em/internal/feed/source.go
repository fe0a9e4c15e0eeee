// Package feed reads examples that do not fit in memory, once in each pass over them.
//
// A Source defines their origin: lines of files, or a sequence. In a pass one goroutine at a
// time reads, and each makes the examples of its own lines.
package feed

import (
	"errors"
	"io"
	"iter"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/text"
)

// Source is the origin of examples of type X. It yields the same examples each time.
type Source[X any] struct {
	sequence iter.Seq2[X, error] // nil: examples come from files
	files    []string
	example  func(file string, l text.Line, room *Room) (X, error)
}

// Sequence returns the source of the elements of a sequence.
func Sequence[X any](of iter.Seq2[X, error]) *Source[X] { return &Source[X]{sequence: of} }

// Lines returns the source that yields an example for each line of the files, one file after
// the other. Several goroutines call example at once. room, if not nil, has storage for labels.
func Lines[X any](files []string, example func(file string, l text.Line, room *Room) (X, error)) *Source[X] {
	return &Source[X]{files: files, example: example}
}

// Map returns the source that applies change to each example.
func (s *Source[X]) Map(change func(X) X) *Source[X] {
	if s.sequence != nil {
		return Sequence(func(yield func(X, error) bool) {
			for x, err := range s.sequence {
				if !yield(change(x), err) {
					return
				}
			}
		})
	}
	return Lines(s.files, func(file string, l text.Line, room *Room) (X, error) {
		x, err := s.example(file, l, room)
		return change(x), err
	})
}

// All returns the examples in their order. The first error ends the sequence.
func (s *Source[X]) All() iter.Seq2[X, error] {
	if s.sequence != nil {
		return s.sequence
	}
	const atOnce = 1 << 10
	return func(yield func(X, error) bool) {
		r := s.reader()
		defer r.close()
		for p := (Portion[X]{source: s}); ; p.clear() {
			r.read(&p, atOnce)
			for x, err := range p.all() {
				if err == errEnd || !yield(*x, err) || err != nil {
					return
				}
			}
		}
	}
}

// Room holds the labels of the examples of a portion.
type Room struct{ labels []int32 }

// Take returns n zeros for the exclusive use of the caller until the portion is used again.
func (r *Room) Take(n int) []int32 {
	if cap(r.labels)-len(r.labels) < n {
		r.labels = make([]int32, 0, max(2*cap(r.labels), n, 1<<12)) // old slices keep their storage
	}
	from := len(r.labels)
	r.labels = r.labels[:from+n]
	taken := r.labels[from : from+n : from+n]
	clear(taken)
	return taken
}

// Portion is a sequence of examples, stored either as examples or as lines from which they are
// made. Its zero value is empty.
type Portion[X any] struct {
	examples []X
	source   *Source[X]
	lines    []text.Block
	room     *Room // nil: labels are not stored in the portion
	err      error // the reason why there are no more examples
}

// errEnd marks the end of the data.
var errEnd = errors.New("the end of the data")

// clear empties p and keeps its storage.
func (p *Portion[X]) clear() { p.examples, p.lines, p.err = p.examples[:0], p.lines[:0], nil }

// block returns an empty block at the end of the lines.
func (p *Portion[X]) block() *text.Block {
	if n := len(p.lines); n < cap(p.lines) {
		p.lines = p.lines[:n+1]
		p.lines[n].Reset()
	} else {
		p.lines = append(p.lines, text.Block{})
	}
	return &p.lines[len(p.lines)-1]
}

// all returns the examples, each valid until the next one, and, at the end, p.err if it is not
// nil. Examples made from lines share their storage.
func (p *Portion[X]) all() iter.Seq2[*X, error] {
	return func(yield func(*X, error) bool) {
		for i := range p.examples {
			if !yield(&p.examples[i], nil) {
				return
			}
		}
		var x X // shared by all lines, to avoid an allocation for each
		for i := range p.lines {
			for l := range p.lines[i].Lines() {
				var err error
				x, err = p.source.example(p.lines[i].File(), l, p.room)
				if !yield(&x, err) || err != nil {
					return
				}
			}
		}
		if p.err != nil {
			yield(new(X), p.err)
		}
	}
}

// reader reads a source from its beginning.
type reader[X any] interface {
	// read sets p to the next n examples. If there are fewer, p.err is the reason, such as errEnd.
	read(p *Portion[X], n int)
	close()
}

func (s *Source[X]) reader() reader[X] {
	if s.sequence == nil {
		return &lineReader[X]{source: s, files: s.files}
	}
	next, stop := iter.Pull2(s.sequence)
	return sequenceReader[X]{next, stop}
}

// sequenceReader reads a sequence.
type sequenceReader[X any] struct {
	next func() (X, error, bool)
	stop func()
}

func (r sequenceReader[X]) close() { r.stop() }

func (r sequenceReader[X]) read(p *Portion[X], n int) {
	p.clear()
	for len(p.examples) < n {
		x, err, ok := r.next()
		if !ok {
			err = errEnd
		}
		if p.err = err; err != nil {
			return
		}
		p.examples = append(p.examples, x)
	}
}

// lineReader reads the lines of files.
type lineReader[X any] struct {
	source *Source[X]
	files  []string         // not yet opened
	file   io.Closer        // nil: no file is open
	lines  text.BlockReader // of the file
}

func (r *lineReader[X]) read(p *Portion[X], n int) {
	p.clear()
	p.source = r.source
	var b *text.Block
	for n > 0 {
		if r.file == nil {
			if p.err = r.open(); p.err != nil {
				return
			}
			b = nil
		}
		if b == nil {
			b = p.block()
		}
		before := b.Len()
		err := r.lines.Append(b, n)
		switch {
		case err == io.EOF:
			r.close()
		case err != nil:
			p.err = nested.Errorf("cascade: %w", err)
			return
		}
		n -= b.Len() - before
	}
}

// open opens the next file. It returns errEnd if there are no more files.
func (r *lineReader[X]) open() error {
	if len(r.files) == 0 {
		return errEnd
	}
	name := r.files[0]
	if name == text.Stdin {
		return nested.Errorf("cascade: standard input can be read only once, examples are read in each iteration")
	}
	file, err := text.Open(name)
	if err != nil {
		return nested.Errorf("cascade: %w", err)
	}
	r.files, r.file = r.files[1:], file
	r.lines.Reset(file, name)
	return nil
}

func (r *lineReader[X]) close() {
	if r.file != nil {
		r.file.Close()
		r.file = nil
	}
}

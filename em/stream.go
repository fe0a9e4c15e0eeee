package em

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"sync"

	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/internal/tsv"
)

// Line is a line of a text.
type Line struct {
	File   string
	Number int    // from 1
	Text   string // without its end; it shares storage with lines near it

	room *labelRoom // of the shard
}

// Labels returns n zeros for the labels of the line's example. They cost less than those of
// make, as the same storage serves one shard after another. It is for the example alone, and
// for none but the call that the line was passed to.
func (l Line) Labels(n int) []int32 {
	if l.room == nil {
		return make([]int32, n)
	}
	return l.room.take(n)
}

// labelRoom holds the labels of the examples of a shard.
type labelRoom struct{ labels []int32 }

func (r *labelRoom) take(n int) []int32 {
	if cap(r.labels)-len(r.labels) < n {
		r.labels = make([]int32, 0, max(2*cap(r.labels), n, 1<<12)) // others keep what they have
	}
	from := len(r.labels)
	r.labels = r.labels[:from+n]
	taken := r.labels[from : from+n : from+n]
	clear(taken)
	return taken
}

// Text is text files of which each line is an example, for Data.Text. They are read one after
// the other, as they are needed and never held as a whole, so that data may be larger than
// memory, in one file or in many. The workers of an E step make the examples of the lines that
// they need.
//
// A file whose name ends in .gz is decompressed as it is read. Text is UTF-8; a byte order
// mark at the beginning of a file and a carriage return before a line feed are ignored, and
// the last line may lack its line feed. Examples are numbered over all files: an Example.Name
// says more in messages.
//
// What is wrong is an error that says in which file and line it is. It wraps that of Example,
// the system's, or ErrInvalid for what is no UTF-8 or longer than 1 MiB, the longest line.
// Standard input cannot be read twice: the name "-" is an error.
type Text struct {
	Files []string
	// Example makes an example of a line, the same one each time. Several goroutines call
	// it at once.
	Example func(Line) (Example, error)
}

// Lines returns the examples of a Text in their order, for Data.Stream if they are to be
// changed on the way, or if example must be called by one goroutine at a time. The first
// error ends the sequence.
func Lines(files []string, example func(Line) (Example, error)) iter.Seq2[Example, error] {
	nonnil.Check("em: Lines", "function of a line", example)
	const atOnce = 1 << 10
	t := &Text{files, example}
	return func(yield func(Example, error) bool) {
		r := t.reader()
		defer r.close()
		for p := (portion{text: t}); ; p.clear() {
			r.read(&p, atOnce)
			for x, err := range p.all() {
				if err == errEnd || !yield(*x, err) || err != nil {
					return
				}
			}
		}
	}
}

// portion is examples as they were read: whole, or as lines that they are still to be made of.
type portion struct {
	examples []Example
	text     *Text
	lines    []tsv.Block
	room     *labelRoom // nil: labels are not of the portion
	err      error      // why there are no more
}

// errEnd is the end of the data.
var errEnd = errors.New("the end of the data")

// clear empties p and keeps its storage.
func (p *portion) clear() { p.examples, p.lines, p.err = p.examples[:0], p.lines[:0], nil }

// block returns an empty block at the end of the lines.
func (p *portion) block() *tsv.Block {
	if n := len(p.lines); n < cap(p.lines) {
		p.lines = p.lines[:n+1]
		p.lines[n].Reset()
	} else {
		p.lines = append(p.lines, tsv.Block{})
	}
	return &p.lines[len(p.lines)-1]
}

// all returns the examples and, at the end, why there are no more. Those made of lines share
// their storage.
func (p *portion) all() iter.Seq2[*Example, error] {
	return func(yield func(*Example, error) bool) {
		for i := range p.examples {
			if !yield(&p.examples[i], nil) {
				return
			}
		}
		for i := range p.lines {
			for l := range p.lines[i].Lines() {
				x, err := p.text.example(p.lines[i].File(), l, p.room)
				if !yield(&x, err) || err != nil {
					return
				}
			}
		}
		if p.err != nil {
			yield(&Example{}, p.err)
		}
	}
}

// example returns the example of a line.
func (t *Text) example(file string, l tsv.Line, room *labelRoom) (Example, error) {
	if l.Err != nil {
		return Example{}, fmt.Errorf("em: %w: %w", ErrInvalid, l.Err)
	}
	x, err := t.Example(Line{file, l.Number, l.Text, room})
	if err != nil {
		return Example{}, fmt.Errorf("em: %w", &tsv.Error{File: file, Line: l.Number, Err: err})
	}
	return x, nil
}

// reader reads data from their beginning.
type reader interface {
	// read makes p the next n examples, or fewer if p.err says why, errEnd for instance.
	read(p *portion, n int)
	close()
}

// sequenceReader reads a Data.Stream.
type sequenceReader struct {
	next func() (Example, error, bool)
	stop func()
}

func (r sequenceReader) close() { r.stop() }

func (r sequenceReader) read(p *portion, n int) {
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

// textReader reads the lines of a Text.
type textReader struct {
	text  *Text
	files []string   // still to be opened
	file  io.Closer  // nil: none is open
	lines tsv.Reader // of the file
}

func (t *Text) reader() reader { return &textReader{text: t, files: t.Files} }

func (r *textReader) read(p *portion, n int) {
	p.clear()
	p.text = r.text
	var b *tsv.Block
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
			p.err = fmt.Errorf("em: %w", err)
			return
		}
		n -= b.Len() - before
	}
}

// open opens the next file; the error is errEnd if there is none.
func (r *textReader) open() error {
	if len(r.files) == 0 {
		return errEnd
	}
	name := r.files[0]
	if name == tsv.Stdin {
		return errors.New("em: standard input can be read only once, examples are read in each iteration")
	}
	file, err := tsv.Open(name)
	if err != nil {
		return fmt.Errorf("em: %w", err)
	}
	r.files, r.file = r.files[1:], file
	r.lines.Reset(file, name)
	return nil
}

func (r *textReader) close() {
	if r.file != nil {
		r.file.Close()
		r.file = nil
	}
}

// feeder hands out the examples of shards during one E step, reading a stream at most once and
// no further than asked. Shards are asked for nearly in order, so that few of them wait to be
// fetched. One goroutine at a time reads; each of them makes and checks the examples that it
// gets.
type feeder struct {
	corpus  *corpus
	problem Problem
	data    Data
	lo      int     // the first shard of the E step
	ways    uint    // that the E step takes
	choice  *choice // nil: of whole lattices
	choose  bool    // parts anew

	mu      sync.Mutex
	reader  reader // nil until it is needed
	at      int    // the next shard of the stream
	waiting map[int]*portion
	spare   []*portion
	err     error // that ended reading
}

// shard returns the examples of shard i, which may be asked for once if there is a stream.
// They are valid until p, the storage of the goroutine that asks, is used again.
func (f *feeder) shard(i int, p *portion) ([]Example, error) {
	lo, hi := f.corpus.cut.Shard(i)
	if !f.data.streamed() {
		return f.data.Examples[lo:hi], nil
	}
	if err := f.fetch(i, p); err != nil {
		return nil, err
	}
	if p.room == nil {
		p.room = new(labelRoom)
	}
	p.room.labels = p.room.labels[:0]
	made := slices.Grow(p.examples[:0], hi-lo) // in their places already, if they were whole
	for x, err := range p.all() {
		if err == nil {
			err = f.problem.checkExample(lo+len(made), x)
		} else if err == errEnd {
			err = fmt.Errorf("em: %w: %d examples, but %d the first time", ErrInvalid, lo+len(made), f.corpus.cut.examples)
		}
		if err != nil {
			return nil, err
		}
		made = append(made, *x)
	}
	p.examples = made[:0]
	return made, nil
}

// fetch makes p the portion of shard i.
func (f *feeder) fetch(i int, p *portion) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.reader == nil {
		f.reader, f.waiting = f.data.reader(), map[int]*portion{}
	}
	for f.err == nil && f.at <= i {
		q := &portion{}
		if n := len(f.spare); n > 0 {
			q, f.spare = f.spare[n-1], f.spare[:n-1]
		}
		lo, hi := f.corpus.cut.Shard(f.at)
		f.reader.read(q, hi-lo)
		f.err = q.err
		// A shard that is kept is not asked for, unless its examples are not.
		if kept := f.corpus.kept[f.at]; f.at >= f.lo && (!kept.serves(f) || kept.streamed) {
			f.waiting[f.at] = q
		} else {
			f.spare = append(f.spare, q)
		}
		f.at++
	}
	q := f.waiting[i]
	if q == nil {
		return f.err
	}
	delete(f.waiting, i)
	*p, *q = *q, *p
	if len(p.lines) > 0 { // lines alone are read by one for another
		p.examples, q.examples = q.examples, p.examples
		p.room, q.room = q.room, p.room
	}
	f.spare = append(f.spare, q)
	return nil
}

// close ends the reading.
func (f *feeder) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.reader != nil {
		f.reader.close()
	}
}

// weightSums adds up the weights of examples shard by shard, although how they are cut
// shows only when all have been seen. It remembers a few of them one by one; of more than
// these a shard always has shardMax, as in NewCut.
type weightSums struct {
	size     int // of shards, if it is known
	examples int
	few      []float64 // of the first shardsWanted · shardMax, where it is not
	sums     []float64 // of size, or shardMax, each
}

func (w *weightSums) add(weight float64) {
	if w.size == 0 && w.examples < shardsWanted*shardMax {
		w.few = append(w.few, weight)
	}
	if w.examples%cmp.Or(w.size, shardMax) == 0 {
		w.sums = append(w.sums, 0)
	}
	w.sums[len(w.sums)-1] += weight
	w.examples++
}

// perShard returns the sums for the shards of the size, or of NewCut.
func (w *weightSums) perShard() []float64 {
	if w.size > 0 || w.examples > shardsWanted*shardMax {
		return w.sums
	}
	cut := NewCut(w.examples)
	sums := make([]float64, cut.Shards())
	for i := range sums {
		lo, hi := cut.Shard(i)
		sums[i] = sum(w.few[lo:hi])
	}
	return sums
}

// check returns what is wrong with the weights as a whole, each being finite and ≥ 0: nil
// for nothing.
func (w *weightSums) check() error {
	for _, x := range w.sums {
		if x > 0 {
			return nil
		}
	}
	if w.examples == 0 {
		return fmt.Errorf("em: %w: no examples", ErrInvalid)
	}
	return fmt.Errorf("em: %w: no examples of a weight > 0", ErrInvalid)
}

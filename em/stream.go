package em

import (
	"cmp"
	"errors"
	"fmt"
	"iter"

	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/internal/tsv"
)

// Line is a line of a text.
type Line struct {
	File   string
	Number int    // from 1
	Text   string // without its end
}

// Lines returns the examples that the lines of text files are, for Data.Stream: one file
// after the other, read as they are needed and never held as a whole, so that data may be
// larger than memory, in one file or in many. A file whose name ends in .gz is decompressed
// as it is read. Text is UTF-8; a byte order mark at the beginning of a file and a carriage
// return before a line feed are ignored, and the last line may lack its line feed.
//
// example makes an example of a line, the same one each time; it is called by one goroutine
// at a time. Examples are numbered over all files: an Example.Name says more in messages.
// The first error ends the sequence and says in which file and line it is. It wraps that of
// example, the system's, or ErrInvalid for what is no UTF-8 or longer than 1 MiB, the
// longest line. Standard input cannot be read twice: the name "-" is an error.
func Lines(files []string, example func(Line) (Example, error)) iter.Seq2[Example, error] {
	nonnil.Check("em: Lines", "function of a line", example)
	return func(yield func(Example, error) bool) {
		for _, file := range files {
			for l, err := range linesOf(file) {
				var x Example
				switch {
				case err != nil:
					err = fmt.Errorf("em: %w", err)
				case l.Err != nil:
					err = fmt.Errorf("em: %w: %w", ErrInvalid, l.Err)
				default:
					if x, err = example(Line{file, l.Number, l.Text}); err != nil {
						err = fmt.Errorf("em: %w", &tsv.Error{File: file, Line: l.Number, Err: err})
					}
				}
				if !yield(x, err) || err != nil {
					return
				}
			}
		}
	}
}

// linesOf returns the lines of a file that can be read more than once.
func linesOf(file string) iter.Seq2[tsv.Line, error] {
	if file == tsv.Stdin {
		return func(yield func(tsv.Line, error) bool) {
			yield(tsv.Line{}, errors.New("standard input can be read only once, examples are read in each iteration"))
		}
	}
	return tsv.LinesOf(file)
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

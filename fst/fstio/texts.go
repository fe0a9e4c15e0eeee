package fstio

import (
	"bufio"
	"io"
	"iter"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
)

// separator is the line between two machines of a text.
const separator = "--"

// ReadTexts returns the machines of a text in which lines of -- separate them, as written by the
// tools of HFST. The sequence reads one machine at a time. There is one machine more than there are
// such lines. An empty text, between two separators or as a whole, is the machine without states.
//
// Arguments and errors are as for ReadText. The sequence ends after an error.
func ReadTexts[W any](r io.Reader, ring semiring.Semiring[W], o *Options) iter.Seq2[*fst.FST[W], error] {
	nonnil.Check("fstio: ReadTexts", "reader", r, "ring", ring)
	return func(yield func(*fst.FST[W], error) bool) { readTexts(r, "", ring, o, yield) }
}

// ReadTextsFile is ReadTexts for a named file, which is decompressed if its name ends in .gz. The
// file is open while the sequence runs.
func ReadTextsFile[W any](name string, ring semiring.Semiring[W], o *Options) iter.Seq2[*fst.FST[W], error] {
	nonnil.Check("fstio: ReadTextsFile", "ring", ring)
	return func(yield func(*fst.FST[W], error) bool) {
		f, err := Open(name, 0)
		if err != nil {
			yield(nil, err)
			return
		}
		defer f.Close()
		readTexts(f, name, ring, o, yield)
	}
}

func readTexts[W any](r io.Reader, file string, ring semiring.Semiring[W], o *Options, yield func(*fst.FST[W], error) bool) {
	options := o.resolved()
	l, err := newWeightedLines(newLines(r, file, atBlanks), ring, options.Weights)
	if err != nil {
		yield(nil, err)
		return
	}
	t := &textReader[W]{weightedLines: l, Options: options, ring: ring, several: true}
	for {
		if f, err := t.machine(); !yield(f, err) || err != nil || !t.more {
			return
		}
	}
}

// WriteTexts writes machines with a line of -- between them. ReadTexts reads them back with the
// same Options, and so does hfst-txt2fst if weights are Costs. The text of an empty sequence is
// empty; it is read as one machine without states.
//
// The error is the error of the sequence, or as for WriteText, with the number of the machine from
// 1. After an error, w has received part of the text before that machine.
func WriteTexts[W any](w io.Writer, machines iter.Seq2[*fst.FST[W], error], o *Options) error {
	nonnil.Check("fstio: WriteTexts", "writer", w, "sequence of machines", machines)
	out := bufio.NewWriter(w)
	n := 0
	for f, err := range machines {
		if err != nil {
			return err
		}
		if n++; n > 1 {
			out.WriteString(separator + "\n")
		}
		nonnil.Check("fstio: WriteTexts", "machine", f)
		if err := WriteText(out, f, o); err != nil {
			return nested.Errorf("fstio: machine %d: %w", n, err)
		}
	}
	return out.Flush()
}

// WriteTextsFile is WriteTexts to a named file, which is compressed if its name ends in .gz, and
// written completely or not at all: see WriteTextFile.
func WriteTextsFile[W any](name string, machines iter.Seq2[*fst.FST[W], error], o *Options) error {
	nonnil.Check("fstio: WriteTextsFile", "sequence of machines", machines)
	return writeFile(name, func(w io.Writer) error { return WriteTexts(w, machines, o) })
}

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

// ReadTexts returns the machines of a text that has lines of -- between them, as the tools of
// HFST write it, one at a time as the sequence asks for them. There is one machine more than
// there are such lines. No text at all, between two of them or as a whole, is the machine
// without states.
//
// Arguments and errors are as for ReadText. An error comes last.
func ReadTexts[W any](r io.Reader, ring semiring.Semiring[W], o *Options) iter.Seq2[*fst.FST[W], error] {
	nonnil.Check("fstio: ReadTexts", "reader", r, "ring", ring)
	return func(yield func(*fst.FST[W], error) bool) { readTexts(r, "", ring, o, yield) }
}

// ReadTextsFile is ReadTexts of a file, which is decompressed if its name ends in .gz. It is open
// as long as the sequence runs.
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

// WriteTexts writes machines with a line of -- between them, so that ReadTexts reads them back
// with the same Options, and hfst-txt2fst if weights are Costs. A sequence of none is written as
// no text, which is read as one machine without states.
//
// The error is as for WriteText and names the machine, counted from 1, or it is that of the
// sequence. What precedes the machine is then written.
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

// WriteTextsFile is WriteTexts to a file, which is compressed if its name ends in .gz, and written
// whole or not at all: see WriteTextFile.
func WriteTextsFile[W any](name string, machines iter.Seq2[*fst.FST[W], error], o *Options) error {
	nonnil.Check("fstio: WriteTextsFile", "sequence of machines", machines)
	return writeFile(name, func(w io.Writer) error { return WriteTexts(w, machines, o) })
}

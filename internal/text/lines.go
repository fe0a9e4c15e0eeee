package text

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"iter"
	"math"
	"strings"
)

// MaxLine is the maximum length of a line, in bytes and without its end. It bounds the memory
// that a file can make a reader use.
const MaxLine = 1 << 20

// buffer is the number of bytes that are read at a time.
const buffer = 1 << 16

// Line is a line of a file.
type Line struct {
	Number int    // from 1
	Text   string // without its end; empty if Err is not nil
	Err    error  // an *Error that wraps ErrUTF8, ErrNUL or ErrTooLong, or nil
}

// Lines returns the lines of r in order. file is the name to use in errors. A bad line has its
// own error and does not end the sequence. An error of r ends it, as an *Error that wraps it,
// and so does ErrUTF16.
func Lines(r io.Reader, file string) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		for l := NewLineReader(r, file); ; {
			line, err := l.Next()
			if err == io.EOF || !yield(line, err) || err != nil {
				return
			}
		}
	}
}

// LinesOf is like Lines, for the named file, decompressed if the name ends in .gz.
func LinesOf(file string) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		r, err := Open(file)
		if err != nil {
			yield(Line{}, err)
			return
		}
		defer r.Close()
		Lines(r, Name(file))(yield)
	}
}

// Block has consecutive lines of one file, as they were read and without validation. Errors of
// these appear in its Lines.
type Block struct {
	file  string
	first int    // the number of the first line
	lines int    // the number of lines
	text  []byte // each ends with a line feed, except the last line of a file
}

// Len returns the number of lines.
func (b *Block) Len() int { return b.lines }

// Reset empties b and keeps its memory.
func (b *Block) Reset() { *b = Block{text: b.text[:0]} }

// File returns the name of the file in errors.
func (b *Block) File() string { return b.file }

// Lines returns the lines. They share memory with each other, but not with b.
func (b *Block) Lines() iter.Seq[Line] {
	return func(yield func(Line) bool) {
		rest := string(b.text)
		for n := b.first; n < b.first+b.lines; n++ {
			var content string
			content, rest, _ = strings.Cut(rest, "\n")
			if !yield(lineOf(content, b.file, n, Valid)) {
				return
			}
		}
	}
}

// lineOf returns a line of a file, with its error.
func lineOf(content, file string, number int, valid func(string) bool) Line {
	err := error(nil)
	if len(content) > MaxLine {
		err = fmt.Errorf("%w: more than %d bytes", ErrTooLong, MaxLine)
	} else if !valid(content) {
		err = check([]byte(content), 0)
	}
	if err != nil {
		return Line{Number: number, Err: &Error{File: file, Line: number, Err: err}}
	}
	return Line{Number: number, Text: content}
}

// LineReader reads a file line by line.
type LineReader struct {
	// Bytes permits bytes that are not characters, for strings of bytes.
	Bytes bool

	blocks BlockReader
	block  Block
	next   int    // number of lines of the block that were returned
	rest   string // the rest of the block
}

// NewLineReader returns a reader of the lines of r. file is the name to use in errors.
func NewLineReader(r io.Reader, file string) *LineReader {
	l := new(LineReader)
	l.blocks.Reset(r, file)
	return l
}

// File returns the name of the file in errors.
func (l *LineReader) File() string { return l.blocks.file }

// Next returns the next line. A bad line has an error, and Next may be called again. The error
// is io.EOF at the end, or an *Error that wraps a read error. Lines share memory: clone a part
// of one that is kept for long.
func (l *LineReader) Next() (Line, error) {
	b := &l.block
	if l.next == b.lines {
		b.Reset()
		l.next = 0
		if err := l.blocks.Append(b, math.MaxInt); err != nil {
			return Line{}, err
		}
		l.rest = string(b.text)
	}
	var content string
	content, l.rest, _ = strings.Cut(l.rest, "\n")
	l.next++
	valid := Valid
	if l.Bytes {
		valid = func(s string) bool { return strings.IndexByte(s, 0) < 0 }
	}
	return lineOf(content, b.file, b.first+l.next-1, valid), nil
}

// BlockReader reads the lines of a file block by block, after Reset.
type BlockReader struct {
	file  string
	b     *bufio.Reader
	lines int  // number of lines read
	cut   bool // the rest of the last line is still to be skipped
}

// Reset makes l a reader of the lines of r. file is the name to use in errors.
func (l *BlockReader) Reset(r io.Reader, file string) {
	if l.b == nil {
		l.b = bufio.NewReaderSize(nil, buffer)
	}
	l.b.Reset(NewReader(r))
	l.file, l.lines, l.cut = file, 0, false
}

// Append appends the lines that are already buffered to b, at most most of them. It blocks
// until there is at least one. b must be empty or end with the preceding lines. The error is
// io.EOF at the end, or an *Error that wraps a read error; b is unchanged then. For a line
// longer than MaxLine it keeps a part that is also longer.
func (l *BlockReader) Append(b *Block, most int) error {
	for l.cut {
		_, err := l.b.ReadSlice('\n')
		if err != nil && err != bufio.ErrBufferFull {
			return l.fail(err)
		}
		l.cut = err != nil
	}
	start := len(b.text)
	for !l.cut {
		part, err := l.b.ReadSlice('\n')
		b.text = append(b.text, part...)
		if err == bufio.ErrBufferFull {
			if len(b.text)-start > MaxLine+len("\n") {
				b.text = append(b.text, '\n')
				l.cut = true
			}
			continue
		}
		if err != nil && (err != io.EOF || len(b.text) == start) {
			b.text = b.text[:start]
			return l.fail(err)
		}
		break // at the end of the line, or of a last line without a line feed
	}
	n := 1
	if !l.cut {
		whole, _ := l.b.Peek(l.b.Buffered())
		end := 0
		for ; n < most; n++ {
			i := bytes.IndexByte(whole[end:], '\n')
			if i < 0 {
				break
			}
			end += i + 1
		}
		b.text = append(b.text, whole[:end]...)
		l.b.Discard(end) // already buffered
	}
	if b.lines == 0 {
		b.file, b.first = l.file, l.lines+1
	}
	b.lines += n
	l.lines += n
	return nil
}

// fail returns the read error err with the number of the line after the lines read.
func (l *BlockReader) fail(err error) error {
	if err == io.EOF {
		return err
	}
	return &Error{File: l.file, Line: l.lines + 1, Err: err, Ends: true}
}

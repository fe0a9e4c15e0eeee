package beam

import (
	"compress/gzip"
	"context"
	"io"
	"iter"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/internal/nested"
	plain "example.org/pathsum/internal/text"
)

// Shard is the location of the data of a shard: lines of files, which the worker that visits the
// shard reads itself. One shard is one element of a pipeline.
type Shard struct {
	// Lines are ranges of lines, one range after the other.
	Lines []Range
	// First is the number of examples in the shards before this one. It offsets the indices of
	// examples in Skipped and ExpectWithout. An E step in which First is wrong is an error. A
	// model without examples for some lines may count lines instead, if every Range has its
	// number of Lines.
	First int
}

// Range is a range of lines of a file.
type Range struct {
	// File is a name for Beam's filesystems: a path, gs://… and others whose packages
	// the program imports. A file whose name ends in .gz is decompressed as it is read.
	File string
	// First is the number of the first line, from 1, and Lines the number of lines, 0 for all
	// following lines.
	First, Lines int
	// Reading begins at line At, after Offset bytes: at line 1 and after 0 bytes in
	// a compressed file. At is not greater than First; 0 means 1.
	Offset int64
	At     int
}

// Read returns the lines of the shard, read through Beam's filesystems. Text is as in
// cascade.Lines. A driver can read all lines of all files by one Shard that contains them.
func (s Shard) Read(ctx context.Context) iter.Seq2[cascade.Line, error] {
	return func(yield func(cascade.Line, error) bool) {
		for _, r := range s.Lines {
			for l, err := range r.lines(ctx) {
				if !yield(l, err) || err != nil {
					return
				}
			}
		}
	}
}

func (r *Range) lines(ctx context.Context) iter.Seq2[cascade.Line, error] {
	return func(yield func(cascade.Line, error) bool) {
		text, err := openText(ctx, r.File, r.Offset)
		if err != nil {
			yield(cascade.Line{}, err)
			return
		}
		defer text.Close()
		before, seen := max(r.At, 1)-1, 0
		var from io.Reader = text
		if r.Offset > 0 { // prepend an empty line: here a byte order mark is a character
			before--
			from = io.MultiReader(strings.NewReader("\n"), text)
		}
		for l, err := range plain.Lines(from, r.File) {
			number := before + l.Number
			switch {
			case err != nil:
				yield(cascade.Line{}, nested.Errorf("beam: %w", err))
				return
			case number < r.First:
				continue
			case l.Err != nil:
				yield(cascade.Line{}, nested.Errorf("beam: %w: %w", em.ErrInvalid, l.Err))
				return
			}
			seen++
			if !yield(cascade.Line{File: r.File, Number: number, Text: l.Text}, nil) || seen == r.Lines {
				return
			}
		}
		if seen < r.Lines {
			yield(cascade.Line{}, nested.Errorf("beam: %w: %s has %d lines from line %d, want %d", em.ErrInvalid, r.File, seen, r.First, r.Lines))
		}
	}
}

// compressed reports whether a file is decompressed while it is read.
func compressed(file string) bool { return strings.HasSuffix(file, ".gz") }

// text is an open file.
type text struct {
	io.Reader
	file io.Closer
	fs   io.Closer
}

// Close closes the file and its filesystem.
func (t text) Close() error {
	err := t.file.Close()
	if e := t.fs.Close(); err == nil {
		err = e
	}
	return err
}

// openText opens a file and skips offset bytes.
func openText(ctx context.Context, name string, offset int64) (io.ReadCloser, error) {
	fs, err := filesystem.New(ctx, name)
	if err != nil {
		return nil, nested.Errorf("beam: %w", err)
	}
	file, err := fs.OpenRead(ctx, name)
	if err != nil {
		fs.Close()
		return nil, nested.Errorf("beam: %w", err)
	}
	t := text{file, file, fs}
	if seeker, ok := file.(io.Seeker); ok {
		_, err = seeker.Seek(offset, io.SeekStart)
	} else {
		_, err = io.CopyN(io.Discard, file, offset)
	}
	if err == nil && compressed(name) {
		t.Reader, err = gzip.NewReader(file)
	}
	if err != nil {
		t.Close()
		return nil, nested.Errorf("beam: %s: %w", name, err)
	}
	return t, nil
}

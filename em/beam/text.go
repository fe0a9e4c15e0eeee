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

// Shard says where the data of a shard lie: lines of files, which the worker that visits the
// shard reads itself. One shard is one element of a pipeline.
type Shard struct {
	// Lines are those of the ranges, one range after the other.
	Lines []Range
	// First is the number of examples in the shards before this one: by it Skipped and
	// ExpectWithout call examples. An E step in which a shard has another number is an error. A
	// model that has no example for some lines may count lines instead, where every Range says
	// how many it has.
	First int
}

// Range is some lines of a file.
type Range struct {
	// File is a name that Beam's filesystems know: a path, gs://… and others whose packages
	// the program imports. A file whose name ends in .gz is decompressed as it is read.
	File string
	// First is the number of the first line, from 1, and Lines their number, 0 for all
	// that follow.
	First, Lines int
	// Offset is the number of bytes before line At, from which reading begins: 0 and 1 in
	// a compressed file. At is not greater than First; 0 means 1.
	Offset int64
	At     int
}

// Read returns the lines of the shard, read through Beam's filesystems. Text is as cascade.Lines
// has it. A shard of all lines of all files serves to read what a driver needs of them.
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
		if r.Offset > 0 { // an empty line before: a byte order mark here is a character
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

// compressed reports whether a file is decompressed as it is read.
func compressed(file string) bool { return strings.HasSuffix(file, ".gz") }

// text is a file that is being read.
type text struct {
	io.Reader
	file io.Closer
	fs   io.Closer
}

// Close ends the reading.
func (t text) Close() error {
	err := t.file.Close()
	if e := t.fs.Close(); err == nil {
		err = e
	}
	return err
}

// openText opens a file after some bytes.
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

package gold

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"

	"example.org/pathsum/internal/text"
	"example.org/pathsum/models/align"
)

// Reference is a reference alignment of one sentence. The two sets are disjoint.
type Reference struct {
	Sure     align.Alignment // S: must be found
	Possible align.Alignment // may be found; the P of the literature is both sets
}

// newReference returns the reference of the links, which it sorts in place. A link
// that is both sure and possible is sure.
func newReference(sure, possible []align.Link) Reference {
	r := Reference{Sure: align.NewAlignment(sure), Possible: align.NewAlignment(possible)}
	r.Possible = slices.DeleteFunc(r.Possible, r.Sure.Has)
	return r
}

// ErrRange reports a link of a word beyond the end of the sentence.
var ErrRange = errors.New("link out of range")

// Check returns an error that wraps ErrRange if a link of r is beyond a sentence with these numbers
// of words.
func (r Reference) Check(source, target int) error {
	for _, links := range []align.Alignment{r.Sure, r.Possible} {
		for _, l := range links {
			if l.Source >= source || l.Target >= target {
				return fmt.Errorf("%w: %d-%d, want less than %d-%d; positions that count from 1 are for FromOne", ErrRange, l.Source, l.Target, source, target)
			}
		}
	}
	return nil
}

// Parse returns the reference of a line of links: sure ones such as 0-0 and possible ones such as
// 1?2 or 1p2, in any order, separated by space. A repeated link counts once, and a link that is
// both sure and possible is sure. Positions count from 0; see [FromOne] for positions from 1. The
// error wraps align.ErrLink.
func Parse(line string) (Reference, error) {
	var sure, possible []align.Link
	for token := range strings.FieldsSeq(line) {
		set, separator := &sure, "-"
		if i := strings.IndexAny(token, "?p"); i >= 0 {
			set, separator = &possible, token[i:i+1]
		}
		l, err := align.ParseLink(token, separator)
		if err != nil {
			return Reference{}, err
		}
		*set = append(*set, l)
	}
	return newReference(sure, possible), nil
}

// AppendText appends the links in the format of Parse, the sure ones first. The error is nil. It
// implements encoding.TextAppender.
func (r Reference) AppendText(dst []byte) ([]byte, error) {
	dst, _ = r.Sure.AppendText(dst)
	for i, l := range r.Possible {
		if i > 0 || len(r.Sure) > 0 {
			dst = append(dst, ' ')
		}
		dst = strconv.AppendInt(dst, int64(l.Source), 10)
		dst = append(dst, '?')
		dst = strconv.AppendInt(dst, int64(l.Target), 10)
	}
	return dst, nil
}

// String returns the links in the format of Parse, the sure ones first.
func (r Reference) String() string {
	text, _ := r.AppendText(nil)
	return string(text)
}

// Read returns the references of a text, one per line in the format of Parse. file is the name of
// the text in errors. The first error, which contains the line, ends the sequence. Lines are at
// most 1 MiB long.
func Read(r io.Reader, file string) iter.Seq2[Reference, error] {
	return parse(text.Lines(r, file), file)
}

// ReadFile is Read of the named file, decompressed if the name ends in .gz.
func ReadFile(file string) iter.Seq2[Reference, error] {
	return parse(text.LinesOf(file), text.Name(file))
}

func parse(lines iter.Seq2[text.Line, error], file string) iter.Seq2[Reference, error] {
	return func(yield func(Reference, error) bool) {
		for line, err := range lines {
			var r Reference
			if err == nil {
				err = line.Err
			}
			if err == nil {
				if r, err = Parse(line.Text); err != nil {
					err = &text.Error{File: file, Line: line.Number, Err: err}
				}
			}
			if !yield(r, err) || err != nil {
				return
			}
		}
	}
}

// Collect returns all references of a sequence, or its error.
func Collect(references iter.Seq2[Reference, error]) ([]Reference, error) {
	var all []Reference
	for r, err := range references {
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

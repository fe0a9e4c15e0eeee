package bitext

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"example.org/pathsum/internal/text"
	"example.org/pathsum/models/align"
)

// The problems of a line.
var (
	ErrEmpty    = errors.New("empty line")
	ErrWords    = errors.New("too many words")
	ErrUnpaired = errors.New("no such line")
	ErrJoined   = errors.New("not one " + Separator)
	ErrUTF8     = text.ErrUTF8
	ErrLong     = text.ErrTooLong
)

// emptySide is the error for a line with both sentences if one of them is empty. It wraps ErrEmpty,
// which is the error for an empty line.
type emptySide string

func (e emptySide) Error() string        { return string(e) }
func (e emptySide) Is(target error) bool { return target == ErrEmpty }

// The sides of a line that ReadJoined and Parse read.
const (
	noSource emptySide = "no words before " + Separator
	noTarget emptySide = "no words after " + Separator
)

// Line is a line of a parallel text.
type Line struct {
	Number int // from 1
	// Sentence contains the words of the line, also of one with a problem, except if the text of a
	// side is invalid or too long.
	align.Sentence
	// Problem is nil if the sentence can be aligned. Otherwise it contains the file and line and
	// wraps one of the errors above. If both sides have a problem, it is the problem of the source.
	Problem error
}

// Options configure reading. The zero value and nil are the defaults.
type Options struct {
	Source, Target string // names of the texts in errors; by default E and F, or the names of files
	MaxWords       int    // words of the longest sentence that can be aligned; by default 256
}

const maxWords = 256

func (o *Options) withDefaults(e, f string) Options {
	d := Options{Source: e, Target: f, MaxWords: maxWords}
	if o == nil {
		return d
	}
	if o.Source != "" {
		d.Source = o.Source
	}
	if o.Target != "" {
		d.Target = o.Target
	}
	if o.MaxWords > 0 {
		d.MaxWords = o.MaxWords
	}
	return d
}

// Read returns the lines of two texts, up to the end of the longer one. An error of a reader
// contains the line and ends the sequence.
func Read(source, target io.Reader, opts *Options) iter.Seq2[Line, error] {
	o := opts.withDefaults("E", "F")
	return pair(text.Lines(source, o.Source), text.Lines(target, o.Target), o)
}

// ReadFiles is Read of two named files, decompressed if their names end in .gz.
func ReadFiles(source, target string, opts *Options) iter.Seq2[Line, error] {
	return pair(text.LinesOf(source), text.LinesOf(target), opts.withDefaults(text.Name(source), text.Name(target)))
}

// Separator is the word between the sentences of a line that ReadJoined reads.
const Separator = "|||"

// ReadJoined returns the lines of a text with a sentence and its translation in each, e ||| f, the
// input format of fast_align. Unless a line has exactly one Separator, it has a problem that wraps
// ErrJoined. In errors the text has the name Options.Source.
func ReadJoined(r io.Reader, opts *Options) iter.Seq2[Line, error] {
	o := opts.withDefaults("text", "")
	return joined(text.Lines(r, o.Source), o)
}

// ReadJoinedFile is ReadJoined of a named file, decompressed if its name ends in .gz.
func ReadJoinedFile(file string, opts *Options) iter.Seq2[Line, error] {
	return joined(text.LinesOf(file), opts.withDefaults(text.Name(file), ""))
}

func joined(lines iter.Seq2[text.Line, error], o Options) iter.Seq2[Line, error] {
	o.Target = o.Source
	return func(yield func(Line, error) bool) {
		for line, err := range lines {
			if err != nil {
				yield(Line{}, err)
				return
			}
			if !yield(o.joined(line), nil) {
				return
			}
		}
	}
}

// joined returns the Line for a line with both sentences.
func (o *Options) joined(line text.Line) Line {
	if line.Err != nil {
		return Line{Number: line.Number, Problem: line.Err}
	}
	s, err := divide(line.Text)
	if err != nil {
		return Line{Number: line.Number, Problem: &text.Error{File: o.Source, Line: line.Number, Err: err}}
	}
	l := Line{Number: line.Number, Sentence: s}
	if l.Problem = o.fault(line.Number, o.Source, l.Source, noSource); l.Problem == nil {
		l.Problem = o.fault(line.Number, o.Source, l.Target, noTarget)
	}
	return l
}

// Parse returns the sentences of a line in the format of ReadJoined, of any length. The error wraps
// ErrJoined, or ErrEmpty with the side that has no words.
func Parse(line string) (align.Sentence, error) {
	s, err := divide(line)
	switch {
	case err != nil:
	case len(s.Source) == 0:
		err = noSource
	case len(s.Target) == 0:
		err = noTarget
	}
	return s, err
}

// divide splits a line at its only Separator.
func divide(line string) (align.Sentence, error) {
	all := words(line)
	at := slices.Index(all, Separator)
	if at < 0 || slices.Contains(all[at+1:], Separator) {
		return align.Sentence{}, fmt.Errorf("%w, want one separator between the two sentences", ErrJoined)
	}
	return align.Sentence{Source: all[:at], Target: all[at+1:]}, nil
}

// Collect returns all lines of a sequence, or its error.
func Collect(lines iter.Seq2[Line, error]) ([]Line, error) {
	var all []Line
	for l, err := range lines {
		if err != nil {
			return nil, err
		}
		all = append(all, l)
	}
	return all, nil
}

// side is the next line of one text.
type side struct {
	text.Line
	ok bool // false at the end of the text
}

func pair(e, f iter.Seq2[text.Line, error], o Options) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		nextE, stopE := iter.Pull2(e)
		defer stopE()
		nextF, stopF := iter.Pull2(f)
		defer stopF()
		for n := 1; ; n++ {
			var err error
			next := func(pull func() (text.Line, error, bool)) side {
				line, fault, ok := pull()
				if err == nil {
					err = fault
				}
				return side{line, ok}
			}
			e, f := next(nextE), next(nextF)
			if err != nil {
				yield(Line{}, err)
				return
			}
			if !e.ok && !f.ok || !yield(o.line(n, e, f), nil) {
				return
			}
		}
	}
}

// line returns line n with its first problem.
func (o *Options) line(n int, e, f side) Line {
	l := Line{Number: n, Sentence: align.Sentence{Source: words(e.Text), Target: words(f.Text)}}
	for _, s := range []struct {
		side
		words []string
		file  string
	}{{e, l.Source, o.Source}, {f, l.Target, o.Target}} {
		problem := s.Err
		switch {
		case problem != nil:
		case !s.ok:
			problem = &text.Error{File: s.file, Line: n, Err: fmt.Errorf("%w: the other text is longer", ErrUnpaired)}
		default:
			problem = o.fault(n, s.file, s.words, ErrEmpty)
		}
		if l.Problem == nil {
			l.Problem = problem
		}
	}
	return l
}

// fault returns an error for a sentence of too many words or, wrapping empty, for an empty one.
func (o *Options) fault(line int, file string, words []string, empty error) error {
	switch {
	case len(words) == 0:
		return &text.Error{File: file, Line: line, Err: empty}
	case len(words) > o.MaxWords:
		return &text.Error{File: file, Line: line, Err: fmt.Errorf("%w: %d, want at most %d", ErrWords, len(words), o.MaxWords)}
	}
	return nil
}

func words(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == '\t' })
}

package treebank

import (
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/text"
	"example.org/pathsum/internal/tsv"
)

// Sentences returns the sentences of r, one a line, of five columns separated by tabs:
//
//	id, words, tags, heads, spans
//
// Words, tags and heads are separated by spaces and equal in number; heads count from 1, and 0 is
// the root. A span is i-j, the words i+1 … j. Heads and spans may be _ for unknown. file is the
// name in errors. An invalid line yields an *Error, and the sequence continues with the next line.
// The error wraps ErrFormat or ErrInvalid, or comes from reading tab-separated columns. An error of
// r ends the sequence.
func Sentences(r io.Reader, file string) iter.Seq2[Sentence, error] {
	return sentences(tsv.Rows(r, file, 5, 5), file)
}

// SentencesOf is Sentences of the named file, decompressed if the name ends in .gz.
func SentencesOf(file string) iter.Seq2[Sentence, error] {
	return sentences(tsv.RowsOf(file, 5, 5), text.Name(file))
}

// Collect returns all elements of a sequence, or its error.
func Collect[T any](sequence iter.Seq2[T, error]) ([]T, error) {
	var all []T
	for x, err := range sequence {
		if err != nil {
			return nil, err
		}
		all = append(all, x)
	}
	return all, nil
}

func sentences(rows iter.Seq2[tsv.Row, error], file string) iter.Seq2[Sentence, error] {
	return func(yield func(Sentence, error) bool) {
		for row, err := range rows {
			var s Sentence
			if err == nil {
				if s, err = parseSentence(row.Columns); err != nil {
					err = &text.Error{File: file, Line: row.Line, Err: err}
				}
			}
			if !yield(s, err) {
				return
			}
		}
	}
}

// names are the names of the columns in errors.
var names = [...]string{"id", "words", "tags", "heads", "spans"}

func bad(column int, format string, args ...any) error {
	return nested.Errorf("%w: column %d (%s): %w", ErrFormat, column+1, names[column], nested.Errorf(format, text.Tokens(args...)...))
}

func parseSentence(columns []string) (s Sentence, err error) {
	s = Sentence{ID: columns[0], Words: tsv.Symbols(columns[1]), Tags: tsv.Symbols(columns[2])}
	switch {
	case len(s.Words) == 0:
		return s, bad(1, "no words")
	case len(s.Tags) != len(s.Words):
		return s, bad(2, "%d tags for %d words", len(s.Tags), len(s.Words))
	}
	if s.Heads, err = parseHeads(columns[3], len(s.Words)); err != nil {
		return s, bad(3, "%w", err)
	}
	if s.Spans, err = parseSpans(columns[4], len(s.Words)); err != nil {
		return s, bad(4, "%w", err)
	}
	return s, nil
}

func parseHeads(column string, n int) ([]int, error) {
	if column == "_" {
		return nil, nil
	}
	fields := tsv.Symbols(column)
	if len(fields) != n {
		return nil, fmt.Errorf("%d heads for %d words", len(fields), n)
	}
	heads := make([]int, n)
	for i, f := range fields {
		h, err := strconv.Atoi(f)
		if err != nil || h < 0 || h > n {
			return nil, fmt.Errorf("head %s of word %d, want a number from 0 to %d", text.Quote(f), i+1, n)
		}
		heads[i] = h - 1
	}
	return heads, CheckHeads(heads)
}

func parseSpans(column string, n int) ([]Span, error) {
	if column == "_" {
		return nil, nil
	}
	spans := []Span{}
	for _, f := range tsv.Symbols(column) {
		i, j, ok := strings.Cut(f, "-")
		a, err1 := strconv.Atoi(i)
		b, err2 := strconv.Atoi(j)
		if !ok || err1 != nil || err2 != nil {
			return nil, fmt.Errorf("%s, want a span i-j", text.Quote(f))
		}
		spans = append(spans, Span{a, b})
	}
	if err := CheckSpans(n, spans); err != nil {
		return nil, err
	}
	return unique(spans), nil
}

// Write writes s as a line that Sentences reads back, up to the order of the spans. If Words is
// nil, words are written as _. If s could not be read back, the error wraps ErrInvalid and no data
// is written. This is the case for zero words, different numbers of words, tags or heads, heads
// that are not a tree and crossing spans. It is also the case for a word or tag that is empty or
// contains a space (as in some treebanks), a tab or a line end. An ID must not contain a tab or a
// line end, the text must be UTF-8 without NUL, and the line must not exceed 1 MiB.
func Write(w io.Writer, s *Sentence) error {
	words := s.Words
	if words == nil {
		words = make([]string, len(s.Tags))
		for i := range words {
			words[i] = "_"
		}
	}
	if err := s.check(words); err != nil {
		return err
	}
	heads, spans := "_", "_"
	if s.Heads != nil {
		var list []string
		for _, h := range s.Heads {
			list = append(list, strconv.Itoa(h+1))
		}
		heads = strings.Join(list, " ")
	}
	if s.Spans != nil {
		var list []string
		for _, x := range s.Spans {
			list = append(list, x.String())
		}
		spans = strings.Join(list, " ")
	}
	line := fmt.Sprintf("%s\t%s\t%s\t%s\t%s\n", s.ID, strings.Join(words, " "), strings.Join(s.Tags, " "), heads, spans)
	if len(line) > text.MaxLine {
		return nested.Errorf("treebank: %w: a sentence of %d bytes, want at most %d", ErrInvalid, len(line), text.MaxLine)
	}
	_, err := io.WriteString(w, line)
	return err
}

// check returns an error unless Write can write the sentence with these words.
func (s *Sentence) check(words []string) error {
	n := len(s.Tags)
	switch {
	case len(words) != n:
		return nested.Errorf("treebank: %w: %d words and %d tags", ErrInvalid, len(words), n)
	case n == 0:
		return nested.Errorf("treebank: %w: a sentence without words", ErrInvalid)
	case s.Heads != nil && len(s.Heads) != n:
		return nested.Errorf("treebank: %w: %d heads for %d words", ErrInvalid, len(s.Heads), n)
	case !text.Valid(s.ID) || strings.ContainsAny(s.ID, "\t\n\r") || strings.HasPrefix(s.ID, "\ufeff"):
		return nested.Errorf("treebank: %w: the ID %s cannot be in a column", ErrInvalid, text.Quote(s.ID))
	}
	for i := range n {
		for _, x := range []struct{ kind, text string }{{"word", words[i]}, {"tag", s.Tags[i]}} {
			if x.text == "" || !text.Valid(x.text) || strings.ContainsAny(x.text, " \t\n\r") {
				return nested.Errorf("treebank: %w: %s %d is %s, want UTF-8 without spaces, tabs and ends of lines", ErrInvalid, x.kind, i+1, text.Quote(x.text))
			}
		}
	}
	if err := CheckHeads(s.Heads); err != nil {
		return nested.Errorf("treebank: %w", err)
	}
	if err := CheckSpans(n, s.Spans); err != nil {
		return nested.Errorf("treebank: %w", err)
	}
	return nil
}

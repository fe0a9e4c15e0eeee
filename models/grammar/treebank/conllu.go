package treebank

import (
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"

	"example.org/pathsum/internal/named"
	"example.org/pathsum/internal/text"
	"example.org/pathsum/internal/tsv"
	"example.org/pathsum/semiring"
)

// TagColumn is the column of the tags in a CoNLL-U file.
type TagColumn int

const (
	// UPOS are universal tags.
	UPOS TagColumn = 3
	// XPOS are the language's own tags.
	XPOS TagColumn = 4
)

// String returns the name of the column.
func (c TagColumn) String() string {
	return named.One(c, "TagColumn", "ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
}

// maxWords bounds a sentence.
const maxWords = 1 << 12

// CoNLLU returns the sentences of r, in the format of Universal Dependencies: a word per line, of
// ten columns separated by tabs, and a line that is empty, or blank, after each sentence. Lines
// that begin with # are comments and may contain the ID; multiword tokens (1-2) and empty nodes
// (1.1) are ignored. Spans are the yields of heads, nil if the heads are not projective. Heads is
// nil if the head of a word is missing, “_”. If all tags in the column of a file are “_”, the
// sequence ends with an error, since the tags may be in the other column.
//
// file is the name in errors. The first error ends the sequence. It contains the line (the last
// line of the sentence if the heads are not a tree), and wraps ErrFormat, ErrInvalid or
// semiring.ErrLimit, or comes from reading tab-separated columns. CoNLLU panics for a column other
// than UPOS or XPOS.
func CoNLLU(r io.Reader, file string, tags TagColumn) iter.Seq2[Sentence, error] {
	return conllu(text.Lines(r, file), file, tags)
}

// CoNLLUOf is CoNLLU of the named file, decompressed if the name ends in .gz.
func CoNLLUOf(file string, tags TagColumn) iter.Seq2[Sentence, error] {
	return conllu(text.LinesOf(file), file, tags)
}

func conllu(lines iter.Seq2[text.Line, error], file string, tags TagColumn) iter.Seq2[Sentence, error] {
	if tags != UPOS && tags != XPOS {
		panic("treebank: CoNLLU: tags are in column 3 or 4")
	}
	return func(yield func(Sentence, error) bool) {
		var s Sentence
		last, words, tagged := 0, 0, false
		end := func() bool {
			done := s
			s = Sentence{}
			if len(done.Words) == 0 {
				return true
			}
			if err := done.complete(); err != nil {
				yield(Sentence{}, &text.Error{File: file, Line: last, Err: err})
				return false
			}
			return yield(done, nil)
		}
		for line, err := range lines {
			if err == nil {
				err = line.Err
			}
			if err == nil && strings.TrimSpace(line.Text) == "" {
				if !end() {
					return
				}
				continue
			}
			if err == nil {
				last = line.Number
				before := len(s.Tags)
				if err = s.addLine(line.Text, tags); err != nil {
					err = &text.Error{File: file, Line: line.Number, Err: err}
				}
				words += len(s.Tags) - before
				tagged = tagged || len(s.Tags) > before && s.Tags[before] != "_"
			}
			if err != nil {
				yield(Sentence{}, err)
				return
			}
		}
		if end() && words > 0 && !tagged {
			yield(Sentence{}, &text.Error{File: file, Line: last, Err: fmt.Errorf("%w: column %d (%v): no word has a tag", ErrFormat, int(tags)+1, tags)})
		}
	}
}

// noHead is an unknown head.
const noHead = -2

// addLine adds the content of a line.
func (s *Sentence) addLine(line string, tags TagColumn) error {
	if comment, ok := strings.CutPrefix(line, "#"); ok {
		if key, value, _ := strings.Cut(comment, "="); strings.TrimSpace(key) == "sent_id" {
			s.ID = strings.TrimSpace(value)
		}
		return nil
	}
	const columns = 10
	c := strings.Split(line, "\t")
	if len(c) != columns {
		return fmt.Errorf("%w: %d, want %d", tsv.ErrColumns, len(c), columns)
	}
	if strings.ContainsAny(c[0], "-.") {
		return nil
	}
	if n, err := strconv.Atoi(c[0]); err != nil || n != len(s.Words)+1 {
		return fmt.Errorf("%w: column 1 (ID): %s, want %d", ErrFormat, text.Quote(c[0]), len(s.Words)+1)
	}
	if len(s.Words) == maxWords {
		return fmt.Errorf("%w: a sentence of more than %d words", semiring.ErrLimit, maxWords)
	}
	head := noHead
	if c[6] != "_" {
		h, err := strconv.Atoi(c[6])
		if err != nil || h < 0 || h > maxWords {
			return fmt.Errorf("%w: column 7 (HEAD): %s, want the number of a word, or 0", ErrFormat, text.Quote(c[6]))
		}
		head = h - 1
	}
	s.Words, s.Tags, s.Heads = append(s.Words, c[1]), append(s.Tags, c[tags]), append(s.Heads, head)
	return nil
}

// complete checks the heads and computes the spans.
func (s *Sentence) complete() error {
	for _, h := range s.Heads {
		if h == noHead {
			s.Heads = nil
			return nil
		}
	}
	if err := CheckHeads(s.Heads); err != nil {
		return err
	}
	s.Spans, _ = HeadSpans(s.Heads) // nil if they are not projective
	return nil
}

package main

import (
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"iter"
	"strings"
	"unicode"

	plain "example.org/pathsum/internal/text"
)

// plainText is the default text to encipher.
//
//go:embed plain.txt
var plainText string

// format describes the format of all texts.
const format = "text in paragraphs, with blank lines between them; only the letters a to z count, as small ones, and where words end"

// The symbols are the letters, 1 to 26, and the space between words.
const (
	letters = 26
	space   = letters + 1
)

// spacing selects the treatment of spaces between words.
type spacing string

const (
	keepSpaces spacing = "keep"
	dropSpaces spacing = "drop"
)

// paragraph returns the symbols of a text.
func (w spacing) paragraph(text string) []int32 {
	var s []int32
	for _, c := range strings.ToLower(text) {
		switch {
		case 'a' <= c && c <= 'z':
			s = append(s, 1+c-'a')
		case w == keepSpaces && unicode.IsSpace(c) && len(s) > 0 && s[len(s)-1] != space:
			s = append(s, space)
		}
	}
	if len(s) > 0 && s[len(s)-1] == space {
		s = s[:len(s)-1]
	}
	return s
}

// text returns the letters of symbols.
func text(symbols []int32) string {
	b := make([]byte, len(symbols))
	for i, s := range symbols {
		b[i] = " abcdefghijklmnopqrstuvwxyz "[s]
	}
	return string(b)
}

// read returns the non-empty paragraphs of a text.
func (w spacing) read(r io.Reader, name string) ([][]int32, error) {
	var all [][]int32
	var lines strings.Builder
	end := func() {
		if s := w.paragraph(lines.String()); len(s) > 0 {
			all = append(all, s)
		}
		lines.Reset()
	}
	for line, err := range plain.Lines(r, name) {
		if err = cmp.Or(err, line.Err); err != nil {
			return nil, err
		}
		if strings.TrimSpace(line.Text) == "" {
			end()
		}
		lines.WriteString(line.Text)
		lines.WriteByte('\n')
	}
	end()
	if len(all) == 0 {
		return nil, fmt.Errorf("%s has no letters", name)
	}
	return all, nil
}

// load reads the named file, or without a name the embedded text.
func (w spacing) load(file, embedded string) ([][]int32, error) {
	if file == "" {
		return w.read(strings.NewReader(embedded), "the embedded text")
	}
	r, err := plain.Open(file)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return w.read(r, file)
}

// once yields each string with weight 1.
func once(all [][]int32) iter.Seq2[[]int32, float64] {
	return func(yield func([]int32, float64) bool) {
		for _, s := range all {
			if !yield(s, 1) {
				return
			}
		}
	}
}

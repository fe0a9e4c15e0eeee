package gold

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/text"
	"example.org/pathsum/models/align"
)

// ErrFormat is wrapped by errors about lines that are not in WPT format.
var ErrFormat = nested.ErrFormat

// ReadWPT returns the references of n sentences from a text in WPT format (Mihalcea and Pedersen
// 2003, §2): lines
//
//	sentence E F [S|P] [confidence]
//
// where sentence is a number from 1 to n, E and F are positions of words from 1, and a link is sure
// if the field S or P is missing. Lines may be in any order, and a sentence without lines has no
// links. Links that are repeated or in both sets are treated as in Parse. Empty lines, links of
// position 0 (the empty word) and confidences are ignored. file is the name of the text in errors.
// The first error, which contains the line, ends the reading. It panics if n is negative.
func ReadWPT(r io.Reader, file string, n int) ([]Reference, error) {
	if n < 0 {
		panic(fmt.Sprintf("gold: references of %d sentences", n))
	}
	sure, possible := make([][]align.Link, n), make([][]align.Link, n)
	for line, err := range text.Lines(r, file) {
		if err == nil {
			err = line.Err
		}
		if err != nil {
			return nil, err
		}
		fields := strings.Fields(line.Text)
		if len(fields) == 0 {
			continue
		}
		l, err := parseWPT(fields, n)
		if err != nil {
			return nil, &text.Error{File: file, Line: line.Number, Err: err}
		}
		set := sure
		if l.possible {
			set = possible
		}
		if l.Source >= 0 && l.Target >= 0 {
			set[l.sentence] = append(set[l.sentence], l.Link)
		}
	}
	all := make([]Reference, n)
	for i := range all {
		all[i] = newReference(sure[i], possible[i])
	}
	return all, nil
}

// wptLink is a line in WPT format, with all numbers counted from 0: position -1 is the empty word.
type wptLink struct {
	align.Link
	sentence int
	possible bool
}

func parseWPT(fields []string, n int) (wptLink, error) {
	if len(fields) < 3 || len(fields) > 5 {
		return wptLink{}, fmt.Errorf("%w: %d fields, want sentence, E, F, and perhaps S or P and a confidence", ErrFormat, len(fields))
	}
	sentence, err := strconv.Atoi(fields[0])
	if err != nil || sentence < 1 || sentence > n {
		return wptLink{}, fmt.Errorf("%w: sentence %s, want 1 to %d", ErrFormat, text.Quote(fields[0]), n)
	}
	link, err := align.ParseLink(fields[1]+" "+fields[2], " ")
	if err != nil {
		return wptLink{}, err
	}
	l := wptLink{Link: align.Link{Source: link.Source - 1, Target: link.Target - 1}, sentence: sentence - 1}
	rest := fields[3:]
	if len(rest) > 0 {
		switch rest[0] {
		case "S":
			rest = rest[1:]
		case "P":
			l.possible, rest = true, rest[1:]
		}
	}
	if len(rest) > 0 {
		// A confidence, the last field.
		if x, err := strconv.ParseFloat(rest[0], 64); err != nil || math.IsNaN(x) || len(rest) > 1 {
			return wptLink{}, fmt.Errorf("%w: %s, want S or P, and perhaps a confidence", ErrFormat, text.Quote(strings.Join(rest, " ")))
		}
	}
	return l, nil
}

// AppendWPT appends the lines of the reference of a sentence, which is counted from 0, in WPT
// format. For an alignment, pass a Reference with sure links only.
func AppendWPT(dst []byte, sentence int, r Reference) []byte {
	for _, set := range []struct {
		links align.Alignment
		name  string
	}{{r.Sure, "S"}, {r.Possible, "P"}} {
		for _, l := range set.links {
			dst = fmt.Appendf(dst, "%04d %d %d %s\n", sentence+1, l.Source+1, l.Target+1, set.name)
		}
	}
	return dst
}

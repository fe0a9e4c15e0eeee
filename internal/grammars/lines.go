package grammars

import (
	"fmt"
	"io/fs"
	"iter"
	"path"
	"slices"
	"strings"

	"example.org/pathsum/internal/linegrammar"
	"example.org/pathsum/internal/text"
	"example.org/pathsum/internal/tsv"
)

// Format describes the format of lines.
const Format = "direction<TAB>kind<TAB>input<TAB>expected, where direction is written-spoken or spoken-written"

// Line is a line of a direction with its expected reading, and the kind that it tests.
type Line struct {
	Direction Direction
	Kind      string
	linegrammar.Example
}

// Lines yields the lines in the rows of a file.
func Lines(rows iter.Seq2[tsv.Row, error], file string) iter.Seq2[Line, error] {
	file = text.Name(file)
	return func(yield func(Line, error) bool) {
		for row, err := range rows {
			var l Line
			if err == nil {
				d := slices.IndexFunc(Directions, func(d Direction) bool { return d.String() == row.Columns[0] })
				if d < 0 {
					err = &text.Error{File: file, Line: row.Line, Err: fmt.Errorf("direction %s, want written-spoken or spoken-written", text.Quote(row.Columns[0]))}
				} else {
					l = Line{Directions[d], row.Columns[1], linegrammar.Example{Where: fmt.Sprintf("%s:%d", file, row.Line), Input: row.Columns[2], Expected: row.Columns[3]}}
				}
			}
			if !yield(l, err) {
				return
			}
		}
	}
}

// Tests returns the tests of the grammars: for each file of rules x.rx, the lines
// input<TAB>expected of x.tsv.
func Tests() ([]Line, error) {
	var all []Line
	for _, d := range Directions {
		rules, err := fs.Glob(Files, path.Join(d.Folder(), "*.rx"))
		if err != nil {
			return nil, err
		}
		for _, rule := range rules {
			name := strings.TrimSuffix(rule, ".rx") + ".tsv"
			f, err := Files.Open(name)
			if err != nil {
				return nil, err
			}
			for row, err := range tsv.Rows(f, name, 2, 2) {
				if err != nil {
					return nil, err
				}
				kind := strings.TrimSuffix(path.Base(name), ".tsv")
				all = append(all, Line{d, kind, linegrammar.Example{Where: fmt.Sprintf("%s:%d", name, row.Line), Input: row.Columns[0], Expected: row.Columns[1]}})
			}
		}
	}
	return all, nil
}

// Ambiguous returns the lines that only words around a token disambiguate.
func Ambiguous() ([]Line, error) {
	const name = "ambiguous.tsv"
	f, err := Files.Open(name)
	if err != nil {
		return nil, err
	}
	var all []Line
	for l, err := range Lines(tsv.Rows(f, name, 4, 4), name) {
		if err != nil {
			return nil, err
		}
		all = append(all, l)
	}
	return all, nil
}

// Of returns the examples of a direction.
func Of(d Direction, lines []Line) []linegrammar.Example {
	var all []linegrammar.Example
	for _, l := range lines {
		if l.Direction == d {
			all = append(all, l.Example)
		}
	}
	return all
}

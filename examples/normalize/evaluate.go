package main

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"path"
	"slices"
	"strings"

	"example.org/pathsum/internal/program"
	"example.org/pathsum/internal/text"
	"example.org/pathsum/internal/tsv"
)

// format is that of the data.
const format = "direction<TAB>kind<TAB>input<TAB>expected, where direction is written-spoken or spoken-written"

// example is a line with the reading that is expected.
type example struct {
	where           string // file and line
	direction       direction
	kind            string
	input, expected string
}

// readExamples reads the development lines of a file; without a name, the tests of the grammars.
func readExamples(file string) ([]example, error) {
	if file == "" {
		return embedded()
	}
	return parseExamples(tsv.RowsOf(file, 4, 4), text.Name(file))
}

// parseExamples returns the development lines that rows are.
func parseExamples(rows iter.Seq2[tsv.Row, error], name string) ([]example, error) {
	var all []example
	for row, err := range rows {
		if err != nil {
			return nil, err
		}
		where := fmt.Sprintf("%s:%d", name, row.Line)
		d := slices.IndexFunc(directions, func(d direction) bool { return d.String() == row.Columns[0] })
		if d < 0 {
			return nil, fmt.Errorf("%s: direction %q, want written-spoken or spoken-written", where, row.Columns[0])
		}
		all = append(all, example{where, directions[d], row.Columns[1], row.Columns[2], row.Columns[3]})
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: no lines", name)
	}
	return all, nil
}

// embedded returns the tests beside the grammars: of each file of rules x.rx, the lines
// input<TAB>expected of x.tsv.
func embedded() ([]example, error) {
	var all []example
	for _, d := range directions {
		rules, err := fs.Glob(grammars, path.Join(d.folder(), "*.rx"))
		if err != nil {
			return nil, err
		}
		for _, rule := range rules {
			name := strings.TrimSuffix(rule, ".rx") + ".tsv"
			f, err := grammars.Open(name)
			if err != nil {
				return nil, err
			}
			for row, err := range tsv.Rows(f, name, 2, 2) {
				if err != nil {
					return nil, err
				}
				kind := strings.TrimSuffix(path.Base(name), ".tsv")
				all = append(all, example{fmt.Sprintf("%s:%d", name, row.Line), d, kind, row.Columns[0], row.Columns[1]})
			}
		}
	}
	return all, nil
}

// scores are how many examples of a direction and kind there are, and how many are right.
type scores map[string]map[string]*[2]int

// score reads all examples and hands each with its best reading to write.
func score(ctx context.Context, r *program.Run, all []*grammar, examples []example, write func(example, string) error) (scores, error) {
	progress := r.Progress("reading", len(examples))
	defer progress.Done()
	s := scores{}
	for _, x := range examples {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		readings, err := all[x.direction].Apply(x.input, 1)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", x.where, err)
		}
		d := x.direction.String()
		if s[d] == nil {
			s[d] = map[string]*[2]int{}
		}
		if s[d][x.kind] == nil {
			s[d][x.kind] = new([2]int)
		}
		s[d][x.kind][0]++
		if readings[0].text == x.expected {
			s[d][x.kind][1]++
		}
		if err := write(x, readings[0].text); err != nil {
			return nil, err
		}
		progress.Step("")
	}
	return s, nil
}

// accuracy returns the fractions that are right.
func (s scores) accuracy() map[string]map[string]float64 {
	all := map[string]map[string]float64{}
	for d, kinds := range s {
		all[d] = map[string]float64{}
		for kind, n := range kinds {
			all[d][kind] = float64(n[1]) / float64(n[0])
		}
	}
	return all
}

// print prints a table of what is right.
func (s scores) print(w io.Writer) {
	for _, d := range directions {
		kinds := s[d.String()]
		if len(kinds) == 0 {
			continue
		}
		var names []string
		total := [2]int{}
		for kind, n := range kinds {
			names = append(names, kind)
			total[0] += n[0]
			total[1] += n[1]
		}
		slices.Sort(names)
		fmt.Fprintf(w, "%s: %d of %d lines right\n", d, total[1], total[0])
		for _, kind := range names {
			n := kinds[kind]
			fmt.Fprintf(w, "  %-12s %4d of %4d\n", kind, n[1], n[0])
		}
	}
}

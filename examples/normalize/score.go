package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"example.org/pathsum/internal/grammars"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/internal/tsv"
)

// readLines reads the lines of a file.
func readLines(r *program.Run, file string) ([]grammars.Line, error) {
	return program.All(r, grammars.Lines(tsv.RowsOf(file, 4, 4), file))
}

// scores has the numbers of all lines and of correct lines by direction and kind.
type scores map[string]map[string]*[2]int

// score reads the lines of the directions in use and reports the number whose best reading is
// the expected one.
func (f *flags) score(ctx context.Context, r *program.Run, m *normalizer, lines []grammars.Line) error {
	progress := r.Progress("reading", len(lines))
	defer progress.Done()
	s := scores{}
	began, n := time.Now(), 0
	err := f.output.Write(func(w io.Writer) error {
		for _, x := range lines {
			if err := ctx.Err(); err != nil {
				return err
			}
			i := slices.Index(f.directions(r), x.Direction)
			if i < 0 {
				continue
			}
			readings, err := m.all[i].Apply(x.Input, 1)
			if err != nil {
				return fmt.Errorf("%s: %w", x.Where, err)
			}
			s.add(x, readings[0].Text == x.Expected)
			if _, err := fmt.Fprintln(w, strings.Join([]string{x.Direction.String(), x.Kind, x.Input, x.Expected, readings[0].Text}, "\t")); err != nil {
				return err
			}
			n++
			progress.Step("")
		}
		return nil
	})
	if err != nil {
		return err
	}
	s.print(r.Out)
	r.Set("accuracy", s.accuracy())
	r.Set("sentences_per_second", float64(n)/time.Since(began).Seconds())
	return nil
}

// add counts a line.
func (s scores) add(x grammars.Line, right bool) {
	d := x.Direction.String()
	if s[d] == nil {
		s[d] = map[string]*[2]int{}
	}
	if s[d][x.Kind] == nil {
		s[d][x.Kind] = new([2]int)
	}
	s[d][x.Kind][0]++
	if right {
		s[d][x.Kind][1]++
	}
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

// print prints a table of the fractions.
func (s scores) print(w io.Writer) {
	for _, d := range grammars.Directions {
		kinds := s[d.String()]
		if len(kinds) == 0 {
			continue
		}
		total := [2]int{}
		for _, n := range kinds {
			total[0] += n[0]
			total[1] += n[1]
		}
		fmt.Fprintf(w, "%s: %d of %d lines right\n", d, total[1], total[0])
		for _, kind := range slices.Sorted(maps.Keys(kinds)) {
			fmt.Fprintf(w, "  %-12s %4d of %4d\n", kind, kinds[kind][1], kinds[kind][0])
		}
	}
}

package main

import (
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/tsv"
)

// saveParameters writes the parameters in use of grammars, a line each: direction, name and value.
func saveParameters(w io.Writer, all []*grammar) error {
	for _, g := range all {
		for i, name := range g.names() {
			if _, err := fmt.Fprintf(w, "%s\t%s\t%s\n", g.direction, name, strconv.FormatFloat(g.theta[i], 'g', -1, 64)); err != nil {
				return err
			}
		}
	}
	return nil
}

// names yields the parameters that are in use, by their numbers, and their names: strengths of
// contexts that were there before are not.
func (g *grammar) names() iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for _, group := range g.params.Groups() {
			if _, ok := group.Law().(em.Exponents); ok && (g.contexts == nil || group != g.contexts.before && group != g.contexts.after) {
				continue
			}
			for i := range group.Len() {
				if !yield(group.First()+i, group.Name(i)) {
					return
				}
			}
		}
	}
}

// loadParameters makes use of what saveParameters has written of a direction. Words that have
// parameters are those of the contexts.
func (g *grammar) loadParameters(file string) error {
	values := map[string]float64{}
	var words []string
	for row, err := range tsv.RowsOf(file, 3, 3) {
		if err != nil {
			return err
		}
		if row.Columns[0] != g.direction.String() {
			continue
		}
		name := row.Columns[1]
		v, err := strconv.ParseFloat(row.Columns[2], 64)
		if err != nil {
			return fmt.Errorf("%s:%d: value %q, want a number", tsv.Name(file), row.Line, row.Columns[2])
		}
		if _, twice := values[name]; twice {
			return fmt.Errorf("%s:%d: %s comes twice", tsv.Name(file), row.Line, name)
		}
		values[name] = v
		if word, ok := contextWord(name); ok && word != "" && !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	if err := g.addContexts(words); err != nil {
		return err
	}
	theta := g.params.Start()
	for i, name := range g.names() {
		v, ok := values[name]
		if !ok {
			return fmt.Errorf("%s: no value of %s for %s", tsv.Name(file), name, g.direction)
		}
		theta[i] = v
		delete(values, name)
	}
	for name := range values {
		return fmt.Errorf("%s: %s, which the grammar for %s does not have", tsv.Name(file), name, g.direction)
	}
	if err := g.params.Check(theta); err != nil {
		return fmt.Errorf("%s: %w", tsv.Name(file), err)
	}
	return g.use(theta)
}

// contextWord returns the word of a strength before[word_kind], and whether name is one.
func contextWord(name string) (string, bool) {
	name, ok := strings.CutPrefix(name, beforeGroup+"[")
	if !ok {
		return "", false
	}
	word, _, ok := strings.Cut(name, "_")
	return word, ok
}

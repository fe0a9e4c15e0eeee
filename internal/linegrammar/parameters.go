package linegrammar

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/text"
	"example.org/pathsum/internal/tsv"
)

// end begins the last line of saved parameters, which has their number. In a truncated file the
// line is missing or has another number.
const end = "end"

// SaveParameters writes the current parameters of grammars, one per line: name of the grammar,
// name and value.
func SaveParameters(w io.Writer, all []*Grammar) error {
	n := 0
	for _, g := range all {
		for i, name := range g.names() {
			if _, err := fmt.Fprintf(w, "%s\t%s\t%s\n", g.Name, name, strconv.FormatFloat(g.Theta[i], 'g', -1, 64)); err != nil {
				return err
			}
			n++
		}
	}
	_, err := fmt.Fprintf(w, "%s\tparameters\t%d\n", end, n)
	return err
}

// Parameters are values written by SaveParameters, in order, by the name of the grammar.
type Parameters map[string][]savedValue

type savedValue struct {
	name  string
	value float64
}

// ReadParameters reads parameters written by SaveParameters.
func ReadParameters(r io.Reader) (Parameters, error) {
	all, n, ended := Parameters{}, 0, false
	for row, err := range tsv.Rows(r, "", 3, 3) {
		if err != nil {
			return nil, err
		}
		v, err := strconv.ParseFloat(row.Columns[2], 64)
		switch d := row.Columns[0]; {
		case err != nil:
			return nil, &text.Error{Line: row.Line, Err: fmt.Errorf("value %q, want a number", row.Columns[2])}
		case ended:
			return nil, &text.Error{Line: row.Line, Err: errors.New("a line after the end")}
		case d == end && v != float64(n):
			return nil, &text.Error{Line: row.Line, Err: fmt.Errorf("the end of %g parameters after %d", v, n)}
		case d == end:
			ended = true
		default:
			all[d] = append(all[d], savedValue{row.Columns[1], v})
			n++
		}
	}
	if !ended {
		return nil, fmt.Errorf("no end after %d parameters", n)
	}
	return all, nil
}

// names yields the indices of the parameters in use and their names. It omits strengths of
// earlier contexts.
func (g *Grammar) names() iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for _, group := range g.Params.Groups() {
			for i := range group.Len() {
				name, ofContext := g.contexts.name(group, i)
				if _, ok := group.Law().(em.Exponents); ok && !ofContext {
					break
				} else if !ok {
					name = group.Name(i)
				}
				if !yield(group.First()+i, name) {
					return
				}
			}
		}
	}
}

// Load sets the parameters to the saved values of the grammar. The contexts get the words with
// saved parameters.
func (g *Grammar) Load(saved Parameters) error {
	values := map[string]float64{}
	var words []string
	for _, p := range saved[g.Name] {
		if _, twice := values[p.name]; twice {
			return fmt.Errorf("%s comes twice for %s", p.name, g.Name)
		}
		values[p.name] = p.value
		if word, ok := contextWord(p.name); ok && word != "" && !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	if err := g.AddContexts(words); err != nil {
		return err
	}
	theta := g.Params.Start()
	for i, name := range g.names() {
		v, ok := values[name]
		if !ok {
			return fmt.Errorf("no value of %s for %s", name, g.Name)
		}
		theta[i] = v
		delete(values, name)
	}
	if len(values) > 0 {
		return fmt.Errorf("%s, which the grammar for %s does not have", slices.Min(slices.Collect(maps.Keys(values))), g.Name)
	}
	if err := g.Params.Check(theta); err != nil {
		return err
	}
	return g.Use(theta)
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

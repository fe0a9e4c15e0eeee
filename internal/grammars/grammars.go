// Package grammars has the grammars of examples/normalize, which convert written to spoken
// English and the reverse: texts of package fst/rx, in a folder for each direction, next to
// their tests. Load compiles them.
package grammars

import (
	"embed"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"

	"example.org/pathsum/em"
	"example.org/pathsum/fst/rx"
	"example.org/pathsum/internal/linegrammar"
	"example.org/pathsum/internal/tsv"
)

// Files are the texts.
//
//go:embed shared spoken written ambiguous.tsv
var Files embed.FS

// Direction is a direction of conversion.
type Direction int

// The directions, which are numbers from 0.
const (
	WrittenSpoken Direction = iota
	SpokenWritten
)

// Directions are all directions.
var Directions = []Direction{WrittenSpoken, SpokenWritten}

// String returns the direction as written in data.
func (d Direction) String() string { return [...]string{"written-spoken", "spoken-written"}[d] }

// Folder returns the folder of the grammar.
func (d Direction) Folder() string { return [...]string{"written", "spoken"}[d] }

// topFile is the first file of every grammar, top the definition that it is compiled from, and
// ownRules the definition that the user's rules replace.
const (
	topFile  = "sentence.rx"
	top      = "sentence"
	ownRules = "own"
)

// Load compiles the grammar of a direction, with its default probabilities. If own is not nil,
// its definition own takes precedence over all other rules.
func Load(d Direction, own []rx.Definition) (*linegrammar.Grammar, error) {
	definitions, err := rx.ReadDefinitions(Files, path.Join(d.Folder(), topFile))
	if err != nil {
		return nil, err
	}
	if own != nil {
		isOwn := func(x rx.Definition) bool { return x.Name == ownRules }
		if !slices.ContainsFunc(own, isOwn) {
			return nil, fmt.Errorf("no definition %s = …; among the rules", ownRules)
		}
		definitions = append(slices.DeleteFunc(definitions, isOwn), own...)
	}
	alphabet, err := linegrammar.Alphabet(definitions)
	if err != nil {
		return nil, err
	}
	starts, err := readProbabilities(Files, path.Join(d.Folder(), "probabilities.tsv"))
	if err != nil {
		return nil, err
	}
	params := em.NewParams()
	compiler := rx.NewCompiler(params.Space(), alphabet)
	compiler.Groups = em.Alternatives(params, starts.prior)
	if err := compiler.DefineAll(definitions); err != nil {
		return nil, err
	}
	model, err := compiler.Machine(top)
	if err != nil {
		return nil, err
	}
	if err := starts.set(params); err != nil {
		return nil, err
	}
	// Spoken tokens of many kinds have the same beginnings, which optimization merges. Written
	// ones do not, and without arcs ε:ε all beginnings would follow every end of a token.
	return linegrammar.New(d.String(), params, alphabet, model, d == SpokenWritten)
}

// priorStrength is the number of examples that the prior of each choice is worth.
const priorStrength = 2

// probabilities are weights of alternatives, by the names of their parameters.
type probabilities map[string]float64

// readProbabilities reads lines of a group, an alternative and its weight.
func readProbabilities(files fs.FS, name string) (probabilities, error) {
	f, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	all := probabilities{}
	for row, err := range tsv.Rows(f, name, 3, 3) {
		if err != nil {
			return nil, err
		}
		p, err := strconv.ParseFloat(row.Columns[2], 64)
		if err != nil || !(p > 0) {
			return nil, fmt.Errorf("%s:%d: %q, want a number > 0", name, row.Line, row.Columns[2])
		}
		key := parameter(row.Columns[0], row.Columns[1])
		if _, twice := all[key]; twice {
			return nil, fmt.Errorf("%s:%d: %s comes twice", name, row.Line, key)
		}
		all[key] = p
	}
	return all, nil
}

// of returns the probabilities of the alternatives of a group, in proportion to the weights; an
// alternative without one has weight 1.
func (p probabilities) of(group string, alternatives []string) []float64 {
	all, sum := make([]float64, len(alternatives)), 0.0
	for i, a := range alternatives {
		all[i] = 1
		if w, ok := p[parameter(group, a)]; ok {
			all[i] = w
		}
		sum += all[i]
	}
	for i := range all {
		all[i] /= sum
	}
	return all
}

// prior returns the law of a choice: a Dirichlet prior with the mode at the default probabilities.
func (p probabilities) prior(group string, alternatives []string) em.Law {
	mode := p.of(group, alternatives)
	for i := range mode {
		mode[i] = 1 + priorStrength*mode[i]
	}
	return em.Dirichlet{Alphas: mode}
}

// parameter returns the name of the parameter of an alternative.
func parameter(group, alternative string) string { return fmt.Sprintf("%s[%s]", group, alternative) }

// set makes the modes of the priors the start of the parameters.
func (p probabilities) set(params *em.Params) error {
	left := maps.Clone(p)
	for _, g := range params.Groups() {
		law := g.Law().(em.Dirichlet)
		start := make([]float64, g.Len())
		for i := range start {
			start[i] = (law.Alphas[i] - 1) / priorStrength
			delete(left, g.Name(i))
		}
		g.SetStart(start)
	}
	for name := range left {
		return fmt.Errorf("a probability of %s, which the grammar does not name", name)
	}
	return nil
}

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/fst/rx"
	"example.org/pathsum/semiring/expr"
)

// Bounds of one request, in states and arcs, characters and paths.
const (
	largest      = 200_000 // a machine of definitions, or a step made of it
	largestInput = 2_000
	mostOutputs  = 20
	mostUses     = 8
)

var limit = &fst.Options{Limit: largest}

// request is the state of the page. It contains all inputs of an answer.
type request struct {
	Definitions   string             `json:"definitions"`
	Name          string             `json:"name"` // a definition; the last one if it is empty
	Input, Output string             // Output restricts the lattice unless it is empty
	Best          int                `json:"best"`
	Probabilities bool               `json:"probabilities"` // in drawings and steps, instead of costs
	Panel         string             `json:"panel"`
	Steps         []string           `json:"steps"`
	Values        map[string]float64 `json:"values"` // of parameters by name; else their start

	Data       string `json:"data"`
	Single     string `json:"single"` // the tape of lines without a tab: input or output
	Iterations int    `json:"iterations"`
	Seed       uint64 `json:"seed"` // of a random start; 0 trains from Values

	Form  string `json:"form"`  // of an export
	Model string `json:"model"` // the text of a saved model, to be loaded
}

// grammar has definitions and the chosen one.
type grammar struct {
	names    []string // of definitions without parameters
	all      []rx.Definition
	name     string
	alphabet *fst.Symbols
	params   *em.Params
	compiler *rx.Compiler[expr.W]
}

// parse reads the definitions of a request.
func parse(q *request) (*grammar, error) {
	if n := max(len(q.Input), len(q.Output)); n > largestInput {
		return nil, fmt.Errorf("the input or output has %d bytes; want at most %d", n, largestInput)
	}
	all, err := rx.ParseDefinitions(q.Definitions)
	if err != nil {
		return nil, err
	}
	g := &grammar{all: all, name: q.Name, params: em.NewParams()}
	for _, d := range all {
		if len(d.Params) == 0 {
			g.names = append(g.names, d.Name)
		}
	}
	if len(g.names) == 0 {
		return nil, errors.New("write a definition, such as: word = [a-z]+;")
	}
	if !slices.Contains(g.names, g.name) {
		g.name = g.names[len(g.names)-1]
	}
	if g.alphabet, err = rx.Alphabet(all); err != nil {
		return nil, err
	}
	g.compiler = rx.NewCompiler(g.params.Space(), g.alphabet)
	g.compiler.Groups = em.Alternatives(g.params, nil)
	g.compiler.Limit = largest
	return g, g.compiler.DefineAll(all)
}

// theta returns values for the parameters. Groups use the given values if these are complete,
// and their start otherwise.
func (g *grammar) theta(values map[string]float64) ([]float64, error) {
	theta := g.params.Start()
	for _, group := range g.params.Groups() {
		var given []float64
		for i := range group.Len() {
			if v, ok := values[group.Name(i)]; ok {
				given = append(given, v)
			}
		}
		if len(given) == group.Len() {
			copy(group.In(theta), given)
		}
	}
	return theta, g.params.Check(theta)
}

// value is a parameter, and group the parameters that are estimated together.
type (
	value struct {
		Name  string  `json:"name"`
		Value float64 `json:"value"`
	}
	group []value
)

func (g *grammar) groups(theta []float64) (all []group) {
	for _, of := range g.params.Groups() {
		var values group
		for i, v := range of.In(theta) {
			values = append(values, value{of.Name(i), v})
		}
		all = append(all, values)
	}
	return all
}

// use is how often a parameter is expected to be used.
type use struct {
	Name  string  `json:"name"`
	Times float64 `json:"times"`
}

// uses returns the parameters used when m reads x and writes y, the most used first.
func (g *grammar) uses(ctx context.Context, m *fst.FST[expr.W], theta []float64, x, y []int32) ([]use, error) {
	example := cascade.Example{X: cascade.Labels(x...), Y: cascade.Labels(y...)}
	problem := cascade.Problem{Params: g.params, Stages: []cascade.Stage{m}}
	l, err := problem.Likelihood(cascade.Data{Examples: []cascade.Example{example}, LatticeLimit: largest})
	if err != nil {
		return nil, err
	}
	e, err := l.Expect(ctx, em.Query{Theta: theta, Workers: 1})
	if err != nil {
		return nil, err
	}
	var used []use
	for i, n := range e.Counts {
		if n > 0.005 {
			used = append(used, use{g.params.Name(int32(i)), n})
		}
	}
	slices.SortStableFunc(used, func(a, b use) int { return cmp.Compare(b.Times, a.Times) })
	return used[:min(len(used), mostUses)], nil
}

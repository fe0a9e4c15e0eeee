package main

import (
	"context"
	"fmt"
	"strings"

	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// mostSteps bounds the operations of one request.
const mostSteps = 20

// step is an operation and the size of its result.
type step struct {
	Name   string `json:"name"`
	States int    `json:"states"`
	Arcs   int    `json:"arcs"`
	Fault  string `json:"fault"`
}

// steps makes operations on the machine of the chosen definition, one after the other, and
// shows the last result.
func (g *grammar) steps(ctx context.Context, m *fst.FST[expr.W], q *request) ([]step, *view, error) {
	if q.Probabilities {
		return operate(ctx, g, m, q, semiring.Scaled{})
	}
	return operate(ctx, g, m, q, semiring.Tropical{})
}

func operate[W any](ctx context.Context, g *grammar, m *fst.FST[expr.W], q *request, ring semiring.Semiring[W]) ([]step, *view, error) {
	if len(q.Steps) > mostSteps {
		return nil, nil, fmt.Errorf("%d steps; want at most %d", len(q.Steps), mostSteps)
	}
	instance := func(m fst.Machine[expr.W]) (*fst.FST[W], error) {
		theta, err := g.theta(q.Values)
		if err != nil {
			return nil, err
		}
		return cascade.Instantiate(g.params, m, theta, ring)
	}
	operand := func(name string) (*fst.FST[W], error) {
		if name == "input" {
			x, err := g.alphabet.EncodeRunes(q.Input)
			return fst.FromString(ring, x).WithSymbols(g.alphabet, g.alphabet), err
		}
		m, err := g.compiler.Machine(name)
		if err != nil {
			return nil, err
		}
		return instance(m)
	}
	current, err := instance(m)
	if err != nil {
		return nil, nil, err
	}
	all := []step{{Name: g.name, States: current.NumStates(), Arcs: current.NumArcs()}}
	for _, name := range q.Steps {
		if err := ctx.Err(); err != nil {
			return all, nil, err
		}
		next, err := operation(current, name, operand)
		if err != nil {
			all = append(all, step{Name: name, Fault: err.Error()})
			break
		}
		current = next
		all = append(all, step{Name: name, States: current.NumStates(), Arcs: current.NumArcs()})
	}
	v, err := show(ctx, current, nil)
	return all, v, err
}

// operation returns the result of one operation on m.
func operation[W any](m *fst.FST[W], name string, operand func(string) (*fst.FST[W], error)) (*fst.FST[W], error) {
	lazy := map[string]func(fst.Machine[W]) fst.Machine[W]{
		"invert": fst.Invert[W], "inputs": fst.ProjectIn[W], "outputs": fst.ProjectOut[W], "ε-removal": fst.RemoveEpsilon[W],
		"determinize": func(m fst.Machine[W]) fst.Machine[W] { return fst.Determinize(m, limit) },
	}
	eager := map[string]func(fst.Machine[W], *fst.Options) (*fst.FST[W], error){
		"minimize": fst.Minimize[W], "optimize": fst.Optimize[W], "connect": fst.Connect[W],
		"push": func(m fst.Machine[W], o *fst.Options) (*fst.FST[W], error) {
			return fst.PushWeights(m, fst.TowardInitial, o)
		},
	}
	verb, of, _ := strings.Cut(name, " ")
	switch {
	case lazy[verb] != nil:
		return fst.Expand(lazy[verb](m), limit)
	case eager[verb] != nil:
		return eager[verb](m, limit)
	case verb != "before" && verb != "after":
		return nil, fmt.Errorf("%q is not an operation", name)
	}
	other, err := operand(of)
	if err != nil {
		return nil, err
	}
	if verb == "before" {
		return fst.Expand(fst.Compose(m, other), limit)
	}
	return fst.Expand(fst.Compose(other, m), limit)
}

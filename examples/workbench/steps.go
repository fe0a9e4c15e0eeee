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
	machine := func(name string) (fst.Machine[expr.W], error) {
		switch name {
		case "":
			return m, nil
		case "input":
			x, err := g.labels(q.Input)
			if err != nil {
				return nil, err
			}
			return fst.FromString(m.Semiring(), x).WithSymbols(g.alphabet, g.alphabet), nil
		}
		return g.compiler.Machine(name)
	}
	if q.Probabilities {
		return operate(ctx, g, q, machine, semiring.Scaled{})
	}
	return operate(ctx, g, q, machine, semiring.Tropical{})
}

func operate[W any](ctx context.Context, g *grammar, q *request, machine func(string) (fst.Machine[expr.W], error), ring semiring.Semiring[W]) ([]step, *view, error) {
	if len(q.Steps) > mostSteps {
		return nil, nil, fmt.Errorf("%d steps; want at most %d", len(q.Steps), mostSteps)
	}
	instance := func(name string) (*fst.FST[W], error) {
		m, err := machine(name)
		if err != nil {
			return nil, err
		}
		theta, err := g.theta(q.Values)
		if err != nil {
			return nil, err
		}
		return cascade.Instantiate(g.params, m, theta, ring)
	}
	current, err := instance("")
	if err != nil {
		return nil, nil, err
	}
	all := []step{{Name: g.name, States: current.NumStates(), Arcs: current.NumArcs()}}
	for _, name := range q.Steps {
		if err := ctx.Err(); err != nil {
			return all, nil, err
		}
		next, err := operation(current, name, instance)
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
func operation[W any](m *fst.FST[W], name string, instance func(string) (*fst.FST[W], error)) (*fst.FST[W], error) {
	verb, of, _ := strings.Cut(name, " ")
	switch verb {
	case "after", "before":
		other, err := instance(of)
		if err != nil {
			return nil, err
		}
		if verb == "before" {
			return fst.Expand(fst.Compose(m, other), limit)
		}
		return fst.Expand(fst.Compose(other, m), limit)
	case "invert":
		return fst.Expand(fst.Invert(m), limit)
	case "inputs":
		return fst.Expand(fst.ProjectIn(m), limit)
	case "outputs":
		return fst.Expand(fst.ProjectOut(m), limit)
	case "ε-removal":
		return fst.Expand(fst.RemoveEpsilon(m), limit)
	case "determinize":
		return fst.Expand(fst.Determinize(m, limit), limit)
	case "push":
		return fst.PushWeights(m, fst.TowardInitial, limit)
	case "minimize":
		return fst.Minimize(m, limit)
	case "optimize":
		return fst.Optimize(m, limit)
	case "connect":
		return fst.Connect(m, limit)
	}
	return nil, fmt.Errorf("%q is no operation", name)
}

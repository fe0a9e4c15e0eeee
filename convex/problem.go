package convex

import (
	"fmt"
	"slices"
)

// Problem is the training of a model on data in which variables are hidden, relaxed. It
// does not change; solvers of one Problem may run at the same time.
type Problem struct {
	variables []Variable
	weights   []float64 // per row of the data
	ridge     float64
	hidden    []int
	constant  float64
	parts     []*part
}

// NewProblem returns the problem of the model and the data that the variables describe.
// weights says how often each row was seen (nil: once), ridge is β. A row that was seen 0
// times has no place in a relation: leave it out.
//
// Errors wrap ErrInvalid (ridge not > 0, numbers not finite or out of range, shapes that do
// not fit, parents in a cycle, fewer than two rows, no hidden variable) or ErrRelaxation
// (what package convex does not cover).
func NewProblem(variables []Variable, weights []float64, ridge float64) (*Problem, error) {
	p := &Problem{variables: slices.Clone(variables), weights: slices.Clone(weights), ridge: ridge}
	if err := p.check(); err != nil {
		return nil, err
	}
	for i, v := range p.variables {
		if v.hidden() {
			p.hidden = append(p.hidden, i)
		}
	}
	if len(p.hidden) == 0 {
		return nil, invalid("no variable is hidden")
	}
	for i := range p.variables {
		if len(p.concealed(i)) == 0 {
			_, loss := p.table(i, nil)
			p.constant += loss
		}
	}
	for _, hidden := range p.separate() {
		b, err := p.newPart(hidden)
		if err != nil {
			return nil, err
		}
		p.parts = append(p.parts, b)
	}
	return p, nil
}

// Hidden returns the indices of the hidden variables, in ascending order.
func (p *Problem) Hidden() []int { return slices.Clone(p.hidden) }

// Constant returns the loss of the variables that neither are hidden nor have a hidden
// parent; it does not depend on relations.
func (p *Problem) Constant() float64 { return p.constant }

// name returns how errors call variable i.
func (p *Problem) name(i int) string {
	if v := p.variables[i]; v.Name != "" {
		return fmt.Sprintf("variable %d (%s)", i, v.Name)
	}
	return fmt.Sprintf("variable %d", i)
}

// concealed returns the hidden variables among i and its parents.
func (p *Problem) concealed(i int) []int {
	var h []int
	for _, j := range append([]int{i}, p.variables[i].Parents...) {
		if p.variables[j].hidden() {
			h = append(h, j)
		}
	}
	return h
}

// separate returns the hidden variables by parts: two are in the same if a third, or one of
// them, depends on both.
func (p *Problem) separate() [][]int {
	var arcs [][2]int
	for i := range p.variables {
		arcs = append(arcs, complete(p.concealed(i))...)
	}
	return grouped(p.hidden, components(len(p.variables), arcs))
}

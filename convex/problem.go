package convex

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"example.org/pathsum/internal/nested"
)

const (
	// Hidden in place of a value means that it was not observed and is to be found.
	Hidden = -1
	// Absent in place of a value means that it was not observed and has no effect on its row,
	// because all variables that depend on it are absent, too: it sums to 1, whatever its parents
	// are.
	Absent = -2
)

// Variable describes one variable of a model and its observed values in each row of the data.
type Variable struct {
	// Name appears in errors; if it is empty, errors contain the index.
	Name string
	// Parents are the indices of the variables on which it depends, all discrete.
	Parents []int
	// States is the number of values of a discrete variable, and 0 for a vector-valued one.
	States int
	// Values holds, per row, a value in [0, States), Hidden if it was not observed, or Absent if it
	// has no effect; then all its children must be Absent in that row, too. A variable with a
	// Hidden value is hidden, and must not be Absent in other rows; nil means Hidden in every row.
	Values []int
	// Vectors holds the value of a vector-valued variable per row; all must be observed. Its
	// covariance given its parents is assumed to be the identity: whiten (Whiten) or scale the data
	// first. The ridge shrinks its means to 0.
	Vectors [][]float64
	// Gram, in place of Vectors, holds their inner products, a row per row of the data: a kernel of
	// the observations. It must be symmetric and positive semidefinite. NewProblem takes O(t³) time
	// to find vectors with these products; the choice of vectors has no effect.
	Gram [][]float64
}

// hidden reports whether any value is Hidden.
func (v *Variable) hidden() bool {
	for _, x := range v.Values {
		if x == Hidden {
			return true
		}
	}
	return false
}

// absent reports whether the variable is absent from a row.
func (v *Variable) absent(row int) bool { return v.Vectors == nil && v.Values[row] == Absent }

// present returns the rows from which variable i is not absent.
func (p *Problem) present(i int) []int {
	return slices.DeleteFunc(numbers(len(p.weights)), p.variables[i].absent)
}

// Problem is the relaxed training of a model on data with hidden variables. It is immutable;
// several solvers may use one Problem at the same time.
type Problem struct {
	variables []Variable
	weights   []float64 // per row of the data
	ridge     float64
	hidden    []int
	constant  float64
	parts     []*part
}

// NewProblem returns the problem of the model and the data that the variables describe. weights
// contains the multiplicity of each row (nil: once), and ridge is β. Leave out rows of multiplicity
// 0.
//
// Errors wrap ErrRelaxation for models that package convex does not cover, and ErrInvalid for
//
//	a ridge not > 0, numbers that are not finite or out of range, shapes that do not fit,
//	parents in a cycle, fewer than two rows, no hidden variable.
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
		p.parts = append(p.parts, p.newPart(hidden))
	}
	return p, nil
}

// Hidden returns the indices of the hidden variables, in ascending order.
func (p *Problem) Hidden() []int { return slices.Clone(p.hidden) }

// Constant returns the loss of the variables that are not hidden and have no hidden parent. It does
// not depend on relations.
func (p *Problem) Constant() float64 { return p.constant }

// name returns the name of variable i in errors.
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

// separate returns the hidden variables by parts. Two are in the same part if a variable depends on
// both, or one of them on the other.
func (p *Problem) separate() [][]int {
	var arcs [][2]int
	for i := range p.variables {
		arcs = append(arcs, complete(p.concealed(i))...)
	}
	component := components(len(p.variables), arcs)
	return groupBy(p.hidden, func(h int) int32 { return component[h] })
}

// check validates the arguments and sets defaults.
func (p *Problem) check() error {
	if !(p.ridge > 0) || math.IsInf(p.ridge, 1) {
		return invalid("ridge %g, want a finite number > 0", p.ridge)
	}
	rows := len(p.weights)
	for i := range p.variables {
		v := &p.variables[i]
		rows = max(rows, len(v.Values), len(v.Vectors), len(v.Gram))
	}
	if rows < 2 {
		return invalid("%d rows, want 2 or more", rows)
	}
	if p.weights == nil {
		p.weights = slices.Repeat([]float64{1}, rows)
	}
	if len(p.weights) != rows {
		return invalid("%d weights for %d rows", len(p.weights), rows)
	}
	for i, w := range p.weights {
		if !(w > 0) || math.IsInf(w, 1) {
			return invalid("weight %g of row %d, want a finite number > 0", w, i)
		}
	}
	for i := range p.variables {
		v := &p.variables[i]
		if v.Gram != nil {
			if err := p.checkGram(i, rows); err != nil {
				return err
			}
			v.Vectors = vectorsOf(v.Gram)
		}
		if v.Vectors == nil && v.Values == nil {
			v.Values = slices.Repeat([]int{Hidden}, rows)
		}
		if err := p.checkVariable(i, rows); err != nil {
			return err
		}
	}
	if err := p.checkAbsent(); err != nil {
		return err
	}
	return p.checkOrder()
}

// checkAbsent fails if a variable is absent from a row but one of its children is not.
func (p *Problem) checkAbsent() error {
	for i := range p.variables {
		for _, j := range p.variables[i].Parents {
			for row := range p.weights {
				if p.variables[j].absent(row) && !p.variables[i].absent(row) {
					return invalid("%s is Absent from row %d, in which its child %s has a part, want Hidden", p.name(j), row, p.name(i))
				}
			}
		}
	}
	return nil
}

func (p *Problem) checkVariable(i, rows int) error {
	v := p.variables[i]
	for k, j := range v.Parents {
		switch {
		case j < 0 || j >= len(p.variables):
			return invalid("%s has parent %d of %d variables", p.name(i), j, len(p.variables))
		case p.variables[j].Vectors != nil:
			return uncovered("%s has vector-valued parent %d and", p.name(i), j)
		case slices.Contains(v.Parents[:k], j):
			return invalid("%s has parent %d twice", p.name(i), j)
		}
	}
	if v.Vectors != nil {
		return p.checkVectors(i, rows)
	}
	if v.States < 1 {
		return invalid("%s has %d states", p.name(i), v.States)
	}
	if len(v.Values) != rows {
		return invalid("%s has %d values for %d rows", p.name(i), len(v.Values), rows)
	}
	for row, x := range v.Values {
		switch {
		case x == Absent && v.hidden():
			return invalid("%s is Absent in row %d and Hidden in others, want the same in all rows", p.name(i), row)
		case x != Hidden && x != Absent && (x < 0 || x >= v.States):
			return invalid("%s has value %d in row %d, want one of %d", p.name(i), x, row, v.States)
		}
	}
	if v.hidden() && v.States < 2 {
		return invalid("%s is hidden and has %d states, want 2 or more", p.name(i), v.States)
	}
	return nil
}

func (p *Problem) checkVectors(i, rows int) error {
	v := p.variables[i]
	if v.Values != nil || v.States != 0 {
		return invalid("%s has values and vectors", p.name(i))
	}
	if len(v.Vectors) != rows {
		return invalid("%s has %d vectors for %d rows", p.name(i), len(v.Vectors), rows)
	}
	for row, x := range v.Vectors {
		if len(x) != len(v.Vectors[0]) || len(x) == 0 {
			return invalid("%s has a vector of %d numbers in row %d, of %d in row 0", p.name(i), len(x), row, len(v.Vectors[0]))
		}
		for _, c := range x {
			if c-c != 0 {
				return invalid("%s has the number %g in row %d", p.name(i), c, row)
			}
		}
	}
	return nil
}

// checkOrder fails if parents form a cycle.
func (p *Problem) checkOrder() error {
	var arcs [][2]int
	for i, v := range p.variables {
		for _, j := range v.Parents {
			if i == j {
				return invalid("%s is its own parent", p.name(i))
			}
			arcs = append(arcs, [2]int{j, i})
		}
	}
	component := components(len(p.variables), arcs)
	for i, c := range component {
		if j := slices.Index(component, c); j < i {
			return invalid("%s and %s are ancestors of each other", p.name(j), p.name(i))
		}
	}
	return nil
}

// ErrInvalid is returned, wrapped, for invalid arguments: β ≤ 0, numbers that are not finite,
// shapes that do not fit, cyclic parents.
var ErrInvalid = nested.ErrInvalid

// ErrRelaxation is returned, wrapped, for a model that the relaxation does not cover. The error
// contains the name of the variable.
var ErrRelaxation = errors.New("cannot be relaxed")

func invalid(format string, args ...any) error {
	return nested.Errorf("convex: %w: "+format, append([]any{ErrInvalid}, args...)...)
}

func uncovered(format string, args ...any) error {
	return nested.Errorf("convex: "+format+" %w", append(args, ErrRelaxation)...)
}

package convex

import (
	"math"
	"slices"
)

// check says what is wrong with the arguments, and sets defaults.
func (p *Problem) check() error {
	if !(p.ridge > 0) || math.IsInf(p.ridge, 1) {
		return invalid("ridge %g, want a finite number > 0", p.ridge)
	}
	rows := len(p.weights)
	for i := range p.variables {
		rows = max(rows, len(p.variables[i].Values), len(p.variables[i].Vectors))
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
		if v.Vectors == nil && v.Values == nil {
			v.Values = slices.Repeat([]int{Hidden}, rows)
		}
		if err := p.checkVariable(i, rows); err != nil {
			return err
		}
	}
	return p.checkOrder()
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
		if x != Hidden && (x < 0 || x >= v.States) {
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

// checkOrder fails if parents are in a cycle.
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

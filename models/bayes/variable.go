package bayes

import (
	"slices"
	"strconv"

	"example.org/pathsum/internal/decimal"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/text"
)

// Variable is a random variable: discrete with States, or continuous without.
type Variable struct {
	Name   string   `json:"name"`
	States []string `json:"states,omitempty"`
}

// Parse returns the cell of a text: the number of the state of that name, or a value in decimal. If
// all states are distinct decimal numbers, a text with an equal number stands for the state, such
// as 1.0 for 1. The error wraps ErrInvalid.
func (v Variable) Parse(cell string) (float64, error) {
	if x := slices.Index(v.States, cell); x >= 0 {
		return float64(x), nil
	}
	if len(v.States) > 0 {
		if x := v.numbered(cell); x >= 0 {
			return float64(x), nil
		}
		return 0, nested.Errorf("bayes: %w: %s has no state %s, want one of %s", ErrInvalid, v.Name, text.Quote(cell), text.List(v.States))
	}
	x, err := strconv.ParseFloat(cell, 64)
	if err != nil || x-x != 0 {
		return 0, nested.Errorf("bayes: %w: %s is %s, want a finite number", ErrInvalid, v.Name, text.Quote(cell))
	}
	return x, nil
}

// numbered returns the state that is equal to cell as a number. It returns −1 if there is no such
// state, or if the states are not distinct numbers.
func (v Variable) numbered(cell string) int {
	number, ok := decimal.Canonical(cell)
	if !ok {
		return -1
	}
	found := -1
	seen := make(map[string]bool)
	for x, s := range v.States {
		state, ok := decimal.Canonical(s)
		if !ok || seen[state] {
			return -1
		}
		seen[state] = true
		if state == number {
			found = x
		}
	}
	return found
}

// setVariables copies the variables. Names must be distinct, and so must the states of a variable.
func (p *product) setVariables(variables []Variable) error {
	seen := make(map[string]bool)
	for i, v := range variables {
		if v.Name == "" || seen[v.Name] {
			return nested.Errorf("bayes: %w: variable %d has the name %s, want one of its own", ErrInvalid, i, text.Quote(v.Name))
		}
		seen[v.Name] = true
		states := make(map[string]bool)
		for _, s := range v.States {
			if s == "" || states[s] {
				return nested.Errorf("bayes: %w: %s has the state %s, want names that differ", ErrInvalid, v.Name, text.Quote(s))
			}
			states[s] = true
		}
		p.variables = append(p.variables, Variable{v.Name, slices.Clone(v.States)})
	}
	return nil
}

// Len returns the number of variables.
func (p *product) Len() int { return len(p.variables) }

// Variables returns the variables, which must not be modified.
func (p *product) Variables() []Variable { return p.variables }

// Variable returns the index of the variable with this name, −1 if there is none.
func (p *product) Variable(name string) int {
	return slices.IndexFunc(p.variables, func(v Variable) bool { return v.Name == name })
}

// named is Variable with an error that wraps ErrInvalid if there is no such variable.
func (p *product) named(name string) (int, error) {
	v := p.Variable(name)
	if v < 0 {
		return v, nested.Errorf("bayes: %w: there is no variable %s, want one of %s", ErrInvalid, text.Quote(name), text.List(p.names()))
	}
	return v, nil
}

func (p *product) names() []string {
	var names []string
	for _, v := range p.variables {
		names = append(names, v.Name)
	}
	return names
}

// checkDiscrete returns an error unless the numbers are distinct indices of discrete variables.
func (p *product) checkDiscrete(of []int) error {
	for i, v := range of {
		switch {
		case v < 0 || v >= len(p.variables):
			return nested.Errorf("bayes: %w: variable number %d, want one from 0 to %d", ErrInvalid, v, len(p.variables)-1)
		case !p.discrete(v):
			return nested.Errorf("bayes: %w: %s is continuous, and has no states", ErrInvalid, p.variables[v].Name)
		case slices.Contains(of[:i], v):
			return nested.Errorf("bayes: %w: %s is asked for twice", ErrInvalid, p.variables[v].Name)
		}
	}
	return nil
}

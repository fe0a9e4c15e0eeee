package bayes

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
)

// checkVariables returns what is wrong with the variables.
func (n *Network) checkVariables() error {
	seen := make(map[string]bool)
	for i, v := range n.variables {
		if v.Name == "" || seen[v.Name] {
			return fmt.Errorf("bayes: %w: variable %d has the name %q, want one of its own", ErrInvalid, i, v.Name)
		}
		seen[v.Name] = true
		states := make(map[string]bool)
		for _, s := range v.States {
			if s == "" || states[s] {
				return fmt.Errorf("bayes: %w: %s has the state %q, want names that differ", ErrInvalid, v.Name, s)
			}
			states[s] = true
		}
	}
	return nil
}

// checkFamilies sets of and scopes.
func (n *Network) checkFamilies() error {
	n.of = make([]int, len(n.variables))
	for i := range n.of {
		n.of[i] = -1
	}
	for i, f := range n.families {
		if len(f.Children) == 0 {
			return fmt.Errorf("bayes: %w: family %d has no child", ErrInvalid, i)
		}
		for _, v := range slices.Concat(f.Children, f.Parents, f.Regressors) {
			if v < 0 || v >= len(n.variables) {
				return fmt.Errorf("bayes: %w: family %d has variable %d of %d", ErrInvalid, i, v, len(n.variables))
			}
		}
		name := n.variables[f.Children[0]].Name
		for _, v := range f.Children {
			if n.of[v] >= 0 {
				return fmt.Errorf("bayes: %w: %s is a child twice", ErrInvalid, n.variables[v].Name)
			}
			if n.Discrete(v) && len(f.Children) > 1 {
				return fmt.Errorf("bayes: %w: %s is discrete and has siblings in its family", ErrInvalid, n.variables[v].Name)
			}
			n.of[v] = i
		}
		for k, v := range f.Parents {
			if !n.Discrete(v) {
				return fmt.Errorf("bayes: %w: %s has the continuous parent %s", ErrInvalid, name, n.variables[v].Name)
			}
			if slices.Contains(f.Parents[:k], v) || slices.Contains(f.Children, v) {
				return fmt.Errorf("bayes: %w: %s has the parent %s twice or is its own", ErrInvalid, name, n.variables[v].Name)
			}
		}
		for k, v := range f.Regressors {
			if n.Discrete(v) || n.Discrete(f.Children[0]) {
				return fmt.Errorf("bayes: %w: %s cannot regress on %s, both must be continuous", ErrInvalid, name, n.variables[v].Name)
			}
			if slices.Contains(f.Regressors[:k], v) || slices.Contains(f.Children, v) {
				return fmt.Errorf("bayes: %w: %s has the regressor %s twice or is its own", ErrInvalid, name, n.variables[v].Name)
			}
		}
		s, err := n.scope(f)
		if err != nil {
			return fmt.Errorf("bayes: %w: %s %w", ErrInvalid, name, err)
		}
		n.scopes = append(n.scopes, s)
	}
	for v, f := range n.of {
		if f < 0 {
			return fmt.Errorf("bayes: %w: %s has no family", ErrInvalid, n.variables[v].Name)
		}
	}
	return nil
}

func (n *Network) scope(f Family) (scope, error) {
	s := scope{variables: slices.Clone(f.Parents), entries: 1}
	if n.Discrete(f.Children[0]) {
		s.variables = append(s.variables, f.Children[0])
	}
	s.stride = make([]int, len(s.variables))
	for k := len(s.variables) - 1; k >= 0; k-- {
		s.stride[k] = s.entries
		if s.entries *= n.size(s.variables[k]); s.entries > maxEntries {
			return s, fmt.Errorf("has a table of more than %d entries", maxEntries)
		}
	}
	return s, nil
}

// sort sets order.
func (n *Network) sort() error {
	const (
		untouched = iota
		open
		done
	)
	state := make([]int, len(n.families))
	type frame struct{ family, next int }
	for first := range n.families {
		if state[first] == done {
			continue
		}
		state[first] = open
		path := []frame{{first, 0}}
		for len(path) > 0 {
			top := &path[len(path)-1]
			parents := slices.Concat(n.families[top.family].Parents, n.families[top.family].Regressors)
			if top.next == len(parents) {
				state[top.family] = done
				n.order = append(n.order, top.family)
				path = path[:len(path)-1]
				continue
			}
			f := n.of[parents[top.next]]
			top.next++
			switch state[f] {
			case untouched:
				state[f] = open
				path = append(path, frame{f, 0})
			case open:
				var names []string
				for _, at := range path[slices.IndexFunc(path, func(at frame) bool { return at.family == f }):] {
					names = append(names, n.child(at.family))
				}
				return fmt.Errorf("bayes: %w: %s", ErrInvalid, strings.Join(append(names, names[0]), " ← "))
			}
		}
	}
	return nil
}

// child returns the name of the first child of family f.
func (n *Network) child(f int) string { return n.variables[n.families[f].Children[0]].Name }

// complete checks the numbers of family i, or fills in those that are not given.
func (n *Network) complete(i int) error {
	f := &n.families[i]
	v := f.Children[0]
	configurations := n.Configurations(v)
	if !n.Discrete(v) {
		if f.Table != nil {
			return fmt.Errorf("bayes: %w: the continuous %s has a table", ErrInvalid, n.variables[v].Name)
		}
		return n.completeNormals(i, configurations)
	}
	if f.Normals != nil {
		return fmt.Errorf("bayes: %w: the discrete %s has normal distributions", ErrInvalid, n.variables[v].Name)
	}
	k := n.size(v)
	if f.Table == nil {
		f.Table = make([]float64, k*configurations)
		for i := range f.Table {
			f.Table[i] = 1 / float64(k)
		}
	}
	if len(f.Table) != k*configurations {
		return fmt.Errorf("bayes: %w: %s has a table of %d entries, want %d rows of %d", ErrInvalid,
			n.variables[v].Name, len(f.Table), configurations, k)
	}
	for c := range configurations {
		row := f.Table[c*k : (c+1)*k]
		for _, p := range row {
			if !(p >= 0) || math.IsInf(p, 1) {
				return fmt.Errorf("bayes: %w: P(%s) has the entry %g", ErrInvalid, n.given(v, c), p)
			}
		}
		if sum := floats.Sum(row); !(math.Abs(sum-1) <= tolerance) {
			return fmt.Errorf("bayes: %w: P(%s) sums to %g, want 1", ErrInvalid, n.given(v, c), sum)
		}
	}
	return nil
}

package bayes

import (
	"math"
	"slices"

	"example.org/pathsum/convex"
	"example.org/pathsum/em"
	"example.org/pathsum/internal/nested"
)

// Relax returns the convex relaxation of joint EM on data, in which Ridge{beta} is the law of every
// distribution (package convex). Variables have the same indices there; variables with missing
// cells are hidden. There is one exception: a partly observed variable in a family with a hidden
// one. Its missing cells are left out (convex.Absent) if they have no known or hidden descendants
// in their rows, for example the features of a hidden class.
//
// The error wraps ErrInvalid for continuous variables. Rows of weight 0 are an error, too; other
// errors are as for Likelihood and convex.NewProblem.
func (n *Network) Relax(data Data, beta float64) (*convex.Problem, error) {
	if _, err := merge(data, n.Check); err != nil { // for what it checks
		return nil, err
	}
	var variables []convex.Variable
	for v, x := range n.variables {
		if !n.Discrete(v) {
			return nil, nested.Errorf("bayes: %w: %s is continuous, relaxations are of discrete networks", ErrInvalid, x.Name)
		}
		values := make([]int, len(data.Rows))
		for i, r := range data.Rows {
			values[i] = convex.Hidden
			if !math.IsNaN(r[v]) {
				values[i] = int(r[v])
			}
		}
		variables = append(variables, convex.Variable{Name: x.Name, Parents: n.Family(v).Parents, States: n.size(v), Values: values})
	}
	n.leaveOut(variables)
	return convex.NewProblem(variables, data.Weights, beta)
}

// leaveOut marks missing cells as absent if their variable is partly observed, has a hidden
// neighbour, and its children are absent in these rows, too.
func (n *Network) leaveOut(variables []convex.Variable) {
	isHidden := func(v int) bool { return slices.Contains(variables[v].Values, convex.Hidden) }
	for _, i := range slices.Backward(n.order) { // children first
		v := n.families[i].Children[0]
		var neighbours, children []int
		for f, s := range n.scopes {
			if slices.Contains(s.variables, v) {
				neighbours = append(neighbours, s.variables...)
				if f != i {
					children = append(children, n.families[f].Children...)
				}
			}
		}
		values := slices.Clone(variables[v].Values)
		seen, barren := false, true
		for row, x := range values {
			if x != convex.Hidden {
				seen = true
				continue
			}
			values[row] = convex.Absent
			barren = barren && !slices.ContainsFunc(children, func(c int) bool { return variables[c].Values[row] != convex.Absent })
		}
		if seen && barren && slices.ContainsFunc(neighbours, func(u int) bool { return u != v && isHidden(u) }) {
			variables[v].Values = values
		}
	}
}

// WithTables returns the network with the tables of a relaxation's completion. The error wraps
// ErrInvalid for tables of another network.
func (n *Network) WithTables(tables []convex.Table) (*Network, error) {
	families := slices.Clone(n.families)
	for _, t := range tables {
		if t.Variable < 0 || t.Variable >= len(n.variables) || t.LogProb == nil {
			return nil, nested.Errorf("bayes: %w: a table of variable %d, which is not one of %d discrete ones", ErrInvalid, t.Variable, len(n.variables))
		}
		rows, columns := t.LogProb.Dims()
		p := make([]float64, 0, rows*columns)
		for c := range rows {
			for x := range columns {
				p = append(p, math.Exp(t.LogProb.At(c, x)))
			}
		}
		families[n.of[t.Variable]].Table = p
	}
	return newNetwork(n.variables, families, n.most)
}

// Polish returns the continuation by EM of the model, with opts for em.Fit, for convex.Fitting. It
// starts at the solution of Relax on the same data. If the law of every distribution is
// Ridge{beta}, both have the same objective. The error is as for Likelihood.
func (m *Model) Polish(data Data, opts *em.Options) (*convex.Polish, error) {
	l, err := m.Likelihood(data)
	if err != nil {
		return nil, err
	}
	return &convex.Polish{Likelihood: l, Options: opts, Theta: func(tables []convex.Table) ([]float64, error) {
		n, err := m.n.WithTables(tables)
		if err != nil {
			return nil, err
		}
		return m.At(n)
	}}, nil
}

// At returns the θ of the model for the numbers of a network with the same families, as a start.
// Laws whose parameters are not probabilities have their usual start. The error wraps em.ErrInvalid
// if the families differ.
func (m *Model) At(n *Network) ([]float64, error) {
	for i, f := range n.families {
		if len(n.families) != len(m.n.families) || !slices.Equal(f.Children, m.n.families[i].Children) ||
			!slices.Equal(f.Parents, m.n.families[i].Parents) || !slices.Equal(f.Regressors, m.n.families[i].Regressors) || len(f.Table) != len(m.n.families[i].Table) || len(f.Normals) != len(m.n.families[i].Normals) {
			return nil, nested.Errorf("bayes: %w: the network has other families", em.ErrInvalid)
		}
	}
	theta := m.Params.Start()
	for i, groups := range m.groups {
		for c, g := range groups {
			switch law := g.Law().(type) {
			case em.Gaussian:
				copy(g.In(theta), n.families[i].Normals[c].theta(law.Blocks...))
			case regression:
				copy(g.In(theta), n.families[i].Normals[c].joint().theta(law.joint.Blocks...))
			case em.Valuer:
			default:
				copy(g.In(theta), n.families[i].Table[c*g.Len():(c+1)*g.Len()])
			}
		}
	}
	return theta, nil
}

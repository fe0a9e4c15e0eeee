package bayes

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"example.org/pathsum/em"
)

// ErrInvalid is wrapped by errors about input that makes no sense:
//
//   - variables and families that are no network: names twice, a variable without a
//     family or with two, or its own ancestor, parents that are not there or are
//     continuous, arrays of the wrong length;
//   - numbers that are no conditional probabilities, or no mean and covariance;
//   - rows that are not rows of the network: see Network.Check.
var ErrInvalid = errors.New("invalid input")

// tolerance is by how much a row of a table may miss 1.
const tolerance = 1e-6

// Variable is a random variable: discrete with States, or continuous without.
type Variable struct {
	Name   string   `json:"name"`
	States []string `json:"states,omitempty"`
}

// Family is the distribution of one discrete variable, or of one or more continuous
// ones that are correlated, given discrete parents. A configuration is a choice of a
// state for every parent; configurations are numbered with the last parent's state
// changing fastest.
type Family struct {
	Children []int `json:"children"`
	Parents  []int `json:"parents,omitempty"`
	// Regressors are continuous parents of continuous children, in which their means are
	// linear. They must be known in a row in which the children are.
	Regressors []int `json:"regressors,omitempty"`
	// Table is that of a discrete child: a row for each configuration, an entry of it
	// for each state (nil: uniform).
	Table []float64 `json:"table,omitempty"`
	// Normals are those of continuous children, one for each configuration (nil:
	// standard).
	Normals []Normal `json:"normals,omitempty"`
}

// Normal is a normal distribution of d numbers. Given values u of r regressors its mean is
// Mean + Slope·u.
type Normal struct {
	Mean       []float64 `json:"mean"`
	Covariance []float64 `json:"covariance"`      // d × d, row by row
	Slope      []float64 `json:"slope,omitempty"` // d × r, row by row
}

// Network is a Bayesian network: P(all variables) = ∏ P(children | parents) over its
// families. It does not change and is safe for concurrent use.
type Network struct {
	variables []Variable
	families  []Family
	of        []int // the family of each variable
	order     []int // families, parents first
	scopes    []scope
	density   [][]*em.Density // per continuous family and configuration
	plans     plans
}

// scope says where the entries of a family are: that of the values x of its variables
// has the index Σ stride·x. Its variables are the parents and, where it is discrete, the
// child.
type scope struct {
	variables, stride []int
	entries           int
}

// maxEntries bounds the entries of a family.
const maxEntries = 1 << 26

// New returns the network of the variables and families, every variable being a child of
// one family. It copies its arguments. The error wraps ErrInvalid and
// names the variable.
func New(variables []Variable, families []Family) (*Network, error) {
	n := &Network{}
	for _, v := range variables {
		n.variables = append(n.variables, Variable{v.Name, slices.Clone(v.States)})
	}
	if err := n.checkVariables(); err != nil {
		return nil, err
	}
	for _, f := range families {
		n.families = append(n.families, f.clone())
	}
	if err := n.checkFamilies(); err != nil {
		return nil, err
	}
	if err := n.sort(); err != nil {
		return nil, err
	}
	n.density = make([][]*em.Density, len(n.families))
	for i := range n.families {
		if err := n.complete(i); err != nil {
			return nil, err
		}
	}
	return n, nil
}

func (f Family) clone() Family {
	c := Family{Children: slices.Clone(f.Children), Parents: slices.Clone(f.Parents),
		Regressors: slices.Clone(f.Regressors), Table: slices.Clone(f.Table)}
	for _, d := range f.Normals {
		c.Normals = append(c.Normals, Normal{slices.Clone(d.Mean), slices.Clone(d.Covariance), slices.Clone(d.Slope)})
	}
	return c
}

// given names a distribution: "dysp | bronc=yes, either=no".
func (n *Network) given(v, configuration int) string {
	s := n.scopes[n.of[v]]
	parents := n.families[n.of[v]].Parents
	unit := 1
	if n.Discrete(v) {
		unit = n.size(v)
	}
	var b strings.Builder
	b.WriteString(n.variables[v].Name)
	for k, p := range parents {
		sep := ", "
		if k == 0 {
			sep = " | "
		}
		x := configuration * unit / s.stride[k] % n.size(p)
		fmt.Fprintf(&b, "%s%s=%s", sep, n.variables[p].Name, n.variables[p].States[x])
	}
	return b.String()
}

// Len returns the number of variables.
func (n *Network) Len() int { return len(n.variables) }

// Variables returns the variables. Not to be modified.
func (n *Network) Variables() []Variable { return n.variables }

// Families returns the families. Not to be modified.
func (n *Network) Families() []Family { return n.families }

// Family returns that of which variable v is a child. Not to be modified.
func (n *Network) Family(v int) Family { return n.families[n.of[v]] }

// Variable returns the number of the variable called name, −1 if there is none.
func (n *Network) Variable(name string) int {
	return slices.IndexFunc(n.variables, func(v Variable) bool { return v.Name == name })
}

// Discrete reports whether variable v is.
func (n *Network) Discrete(v int) bool { return len(n.variables[v].States) > 0 }

// size returns the number of states of v.
func (n *Network) size(v int) int { return len(n.variables[v].States) }

// Configurations returns the number of configurations of the parents of v.
func (n *Network) Configurations(v int) int {
	c := 1
	for _, p := range n.families[n.of[v]].Parents {
		c *= n.size(p)
	}
	return c
}

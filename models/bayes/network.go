package bayes

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/nested"
)

// ErrInvalid is wrapped by errors about invalid input:
//
//   - variables and families that are not a network: duplicate names, a variable without a family
//     or with two, a cycle, unknown or continuous parents, arrays of the wrong length;
//   - numbers that are not conditional probabilities, or not a mean and covariance;
//   - rows that are not rows of the network: see Network.Check.
var ErrInvalid = nested.ErrInvalid

// tolerance is the largest deviation from 1 of the sum of a row of a table.
const tolerance = 1e-6

// Family is the distribution of one discrete variable, or of one or more correlated continuous
// variables, given discrete parents. A configuration is a choice of a state for every parent;
// configurations are numbered with the last parent's state changing fastest.
type Family struct {
	Children []int `json:"children"`
	Parents  []int `json:"parents,omitempty"`
	// Regressors are continuous parents of continuous children, whose means are linear in them. In
	// a row in which the children are known, they must be known, too.
	Regressors []int `json:"regressors,omitempty"`
	// Table is for a discrete child: a row for each configuration with an entry for each state
	// (nil: uniform).
	Table []float64 `json:"table,omitempty"`
	// Normals are for continuous children, one for each configuration (nil:
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

// Network is a Bayesian network: P(all variables) = ∏ P(children | parents) over its families. It
// is immutable and safe for concurrent use.
type Network struct {
	product  // of the families
	families []Family
	of       []int           // the family of each variable
	order    []int           // families, parents first
	density  [][]*em.Density // per continuous family and configuration
}

// maxEntries bounds the entries of a family.
const maxEntries = 1 << 26

const (
	// defaultMost is the limit of WithMaxEntries for a new network.
	defaultMost = 1 << 24
	// greatestMost bounds that limit: entries have 32-bit indices.
	greatestMost = 1 << 30
)

// New returns the network of the variables and families, where every variable is a child of one
// family. It copies its arguments. The error wraps ErrInvalid and names the variable.
func New(variables []Variable, families []Family) (*Network, error) {
	return newNetwork(variables, families, defaultMost)
}

// WithMaxEntries returns the network with a limit on the entries that the tables of an elimination
// may have in all: 2²⁴ by default. A query that would exceed the limit returns ErrTreewidth without
// starting. An entry takes about 50 bytes, and 8 more for each function and table in its product.
// It panics unless the limit is from 1 to 2³⁰. Networks derived from this one by Fit,
// Model.Network, Relabel, Match or WithTables have the same limit.
func (n *Network) WithMaxEntries(limit int) *Network {
	checkMost(limit)
	return &Network{
		product:  product{variables: n.variables, scopes: n.scopes, tables: n.tables, most: limit},
		families: n.families, of: n.of, order: n.order, density: n.density,
	}
}

func checkMost(limit int) {
	if limit < 1 || limit > greatestMost {
		panic(fmt.Sprintf("bayes: WithMaxEntries: a limit of %d, want 1 to %d", limit, greatestMost))
	}
}

// newNetwork is New with the limit of WithMaxEntries.
func newNetwork(variables []Variable, families []Family, most int) (*Network, error) {
	n := &Network{product: product{most: most}}
	if err := n.setVariables(variables); err != nil {
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
		n.tables = append(n.tables, n.families[i].Table)
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

// Families returns a new slice of the families. Their Parents and Tables belong to the network and
// must not be modified.
func (n *Network) Families() []Family { return slices.Clone(n.families) }

// Family returns the family with child v. It must not be modified.
func (n *Network) Family(v int) Family { return n.families[n.of[v]] }

// Discrete reports whether variable v is discrete.
func (n *Network) Discrete(v int) bool { return n.discrete(v) }

// Configurations returns the number of configurations of the parents of v.
func (n *Network) Configurations(v int) int {
	c := 1
	for _, p := range n.families[n.of[v]].Parents {
		c *= n.size(p)
	}
	return c
}

// checkFamilies sets of and scopes.
func (n *Network) checkFamilies() error {
	n.of = make([]int, len(n.variables))
	for i := range n.of {
		n.of[i] = -1
	}
	for i, f := range n.families {
		if len(f.Children) == 0 {
			return nested.Errorf("bayes: %w: family %d has no child", ErrInvalid, i)
		}
		for _, v := range slices.Concat(f.Children, f.Parents, f.Regressors) {
			if v < 0 || v >= len(n.variables) {
				return nested.Errorf("bayes: %w: family %d has variable %d of %d", ErrInvalid, i, v, len(n.variables))
			}
		}
		name := n.variables[f.Children[0]].Name
		for _, v := range f.Children {
			if n.of[v] >= 0 {
				return nested.Errorf("bayes: %w: %s is a child twice", ErrInvalid, n.variables[v].Name)
			}
			if n.Discrete(v) && len(f.Children) > 1 {
				return nested.Errorf("bayes: %w: %s is discrete and has siblings in its family", ErrInvalid, n.variables[v].Name)
			}
			n.of[v] = i
		}
		for k, v := range f.Parents {
			if !n.Discrete(v) {
				return nested.Errorf("bayes: %w: %s has the continuous parent %s", ErrInvalid, name, n.variables[v].Name)
			}
			if slices.Contains(f.Parents[:k], v) || slices.Contains(f.Children, v) {
				return nested.Errorf("bayes: %w: %s has the parent %s twice or is its own", ErrInvalid, name, n.variables[v].Name)
			}
		}
		for k, v := range f.Regressors {
			if n.Discrete(v) || n.Discrete(f.Children[0]) {
				return nested.Errorf("bayes: %w: %s cannot regress on %s, both must be continuous", ErrInvalid, name, n.variables[v].Name)
			}
			if slices.Contains(f.Regressors[:k], v) || slices.Contains(f.Children, v) {
				return nested.Errorf("bayes: %w: %s has the regressor %s twice or is its own", ErrInvalid, name, n.variables[v].Name)
			}
		}
		variables := f.Parents
		if n.Discrete(f.Children[0]) {
			variables = append(slices.Clone(f.Parents), f.Children[0])
		}
		s, ok := n.scopeOf(variables)
		if !ok {
			return nested.Errorf("bayes: %w: %s has a table of more than %d entries", ErrInvalid, name, maxEntries)
		}
		n.scopes = append(n.scopes, s)
	}
	for v, f := range n.of {
		if f < 0 {
			return nested.Errorf("bayes: %w: %s has no family", ErrInvalid, n.variables[v].Name)
		}
	}
	return nil
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
				return nested.Errorf("bayes: %w: %s", ErrInvalid, strings.Join(append(names, names[0]), " ← "))
			}
		}
	}
	return nil
}

// child returns the name of the first child of family f.
func (n *Network) child(f int) string { return n.variables[n.families[f].Children[0]].Name }

// complete checks the numbers of family i, or sets the defaults if they are nil.
func (n *Network) complete(i int) error {
	f := &n.families[i]
	v := f.Children[0]
	configurations := n.Configurations(v)
	if !n.Discrete(v) {
		if f.Table != nil {
			return nested.Errorf("bayes: %w: the continuous %s has a table", ErrInvalid, n.variables[v].Name)
		}
		return n.completeNormals(i, configurations)
	}
	if f.Normals != nil {
		return nested.Errorf("bayes: %w: the discrete %s has normal distributions", ErrInvalid, n.variables[v].Name)
	}
	k := n.size(v)
	if f.Table == nil {
		f.Table = make([]float64, k*configurations)
		for i := range f.Table {
			f.Table[i] = 1 / float64(k)
		}
	}
	if len(f.Table) != k*configurations {
		return nested.Errorf("bayes: %w: %s has a table of %d entries, want %d rows of %d", ErrInvalid,
			n.variables[v].Name, len(f.Table), configurations, k)
	}
	for c := range configurations {
		row := f.Table[c*k : (c+1)*k]
		for _, p := range row {
			if !(p >= 0) || math.IsInf(p, 1) {
				return nested.Errorf("bayes: %w: P(%s) has the entry %g", ErrInvalid, n.given(v, c), p)
			}
		}
		if sum := floats.Sum(row); !(math.Abs(sum-1) <= tolerance) {
			return nested.Errorf("bayes: %w: P(%s) sums to %.12g, want 1", ErrInvalid, n.given(v, c), sum)
		}
	}
	return nil
}

package bayes

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/internal/text"
)

// LawOf returns the law that estimates the distribution of variable v in a configuration of its
// parents. For a discrete variable it is a law with one probability per state: em.Multinomial,
// em.Dirichlet, em.Variational, em.Fixed (which keeps the network's numbers), Ridge or a custom
// law. For continuous variables it is an em.Gaussian with one component per child. With regressors
// it is the joint distribution of the regressors and the children, in one block; the marginal
// distribution of the regressors has no effect. nil means em.Multinomial, or an em.Gaussian with
// one block around the network's normal distribution.
type LawOf func(v, configuration int) em.Law

// SameLaw returns a LawOf that returns law for every discrete variable.
func SameLaw(law em.Law) LawOf {
	return func(int, int) em.Law { return law }
}

// Model is a network whose numbers are estimated from data. Its parameters are a group for each
// variable (or family of continuous ones) and configuration of its parents, with a name such as
// "dysp | bronc=yes, either=no". Groups of discrete variables come first.
type Model struct {
	// Params is the table of the parameters, Theta their values: initially the numbers of the
	// network, except for laws whose parameters are not probabilities.
	Params *em.Params
	Theta  []float64

	n      *Network
	groups [][]*em.Group // by family and configuration
}

// NewModel returns the model that starts as n and whose groups are estimated by law (nil: the
// default law everywhere). The error wraps em.ErrInvalid for a law of the wrong type or size.
func NewModel(n *Network, law LawOf) (*Model, error) {
	nonnil.Check("bayes: NewModel", "network", n)
	if law == nil {
		law = func(int, int) em.Law { return nil }
	}
	m := &Model{Params: em.NewParams(), n: n, groups: make([][]*em.Group, len(n.families))}
	for _, discrete := range []bool{true, false} {
		for i, f := range n.families {
			if n.Discrete(f.Children[0]) != discrete {
				continue
			}
			for c := range n.Configurations(f.Children[0]) {
				g, err := m.group(i, c, law(f.Children[0], c))
				if err != nil {
					return nil, nested.Errorf("bayes: %w: %s: %w", em.ErrInvalid, n.given(f.Children[0], c), err)
				}
				m.groups[i] = append(m.groups[i], g)
			}
		}
	}
	m.Theta = m.Params.Start()
	return m, nil
}

// group makes the group of configuration c of family i.
func (m *Model) group(i, c int, law em.Law) (*em.Group, error) {
	f := m.n.families[i]
	v := f.Children[0]
	name := m.n.given(v, c)
	if m.Params.Find(name) != nil {
		return nil, fmt.Errorf("another distribution has the same name %s: rename a variable or a state", name)
	}
	if !m.n.Discrete(v) {
		return m.normalGroup(name, f.Normals[c], law)
	}
	if law == nil {
		law = em.Multinomial{}
	}
	k := m.n.size(v)
	if sized, ok := law.(interface{ Len() int }); ok && sized.Len() != k {
		return nil, fmt.Errorf("a law of %d parameters for %d states", sized.Len(), k)
	}
	g := m.Params.Distribution(name, k, law)
	g.SetNames(func(x int) string { return m.n.variables[v].States[x] })
	if _, ok := law.(em.Valuer); !ok {
		g.SetStart(f.Table[c*k : (c+1)*k])
	}
	return g, nil
}

func (m *Model) normalGroup(name string, x Normal, law em.Law) (*em.Group, error) {
	d := len(x.Mean)
	known := len(x.Slope) / d
	if known > 0 {
		x = x.joint()
	}
	normal, ok := law.(em.Gaussian)
	switch {
	case law == nil:
		normal = em.NewGaussian(known + d)
		normal.Center = slices.Clone(x.Mean)
		for i := range known + d {
			normal.Scale = append(normal.Scale, math.Sqrt(x.Covariance[i*(known+d)+i]))
		}
	case !ok:
		return nil, fmt.Errorf("the law %T for continuous variables, want em.Gaussian", law)
	case normal.Size() != known+d:
		return nil, fmt.Errorf("an em.Gaussian of %d components for %d variables", normal.Size(), known+d)
	case known > 0 && len(normal.Blocks) > 1:
		return nil, fmt.Errorf("an em.Gaussian of %d blocks for a regression, want one", len(normal.Blocks))
	}
	law = normal
	if known > 0 {
		law = regression{normal, known}
	}
	theta := x.theta(normal.Blocks...)
	g := m.Params.Group(name, len(theta), law)
	g.SetStart(theta)
	return g, nil
}

// normal returns the distribution of a group at theta, or false if its parameters are
// probabilities.
func normal(g *em.Group, theta []float64) (x Normal, ok bool, err error) {
	switch law := g.Law().(type) {
	case em.Gaussian:
		return newNormal(law.Blocks, g.In(theta)), true, nil
	case regression:
		if x, err = newNormal(law.joint.Blocks, g.In(theta)).conditional(law.known); err != nil {
			err = nested.Errorf("bayes: %s: %w", g.Name(0), err)
		}
		return x, true, err
	}
	return Normal{}, false, nil
}

// Network returns the network with the numbers of Theta. If a law is an em.Estimator, such as
// em.Variational, its numbers are the law's estimates. The error wraps em.ErrParameter if Theta is
// invalid, or ErrInvalid.
func (m *Model) Network() (*Network, error) {
	if err := m.Params.Check(m.Theta); err != nil {
		return nil, err
	}
	values := m.Params.Estimate(m.Theta)
	families := slices.Clone(m.n.families)
	for i, f := range families {
		f.Table, f.Normals = nil, nil
		for _, g := range m.groups[i] {
			x, ok, err := normal(g, m.Theta)
			if err != nil {
				return nil, err
			}
			if ok {
				f.Normals = append(f.Normals, x)
				continue
			}
			for x := range g.Len() {
				f.Table = append(f.Table, values[g.First()+x].Float64())
			}
		}
		families[i] = f
	}
	return newNetwork(m.n.variables, families, m.n.most)
}

// Group returns the group of variable v's distribution in a configuration of its
// parents.
func (m *Model) Group(v, configuration int) *em.Group { return m.groups[m.n.of[v]][configuration] }

// Fit returns n with its numbers estimated from data by law: NewModel followed by Model.Fit,
// starting at the numbers of n. A canceled run also returns the network reached. If the states of a
// hidden variable are alike at the start, use restarts or Model.StartKMeans.
func (n *Network) Fit(ctx context.Context, data Data, law LawOf, opts *em.Options) (*Network, *em.Result, error) {
	m, err := NewModel(n, law)
	if err != nil {
		return nil, nil, err
	}
	result, err := m.Fit(ctx, data, opts)
	if result == nil {
		return nil, nil, err
	}
	fitted, fault := m.Network()
	return fitted, result, cmp.Or(err, fault)
}

// Fit trains the model and stores the result in Theta. By default it starts at Theta. It returns
// the result of em.Fit; a canceled run keeps the values reached.
//
// The default is marginal EM; opts may select Viterbi EM, restarts, a trace, or any method of em.
// The error wraps em.ErrSymmetric if the start has no information about a hidden variable, such as
// a uniform start, which EM cannot leave. Use a random start (Params.Random) or restarts. em.Fit of
// the Likelihood omits this check.
func (m *Model) Fit(ctx context.Context, data Data, opts *em.Options) (*em.Result, error) {
	l, err := m.Likelihood(data)
	if err != nil {
		return nil, err
	}
	start := m.Theta
	if opts != nil && opts.Start != nil {
		start = opts.Start
	}
	if opts == nil || opts.Restarts == 0 {
		if err := m.checkStart(ctx, data, l, start); err != nil {
			return nil, err
		}
	}
	return em.FitFrom(ctx, l, &m.Theta, opts)
}

const format = "pathsum bayes 1"

// saved is the JSON form of a network.
type saved struct {
	Format    string     `json:"format"`
	Variables []Variable `json:"variables"`
	Families  []Family   `json:"families"`
}

// Save writes the network as a JSON object that Load reads; Load restores every number exactly.
// Unlike BIF it supports continuous variables.
func (n *Network) Save(w io.Writer) error {
	if err := json.NewEncoder(w).Encode(saved{format, n.variables, n.families}); err != nil {
		return nested.Errorf("bayes: %w", err)
	}
	return nil
}

// Load reads a network that Save wrote. Time and memory are proportional to the text; a family
// without numbers is an error. The error wraps ErrFormat for a text that is not such an object. If
// the object is not a valid network, it also wraps the error of New.
func Load(r io.Reader) (*Network, error) {
	var s saved
	if err := json.NewDecoder(r).Decode(&s); err != nil {
		return nil, nested.Errorf("bayes: %w: %w", ErrFormat, err)
	}
	if s.Format != format {
		return nil, nested.Errorf("bayes: %w: format %s, want %q", ErrFormat, text.Quote(s.Format), format)
	}
	for i, f := range s.Families {
		if len(f.Table)+len(f.Normals) == 0 {
			return nil, nested.Errorf("bayes: %w: family %d has no numbers", ErrFormat, i)
		}
	}
	n, err := New(s.Variables, s.Families)
	if err != nil {
		return nil, nested.Errorf("bayes: %w: %w", ErrFormat, err)
	}
	return n, nil
}

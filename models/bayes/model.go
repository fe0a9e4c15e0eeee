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

// LawOf says how the distribution of variable v in a configuration of its parents is
// estimated. For a discrete variable that is by a law of as many probabilities as it has
// states: em.Multinomial, em.Dirichlet, em.Variational, em.Fixed (which keeps the network's
// numbers), Ridge or one's own. For continuous ones it is an em.Gaussian of as many
// components; with regressors, one of the regressors and the children together, in one
// block: their joint distribution. The part that is given has no influence. nil is
// em.Multinomial, or an em.Gaussian with one block around the normal distribution that the
// network has.
type LawOf func(v, configuration int) em.Law

// Same returns the laws that are law for every discrete variable.
func Same(law em.Law) LawOf {
	return func(int, int) em.Law { return law }
}

// Model is a network whose numbers are estimated from data. Its parameters are a group
// for each variable (or family of continuous ones) and configuration of its parents,
// called like "dysp | bronc=yes, either=no"; discrete ones come first.
type Model struct {
	// Params is the table of the parameters, Theta their values: at first the numbers of
	// the network, except where a law's parameters are no probabilities.
	Params *em.Params
	Theta  []float64

	n      *Network
	groups [][]*em.Group // by family and configuration
}

// NewModel returns the model that starts as n and whose groups are estimated by law (nil:
// the laws that nil stands for everywhere). The error wraps em.ErrInvalid for a law that
// does not fit.
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
		return nil, fmt.Errorf("another distribution is called %s, too: rename a variable or a state", name)
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

// normal returns the distribution of a group at theta, false if it is of probabilities.
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

// Network returns the network with the numbers of Theta; of a law that is an em.Estimator,
// such as em.Variational, those to use. The error wraps em.ErrParameter if Theta is not
// legal, or ErrInvalid.
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

// Fit returns n with its numbers estimated from data by law, as NewModel and Model.Fit do it, from
// those that it has. A canceled run returns the network that it has reached as well. A network
// whose hidden variables begin alike needs restarts, or Model.StartKMeans.
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

// Fit trains the model from Theta, unless opts says otherwise, and leaves the result in
// Theta. It returns what em.Fit does; a canceled run keeps what it has reached.
//
// The default is marginal EM; opts may ask for Viterbi EM, restarts, a trace, or any
// method of em. The error wraps em.ErrSymmetric if the start is one that says nothing about
// a hidden variable: a uniform one stays so for ever. Take a random one (Params.Random), or
// restarts. em.Fit of the Likelihood does without this check.
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
		if err := m.checkStart(data, start); err != nil {
			return nil, err
		}
	}
	return em.FitFrom(ctx, l, &m.Theta, opts)
}

const format = "pathsum bayes 1"

// saved is the text of a network, JSON.
type saved struct {
	Format    string     `json:"format"`
	Variables []Variable `json:"variables"`
	Families  []Family   `json:"families"`
}

// Save writes the network as a JSON object that Load reads; every number comes back to
// the last bit. Unlike BIF it holds continuous variables, too.
func (n *Network) Save(w io.Writer) error {
	if err := json.NewEncoder(w).Encode(saved{format, n.variables, n.families}); err != nil {
		return nested.Errorf("bayes: %w", err)
	}
	return nil
}

// Load reads a network that Save wrote. Time and memory are in proportion to the text;
// a family without its numbers is refused. The error wraps ErrFormat for a text
// that is no such object, and the error of New besides for one that is no network.
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

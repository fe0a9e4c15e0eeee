package hmm

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/text"
	"example.org/pathsum/internal/typename"
)

// ErrFormat reports a fault in the text of a saved model, or a model that cannot be saved.
var ErrFormat = nested.ErrFormat

const modelFormat = "pathsum hmm 1"

// savedModel is the text of a model, JSON.
type savedModel struct {
	Format   string        `json:"format"`
	Topology Topology      `json:"topology"`
	Law      em.SavedLaw   `json:"law"`
	Emission savedEmission `json:"emission"`
	Theta    []float64     `json:"theta"`
}

type savedEmission struct {
	Kind       string          `json:"kind"`
	Name       string          `json:"name,omitempty"`
	Of         []int           `json:"of,omitempty"`
	Tied       []int           `json:"tied,omitempty"`
	Components [][]int         `json:"components,omitempty"`
	Symbols    int             `json:"symbols,omitempty"`
	Law        *em.SavedLaw    `json:"law,omitempty"`
	Parts      []savedEmission `json:"parts,omitempty"`
}

// law returns the law, or an error if it is missing.
func (s savedEmission) law() (em.Law, error) {
	if s.Law == nil || s.Law.Law == nil {
		return nil, fmt.Errorf("a law is missing")
	}
	return s.Law.Law, nil
}

// saved returns the saved form of an emission, or an error that wraps ErrFormat if the emission
// cannot be saved.
func saved(emission any) (savedEmission, error) {
	e, ok := emission.(interface{ saved() (savedEmission, error) })
	if !ok {
		return savedEmission{}, nested.Errorf("hmm: %w: emissions of type %s cannot be saved", ErrFormat, typename.Of(emission))
	}
	return e.saved()
}

// Save writes the model as a JSON object that Load reads; numbers are preserved exactly. Laws of
// another package must be registered with em.RegisterLaw. The error wraps ErrFormat unless the
// model has an emission of this package and its table has no other parameters.
func (m *Model[O]) Save(w io.Writer) error {
	if err := m.Params.Check(m.Theta); err != nil {
		return err
	}
	e, err := saved(m.emission)
	if err != nil {
		return err
	}
	own := slices.Concat(groupsOf(m.emission), []*em.Group{m.initial}, m.rowsByState())
	if !slices.Equal(own, m.Params.Groups()) {
		return nested.Errorf("hmm: %w: the table has %d groups of parameters, %d of which are the model's, in their order",
			ErrFormat, len(m.Params.Groups()), len(own))
	}
	s := savedModel{Format: modelFormat, Topology: m.topology, Law: em.SavedLaw{Law: m.initial.Law()},
		Emission: e, Theta: m.Theta}
	if err := json.NewEncoder(w).Encode(s); err != nil {
		return nested.Errorf("hmm: %w", err)
	}
	return nil
}

// rowsByState returns the groups of the rows in the order in which New made them, in the order of
// the first state of each row.
func (m *Model[O]) rowsByState() []*em.Group {
	var groups []*em.Group
	for i, r := range m.topology.Row {
		if slices.Index(m.topology.Row, r) == i {
			groups = append(groups, m.rows[r])
		}
	}
	return groups
}

// Kind is a kind of emission, of type E with observations of type O, that can be saved; it
// reconstructs the emission of a file.
type Kind[O any, E Emission[O]] struct {
	name string
	// make makes the emission of a model with the given number of parameters.
	make func(p *em.Params, s savedEmission, parameters int) (E, error)
}

// Discretes is the kind of Discrete.
func Discretes() Kind[int32, *Discrete] {
	return Kind[int32, *Discrete]{"discrete", func(p *em.Params, s savedEmission, parameters int) (*Discrete, error) {
		if s.Symbols > parameters {
			return nil, fmt.Errorf("%d symbols for %d parameters", s.Symbols, parameters)
		}
		law, err := s.law()
		if err != nil {
			return nil, err
		}
		return NewDiscrete(p, s.Name, s.Symbols, s.Of, law)
	}}
}

// Gaussians is the kind of Gaussian.
func Gaussians() Kind[[]float64, *Gaussian] {
	return Kind[[]float64, *Gaussian]{"gaussian", func(p *em.Params, s savedEmission, parameters int) (*Gaussian, error) {
		law, err := lawOf[em.Gaussian](s)
		if err != nil {
			return nil, err
		}
		n, err := distributions(s.Of)
		if err != nil {
			return nil, err
		}
		size := 0
		for _, b := range law.Blocks {
			if size += b; b < 1 || size > parameters {
				return nil, fmt.Errorf("blocks %v for %d parameters", law.Blocks, parameters)
			}
		}
		if law.Len() > parameters/max(n, 1) {
			return nil, fmt.Errorf("%d distributions with blocks %v for %d parameters", n, law.Blocks, parameters)
		}
		if s.Tied != nil {
			return NewTiedGaussian(p, s.Name, s.Of, s.Tied, law)
		}
		return NewGaussian(p, s.Name, s.Of, law)
	}}
}

// Poissons is the kind of Poisson.
func Poissons() Kind[int32, *Poisson] {
	return Kind[int32, *Poisson]{"poisson", func(p *em.Params, s savedEmission, _ int) (*Poisson, error) {
		law, err := lawOf[em.Poisson](s)
		if err != nil {
			return nil, err
		}
		return NewPoisson(p, s.Name, s.Of, law)
	}}
}

// lawOf returns the law, or an error if it is not of type L.
func lawOf[L em.Law](s savedEmission) (law L, err error) {
	l, err := s.law()
	if err != nil {
		return law, err
	}
	law, ok := l.(L)
	if !ok {
		err = fmt.Errorf("law %T, want %T", l, law)
	}
	return law, err
}

// emission makes the emission of s.
func (k Kind[O, E]) emission(p *em.Params, s savedEmission, parameters int) (E, error) {
	var none E
	if s.Kind != k.name {
		return none, fmt.Errorf("%s emissions, want %q", text.Quote(s.Kind), k.name)
	}
	return k.make(p, s, parameters)
}

// LoadDiscrete is Load for a model with Discrete emissions.
func LoadDiscrete(r io.Reader) (*Model[int32], *Discrete, error) { return Load(r, Discretes()) }

// LoadGaussian is Load for a model with Gaussian emissions.
func LoadGaussian(r io.Reader) (*Model[[]float64], *Gaussian, error) { return Load(r, Gaussians()) }

// Load reads a model with emissions of a kind, such as Poissons(), that Model.Save wrote. Time
// and memory are proportional to the length of the text. The error wraps ErrFormat if the text is
// not such a model.
func Load[O any, E Emission[O]](r io.Reader, kind Kind[O, E]) (*Model[O], E, error) {
	var none E
	bad := func(format string, args ...any) (*Model[O], E, error) {
		return nil, none, nested.Errorf("hmm: %w: "+format, append([]any{ErrFormat}, args...)...)
	}
	var s savedModel
	if err := json.NewDecoder(r).Decode(&s); err != nil {
		return bad("%w", err)
	}
	t := s.Topology
	switch {
	case s.Format != modelFormat:
		return bad("format %s, want %q", text.Quote(s.Format), modelFormat)
	case s.Law.Law == nil:
		return bad("a law is missing")
	case len(t.Next) != t.States || len(t.Row) != t.States:
		return bad("lists for %d and %d of %d states", len(t.Next), len(t.Row), t.States)
	}
	p := em.NewParams()
	e, err := kind.emission(p, s.Emission, len(s.Theta))
	if err != nil {
		return bad("%w", err)
	}
	m, err := New(p, t, s.Law.Law, e)
	if err != nil {
		return bad("%w", err)
	}
	if err := p.Check(s.Theta); err != nil {
		return bad("%w", err)
	}
	m.Theta = s.Theta
	return m, e, nil
}

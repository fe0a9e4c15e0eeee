package crf

import (
	"context"
	"fmt"
	"slices"
	"sort"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
)

// Kind is the set over which the probability of a labeling is normalized.
type Kind int

const (
	// Chain normalizes over all labelings of the sequence. This is the linear-chain conditional
	// random field (Lafferty, McCallum and Pereira 2001).
	Chain Kind = iota
	// Node normalizes over the labels of each position separately, without weights between
	// neighbours. This is multinomial logistic regression.
	Node
	// MEMM normalizes over the labels of each position given the preceding label. This is the
	// maximum-entropy Markov model (McCallum, Freitag and Pereira 2000).
	MEMM
)

var kinds = [...]string{Chain: "crf", Node: "node", MEMM: "memm"}

// String returns "crf", "node" or "memm".
func (k Kind) String() string {
	if k.valid() {
		return kinds[k]
	}
	return fmt.Sprintf("Kind(%d)", int(k))
}

// ParseKind returns the kind with the given name.
func ParseKind(name string) (Kind, error) {
	for k, s := range kinds {
		if s == name {
			return Kind(k), nil
		}
	}
	return 0, nested.Errorf("crf: %w: kind %q, want one of %q", ErrInvalid, name, kinds)
}

func (k Kind) valid() bool { return k >= 0 && int(k) < len(kinds) }

// hasTransitions reports whether there are weights between neighbours.
func (k Kind) hasTransitions() bool { return k != Node }

// Model has a weight for each pair of an attribute and a label that occurs in its data, and then
// for each pair of neighbouring labels, by rows. θ holds the weights themselves, the logarithms
// of factors of paths.
type Model struct {
	// Params is the table of the weights, one group, Theta their values, initially 0.
	Params *em.Params
	Theta  []float64

	kind       Kind
	labels     *names
	attributes *names // of the data, which may have grown since
	pairs      *pairs
}

// New returns a model of the given kind with weights for the pairs in data. The priors limit the
// weights: a Laplace prior leaves many weights at 0. The error wraps ErrInvalid for an unknown
// kind, or data without a label, and em.ErrParameter for a bad prior.
func New(kind Kind, data *Data, priors em.LogLinearOptions) (*Model, error) {
	nonnil.Check("crf: New", "data", data)
	if !kind.valid() {
		return nil, nested.Errorf("crf: %w: unknown %v", ErrInvalid, kind)
	}
	if data.labels.len() == 0 {
		return nil, nested.Errorf("crf: %w: %d sequences, none with a label", ErrInvalid, data.NumSequences())
	}
	p, err := data.pairs()
	if err != nil {
		return nil, err
	}
	m := &Model{Params: em.NewParams(), kind: kind, labels: newNames(data.labels.list), attributes: data.attributes.names, pairs: p}
	n := len(p.label)
	if kind.hasTransitions() {
		n += m.labels.len() * m.labels.len()
	}
	law, err := em.NewLogLinear(n, nil, priors)
	if err != nil {
		return nil, nested.Errorf("crf: %w", err)
	}
	m.Params.Group("weights", n, law).SetNames(m.name)
	m.Theta = m.Params.Start()
	return m, nil
}

// Labels returns the names of the labels, in the order of their numbers. The caller must not
// modify the slice.
func (m *Model) Labels() []string { return m.labels.list }

// name returns the name of weight i.
func (m *Model) name(i int) string {
	labels, p := m.labels.list, m.pairs
	if t := i - len(p.label); t >= 0 {
		return labels[t/len(labels)] + " " + labels[t%len(labels)]
	}
	a := sort.Search(len(p.row)-1, func(a int) bool { return int(p.row[a+1]) > i })
	return m.attributes.list[a] + " " + labels[p.label[i]]
}

// Fit trains the model on data, from Theta and by L-BFGS unless opts says otherwise, and leaves
// the result in Theta; see em.Fit. Errors are as for Likelihood and em.Fit; a canceled run keeps
// the weights reached so far.
func (m *Model) Fit(ctx context.Context, data *Data, opts *em.Options) (*em.Result, error) {
	l, err := m.Likelihood(data)
	if err != nil {
		return nil, err
	}
	var o em.Options
	if opts != nil {
		o = *opts
	}
	if o.Method == nil {
		o.Method = em.LBFGS{}
	}
	return em.FitFrom(ctx, l, &m.Theta, &o)
}

// Predictor returns the model with the current weights Theta, without pairs of weight 0 and
// attributes that have only such pairs. The error wraps em.ErrParameter if Theta is invalid.
func (m *Model) Predictor() (*Predictor, error) {
	if err := m.Params.Check(m.Theta); err != nil {
		return nil, nested.Errorf("crf: %w", err)
	}
	p := &Predictor{
		kind: m.kind, labels: m.labels, attributes: newNames(nil),
		pairs: pairs{row: []int32{0}}, transitions: slices.Clone(m.Theta[len(m.pairs.label):]),
	}
	for a := range m.pairs.row[1:] {
		for i := m.pairs.row[a]; i < m.pairs.row[a+1]; i++ {
			if m.Theta[i] != 0 {
				p.weight = append(p.weight, m.Theta[i])
				p.pairs.label = append(p.pairs.label, m.pairs.label[i])
			}
		}
		if n := int32(len(p.weight)); n > p.pairs.row[p.attributes.len()] {
			p.attributes.add(m.attributes.list[a])
			p.pairs.row = append(p.pairs.row, n)
		}
	}
	return p, p.complete()
}

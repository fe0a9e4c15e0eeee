package grammar

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/text"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/forest"
)

// ErrInvalid is wrapped by errors about invalid sentences and options.
var ErrInvalid = nested.ErrInvalid

// MaxWords is the length of the longest sentence. A Product, with n⁴/7 edges for n words, reaches
// the limits of forest.Deduction at half this length (semiring.ErrLimit).
const MaxWords = 250

// Options configure a model. A nil *Options and the zero value of each field mean the default.
type Options struct {
	// Start is the start of the DMV (default Likeliest). The CCM always starts from trees whose
	// split points are uniformly distributed.
	Start Start
	// Smoothing is for the CCM (default 2 and 8, as in Klein and Manning 2002: most spans are not
	// constituents).
	Smoothing *Smoothing
}

// Smoothing contains the pseudo-counts of each yield and each context of the CCM, as a constituent
// and as a distituent: finite numbers ≥ 0. Without smoothing it is a maximum-likelihood model and
// cannot score spans that do not occur in the sentences that it was made for. Training then ends
// with an error that wraps expr.ErrDivision once a yield or a context is always a constituent.
type Smoothing struct{ Constituent, Distituent float64 }

var defaultSmoothing = Smoothing{Constituent: 2, Distituent: 8}

// check returns an error if a number is negative or not finite.
func (s Smoothing) check() error {
	for _, x := range []float64{s.Constituent, s.Distituent} {
		if !(x >= 0) || math.IsInf(x, 1) {
			return fmt.Errorf("%w: smoothing %+v, want finite numbers ≥ 0", ErrInvalid, s)
		}
	}
	return nil
}

// law returns the law of a multinomial with pseudo-counts.
func law(pseudo float64) em.Law {
	if pseudo == 0 {
		return em.Multinomial{}
	}
	return em.Dirichlet{Alpha: 1 + pseudo}
}

// Model is a grammar of sequences of tags, with values for its parameters.
type Model struct {
	Params *em.Params
	// Theta are the values of Params, of length Params.Len.
	Theta []float64

	starts    [][]float64 // the starts; Theta begins at the first
	kind      Kind
	smoothing Smoothing
	tags      *symbols
	dmv       *dmv // nil in a CCM
	ccm       *ccm // nil in a DMV
	charts    charts
}

// New returns the model of the given kind for sentences, each a sequence of tags, at its start. The
// error wraps ErrInvalid and names the sentence if a sentence is invalid.
func New(k Kind, sentences [][]string, o *Options) (*Model, error) {
	if o == nil {
		o = new(Options)
	}
	smoothing := defaultSmoothing
	if o.Smoothing != nil {
		smoothing = *o.Smoothing
	}
	if err := smoothing.check(); err != nil {
		return nil, nested.Errorf("grammar: %w", err)
	}
	if !k.valid() || !o.Start.valid() {
		return nil, nested.Errorf("grammar: %w: unknown %v or %v", ErrInvalid, k, o.Start)
	}
	tags, data, err := number(sentences)
	if err != nil {
		return nil, err
	}
	var spans *table
	if k.hasContext() {
		spans = newTable(data)
	}
	m := newModel(k, smoothing, tags, spans)
	return m, m.start(data, o.Start)
}

// newModel returns a model without a start.
func newModel(k Kind, smoothing Smoothing, tags *symbols, spans *table) *Model {
	m := &Model{Params: em.NewParams(), kind: k, smoothing: smoothing, tags: tags, charts: charts{kind: k}}
	if k.hasHeads() {
		m.dmv = newDMV(m.Params, tags)
	}
	if k.hasContext() {
		m.ccm = newCCM(m.Params, smoothing, spans)
	}
	m.Theta = m.Params.Start()
	return m
}

// Kind returns the kind of the model.
func (m *Model) Kind() Kind { return m.kind }

// Tags returns the known tags. They must not be modified.
func (m *Model) Tags() []string { return m.tags.names }

// Likelihood returns the log likelihood of sentences as a function of the model's parameters: of a
// DMV Σ ln P(tags), of a CCM Σ ln P(tags, all spans), and of a Product the objective of agreement,
// Σ ln Σ over trees of P_DMV(tags, tree)·P_CCM(spans, tree). The CCM ignores sentences of one word.
//
// The error wraps ErrInvalid and names the sentence, or em.ErrInvalid for an empty list of
// sentences.
func (m *Model) Likelihood(sentences [][]string) (em.Likelihood, error) {
	return m.likelihood(sentences, 0)
}

// Shard is Likelihood for the sentences of one shard, in a process without the other sentences: an
// em.Divisible of one shard. With smoothing of distituents all sentences use the same table of
// expressions, so tallies of shards can be added.
func (m *Model) Shard(sentences [][]string) (em.Likelihood, error) {
	return m.likelihood(sentences, max(1, len(sentences)))
}

// likelihood returns the likelihood of sentences in shards of the given size, 0 for the default.
func (m *Model) likelihood(sentences [][]string, size int) (em.Likelihood, error) {
	data, index, err := m.number(sentences)
	if err != nil {
		return nil, err
	}
	l, err := cascade.Derivations{
		Examples:  len(data),
		ShardSize: size,
		Name:      func(i int) string { return fmt.Sprintf("sentence %d", index[i]+1) },
		Forest: func(i int) (*forest.Forest[expr.W], error) {
			c, err := m.charts.get(len(data[i]))
			if err != nil {
				return nil, err
			}
			return c.forest, nil
		},
		Arguments: func(i int, dst []expr.W) ([]expr.W, error) {
			c, err := m.charts.get(len(data[i]))
			if err != nil {
				return nil, err
			}
			return m.weights(dst, c.parts, data[i]), nil
		},
	}.Likelihood(m.Params)
	if err != nil {
		return nil, nested.Errorf("grammar: %w", err)
	}
	return l, nil
}

// number returns the sentences for training, as numbers of tags, and their indices.
func (m *Model) number(sentences [][]string) (data [][]int32, index []int, err error) {
	for i, s := range sentences {
		x, err := m.tags.numbers(s)
		if err != nil {
			return nil, nil, nested.Errorf("grammar: sentence %d: %w", i+1, err)
		}
		if m.uses(x) {
			data, index = append(data, x), append(index, i)
		}
	}
	return data, index, nil
}

// uses reports whether training uses a sentence.
func (m *Model) uses(tags []int32) bool { return len(tags) > 1 || !m.kind.hasContext() }

// Fit trains the model on sentences and leaves the result in Theta; see em.Fit. By default it
// starts at Theta and, if Theta is the first of several starts, also at the others. A canceled run
// keeps the values reached.
func (m *Model) Fit(ctx context.Context, sentences [][]string, opts *em.Options) (*em.Result, error) {
	l, err := m.Likelihood(sentences)
	if err != nil {
		return nil, err
	}
	var o em.Options
	if opts != nil {
		o = *opts
	}
	if o.Start == nil && o.Starts == nil && len(m.starts) > 1 && slices.Equal(m.Theta, m.starts[0]) {
		o.Starts = m.starts[1:]
	}
	return em.FitFrom(ctx, l, &m.Theta, &o)
}

// weights appends the weights of the parts of trees over a sentence.
func (m *Model) weights(dst []expr.W, parts []part, tags []int32) []expr.W {
	for _, p := range parts {
		w, _ := m.weight(p, tags)
		dst = append(dst, w)
	}
	return dst
}

// values caches the values of the expressions in a model's Space. It is safe for concurrent use.
type values struct {
	space *expr.Space
	theta []semiring.ScaledFloat

	mu     sync.Mutex
	number []semiring.ScaledFloat // only appended to
}

// upTo returns the values of the expressions up to w, which may be new. Undefined values are NaN.
func (v *values) upTo(w expr.W) []semiring.ScaledFloat {
	v.mu.Lock()
	defer v.mu.Unlock()
	if int(w) >= len(v.number) {
		// The error is about the first expression without a value, which may be irrelevant.
		v.number, _ = v.space.Evaluate(v.number, v.theta)
	}
	return v.number
}

// Kind is a kind of model.
type Kind int

const (
	// DMV is the dependency model with valence: it scores the heads of words.
	DMV Kind = iota
	// CCM is the constituent-context model: it scores spans as constituents.
	CCM
	// Product is both models on the same trees, trained to agree.
	Product
)

var kindNames = []string{"dmv", "ccm", "product"}

// String returns "dmv", "ccm" or "product".
func (k Kind) String() string {
	if !k.valid() {
		return fmt.Sprintf("Kind(%d)", int(k))
	}
	return kindNames[k]
}

// ParseKind returns the kind with this name. The error wraps ErrInvalid.
func ParseKind(name string) (Kind, error) {
	if k := slices.Index(kindNames, name); k >= 0 {
		return Kind(k), nil
	}
	return 0, nested.Errorf("grammar: %w: unknown kind of model %s", ErrInvalid, text.Quote(name))
}

func (k Kind) valid() bool      { return k >= DMV && k <= Product }
func (k Kind) hasHeads() bool   { return k != CCM }
func (k Kind) hasContext() bool { return k != DMV }

// symbols numbers tags.
type symbols struct {
	names []string
	index map[string]int32
	open  bool // unknown tags have the number after the last
}

// len returns the number of tags, including the unknown one of an open model.
func (s *symbols) len() int {
	if s.open {
		return len(s.names) + 1
	}
	return len(s.names)
}

// name returns the name of tag i.
func (s *symbols) name(i int) string {
	if i == len(s.names) {
		return "an unknown tag"
	}
	return s.names[i]
}

// newSymbols returns the numbering of distinct names.
func newSymbols(names []string) *symbols {
	s := &symbols{names: names, index: map[string]int32{}}
	for i, name := range names {
		s.index[name] = int32(i)
	}
	return s
}

// number numbers the tags of sentences in alphabetical order.
func number(sentences [][]string) (*symbols, [][]int32, error) {
	seen := map[string]bool{}
	for _, s := range sentences {
		for _, tag := range s {
			seen[tag] = true
		}
	}
	var names []string
	for tag := range seen {
		names = append(names, tag)
	}
	slices.Sort(names)
	tags, data := newSymbols(names), make([][]int32, len(sentences))
	for i, s := range sentences {
		var err error
		if data[i], err = tags.numbers(s); err != nil {
			return nil, nil, nested.Errorf("grammar: sentence %d: %w", i+1, err)
		}
	}
	return tags, data, nil
}

// numbers returns the numbers of the tags of a sentence. The error wraps ErrInvalid.
func (s *symbols) numbers(sentence []string) ([]int32, error) {
	if n := len(sentence); n < 1 || n > MaxWords {
		return nil, fmt.Errorf("%w: %d words, want 1 to %d", ErrInvalid, n, MaxWords)
	}
	list := make([]int32, len(sentence))
	for i, tag := range sentence {
		k, ok := s.index[tag]
		switch {
		case ok:
		case s.open:
			k = int32(len(s.names))
		default:
			return nil, fmt.Errorf("%w: word %d has the tag %s, which is unknown", ErrInvalid, i+1, text.Quote(tag))
		}
		list[i] = k
	}
	return list, nil
}

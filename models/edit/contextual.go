package edit

import (
	"cmp"
	"context"
	"fmt"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
)

// Pair is a source string and the target that it became.
type Pair struct {
	Source, Target []int32
	// Sources and Targets, if not nil, are acceptors of the possible strings, in place of Source
	// and Target; a weight multiplies the probability of its string. Strings with symbols outside
	// the alphabet are ignored.
	Sources, Targets *fst.FST[semiring.ScaledFloat]
	// Weight is the number of times that the pair was observed, a finite number ≥ 0. The zero value
	// means once; em.Times(0) excludes the pair from training.
	Weight em.Multiplicity
}

// ContextOptions defines the contexts that the fate of a symbol depends on. A nil *ContextOptions
// and zero fields mean the defaults.
type ContextOptions struct {
	// Windows are the contexts around a symbol. Each contains the one before it. The first must be
	// {0, 0}, the symbol alone; all others have a Right of at least 1 (default {0, 0}, {0, 1}, {1,
	// 1}).
	Windows []Window
	// MinCount is the number of times that a context must occur in sources to have probabilities of
	// its own (default 3).
	MinCount float64
	// Prior is the weight of the estimates of the next smaller context, as a number of observations
	// (default 100).
	Prior float64
}

// Contextual is a conditional model of strings that are rewritten within one alphabet. The fate of
// a symbol depends on its neighbours in the source: with probabilities that depend on its context,
// a symbol
//
//	is left out, or becomes any symbol of the alphabet, itself for instance,
//	or changes places with the symbol after it;
//
// Before the first symbol, between two symbols and at the end, either zero or more symbols are
// inserted. The probability of an insertion depends on at most the two symbols around it.
//
// The Model is the model of the last window that was trained. For every source over the alphabet,
// its probabilities of targets sum to 1. In a problem of package em, place it after its Reader.
type Contextual struct {
	Model
	trainer *trainer
}

// NewContextual returns an untrained model over an alphabet of positive, distinct labels. The
// sources of data determine the frequent contexts; pairs with Sources do not count. The training
// data may be different. The error wraps ErrInvalid for an invalid alphabet or invalid options.
func NewContextual(alphabet []int32, data []Pair, opts *ContextOptions) (*Contextual, error) {
	t, err := newTrainer(alphabet, data, opts)
	if err != nil {
		return nil, err
	}
	z, err := t.machine(0)
	if err != nil {
		return nil, err
	}
	return &Contextual{*z.model, t}, nil
}

// Fit trains the model, window by window. The model of a window starts as the model of the one
// before, and its probabilities have a Dirichlet prior around that (Prior): a rare context behaves
// like the smaller one that it contains, and an unknown one equals it. Smaller contexts then stay
// fixed.
//
// opts applies to each window; the number of the window is appended to the name of a checkpoint.
// The Result is the result of the last window, but its Objective contains the iterations of all
// windows. A canceled run keeps the values reached. Errors are as for em.Fit. They wrap ErrInvalid
// for a Source with a symbol outside the alphabet, and for a pair with both Source and Sources or
// both Target and Targets. For Sources they may come from Reader.
func (c *Contextual) Fit(ctx context.Context, data []Pair, opts *em.Options) (*em.Result, error) {
	nonnil.Check("edit: Fit", "context", ctx)
	t := c.trainer
	sides, err := t.sides(data)
	if err != nil {
		return nil, err
	}
	clear(t.estimates)
	var last *em.Result
	var objective []float64
	for level := range t.Windows {
		z, err := t.machine(level)
		if err != nil {
			return last, err
		}
		c.Model = *z.model
		fit := em.Options{}
		if opts != nil {
			fit = *opts
		}
		if fit.Checkpoint != "" {
			fit.Checkpoint += fmt.Sprintf(".%d", level)
		}
		examples, err := asExamples(c.Params, data, sides)
		if err != nil {
			return last, err
		}
		r, err := c.Model.Fit(ctx, cascade.Data{Examples: examples}, &fit)
		if r != nil {
			objective = append(objective, r.Objective...)
			last, r.Objective = r, objective
		}
		if err != nil {
			return last, nested.Errorf("edit: window %v: %w", t.Windows[level], err)
		}
		for name, g := range z.groups {
			t.estimates[name] = g.In(c.Theta)
		}
	}
	return last, nil
}

// trainer is the state that the models of all windows share.
type trainer struct {
	ContextOptions
	alphabet  []int32
	index     map[int32]int // of a symbol in the alphabet
	contexts  *contexts
	shown     []view               // per label of contexts
	seen      []map[string]float64 // per window: how often contexts were seen
	estimates map[string][]float64 // of groups, by name
}

// view is a context, given by one occurrence and the window.
type view struct {
	place
	window Window
}

// pairs is the window of the contexts that are always labels, whatever the left neighbour.
var pairs = Window{0, 1}

func newTrainer(alphabet []int32, data []Pair, opts *ContextOptions) (*trainer, error) {
	t := &trainer{alphabet: alphabet, index: map[int32]int{}, estimates: map[string][]float64{}}
	if opts != nil {
		t.ContextOptions = *opts
	}
	if t.Windows == nil {
		t.Windows = []Window{{0, 0}, {0, 1}, {1, 1}}
	}
	t.MinCount, t.Prior = cmp.Or(t.MinCount, 3), cmp.Or(t.Prior, 100)
	if err := t.check(); err != nil {
		return nil, err
	}
	for i, a := range alphabet {
		t.index[a] = i
	}
	t.count(data)
	t.label(data)
	return t, nil
}

func (t *trainer) check() error {
	bad := func(format string, args ...any) error {
		return nested.Errorf("edit: %w: "+format, append([]any{ErrInvalid}, args...)...)
	}
	for i, w := range t.Windows {
		switch {
		case i == 0 && w != Window{}:
			return bad("the first window is %v, want {0 0}", w)
		case i > 0 && (w.Right < 1 || w == t.Windows[i-1] || !t.Windows[i-1].within(w)):
			return bad("window %v after %v, want a larger window with a Right of at least 1", w, t.Windows[i-1])
		}
	}
	if len(t.Windows) == 0 || !(t.MinCount > 0) || !(t.Prior > 0) {
		return bad("context options: %d windows, MinCount %g and Prior %g, want numbers > 0", len(t.Windows), t.MinCount, t.Prior)
	}
	return checkAlphabet("", t.alphabet)
}

// places calls visit with every position in the sources and its number of observations.
func places(data []Pair, visit func(p place, times float64)) {
	for _, d := range data {
		times := d.Weight.Float64()
		if times == 0 || d.Sources != nil {
			continue
		}
		for i := -1; i < len(d.Source); i++ {
			visit(place{d.Source, i}, times)
		}
	}
}

func (t *trainer) count(data []Pair) {
	for _, w := range t.Windows {
		seen := map[string]float64{}
		places(data, func(p place, times float64) { seen[p.context(w)] += times })
		t.seen = append(t.seen, seen)
	}
}

// label numbers the contexts: all of the window pairs, and the frequent ones of wider windows.
func (t *trainer) label(data []Pair) {
	names := fst.NewSymbols()
	t.shown = []view{{}} // label 0 is ε
	add := func(p place, w Window) {
		if int(names.Add(p.context(w))) == len(t.shown) {
			t.shown = append(t.shown, view{p, w})
		}
	}
	add(place{i: -1}, pairs)
	for _, a := range t.alphabet {
		add(place{[]int32{a}, -1}, pairs)
		add(place{[]int32{a}, 0}, pairs)
		for _, b := range t.alphabet {
			add(place{[]int32{a, b}, 0}, pairs)
		}
	}
	for i, w := range t.Windows {
		if w.within(pairs) {
			continue
		}
		places(data, func(p place, _ float64) {
			if t.seen[i][p.context(w)] >= t.MinCount {
				add(p, w)
			}
		})
	}
	t.contexts, _ = readContexts(names) // names are well-formed
}

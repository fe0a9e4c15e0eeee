package edit

import (
	"context"
	"fmt"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/nonnil"
)

// Pair is an input string, what became of it, and how often that was seen: a finite
// number ≥ 0. The zero value of Weight means once, em.Times(0) that the pair has no part in
// training.
type Pair struct {
	Source, Target []int32
	Weight         em.Multiplicity
}

// ContextOptions says what the fate of a symbol depends on. A nil *ContextOptions and
// zero fields mean the defaults.
type ContextOptions struct {
	// Windows are what is seen around a symbol, each more than the one before. The first
	// must be {0, 0}, the symbol alone, and all others have a Right of at least 1
	// (default {0, 0}, {0, 1}, {1, 1}).
	Windows []Window
	// Least is how often a context must have been seen, in inputs, to have
	// probabilities of its own (default 3).
	Least float64
	// Prior is how many observations the estimates of the next smaller context count as
	// (default 100).
	Prior float64
	// Fit are the options of training with each window. The name of a checkpoint gets the
	// number of the window.
	Fit *em.Options
}

// Contextual trains a conditional model of strings that are rewritten within an alphabet
// of positive, distinct labels, in which what becomes of a symbol depends on its
// neighbours in the input. With probabilities that depend on its context, a symbol
//
//	is left out, or becomes any symbol of the alphabet, itself for instance,
//	or changes places with the symbol after it;
//
// and between it and the symbol after it, in the end or before the first symbol there is
// nothing inserted or any symbol, and after an inserted one there may be further ones.
//
// Contexts grow window by window. The models of a window start as those of the one
// before, and their probabilities have a Dirichlet prior around them (Prior), so that a
// context that is rare behaves like the smaller one that it contains, and one that is not
// known at all is that. A model of each window is trained by em.Fit, which never lowers
// its objective; smaller contexts then stay as they are. What is inserted depends on the
// two symbols around it at most.
//
// It returns the model of the last window, and the results of all. The model's
// probabilities of outputs sum to 1 for every input over the alphabet. Errors are those
// of em.Fit, or wrap fst.ErrInvalid for options or an alphabet that make no sense and for
// symbols of inputs that are not in the alphabet.
func Contextual(ctx context.Context, alphabet []int32, data []Pair, opts *ContextOptions) (*Model, []*em.Result, error) {
	nonnil.Check("edit: Contextual", "context", ctx)
	t, err := newTrainer(alphabet, data, opts)
	if err != nil {
		return nil, nil, err
	}
	examples := make([]em.Example, len(data))
	for i, d := range data {
		if d.Weight.Float64() == 0 {
			examples[i].Weight = d.Weight // the others keep their numbers
			continue
		}
		labels, ok := t.contexts.labels(d.Source)
		if !ok {
			return nil, nil, fmt.Errorf("edit: %w: input %d has a symbol that is not in the alphabet", fst.ErrInvalid, i)
		}
		examples[i] = em.Example{X: em.Labels(labels...), Y: em.Labels(d.Target...), Weight: d.Weight}
	}
	var m *Model
	var results []*em.Result
	for level := range t.Windows {
		b, err := t.machine(level)
		if err != nil {
			return nil, nil, err
		}
		m = b.model
		fit := em.Options{}
		if t.Fit != nil {
			fit = *t.Fit
		}
		if fit.Checkpoint != "" {
			fit.Checkpoint += fmt.Sprintf(".%d", level)
		}
		r, err := m.Fit(ctx, em.Data{Examples: examples}, &fit)
		if r != nil {
			results = append(results, r)
		}
		if err != nil {
			return m, results, fmt.Errorf("edit: window %v: %w", t.Windows[level], err)
		}
		for name, g := range b.groups {
			t.estimates[name] = g.In(m.Theta)
		}
	}
	return m, results, nil
}

// trainer is what the models of all windows have in common.
type trainer struct {
	ContextOptions
	alphabet  []int32
	index     map[int32]int // of a symbol in the alphabet
	contexts  *contexts
	shown     []view               // per label of contexts
	seen      []map[string]float64 // per window: how often contexts were seen
	estimates map[string][]float64 // of groups, by name
}

// view is a context: an example of it, and the window.
type view struct {
	place
	window Window
}

// pairs is the window of the labels that every symbol has, whatever is before it.
var pairs = Window{0, 1}

func newTrainer(alphabet []int32, data []Pair, opts *ContextOptions) (*trainer, error) {
	t := &trainer{alphabet: alphabet, index: map[int32]int{}, estimates: map[string][]float64{}}
	if opts != nil {
		t.ContextOptions = *opts
	}
	if t.Windows == nil {
		t.Windows = []Window{{0, 0}, {0, 1}, {1, 1}}
	}
	set(&t.Least, 3)
	set(&t.Prior, 100)
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

func set(field *float64, value float64) {
	if *field == 0 {
		*field = value
	}
}

func (t *trainer) check() error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("edit: %w: "+format, append([]any{fst.ErrInvalid}, args...)...)
	}
	for i, w := range t.Windows {
		switch {
		case i == 0 && w != Window{}:
			return bad("the first window is %v, want {0 0}", w)
		case i > 0 && (w.Right < 1 || w == t.Windows[i-1] || !t.Windows[i-1].within(w)):
			return bad("window %v after %v, want one that shows more, and on the right at least 1", w, t.Windows[i-1])
		}
	}
	if len(t.Windows) == 0 || !(t.Least > 0) || !(t.Prior > 0) {
		return bad("options %+v", t.ContextOptions)
	}
	seen := map[int32]bool{boundary: true}
	for _, a := range t.alphabet {
		if a < 0 || seen[a] {
			return bad("label %d is not positive or stands twice in the alphabet", a)
		}
		seen[a] = true
	}
	return nil
}

// places calls visit with all places of the inputs, and how often they were seen.
func places(data []Pair, visit func(p place, times float64)) {
	for _, d := range data {
		times := d.Weight.Float64()
		if times == 0 {
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

// label numbers the contexts: those of the window pairs, and wider ones seen often.
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
			if t.seen[i][p.context(w)] >= t.Least {
				add(p, w)
			}
		})
	}
	t.contexts, _ = readContexts(names) // names are well-formed
}

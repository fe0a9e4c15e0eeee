package ctc

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/machines"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/frames"
)

// Options are the parts of a Loss. Nil stands for the zero value.
type Options struct {
	// Denominator is an acceptor of labels over semiring.Scaled, such as an n-gram model
	// (ngram.Acceptor, or ngram.BackoffAcceptor with fst.Match). With it the loss is lattice-free
	// MMI (Povey et al. 2016): minus the logarithm of the text's share of the sum over all texts
	// that the denominator accepts. Nil means plain CTC, without a denominator.
	Denominator fst.Machine[semiring.ScaledFloat]
	// Smoothing is an acceptor of labels, the same for all examples. The loss is
	// 1 − SmoothingWeight times the loss of the text plus SmoothingWeight, from 0 to 1, times the
	// loss of Smoothing in place of the text.
	Smoothing       fst.Machine[semiring.ScaledFloat]
	SmoothingWeight float64
	// Mean divides the loss of a batch, and its gradients, by the sum of the weights of its
	// examples, including the skipped examples.
	Mean bool
	// Underivable is the policy for an example that no path reads: its labels need more frames,
	// or have probability 0. By default it is an error.
	Underivable em.Policy
	// Workers is the number of goroutines of a batch (0: GOMAXPROCS). The result is bit-identical
	// for any number.
	Workers int
}

// Loss is a loss of emissions, given their texts, and its gradient. The loss of an example is
//
//	−(1−ε)·ln Z(C ∘ y) − ε·ln Z(C ∘ S) + ln Z(C ∘ D)
//
// in nats. Z(G) is the sum over the paths of a graph G that read the emissions. C is the
// topology, y the text, S the smoothing, ε its weight and D the denominator. A term without a
// machine is omitted. A Loss is safe for concurrent use.
type Loss struct {
	*reader
	opts                   Options
	denominator, smoothing *static
	workers                sync.Pool
}

// static is a graph that all examples share, with its acceptor.
type static struct {
	name         string // "" for the graph of an example
	frozen       machine
	states, arcs int // of the acceptor
	*compiled
}

// NewLoss returns the loss of a topology. It composes the topology with the machines of the
// options, once.
//
// The error wraps ErrInvalid for an invalid topology or options: columns or labels out of range,
// a machine over another ring, a denominator without any label of the topology, a weight that is
// not between 0 and 1. It wraps semiring.ErrLimit if there are more than fst.DefaultLimit arcs,
// and semiring.ErrNegative, ErrNotFinite or ErrDiverges for weights without a finite sum. Errors
// of machines are returned, too.
func NewLoss(t Topology, o *Options) (*Loss, error) {
	r, err := newReader("NewLoss", t)
	if err != nil {
		return nil, err
	}
	l := &Loss{reader: r}
	if o != nil {
		l.opts = *o
	}
	switch share := l.opts.SmoothingWeight; {
	case !(share >= 0 && share <= 1):
		return nil, nested.Errorf("ctc: %w: a smoothing weight of %v, want a number from 0 to 1", ErrInvalid, share)
	case share > 0 && l.opts.Smoothing == nil:
		return nil, nested.Errorf("ctc: %w: a smoothing weight of %v without Smoothing", ErrInvalid, share)
	case l.opts.Workers < 0:
		return nil, nested.Errorf("ctc: %w: %d workers, want a number ≥ 0", ErrInvalid, l.opts.Workers)
	}
	if l.opts.Underivable != em.Fail && l.opts.Underivable != em.Skip {
		return nil, nested.Errorf("ctc: %w: %v", ErrInvalid, l.opts.Underivable)
	}
	if l.denominator, err = l.static("denominator", l.opts.Denominator); err != nil {
		return nil, err
	}
	if l.smoothing, err = l.static("smoothing", l.opts.Smoothing); err != nil {
		return nil, err
	}
	l.workers.New = func() any { return &worker{arena: machines.Scaled.NewArena(semiring.Scaled{})} }
	return l, nil
}

// static returns the graph of an acceptor, or nil for nil.
func (r *reader) static(name string, acceptor machine) (*static, error) {
	if acceptor == nil {
		return nil, nil
	}
	f, err := machines.Scaled.Expand(acceptor, nil)
	if err != nil {
		return nil, nested.Errorf("ctc: %s: %w", name, err)
	}
	if f.NumArcs() > 0 && !slices.ContainsFunc(f.In(), func(label int32) bool { return label == fst.Epsilon || r.writes(label) }) {
		return nil, nested.Errorf("ctc: %s: %w: the topology writes no label of the text", name, ErrInvalid)
	}
	m, err := numbered(f, func(k int32, a arc) (arc, error) {
		a.Out = k + 1
		return a, nil
	})
	if err != nil {
		return nil, nested.Errorf("ctc: %s: %w", name, err)
	}
	c, err := r.compile(machines.Scaled.NewArena(semiring.Scaled{}), m, true)
	if err != nil {
		return nil, nested.Errorf("ctc: %s: %w", name, err)
	}
	return &static{name, f, f.NumStates(), f.NumArcs(), c}, nil
}

// Denominator returns the expanded denominator, or nil for a loss without one. It is frozen, and
// has the arcs and states of Gradients.Denominator.
func (l *Loss) Denominator() fst.Machine[semiring.ScaledFloat] { return l.denominator.machine() }

// Smoothing returns the expanded smoothing, or nil for a loss without one. It is frozen, and has
// the arcs and states of Gradients.Smoothing.
func (l *Loss) Smoothing() fst.Machine[semiring.ScaledFloat] { return l.smoothing.machine() }

func (s *static) machine() machine {
	if s == nil {
		return nil
	}
	return s.frozen
}

// Example is a recording and its text.
type Example struct {
	// Name names the example in errors and reports.
	Name string
	// Emissions are the output of a network, with a column for each symbol of the topology.
	Emissions *frames.Emissions
	// Labels are the text, output labels of the topology. It may be empty.
	Labels []int32
	// Lattice, if not nil, replaces Labels: it is an acceptor, over semiring.Scaled, of possible
	// texts of the emissions, with their weights. Output labels of a transducer are ignored, and
	// so are paths with a label that the topology does not write.
	Lattice fst.Machine[semiring.ScaledFloat]
	// Weight multiplies the loss in a batch: a finite number ≥ 0.
	Weight em.Multiplicity
}

// Eval returns the loss of one example, and adds its derivatives with respect to the numbers of
// the emissions to gradient, frames × symbols numbers, unless it is nil. For scores the
// derivatives are softmax − γ, where γ_t(v) is the probability that column v is read in frame t.
// Eval ignores the weight of the example.
//
// If no path reads the example the error wraps em.ErrUnderivable, and also ErrTooShort if there
// are too few frames. It wraps semiring.ErrShape for emissions with the wrong number of columns,
// and ErrInvalid for labels that the topology does not write. It panics if gradient has the wrong
// length.
//
// For a text of n labels and T frames it takes O(T·n) time and memory, and O(T·arcs) for a
// denominator.
func (l *Loss) Eval(x Example, gradient []float64) (float64, error) {
	w := l.workers.Get().(*worker)
	defer l.workers.Put(w)
	loss, err := l.eval(w, &x, gradient != nil, 1, nil)
	if err != nil {
		return 0, nested.Errorf("ctc: %w", err)
	}
	if gradient != nil {
		x.Emissions.Gradient(gradient, 1, w.gamma)
	}
	return loss, nil
}

// worker is the working storage of one goroutine.
type worker struct {
	arena   machines.Arena[semiring.ScaledFloat]
	scratch frames.Scratch
	gamma   []float64       // derivatives by logarithms of the emissions
	uses    [3]frames.Parts // of the graphs of text, smoothing and denominator
}

// eval returns the loss of an example. If derive is true it sets w.gamma to weight times the
// derivatives by the logarithms of the emissions, and adds the derivatives by the logarithms of
// weights to uses, unless it is nil.
func (l *Loss) eval(w *worker, x *Example, derive bool, weight float64, uses *uses) (float64, error) {
	if err := l.check(x); err != nil {
		return 0, err
	}
	text, err := l.graph(w, x, uses)
	if err != nil {
		return 0, err
	}
	if derive {
		w.gamma = zeroed(w.gamma, x.Emissions.Frames()*x.Emissions.Symbols())
	}
	share := l.opts.SmoothingWeight
	graphs := [3]*static{{compiled: text}, l.smoothing, l.denominator}
	factors := [3]float64{share - 1, -share, 1}
	loss := 0.0
	for i, s := range graphs {
		if s == nil || factors[i] == 0 {
			graphs[i] = nil
			continue
		}
		var parts *frames.Parts
		if uses.wants(s) {
			parts = &w.uses[i]
		}
		ln, err := s.sum(w, x.Emissions, derive, weight*factors[i], parts)
		if err != nil {
			return 0, err
		}
		if math.IsInf(ln, -1) {
			return 0, l.underivable(x, s)
		}
		loss += factors[i] * ln
	}
	for i, s := range graphs {
		if s != nil && uses.wants(s) {
			uses.add(s, w.uses[i])
		}
	}
	return loss, nil
}

// sum returns ln Z of a graph. If derive is true it adds weight times the derivatives by the
// logarithms of the emissions to w.gamma, and sets parts, unless it is nil, to the derivatives by
// the logarithms of weights.
func (s *static) sum(w *worker, e *frames.Emissions, derive bool, weight float64, parts *frames.Parts) (float64, error) {
	if !derive {
		z, err := s.graph.PathSum(e, &w.scratch)
		return z.Log(), err
	}
	var of frames.Parts
	if parts != nil {
		parts.Initial = zeroed(parts.Initial, len(s.state))
		parts.Arc = zeroed(parts.Arc, len(s.compiled.arcs))
		parts.Final = zeroed(parts.Final, len(s.state))
		of = *parts
	}
	z, err := s.graph.Counts(e, weight, of, w.gamma, &w.scratch)
	return z.Log(), err
}

// zeroed returns a zeroed slice of length n, reusing x if possible.
func zeroed(x []float64, n int) []float64 {
	x = slices.Grow(x[:0], n)[:n]
	clear(x)
	return x
}

// check returns an error for an invalid example.
func (l *Loss) check(x *Example) error {
	switch {
	case x.Emissions == nil:
		return fmt.Errorf("%w: no emissions", ErrInvalid)
	case x.Emissions.Symbols() != l.of.Symbols:
		return fmt.Errorf("%w: emissions of %d columns for a topology of %d", semiring.ErrShape, x.Emissions.Symbols(), l.of.Symbols)
	case x.Lattice != nil && x.Labels != nil:
		return fmt.Errorf("%w: both labels and a lattice", ErrInvalid)
	}
	return l.checkText(x.Labels)
}

// graph returns the graph of an example's text or lattice. The graph has the numbers of the
// topology's parts if uses needs them.
func (l *Loss) graph(w *worker, x *Example, uses *uses) (*compiled, error) {
	w.arena.Reset()
	switch {
	case x.Lattice != nil:
		return l.compile(w.arena, x.Lattice, false)
	case l.isStandard() && !(uses != nil && isWanted(uses.topology)):
		return l.chain(x.Labels)
	default:
		return l.text(w.arena, x.Labels)
	}
}

package synchronous

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/machines"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring/expr"
)

// Side is the known part of one side of an example. The zero value is an unknown side, which may be
// any sentence.
type Side struct {
	words   []string
	lattice cascade.Stage
	known   bool
	tree    bool
	err     error
}

// Words returns the side that is the sentence of these words; no words are the empty sentence.
func Words(words ...string) Side { return Side{words: words, known: true} }

// Lattice returns the side that is one of the sentences that a machine reads, each with its weight,
// by the labels of Grammar.Symbols. Weights are in the Space of the grammar's Params. If they have
// parameters there, these are trained with the grammar. If m could not be made, functions that use
// the side return its error. The machine may have cycles.
func Lattice(m cascade.Stage) Side {
	nonnil.Check("synchronous: Lattice", "machine", m)
	return Side{lattice: m, known: true}
}

// String returns the words, "…" for a lattice, and "?" for an unknown side.
func (s Side) String() string {
	switch {
	case !s.known:
		return "?"
	case s.lattice != nil:
		return "…"
	}
	return strings.Join(s.words, " ")
}

// Example is a pair of sentences. At least one side must be known.
type Example struct {
	Source, Target Side
	// Weight is the number of occurrences of the example, finite and ≥ 0; its zero value means
	// once.
	Weight em.Multiplicity
	// Name appears in errors and reports ("": its index).
	Name string
}

func (x Example) name(i int) string {
	return cmp.Or(x.Name, fmt.Sprintf("example %d", i+1))
}

// tape is a side as a machine. An unknown side has one state, with a loop for every word.
type tape struct {
	free           bool
	tree           bool
	states         int
	starts, finals []end
	steps          map[int32][]step // by label, without duplicates
	labels         []int32          // of steps, ascending
	// For a lattice: its arcs, whose weights are factors of a derivation.
	weighs bool
	arcs   []arc
}

type end struct {
	state  int16
	weight expr.W
}

type step struct{ from, to int16 }

type arc struct {
	label int32
	step
	weight expr.W
}

// input is an example, ready to be parsed.
type input struct{ source, target *tape }

// input returns an example as tapes.
func (g *Grammar) input(x Example) (in input, err error) {
	if !x.Source.known && !x.Target.known {
		return in, fmt.Errorf("%w: neither side has evidence", ErrInvalid)
	}
	if in.source, err = g.tape(x.Source); err != nil {
		return in, nested.Errorf("in the source: %w", err)
	}
	if in.target, err = g.tape(x.Target); err != nil {
		return in, nested.Errorf("in the target: %w", err)
	}
	// Both are small enough to multiply.
	if cells := in.source.spans() * in.target.spans(); cells > MaxCells {
		return in, fmt.Errorf("%w: %d and %d positions have %d pairs of spans, want at most %d: leave out or cut long sentences",
			ErrInvalid, in.source.states, in.target.states, cells, MaxCells)
	}
	return in, nil
}

// spans returns the number of pairs of positions, the first at most the second. For a tree, whose
// symbols derive subtrees only, it returns the number of positions.
func (t *tape) spans() int {
	if t.tree {
		return t.states
	}
	return t.states * (t.states + 1) / 2
}

// maxStates exceeds the number of states that MaxCells allows, and maxNodes is the number of
// brackets and words of a tree that is too large.
const (
	maxStates = 400
	maxNodes  = 1 << 14
)

// tape returns a side as a tape.
func (g *Grammar) tape(s Side) (*tape, error) {
	if s.err != nil {
		return nil, s.err
	}
	t := &tape{free: !s.known, tree: s.tree, states: 1, starts: []end{{0, expr.One}}, steps: map[int32][]step{}}
	switch {
	case !s.known:
		t.finals = t.starts
		return t, nil
	case s.lattice != nil:
		return t, t.read(s.lattice, g.words)
	}
	t.states = len(s.words) + 1
	switch {
	case s.tree && t.states > maxNodes:
		return nil, fmt.Errorf("%w: a tree of %d brackets and words, want fewer than %d", ErrInvalid, len(s.words), maxNodes)
	case !s.tree && t.states > maxStates:
		return nil, fmt.Errorf("%w: %d words, want fewer than %d", ErrInvalid, len(s.words), maxStates)
	}
	t.finals = []end{{int16(len(s.words)), expr.One}}
	for i, w := range s.words {
		if label, ok := g.words.Find(w); ok && label != fst.Epsilon { // other words are in no rule
			t.steps[label] = append(t.steps[label], step{int16(i), int16(i + 1)})
		}
	}
	t.sort()
	return t, nil
}

// sort sets the labels.
func (t *tape) sort() {
	for label := range t.steps {
		t.labels = append(t.labels, label)
	}
	slices.Sort(t.labels)
}

// read sets t to the arcs of a machine.
func (t *tape) read(m cascade.Stage, words *fst.Symbols) error {
	if in, _ := fst.SymbolsOf(m); in != nil {
		for label, name := range words.All() {
			if other, ok := in.Find(name); ok && other != label {
				return fmt.Errorf("%w: the lattice labels %q by %d, and the grammar by %d: want Grammar.Symbols", fst.ErrMismatch, name, other, label)
			}
		}
	}
	f, err := machines.Exprs.Connect(machines.Exprs.RemoveEpsilon(machines.Exprs.ProjectIn(m)), nil)
	if err != nil {
		return err
	}
	if t.states = f.NumStates(); t.states > maxStates {
		return fmt.Errorf("%w: a lattice of %d states, want at most %d", ErrInvalid, t.states, maxStates)
	}
	t.weighs, t.starts = true, nil
	for _, s := range f.AppendStarts(nil) {
		t.starts = append(t.starts, end{int16(s.State), s.Weight})
	}
	for s := range int32(t.states) {
		if w := f.Final(s); w != expr.Zero {
			t.finals = append(t.finals, end{int16(s), w})
		}
		for _, a := range f.AppendArcs(nil, s) {
			x := arc{a.In, step{int16(s), int16(a.To)}, a.Weight}
			t.arcs = append(t.arcs, x)
			if !slices.Contains(t.steps[a.In], x.step) {
				t.steps[a.In] = append(t.steps[a.In], x.step)
			}
		}
	}
	t.sort()
	return nil
}

// where returns the steps with a label, for ε the steps that stay.
func (t *tape) where(label int32) []step {
	switch {
	case t.free:
		return []step{{}}
	case label == fst.Epsilon:
		all := make([]step, t.states)
		for s := range all {
			all[s] = step{int16(s), int16(s)}
		}
		return all
	}
	return t.steps[label]
}

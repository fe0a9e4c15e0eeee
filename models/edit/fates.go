package edit

import (
	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/machines"
	"example.org/pathsum/semiring/expr"
)

// Before training, most symbols are kept, and insertions are rare.
const (
	keep   = .8
	insert = .05
)

// contextMachine builds the machine of the model with one of the windows.
//
// State base reads the next symbol, as the label of its context. It leads to base, to the state
// that inserts after the symbol, or to the state of a symbol that is swapped with its successor.
// That symbol is written when its successor is read.
type contextMachine struct {
	*trainer
	stage    int // index of the window
	params   *em.Params
	groups   map[string]*em.Group
	model    *Model
	b        machines.Builder[expr.W]
	base     int32
	more     int32
	again    [2]expr.W // the weights of stopping and of inserting a further symbol
	swapped  map[int32]int32
	inserted map[*em.Group]int32
}

// machine returns the model with the windows up to this stage, at the estimates so far.
func (t *trainer) machine(stage int) (*contextMachine, error) {
	z := &contextMachine{trainer: t, stage: stage, params: em.NewParams(), groups: map[string]*em.Group{},
		swapped: map[int32]int32{}, inserted: map[*em.Group]int32{}}
	z.b = machines.Exprs.NewBuilder(z.params.Space())
	z.b.SetSymbols(t.contexts.names, nil)
	z.base, z.more = z.b.AddState(), z.b.AddState()
	z.b.AddStart(z.base, expr.One)
	z.b.SetFinal(z.base, expr.One)
	for _, a := range t.alphabet {
		z.swapped[a] = z.b.AddState()
	}
	z.further()
	for label := int32(1); int(label) < len(t.shown); label++ {
		z.read(label)
	}
	f, err := z.b.Freeze()
	if err != nil {
		return nil, err
	}
	z.model = &Model{cascade.NewModel(cascade.Problem{Params: z.params, Stages: []cascade.Stage{f}}), t.contexts}
	return z, nil
}

// further makes the arcs that insert symbols after an inserted one.
func (z *contextMachine) further() {
	coin := z.own("again", 0, []float64{1 - insert, insert})
	z.again = [2]expr.W{coin.Weight(0), coin.Weight(1)}
	z.insertions(z.more, z.own("further", 0, z.spread(0, len(z.alphabet))), 0)
}

// insertions makes the arcs of a state that inserts any symbol, with the probabilities of
// a group from parameter first on.
func (z *contextMachine) insertions(from int32, g *em.Group, first int) {
	for i, a := range z.alphabet {
		for yes, to := range []int32{z.base, z.more} {
			z.b.AddArc(from, fst.Arc[expr.W]{Out: a, To: to, Weight: z.times(g.Weight(first+i), z.again[yes])})
		}
	}
}

// read makes the arcs that read a label.
func (z *contextMachine) read(label int32) {
	v := z.shown[label]
	gap := z.group("gap", v, pairs, z.spread(1-insert, 1+len(z.alphabet)))
	in, ok := z.inserted[gap]
	if !ok {
		in = z.b.AddState()
		z.inserted[gap] = in
		z.insertions(in, gap, 1)
	}
	write := func(from, out int32, weight expr.W) {
		z.b.AddArc(from, fst.Arc[expr.W]{In: label, Out: out, To: z.base, Weight: z.times(weight, gap.Weight(0))})
		z.b.AddArc(from, fst.Arc[expr.W]{In: label, Out: out, To: in, Weight: weight})
	}
	symbol, next := v.at(0), v.at(1)
	if symbol == boundary {
		write(z.base, fst.Epsilon, expr.One)
		return
	}
	fate := z.fate(v)
	write(z.base, fst.Epsilon, fate.Weight(0))
	for i, a := range z.alphabet {
		write(z.base, a, fate.Weight(1+i))
	}
	if next != boundary {
		z.b.AddArc(z.base, fst.Arc[expr.W]{In: label, Out: next, To: z.swapped[symbol], Weight: fate.Weight(1 + len(z.alphabet))})
	}
	for _, before := range z.alphabet {
		if v.window.Left == 0 || v.at(-1) == before {
			write(z.swapped[before], before, expr.One)
		}
	}
}

func (z *contextMachine) times(a, b expr.W) expr.W { return z.params.Space().Times(a, b) }

// fate returns the group of the possible fates of the symbol of v: it is deleted, becomes any
// symbol of the alphabet, or is swapped with the next one, if there is one.
func (z *contextMachine) fate(v view) *em.Group {
	kind, outcomes := "fate", 2+len(z.alphabet)
	if v.at(1) == boundary {
		kind, outcomes = "last", outcomes-1
	}
	start := z.spread(0, outcomes)
	for i := range start {
		start[i] *= 1 - keep
	}
	start[1+z.index[v.at(0)]] += keep
	return z.group(kind, v, v.window, start)
}

// spread returns a distribution over n outcomes: equal shares of 1 − first, and first more
// for the first outcome.
func (z *contextMachine) spread(first float64, n int) []float64 {
	p := make([]float64, n)
	for i := range p {
		p[i] = (1 - first) / float64(n)
	}
	p[0] += first
	return p
}

// group returns the group of a kind for a context v: of the widest window, within most and up to
// this stage, in which v is frequent. If the window is the window of this stage, the group has a
// prior around the estimate for the window before, or start.
func (z *contextMachine) group(kind string, v view, most Window, start []float64) *em.Group {
	name, level := kind+" "+v.context(z.Windows[0]), 0
	for l, w := range z.Windows[1 : z.stage+1] {
		context := v.context(w)
		if !w.within(v.window) || !w.within(most) || z.seen[1+l][context] < z.MinCount {
			break
		}
		if e, ok := z.estimates[name]; ok {
			start = e
		}
		name, level = kind+" "+context, 1+l
	}
	return z.own(name, level, start)
}

// own returns the group of this name, for a context of the window of this level: a group fixed at
// its estimate, or a new one with a prior around a distribution.
func (z *contextMachine) own(name string, level int, around []float64) *em.Group {
	if g, ok := z.groups[name]; ok {
		return g
	}
	var law em.Law
	if known, ok := z.estimates[name]; ok && level < z.stage {
		law, around = em.Fixed{Values: known}, known
	} else {
		alphas := make([]float64, len(around))
		for i, p := range around {
			alphas[i] = 1 + z.Prior*p
		}
		law = em.Dirichlet{Alpha: 1, Alphas: alphas}
	}
	g := z.params.Distribution(name, len(around), law)
	g.SetStart(around)
	z.groups[name] = g
	return g
}

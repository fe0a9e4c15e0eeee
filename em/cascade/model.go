package cascade

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"

	"example.org/pathsum/em"
	"example.org/pathsum/em/internal/tapes"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/machines"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/text"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// Model is a problem with values for its parameters, which training improves. Packages of models
// build on it.
type Model struct {
	Problem
	// Theta are the values, of length em.Params.Len.
	Theta []float64
}

// NewModel returns the model of problem with the current em.Params.Start() as Theta. A later
// em.Group.SetStart does not affect it, and it lacks groups that are added later.
func NewModel(problem Problem) Model { return Model{problem, problem.Params.Start()} }

// Fit trains the model on data, from Theta unless opts sets another start, and stores the result
// in Theta. It returns the result of em.Fit; a canceled run keeps the parameters it has reached.
func (m *Model) Fit(ctx context.Context, data Data, opts *em.Options) (*em.Result, error) {
	l, err := m.Likelihood(data)
	if err != nil {
		return nil, err
	}
	return em.FitFrom(ctx, l, &m.Theta, opts)
}

// modelFormats are the formats that Load reads; Save writes the first. In the older format,
// expressions do not refer to each other.
var modelFormats = []string{"pathsum model 2", "pathsum model 1"}

// savedModel is the JSON form of a model.
type savedModel struct {
	Format   string           `json:"format"`
	Groups   []savedGroup     `json:"groups"`
	Weights  []string         `json:"weights"` // rows of expressions over the parameters $0, $1, …
	Stages   []savedMachine   `json:"cascade"`
	Branches [][]savedMachine `json:"branches,omitempty"`
	Edges    []savedEdge      `json:"edges,omitempty"`
}

type savedEdge struct {
	From     int            `json:"from"`
	To       int            `json:"to"`
	Machines []savedMachine `json:"machines"`
}

type savedGroup struct {
	Name  string      `json:"name"`
	Law   em.SavedLaw `json:"law"`
	Names []string    `json:"names,omitempty"`
	Theta []float64   `json:"theta"`
	// Distribution reports that the values sum to 1 under any law.
	Distribution bool `json:"distribution,omitempty"`
}

// savedMachine refers to weights by their index in savedModel.Weights.
type savedMachine struct {
	Starts [][2]int32 `json:"starts"` // state, weight
	Final  []int32    `json:"final"`  // weight of every state
	Arcs   [][5]int32 `json:"arcs"`   // from, in, out, weight, to
	In     *symbols   `json:"in,omitempty"`
	Out    *symbols   `json:"out,omitempty"`
}

type symbols struct {
	Labels []int32  `json:"labels"`
	Names  []string `json:"names"`
}

// Save writes the model, machines and trained parameters with their names and laws, as a JSON
// object that Load reads. Every number is restored to the last bit. Laws of other packages must
// be registered with em.RegisterLaw. The weights are a table of expressions that refer to earlier
// ones (expr.Space.FormatRows). So the length of the text is proportional to the machines and to
// the expressions in them. Save returns the error of a failed stage, or of w. The error wraps
// em.ErrParameter if Theta is invalid, or if a weight of a machine is negative at Theta or has no
// value.
func (m *Model) Save(w io.Writer) error {
	tree, err := treeOf(m.Problem)
	if err != nil {
		return err
	}
	if err := m.Params.Check(m.Theta); err != nil {
		return err
	}
	if err := checkWeights(m, tree); err != nil {
		return nested.Errorf("cascade: %w: %w", em.ErrParameter, err)
	}
	s := saver{params: m.Params, place: map[expr.W]int32{}}
	s.model.Format = modelFormats[0]
	for _, g := range m.Params.Groups() {
		saved := savedGroup{Name: g.String(), Law: em.SavedLaw{Law: g.Law()}, Theta: g.In(m.Theta), Distribution: g.IsDistribution()}
		for i := range g.Len() {
			if name, ok := g.Label(i); ok {
				saved.Names = append(saved.Names, name)
			}
		}
		s.model.Groups = append(s.model.Groups, saved)
	}
	s.expressions(tree)
	for i, e := range tree.Edges {
		ms := s.machines(e.Machines)
		switch {
		case !tree.Star:
			s.model.Edges = append(s.model.Edges, savedEdge{e.From, e.To, ms})
		case i == 0:
			s.model.Stages = ms
		default:
			s.model.Branches = append(s.model.Branches, ms)
		}
	}
	if err := json.NewEncoder(w).Encode(&s.model); err != nil {
		return nested.Errorf("cascade: %w", err)
	}
	return nil
}

type saver struct {
	params *em.Params
	model  savedModel
	place  map[expr.W]int32 // index of a weight in the table
}

// expressions makes the table of the weights of the machines of a tree.
func (s *saver) expressions(tree tapes.Tree) {
	var used []expr.W
	use := func(w expr.W) {
		if _, ok := s.place[w]; !ok {
			s.place[w] = 0
			used = append(used, w)
		}
	}
	for _, e := range tree.Edges {
		for _, f := range e.Machines {
			for _, x := range f.Graph().Starts() {
				use(x.Weight)
			}
			for _, w := range f.Graph().Finals() {
				use(w)
			}
			for _, w := range f.Graph().Weights() {
				use(w)
			}
		}
	}
	var place []int32
	s.model.Weights, place = s.params.Space().FormatRows(used)
	for i, w := range used {
		s.place[w] = place[i]
	}
}

func (s *saver) machines(ms []*fst.FST[expr.W]) []savedMachine {
	out := make([]savedMachine, len(ms))
	for i, f := range ms {
		out[i] = s.machine(f)
	}
	return out
}

func (s *saver) machine(f *fst.FST[expr.W]) savedMachine {
	m := savedMachine{In: saveSymbols(f.InSymbols()), Out: saveSymbols(f.OutSymbols())}
	for _, x := range f.AppendStarts(nil) {
		m.Starts = append(m.Starts, [2]int32{x.State, s.place[x.Weight]})
	}
	var arcs []fst.Arc[expr.W]
	for p := range int32(f.NumStates()) {
		m.Final = append(m.Final, s.place[f.Final(p)])
		arcs = f.AppendArcs(arcs[:0], p)
		for _, a := range arcs {
			m.Arcs = append(m.Arcs, [5]int32{p, a.In, a.Out, s.place[a.Weight], a.To})
		}
	}
	return m
}

func saveSymbols(t *fst.Symbols) *symbols {
	if t == nil {
		return nil
	}
	s := new(symbols)
	for l, name := range t.All() {
		s.Labels, s.Names = append(s.Labels, l), append(s.Names, name)
	}
	return s
}

// Load reads a model that Model.Save wrote. Theta, and the start of the parameters, are the saved
// values. Load takes time and memory in proportion to the text.
//
// The error wraps em.ErrFormat if the text is not a valid model, and names the invalid group,
// weight or machine.
func Load(r io.Reader) (*Model, error) {
	var s savedModel
	if err := json.NewDecoder(r).Decode(&s); err != nil {
		return nil, nested.Errorf("cascade: %w: %w", em.ErrFormat, err)
	}
	if !slices.Contains(modelFormats, s.Format) {
		return nil, nested.Errorf("cascade: %w: format %s, want %q", em.ErrFormat, text.Quote(s.Format), modelFormats[0])
	}
	m, err := s.load()
	if err != nil {
		return nil, nested.Errorf("cascade: %w: %w", em.ErrFormat, err)
	}
	return m, nil
}

func (s *savedModel) load() (*Model, error) {
	l := &loader{params: em.NewParams()}
	m := &Model{Problem: Problem{Params: l.params}}
	for i, g := range s.Groups {
		if l.params.Find(g.Name) != nil {
			return nil, fmt.Errorf("group %d has the name %s of another, want a name of its own", i, text.Quote(g.Name))
		}
		if g.Law.Law == nil {
			return nil, fmt.Errorf("group %d (%s): no law", i, g.Name)
		}
		add := l.params.Group
		if g.Distribution {
			add = l.params.Distribution
		}
		group := add(g.Name, len(g.Theta), g.Law.Law)
		group.SetStart(g.Theta)
		m.Theta = append(m.Theta, g.Theta...) // laws are not called before Check
		if g.Names != nil {
			if len(g.Names) != len(g.Theta) {
				return nil, fmt.Errorf("group %d (%s): %d names for %d parameters", i, g.Name, len(g.Names), len(g.Theta))
			}
			group.SetNames(func(i int) string { return g.Names[i] })
		}
	}
	if err := l.params.Check(m.Theta); err != nil {
		return nil, err
	}
	var err error
	if l.weights, err = l.params.Space().ParseRows(s.Weights); err != nil {
		return nil, err
	}
	if len(s.Stages) > 0 {
		if m.Stages, err = l.machines("the cascade", s.Stages); err != nil {
			return nil, err
		}
	}
	for b, ms := range s.Branches {
		branch, err := l.machines(fmt.Sprintf("branch %d", b), ms)
		if err != nil {
			return nil, err
		}
		m.Branches = append(m.Branches, branch)
	}
	for i, e := range s.Edges {
		ms, err := l.machines(fmt.Sprintf("edge %d", i), e.Machines)
		if err != nil {
			return nil, err
		}
		m.Edges = append(m.Edges, Edge{e.From, e.To, ms})
	}
	tree, err := treeOf(m.Problem)
	if err != nil {
		return nil, err
	}
	return m, checkWeights(m, tree)
}

// checkWeights returns an error unless all weights of machines are finite and at least 0 at
// Theta, as sums over derivations require.
func checkWeights(m *Model, tree tapes.Tree) error {
	values, err := usedBy(m.Params, tree).Evaluate(nil, m.Params.Values(m.Theta), 1)
	for i, e := range tree.Edges {
		for k, f := range e.Machines {
			check := func(what string, state int32, w expr.W) error {
				v := values[w]
				switch {
				case v.Mant >= 0 && !math.IsInf(v.Mant, 1):
					return nil
				case v.Mant < 0:
					return fmt.Errorf("machine %d of %s: %s %d has the weight %v = %.6g at Theta: %w, want weights of at least 0",
						k, tree.Edge(i), what, state, m.Params.Space().Format(w), v.Float64(), semiring.ErrNegative)
				case err != nil:
					return nested.Errorf("machine %d of %s: %s %d: %w", k, tree.Edge(i), what, state, err)
				}
				return fmt.Errorf("machine %d of %s: %s %d has the weight %v: %w", k, tree.Edge(i), what, state, v, semiring.ErrNotFinite)
			}
			for _, x := range f.Graph().Starts() {
				if err := check("the start at state", x.State, x.Weight); err != nil {
					return err
				}
			}
			for s := range int32(f.NumStates()) {
				if err := check("the end in state", s, f.Final(s)); err != nil {
					return err
				}
				row := f.Graph().Row()
				for _, w := range f.Graph().Weights()[row[s]:row[s+1]] {
					if err := check("an arc of state", s, w); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// loader makes machines.
type loader struct {
	params  *em.Params
	weights []expr.W
}

func (l *loader) machines(name string, saved []savedMachine) ([]Stage, error) {
	out := make([]Stage, len(saved))
	for i, s := range saved {
		f, err := l.machine(s)
		if err != nil {
			return nil, nested.Errorf("machine %d of %s: %w", i, name, err)
		}
		out[i] = f
	}
	return out, nil
}

func (l *loader) machine(s savedMachine) (*fst.FST[expr.W], error) {
	b := machines.Exprs.NewBuilder(l.params.Space())
	b.AllowZero()
	b.AddStates(len(s.Final))
	var err error
	weight := func(i int32) expr.W {
		if i < 0 || int(i) >= len(l.weights) {
			err = fmt.Errorf("weight %d of %d", i, len(l.weights))
			return expr.Zero
		}
		return l.weights[i]
	}
	for p, w := range s.Final {
		b.SetFinal(int32(p), weight(w))
	}
	for _, x := range s.Starts {
		b.AddStart(x[0], weight(x[1]))
	}
	for _, a := range s.Arcs {
		b.AddArc(a[0], fst.Arc[expr.W]{In: a[1], Out: a[2], Weight: weight(a[3]), To: a[4]})
	}
	in, errIn := s.In.load()
	out, errOut := s.Out.load()
	b.SetSymbols(in, out)
	for _, err := range []error{err, errIn, errOut} {
		if err != nil {
			return nil, err
		}
	}
	return b.Freeze()
}

func (s *symbols) load() (*fst.Symbols, error) {
	if s == nil {
		return nil, nil
	}
	if len(s.Labels) != len(s.Names) {
		return nil, fmt.Errorf("%d symbols for %d labels", len(s.Names), len(s.Labels))
	}
	t := new(fst.Symbols)
	for i, l := range s.Labels {
		if err := t.Set(s.Names[i], l); err != nil {
			return nil, err
		}
	}
	return t, nil
}

package em

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"example.org/pathsum/fst"
	"example.org/pathsum/semiring/expr"
)

// ErrFormat is wrapped by errors about the text of a saved model.
var ErrFormat = errors.New("bad model file")

// modelFormats are those that Load reads; Save writes the first. In the older one
// the expressions do not refer to each other.
var modelFormats = []string{"pathsum model 2", "pathsum model 1"}

// savedModel is the text of a model, JSON.
type savedModel struct {
	Format   string           `json:"format"`
	Groups   []savedGroup     `json:"groups"`
	Weights  []string         `json:"weights"` // rows of expressions over the parameters $0, $1, …
	Cascade  []savedMachine   `json:"cascade"`
	Branches [][]savedMachine `json:"branches,omitempty"`
}

type savedGroup struct {
	Name  string    `json:"name"`
	Law   SavedLaw  `json:"law"`
	Names []string  `json:"names,omitempty"`
	Theta []float64 `json:"theta"`
}

// savedMachine refers to weights by their place in savedModel.Weights.
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

// Save writes the model, machines and trained parameters with their names and laws, as
// a JSON object that Load reads; every number comes back to the last bit. Laws of
// another package must have been registered with RegisterLaw. The weights are a table of
// expressions that refer to earlier ones (expr.Space.FormatRows), so that the text is in
// proportion to the machines and to the expressions in them.
func (m *Model) Save(w io.Writer) error {
	if err := m.check(); err != nil {
		return err
	}
	if err := m.Params.Check(m.Theta); err != nil {
		return err
	}
	s := saver{params: m.Params, place: map[expr.W]int32{}}
	s.model.Format = modelFormats[0]
	for _, g := range m.Params.groups {
		saved := savedGroup{Name: g.name, Law: SavedLaw{g.law}, Theta: g.In(m.Theta)}
		if g.label != nil {
			for i := range g.n {
				saved.Names = append(saved.Names, g.label(i))
			}
		}
		s.model.Groups = append(s.model.Groups, saved)
	}
	s.expressions(m)
	s.model.Cascade = s.machines(m.Cascade)
	for _, ms := range m.Branches {
		s.model.Branches = append(s.model.Branches, s.machines(ms))
	}
	if err := json.NewEncoder(w).Encode(&s.model); err != nil {
		return fmt.Errorf("em: %w", err)
	}
	return nil
}

type saver struct {
	params *Params
	model  savedModel
	place  map[expr.W]int32 // of a weight in the table
}

// expressions makes the table of the weights that m's machines use.
func (s *saver) expressions(m *Model) {
	var used []expr.W
	use := func(w expr.W) {
		if _, ok := s.place[w]; !ok {
			s.place[w] = 0
			used = append(used, w)
		}
	}
	for _, ms := range append([][]*fst.FST[expr.W]{m.Cascade}, m.Branches...) {
		for _, f := range ms {
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
	s.model.Weights, place = s.params.space.FormatRows(used)
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

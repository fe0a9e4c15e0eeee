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

const modelFormat = "pathsum model 1"

// savedModel is the text of a model, JSON.
type savedModel struct {
	Format   string           `json:"format"`
	Groups   []savedGroup     `json:"groups"`
	Weights  []string         `json:"weights"` // expressions over the parameters $0, $1, …
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
// a JSON object that LoadModel reads; every number comes back to the last bit. Laws of
// another package must have been registered with RegisterLaw. A weight is written out
// as an expression, which is longer than its handle where it shares parts with others.
func (m *Model) Save(w io.Writer) error {
	if err := m.check(); err != nil {
		return err
	}
	if err := m.Params.Check(m.Theta); err != nil {
		return err
	}
	s := saver{params: m.Params, place: map[expr.W]int32{}}
	s.model.Format = modelFormat
	for _, g := range m.Params.groups {
		saved := savedGroup{Name: g.name, Law: SavedLaw{g.law}, Theta: g.In(m.Theta)}
		if g.label != nil {
			for i := range g.n {
				saved.Names = append(saved.Names, g.label(i))
			}
		}
		s.model.Groups = append(s.model.Groups, saved)
	}
	s.model.Cascade = s.machines(m.Cascade)
	for _, ms := range m.Branches {
		s.model.Branches = append(s.model.Branches, s.machines(ms))
	}
	if err := json.NewEncoder(w).Encode(&s.model); err != nil {
		return fmt.Errorf("em: %w", err)
	}
	return nil
}

// saver collects the weights that machines use.
type saver struct {
	params *Params
	model  savedModel
	place  map[expr.W]int32
}

func (s *saver) weight(h expr.W) int32 {
	i, ok := s.place[h]
	if !ok {
		i = int32(len(s.model.Weights))
		s.place[h] = i
		s.model.Weights = append(s.model.Weights, s.params.space.Format(h))
	}
	return i
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
		m.Starts = append(m.Starts, [2]int32{x.State, s.weight(x.Weight)})
	}
	var arcs []fst.Arc[expr.W]
	for p := range int32(f.NumStates()) {
		m.Final = append(m.Final, s.weight(f.Final(p)))
		arcs = f.AppendArcs(arcs[:0], p)
		for _, a := range arcs {
			m.Arcs = append(m.Arcs, [5]int32{p, a.In, a.Out, s.weight(a.Weight), a.To})
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

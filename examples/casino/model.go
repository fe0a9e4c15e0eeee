package main

import (
	"fmt"
	"io"

	"example.org/pathsum/em"
	"example.org/pathsum/models/hmm"
)

// model is a hidden Markov model whose states are dice and whose observations are faces.
type model struct {
	*hmm.Model[int32]
	faces *hmm.Discrete
}

// newModel returns an untrained model of the casino.
func newModel() (*model, error) {
	p := em.NewParams()
	e, err := hmm.NewDiscrete(p, "face", faces, hmm.Each(dice), em.Multinomial{})
	if err != nil {
		return nil, err
	}
	m, err := hmm.New(p, hmm.Topology{States: dice}, em.Multinomial{}, e)
	return &model{m, e}, err
}

// newTruth returns the model that simulates the casino. Its second die is the loaded one.
func newTruth() (*model, error) {
	m, err := newModel()
	if err != nil {
		return nil, err
	}
	copy(m.Initial().In(m.Theta), []float64{.5, .5})
	copy(m.Row(0).In(m.Theta), []float64{.95, .05})
	copy(m.Row(1).In(m.Theta), []float64{.1, .9})
	copy(m.faces.Groups()[1].In(m.Theta), []float64{.1, .1, .1, .1, .1, .5})
	return m, nil
}

// load reads a model file written by Save.
func load(name string) (*model, error) {
	f, err := open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	m, e, err := hmm.LoadDiscrete(f)
	if err == nil && (e.States() != dice || e.Groups()[0].Len() != faces) {
		err = fmt.Errorf("it is not a model of %d dice of %d faces", dice, faces)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &model{m, e}, nil
}

// order returns the indices of the fair die and of the loaded one, which shows more sixes:
// training does not identify the states.
func (m *model) order() [dice]int {
	six := func(die int) float64 { return m.faces.Groups()[die].In(m.Theta)[faces-1] }
	if six(0) > six(1) {
		return [dice]int{1, 0}
	}
	return [dice]int{0, 1}
}

// show writes a model's parameters of the two dice, next to the true ones unless truth is nil.
func show(w io.Writer, m, truth *model) {
	for i, name := range []string{"fair", "loaded"} {
		for _, x := range []*model{m, truth} {
			if x != nil {
				die := x.order()[i]
				fmt.Fprintf(w, "%-6s die: kept %.3f, faces %.3f\n", name, x.Row(die).In(x.Theta)[die], x.faces.Groups()[die].In(x.Theta))
				name = "  true"
			}
		}
	}
}

// decode returns the most probable dice as letters.
func (m *model) decode(p *hmm.Predictor[int32], e evening) (string, error) {
	path, _, err := p.Best(sequences(e)[0])
	letters := [dice]byte{'L', 'L'}
	letters[m.order()[0]] = 'F'
	text := make([]byte, len(path))
	for t, state := range path {
		text[t] = letters[state]
	}
	return string(text), err
}

// record returns the answer to a line: its throws and the most probable dice, with a tab
// between.
func (m *model) record(p *hmm.Predictor[int32], line string) (string, error) {
	e, err := parse(line)
	if err == nil {
		var found string
		if found, err = m.decode(p, e); err == nil {
			return e.throws + "\t" + found, nil
		}
	}
	return line, err
}

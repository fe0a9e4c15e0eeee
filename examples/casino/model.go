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

// newModel returns a model of the casino at its start.
func newModel() (*model, error) {
	p := em.NewParams()
	e, err := hmm.NewDiscrete(p, "face", faces, hmm.Each(dice), em.Multinomial{})
	if err != nil {
		return nil, err
	}
	m, err := hmm.New(p, hmm.Topology{States: dice}, em.Multinomial{}, e)
	return &model{m, e}, err
}

// newTruth returns the casino as it is. Its second die is the loaded one.
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

// load reads the file of a model that Save has written.
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

// order returns the fair die and the loaded one, which shows more sixes: training does not know
// which state is which.
func (m *model) order() [dice]int {
	six := func(die int) float64 { return m.faces.Groups()[die].In(m.Theta)[faces-1] }
	if six(0) > six(1) {
		return [dice]int{1, 0}
	}
	return [dice]int{0, 1}
}

// show writes what a model knows of the two dice, beside the truth if that is not nil.
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

// decode returns the letters of the most probable dice.
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

// record returns what answers a line: its throws and the most probable dice, with a tab between.
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

package main

import (
	"context"
	"fmt"

	"example.org/pathsum/internal/program"
	"example.org/pathsum/internal/script"
	"example.org/pathsum/internal/transliteration"
	"example.org/pathsum/models/nbest"
)

// Without -normalize the form of letters is chosen by models of all but each devPart-th pair,
// of at most mostChosen in all, which are tested with those.
const (
	devPart    = 10
	mostChosen = 20000
)

// form returns the form of letters: that of -normalize, or else the one with which a single
// model of each direction has more of the held-out training pairs right, composed letters if
// they are equally good.
func (e *experiment) form(ctx context.Context, r *program.Run, d *data) (script.Form, error) {
	if *e.normalize != "" {
		return script.ParseForm(*e.normalize)
	}
	forms := script.Forms(script.Column{}, func(yield func(string) bool) {
		for _, p := range d.train {
			if !yield(p.latin) {
				return
			}
		}
	})
	if len(forms) == 1 {
		return forms[0], nil
	}
	part := new(data)
	part.train, part.test = program.HoldOut(d.train[:min(len(d.train), mostChosen)], devPart)
	progress := r.Progress("choice of the form of letters", len(forms))
	defer progress.Done()
	best, most := forms[0], -1
	for _, form := range forms {
		right, err := e.tryForm(ctx, part, form)
		if err != nil {
			return best, err
		}
		progress.Step(fmt.Sprintf("%s: %d answers right", form, right))
		if right > most {
			best, most = form, right
		}
	}
	return best, nil
}

// tryForm returns how many of the test pairs of d are right, in all directions together.
func (e *experiment) tryForm(ctx context.Context, d *data, form script.Form) (right int, err error) {
	d.label(form, newMorae(form, d.train))
	s := &pairSystem{columns: [...]*transliteration.Column{d.letters, d.kana}}
	for _, dir := range e.asked() {
		m, err := e.recipe(kinds(dir, true)[0], order).Fit(ctx, lessons(dir, d.train), nil)
		if err != nil {
			return 0, err
		}
		p, err := m.Predictor(searching(dir))
		if err != nil {
			return 0, err
		}
		s.models[dir] = []nbest.Predictor{p}
	}
	all, err := s.transliterators()
	if err != nil {
		return 0, err
	}
	for _, t := range all {
		decoded, err := t.Judge(ctx, questions(d.test, t.Name), 1, *e.workers, func(int, []string, error) error { return nil })
		if err != nil {
			return 0, err
		}
		for i := range d.test {
			if decoded.Right(i) {
				right++
			}
		}
	}
	return right, nil
}

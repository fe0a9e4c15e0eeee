package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"

	"example.org/pathsum/models/hmm"
)

// The dice and their faces, and the number of simulated evenings and of throws in each.
const (
	dice     = 2
	faces    = 6
	evenings = 20
	throws   = 300
)

// evening has the throws of an evening, digits 1 to 6 and ?, and if known the dice, F or L for
// each throw.
type evening struct{ throws, dice string }

// parse reads an evening: throws, optionally followed by a tab and the dice.
func parse(line string) (evening, error) {
	var e evening
	var known bool
	e.throws, e.dice, known = strings.Cut(line, "\t")
	if e.throws == "" {
		return e, errors.New("no throws")
	}
	if i := strings.IndexFunc(e.throws, func(c rune) bool { return !strings.ContainsRune("123456?", c) }); i >= 0 {
		return e, fmt.Errorf("throw %d is %q, want a digit from 1 to 6 or ?", i+1, e.throws[i])
	}
	if known && len(e.dice) != len(e.throws) {
		return e, fmt.Errorf("%d dice for %d throws", len(e.dice), len(e.throws))
	}
	if i := strings.IndexFunc(e.dice, func(c rune) bool { return c != 'F' && c != 'L' }); i >= 0 {
		return e, fmt.Errorf("die %d is %q, want F or L", i+1, e.dice[i])
	}
	return e, nil
}

// sequences returns the throws of evenings as sequences of observations for the model.
func sequences(data ...evening) []hmm.Sequence[int32] {
	all := make([]hmm.Sequence[int32], len(data))
	for i, e := range data {
		all[i].Name = fmt.Sprintf("evening %d", i+1)
		for _, c := range e.throws {
			face := c - '1'
			if c == '?' {
				face = hmm.Missing
			}
			all[i].Observations = append(all[i].Observations, face)
		}
	}
	return all
}

// simulate draws evenings from a model, whose second die is the loaded one. It also returns
// their log likelihood by this model.
func simulate(truth *model, seed uint64) (data []evening, log float64, err error) {
	p, err := truth.Predictor()
	if err != nil {
		return nil, 0, err
	}
	source := rand.NewPCG(seed, 1)
	for range evenings {
		s, err := p.Sample(throws, source)
		if err != nil {
			return nil, 0, err
		}
		var e evening
		for t, face := range s.Observations {
			e.throws += string('1' + face)
			e.dice += "FL"[s.States[t] : s.States[t]+1]
		}
		x, err := p.LogProb(sequences(e)[0])
		if err != nil {
			return nil, 0, err
		}
		data, log = append(data, e), log+x
	}
	return data, log, nil
}

// read reads evenings from a file. It skips bad lines; if more than one in ten are bad, it
// returns the error of the first.
func read(name string) (data []evening, skipped []error, err error) {
	f, err := open(name)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	n := 0
	for text, err := range lines(f) {
		var e evening
		if n++; err == nil {
			e, err = parse(text)
		}
		if err != nil {
			skipped = append(skipped, at(name, n, err))
			continue
		}
		data = append(data, e)
	}
	switch {
	case 9*len(skipped) > len(data):
		return nil, nil, skipped[0]
	case len(data) == 0:
		return nil, nil, fmt.Errorf("%s: no throws", name)
	}
	return data, skipped, nil
}

package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/models/bayes"
)

// What follows asks why convex EM loses where it does. The idea: a method that sees no label
// returns the same network whatever the hidden values are. So these are drawn anew, in the
// very rows that methods saw and are tested on, from P(hidden | observed) of another network.
// Under that the rows as observed are as likely as under the true one. If rivals change
// places, nothing in the rows says which of them to prefer.

// TestUndecided makes these tables of PERFORMANCE.md, with -results.
func TestUndecided(t *testing.T) {
	if !*results {
		t.Skip("makes tables, with -results")
	}
	for _, part := range []string{"of the table", "held out"} {
		fmt.Printf("networks %s\n", part)
		each(part, func(title string, flags []string) {
			fmt.Printf("%-24s%s\n", title, undecided(t, flags))
		})
	}
}

// crowd is the number of rows that these other networks are fitted to, few the starts.
const (
	crowd = 3000
	few   = 3
)

// undecided returns, over the repeats, as differences from the test loss of convex EM: the
// best candidate by labels, by the test rows as observed, and by the joint objective. Then,
// for the network that marginal EM makes of many rows and for that by Viterbi EM: by how much
// rows as observed are less likely than under the network fitted to these many rows with
// nothing hidden; and the paired difference of Viterbi and convex EM if the network drew the
// hidden values.
func undecided(t *testing.T, flags []string) string {
	e, s := begin(t, flags)
	var others []*bayes.Network
	if !strings.Contains(s.name, ".csv") {
		others = rivalsOf(t, s, flags)
	}
	var columns [][]float64
	for i := range *e.repeats {
		x, err := e.newTrial(t.Context(), s, i)
		if err != nil {
			t.Fatal(err)
		}
		row, err := x.undecided(others)
		if err != nil {
			t.Fatal(err)
		}
		if columns == nil {
			columns = make([][]float64, len(row))
		}
		for k, v := range row {
			columns[k] = append(columns[k], v)
		}
	}
	var text strings.Builder
	for _, c := range columns {
		d := newDifference(c)
		text.WriteString(" " + signed(d.Mean, d.SE))
	}
	return text.String()
}

// rivalsOf returns the networks fitted to many rows: with nothing hidden, by marginal and by
// Viterbi EM.
func rivalsOf(t *testing.T, s *source, flags []string) []*bayes.Network {
	e, _ := begin(t, flags)
	*e.train, *e.test, *e.restarts = crowd, 1, few-1
	x, err := e.newTrial(t.Context(), s, *e.repeats)
	if err != nil {
		t.Fatal(err)
	}
	starts, err := x.starts()
	if err != nil {
		t.Fatal(err)
	}
	whole, err := x.complete(x.train)
	if err != nil {
		t.Fatal(err)
	}
	all := []*bayes.Network{whole}
	for _, hard := range []bool{false, true} {
		ends, best, err := x.restart(starts, hard)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, ends[best])
	}
	return all
}

// undecided returns the numbers of one repeat, given the networks of rivalsOf, if any.
func (t *trial) undecided(fitted []*bayes.Network) ([]float64, error) {
	starts, err := t.starts()
	if err != nil {
		return nil, err
	}
	hard, best, err := t.restart(starts, true)
	if err != nil {
		return nil, err
	}
	average, err := t.convex()
	if err != nil {
		return nil, err
	}
	row, err := t.choices(average)
	if err != nil || fitted == nil {
		return row, err
	}
	base, err := t.observed(fitted[0])
	if err != nil {
		return nil, err
	}
	for _, n := range fitted[1:] {
		less, err := t.observed(n)
		if err != nil {
			return nil, err
		}
		other := *t
		one := *t.sample
		other.sample = &one
		for _, rows := range []*[]bayes.Row{&one.train, &one.test} {
			if *rows, err = t.redraw(n, *rows); err != nil {
				return nil, err
			}
		}
		var loss [2]float64
		for k, m := range []*bayes.Network{hard[best], average} {
			s, err := other.score(m)
			if err != nil {
				return nil, err
			}
			loss[k] = s.test
		}
		row = append(row, less-base, loss[0]-loss[1])
	}
	return row, nil
}

// redraw returns rows with hidden values drawn by n.
func (t *trial) redraw(n *bayes.Network, rows []bayes.Row) ([]bayes.Row, error) {
	rng := rand.New(rand.NewPCG(t.rng.Uint64(), 0))
	var all []bayes.Row
	for _, r := range bayes.Hide(rows, t.hidden...) {
		c, err := n.Complete(r, rng)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

// observed returns the mean of −ln P of the test rows as observed.
func (t *trial) observed(n *bayes.Network) (float64, error) {
	sum := 0.0
	for _, r := range bayes.Hide(t.test, t.hidden...) {
		l, err := n.LogProb(r)
		if err != nil {
			return 0, err
		}
		sum -= l
	}
	return sum / float64(len(t.test)), nil
}

// choices returns how much more than the average three candidates lose: the best by the
// labels of the test rows, by these rows as observed, and by the training rows, completed each
// in its likeliest way. Candidates are the starts that the relaxation gives, and what EM of
// both kinds makes of them.
func (t *trial) choices(average *bayes.Network) ([]float64, error) {
	_, all, err := t.recover(starting)
	if err != nil {
		return nil, err
	}
	for _, n := range slices.Clone(all) {
		for _, hard := range []bool{true, false} {
			end, _, err := t.em(n, hard, *t.e.iterations)
			if err != nil {
				return nil, err
			}
			all = append(all, end)
		}
	}
	own, err := t.score(average)
	if err != nil {
		return nil, err
	}
	least, chosen := slices.Repeat([]float64{math.Inf(1)}, 3), make([]float64, 3)
	for _, n := range all {
		s, err := t.score(n)
		if err != nil {
			return nil, err
		}
		observed, err := t.observed(n)
		if err != nil {
			return nil, err
		}
		joint, err := t.joint(n)
		if err != nil {
			return nil, err
		}
		for k, by := range []float64{s.test, observed, joint} {
			if by < least[k] {
				least[k], chosen[k] = by, s.test-own.test
			}
		}
	}
	return chosen, nil
}

// joint returns minus the objective of Viterbi EM.
func (t *trial) joint(n *bayes.Network) (float64, error) {
	theta, err := t.model.At(n)
	if err != nil {
		return 0, err
	}
	sum := -t.model.Params.LogPrior(theta)
	for _, r := range t.data.Rows {
		_, l, err := n.Best(r)
		if err != nil {
			return 0, err
		}
		sum -= l
	}
	return sum, nil
}

package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"example.org/pathsum/internal/hidden"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/models/bayes"
)

// crowd is the number of rows that the alternative networks are fitted to, few the number of
// their starts.
const (
	crowd = 3000
	few   = 3
)

// undecided makes the table that explains the losses of convex EM. Its columns are differences
// from the test loss of convex EM: of the best candidate by labels, by the test rows as
// observed, and by the joint objective. Two columns follow for each network that marginal or
// Viterbi EM trains on many rows. The first is the decrease in the log likelihood of observed
// rows, relative to the network fitted to as many complete rows. The second is
// the paired difference of Viterbi and convex EM if the network drew the hidden values.
func (e *experiment) undecided(ctx context.Context, r *program.Run, part string, networks []*network) error {
	table := make(map[string][]hidden.Difference)
	fmt.Fprintf(r.Out, "networks %s\n%-25soracle      held-out    joint       marginal's values       Viterbi's values\n", part, "")
	for _, n := range networks {
		var others []*bayes.Network
		if !strings.Contains(n.source.Name, ".csv") {
			var err error
			if others, err = e.rivalsOf(ctx, n); err != nil {
				return err
			}
		}
		rows := make([][]float64, *e.repeats)
		err := e.each(ctx, r, n, func(i int, t *hidden.Trial) (err error) {
			rows[i], err = undecided(t, others)
			return err
		})
		if err != nil {
			return err
		}
		var cells []string
		for k := range rows[0] {
			var column []float64
			for _, row := range rows {
				column = append(column, row[k])
			}
			d := hidden.DifferenceOf(column)
			table[n.title], cells = append(table[n.title], d), append(cells, signed(d))
		}
		fmt.Fprintf(r.Out, "%-24s %s\n", n.title, strings.Join(cells, " "))
	}
	r.Set("networks "+part, table)
	return nil
}

// rivalsOf returns the networks fitted to many rows: to complete rows, by marginal and by Viterbi
// EM.
func (e *experiment) rivalsOf(ctx context.Context, n *network) ([]*bayes.Network, error) {
	settings := n.settings
	settings.Train, settings.Test, settings.Starts = crowd, 1, few
	t, err := hidden.NewTrial(ctx, n.source, settings, *e.repeats)
	if err != nil {
		return nil, err
	}
	whole, err := t.Complete(t.Train)
	if err != nil {
		return nil, err
	}
	all := []*bayes.Network{whole}
	for _, hard := range []bool{false, true} {
		ends, best, err := t.Restart(t.Random, hard)
		if err != nil {
			return nil, err
		}
		all = append(all, ends[best])
	}
	return all, nil
}

// undecided returns the numbers of one repeat, given the networks of rivalsOf, if any.
func undecided(t *hidden.Trial, fitted []*bayes.Network) ([]float64, error) {
	hard, best, err := t.Restart(t.Random, true)
	if err != nil {
		return nil, err
	}
	average, err := t.Convex()
	if err != nil {
		return nil, err
	}
	row, err := choices(t, average)
	if err != nil || fitted == nil {
		return row, err
	}
	base, err := t.Observed(fitted[0], t.Test)
	if err != nil {
		return nil, err
	}
	for _, n := range fitted[1:] {
		less, err := t.Observed(n, t.Test)
		if err != nil {
			return nil, err
		}
		other := *t
		one := *t.Sample
		other.Sample = &one
		for _, rows := range []*[]bayes.Row{&one.Train, &one.Test} {
			if *rows, err = redraw(t, n, *rows); err != nil {
				return nil, err
			}
		}
		var loss [2]float64
		for k, m := range []*bayes.Network{hard[best], average} {
			s, err := other.Score(m)
			if err != nil {
				return nil, err
			}
			loss[k] = s.Test
		}
		row = append(row, less-base, loss[0]-loss[1])
	}
	return row, nil
}

// redraw returns rows with hidden values drawn by n.
func redraw(t *hidden.Trial, n *bayes.Network, rows []bayes.Row) ([]bayes.Row, error) {
	rng := rand.New(rand.NewPCG(t.Rand.Uint64(), 0))
	var all []bayes.Row
	for _, r := range bayes.Hide(rows, t.Hidden...) {
		c, err := n.Complete(r, rng)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

// choices returns the losses, minus the loss of the average, of three candidates: the best by
// the labels of the test rows, by these rows as observed, and by the training rows, each
// completed in its most probable way. Candidates are the starts from the relaxation, and the
// results of both kinds of EM from them.
func choices(t *hidden.Trial, average *bayes.Network) ([]float64, error) {
	_, all, err := t.Recover(hidden.Starting)
	if err != nil {
		return nil, err
	}
	for _, n := range slices.Clone(all) {
		for _, hard := range []bool{true, false} {
			end, _, err := t.EM(n, hard, t.Settings.Iterations)
			if err != nil {
				return nil, err
			}
			all = append(all, end)
		}
	}
	own, err := t.Score(average)
	if err != nil {
		return nil, err
	}
	least, chosen := slices.Repeat([]float64{math.Inf(1)}, 3), make([]float64, 3)
	for _, n := range all {
		s, err := t.Score(n)
		if err != nil {
			return nil, err
		}
		observed, err := t.Observed(n, t.Test)
		if err != nil {
			return nil, err
		}
		joint, err := joint(t, n)
		if err != nil {
			return nil, err
		}
		for k, by := range []float64{s.Test, observed, joint} {
			if by < least[k] {
				least[k], chosen[k] = by, s.Test-own.Test
			}
		}
	}
	return chosen, nil
}

// joint returns minus the objective of Viterbi EM.
func joint(t *hidden.Trial, n *bayes.Network) (float64, error) {
	theta, err := t.Model.At(n)
	if err != nil {
		return 0, err
	}
	sum := -t.Model.Params.LogPrior(theta)
	for _, r := range t.Data.Rows {
		_, l, err := n.Best(r)
		if err != nil {
			return 0, err
		}
		sum -= l
	}
	return sum, nil
}

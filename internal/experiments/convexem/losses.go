package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"gonum.org/v1/gonum/stat"

	"example.org/pathsum/internal/benchtime"
	"example.org/pathsum/internal/hidden"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/models/bayes"
)

// Methods, by their names in the JSON object.
const (
	supervised     = "supervised"
	viterbi        = "viterbi"
	viterbiAverage = "viterbi_average"
	marginal       = "marginal"
	relaxed        = "convex"
	hardLabels     = "convex_hard"
	hardViterbi    = "convex_hard_viterbi"
	hardMarginal   = "convex_hard_marginal"
	softLabels     = "convex_soft"
	softViterbi    = "convex_soft_viterbi"
	softMarginal   = "convex_soft_marginal"
)

// rivals are the methods that the tables compare with convex EM.
var rivals = []string{viterbi, marginal, hardLabels, softLabels}

// tested has the results of the repeats for a network, as in the JSON object.
type tested struct {
	Network string                   `json:"network"`
	Loss    map[string]hidden.Losses `json:"loss"`
}

// losses makes the tables of test losses.
func (e *experiment) losses(ctx context.Context, r *program.Run, part string, networks []*network) error {
	named, raw := new(strings.Builder), new(strings.Builder)
	var all []tested
	for _, n := range networks {
		scores := make([]map[string]hidden.Score, *e.repeats)
		title := n.title
		err := e.each(ctx, r, n, func(i int, t *hidden.Trial) (err error) {
			if i == 0 && !strings.Contains(title, " ") && t.Names() != "class" {
				title += " " + t.Names()
			}
			scores[i], err = compare(t)
			return err
		})
		if err != nil {
			return err
		}
		took, err := e.times(ctx, n)
		if err != nil {
			return err
		}
		of := func(method string) (all []hidden.Score) {
			for _, s := range scores {
				all = append(all, s[method])
			}
			return all
		}
		x := tested{title, make(map[string]hidden.Losses)}
		for method := range scores[0] {
			x.Loss[method] = hidden.NewLosses(of(method))
		}
		all = append(all, x)
		line := func(w *strings.Builder, loss func(method string) float64, of func(method string) []hidden.Score, more string) {
			fmt.Fprintf(w, "%-24s%6.2f %6.2f", title, loss(supervised), loss(relaxed))
			for _, m := range rivals {
				d := hidden.NewDifference(of(m), of(relaxed))
				fmt.Fprintf(w, " %s %2d", signed(d), d.Wins)
			}
			fmt.Fprintln(w, more)
		}
		line(named, func(m string) float64 { return x.Loss[m].Test.Mean }, of, took)
		line(raw, func(m string) float64 { return x.Loss[m].RawTest.Mean }, func(m string) []hidden.Score {
			all := of(m)
			for i := range all {
				all[i].Test = all[i].Raw
			}
			return all
		}, "")
	}
	const head = "                        super. convex Viterbi, best   marginal, best  hard labels     soft labels"
	fmt.Fprintf(r.Out, "networks %s, matched, and milliseconds\n%s      conv. marg. Vit.\n%s\nnetworks %s, unmatched\n%s\n%s\n", part, head, named, part, head, raw)
	r.Set("networks "+part, all)
	return nil
}

// compare returns the scores of all methods.
func compare(t *hidden.Trial) (scores map[string]hidden.Score, err error) {
	scores = make(map[string]hidden.Score)
	if scores[supervised], err = t.Supervised(); err != nil {
		return nil, err
	}
	fits := make(map[string]*bayes.Network)
	for _, method := range []string{viterbi, marginal} {
		all, best, err := t.Restart(t.Random, method == viterbi)
		if err != nil {
			return nil, err
		}
		fits[method] = all[best]
		if method == viterbi {
			if scores[viterbiAverage], err = average(t, all); err != nil {
				return nil, err
			}
		}
	}
	if fits[relaxed], err = t.Convex(); err != nil {
		return nil, err
	}
	solution, starts, err := t.Recover(hidden.Solving)
	if err != nil {
		return nil, err
	}
	if fits[hardLabels], err = t.Structure.WithTables(solution.Rounded.Tables); err != nil {
		return nil, err
	}
	fits[softLabels] = starts[0]
	for start, methods := range map[string][2]string{hardLabels: {hardViterbi, hardMarginal}, softLabels: {softViterbi, softMarginal}} {
		for k, method := range methods {
			if fits[method], _, err = t.EM(fits[start], k == 0, t.Settings.Iterations); err != nil {
				return nil, err
			}
		}
	}
	for method, n := range fits {
		if scores[method], err = t.Score(n); err != nil {
			return nil, err
		}
	}
	return scores, nil
}

// average returns the score of an average network.
func average(t *hidden.Trial, all []*bayes.Network) (s hidden.Score, err error) {
	var train, test, raw []float64
	for _, n := range all {
		if s, err = t.Score(n); err != nil {
			return s, err
		}
		train, test, raw = append(train, s.Train), append(test, s.Test), append(raw, s.Raw)
	}
	return hidden.Score{Train: stat.Mean(train, nil), Test: stat.Mean(test, nil), Raw: stat.Mean(raw, nil)}, nil
}

// times returns the milliseconds of processor time, means of three repeats, of convex EM and of
// random starts of marginal and of Viterbi EM, with one processor.
func (e *experiment) times(ctx context.Context, n *network) (string, error) {
	const trials = 3
	var all [3][]float64
	for i := range trials {
		t, err := hidden.NewTrial(ctx, n.source, n.settings, i)
		if err != nil {
			return "", err
		}
		for k, do := range []func() error{
			func() error { _, err := t.Convex(); return err },
			func() error { return again(t, false) },
			func() error { return again(t, true) },
		} {
			began := benchtime.CPU()
			if err := do(); err != nil {
				return "", err
			}
			all[k] = append(all[k], float64(benchtime.CPU()-began)/float64(time.Millisecond))
		}
	}
	return fmt.Sprintf(" %5.0f %5.0f %5.0f", stat.Mean(all[0], nil), stat.Mean(all[1], nil), stat.Mean(all[2], nil)), nil
}

// again makes random starts and EM from them.
func again(t *hidden.Trial, hard bool) error {
	starts, err := t.Starts()
	if err == nil {
		_, _, err = t.Restart(starts, hard)
	}
	return err
}

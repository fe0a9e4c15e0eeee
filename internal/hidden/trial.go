package hidden

import (
	"context"
	"encoding/binary"
	"math"
	"math/rand/v2"

	"example.org/pathsum/em"
	"example.org/pathsum/models/bayes"
)

// Settings has the settings of a Trial for drawing rows and training.
type Settings struct {
	Hidden      string // names of variables, separated by commas; "": the default of the source
	Train, Test int    // rows
	Starts      int    // random starts
	Iterations  int    // of EM, at most
	Beta        float64
	Seed        uint64
}

// Score has means of −ln P over rows. Train and Test have the hidden states renamed to fit the
// training rows best, and Raw is for the test rows with the original names.
type Score struct{ Train, Test, Raw float64 }

// Trial is rows drawn for training and for a test.
type Trial struct {
	*Sample
	Settings Settings
	Hidden   []int      // the hidden variables
	Data     bayes.Data // training rows, with hidden values missing
	Model    *bayes.Model
	Rand     *rand.Rand
	Random   []*bayes.Network // the random starts
	Best     *em.Result       // the EM of Convex with the best objective

	ctx      context.Context
	distinct []repeated
	likely   em.Likelihood // of Data
}

// repeated is a row that occurs more than once.
type repeated struct {
	row   bayes.Row
	times float64
}

// distinct returns the distinct rows, in the order of their first occurrence.
func distinct(rows []bayes.Row) []repeated {
	var all []repeated
	place := make(map[string]int)
	for _, r := range rows {
		var key []byte
		for _, x := range r {
			key = binary.LittleEndian.AppendUint64(key, math.Float64bits(x))
		}
		k, ok := place[string(key)]
		if !ok {
			k = len(all)
			place[string(key)] = k
			all = append(all, repeated{row: r})
		}
		all[k].times++
	}
	return all
}

// NewTrial draws the rows of trial number i, and its random starts. It returns an error if the
// settings are invalid for this source. All operations of the trial end with ctx's error if ctx
// is done.
func NewTrial(ctx context.Context, s *Source, settings Settings, i int) (*Trial, error) {
	rng := rand.New(rand.NewPCG(settings.Seed, uint64(i)))
	drawn, err := s.draw(rng, settings.Train, settings.Test)
	if err != nil {
		return nil, err
	}
	t := &Trial{Sample: drawn, Settings: settings, ctx: ctx, Rand: rng}
	if t.Hidden, err = s.choose(drawn.Structure, settings.Hidden); err != nil {
		return nil, err
	}
	if t.Model, err = bayes.NewModel(drawn.Structure, bayes.SameLaw(bayes.Ridge{Beta: settings.Beta})); err != nil {
		return nil, err
	}
	t.Data = bayes.Data{Rows: bayes.Hide(drawn.Train, t.Hidden...)}
	t.distinct = distinct(t.Data.Rows)
	if t.likely, err = t.Model.Likelihood(t.Data); err != nil {
		return nil, err
	}
	t.Random, err = t.Starts()
	return t, err
}

// Names returns the names of the hidden variables.
func (t *Trial) Names() string { return names(t.Structure, t.Hidden) }

// Complete returns the network fitted to complete rows.
func (t *Trial) Complete(rows []bayes.Row) (*bayes.Network, error) {
	t.Model.Theta = t.Model.Params.Start()
	if _, err := t.Model.Fit(t.ctx, bayes.Data{Rows: rows}, &em.Options{Workers: 1}); err != nil {
		return nil, err
	}
	return t.Model.Network()
}

// Starts returns networks fitted to rows whose hidden cells are drawn uniformly.
func (t *Trial) Starts() ([]*bayes.Network, error) {
	var all []*bayes.Network
	for range t.Settings.Starts {
		rows := make([]bayes.Row, len(t.Train))
		for i, r := range t.Data.Rows {
			rows[i] = append(bayes.Row(nil), r...)
			for _, v := range t.Hidden {
				rows[i][v] = float64(t.Rand.IntN(len(t.Structure.Variables()[v].States)))
			}
		}
		n, err := t.Complete(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, n)
	}
	return all, nil
}

// Restart returns the results of EM from the starts, Viterbi EM if hard, and the index of the
// result with the best objective.
func (t *Trial) Restart(starts []*bayes.Network, hard bool) (all []*bayes.Network, best int, err error) {
	highest := 0.0
	for i, start := range starts {
		n, r, err := t.EM(start, hard, t.Settings.Iterations)
		if err != nil {
			return nil, 0, err
		}
		if o := r.Last(); i == 0 || o > highest {
			highest, best = o, i
		}
		all = append(all, n)
	}
	return all, best, nil
}

// EM trains by at most the given number of iterations of EM from the tables of n, in which
// states that no label uses may be equal.
func (t *Trial) EM(n *bayes.Network, hard bool, iterations int) (*bayes.Network, *em.Result, error) {
	theta, err := t.Model.At(n)
	if err != nil {
		return nil, nil, err
	}
	o := &em.Options{Start: theta, Iterations: iterations, Workers: 1}
	if hard {
		o.EStep = em.Viterbi
	}
	r, err := em.Fit(t.ctx, t.likely, o)
	if err != nil {
		return nil, r, err
	}
	fit, err := t.at(r.Theta)
	return fit, r, err
}

// at returns the network with parameters θ.
func (t *Trial) at(theta []float64) (*bayes.Network, error) {
	t.Model.Theta = theta
	return t.Model.Network()
}

// Score returns the losses of n.
func (t *Trial) Score(n *bayes.Network) (s Score, err error) {
	if !t.Labelled {
		if s.Train, err = t.Observed(n, t.Train); err != nil {
			return s, err
		}
		s.Test, err = t.Observed(n, t.Test)
		s.Raw = s.Test
		return s, err
	}
	matched, err := n.Match(t.Train, t.Hidden...)
	if err != nil {
		return s, err
	}
	if s.Train, err = matched.LogLoss(t.Train); err != nil {
		return s, err
	}
	if s.Test, err = matched.LogLoss(t.Test); err != nil {
		return s, err
	}
	s.Raw, err = n.LogLoss(t.Test)
	return s, err
}

// Supervised returns the losses of a network that is trained with nothing hidden.
func (t *Trial) Supervised() (s Score, err error) {
	n, err := t.Complete(t.Train)
	if err != nil {
		return s, err
	}
	if s.Train, err = n.LogLoss(t.Train); err != nil {
		return s, err
	}
	s.Test, err = n.LogLoss(t.Test)
	s.Raw = s.Test
	return s, err
}

// Observed returns the mean of −ln P of rows as observed.
func (t *Trial) Observed(n *bayes.Network, rows []bayes.Row) (float64, error) {
	sum := 0.0
	for _, r := range bayes.Hide(rows, t.Hidden...) {
		l, err := n.LogProb(r)
		if err != nil {
			return 0, err
		}
		sum -= l
	}
	return sum / float64(len(rows)), nil
}

package merge

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/saved"
)

// checkpointFormat is the format of a file that holds a savedSearch.
const checkpointFormat saved.Format = "pathsum merge checkpoint 3"

// savedSearch is the state of a search between two expansions.
type savedSearch struct {
	Beam       []savedMachine
	Expansions uint64
}

// savedMachine holds the data that restore a machine of the beam: its topology, the initial
// weights of training, and the results of training. Its counts are recomputed.
type savedMachine struct {
	Starts           []fst.Start[float64]
	Arcs             [][]fst.Arc[float64] // per state
	Final            []float64
	Theta, Posterior []float64
	Slack            float64
	Expanded         bool
}

// save writes the checkpoint if one is configured.
func (s *search) save() error {
	if s.opts.Checkpoint == "" {
		return nil
	}
	x := savedSearch{Expansions: s.expansions}
	for _, m := range s.beam {
		f := m.machine
		y := savedMachine{Starts: f.AppendStarts(nil), Final: f.Graph().Finals(), Theta: m.Theta, Posterior: m.Posterior,
			Slack: m.slack, Expanded: m.expanded}
		for q := range int32(f.NumStates()) {
			y.Arcs = append(y.Arcs, f.AppendArcs(nil, q))
		}
		x.Beam = append(x.Beam, y)
	}
	if err := checkpointFormat.Save(s.opts.Checkpoint, s.identity, &x); err != nil {
		return nested.Errorf("merge: checkpoint: %w", err)
	}
	return nil
}

// load restores the search from the checkpoint, if the file exists.
func (s *search) load(ctx context.Context, first *fst.FST[float64]) (found bool, err error) {
	if s.opts.Checkpoint == "" {
		return false, nil
	}
	if s.identity, err = s.fingerprint(first); err != nil {
		return false, err
	}
	var x savedSearch
	found, err = checkpointFormat.Load(s.opts.Checkpoint, s.identity, &x)
	if errors.As(err, new(*fs.PathError)) {
		return false, nested.Errorf("merge: %w", err)
	}
	if err != nil {
		return false, nested.Errorf("merge: %w: %s: %w", em.ErrCheckpoint, s.opts.Checkpoint, err)
	}
	for i := range x.Beam {
		m, err := s.restore(ctx, &x.Beam[i], first)
		if err != nil {
			return false, nested.Errorf("merge: %s: %w", s.opts.Checkpoint, err)
		}
		s.beam = append(s.beam, m)
	}
	s.expansions = x.Expansions
	return found, nil
}

// restore rebuilds a machine of the beam, with the symbols of like.
func (s *search) restore(ctx context.Context, x *savedMachine, like *fst.FST[float64]) (*trained, error) {
	b := fst.NewBuilder(real)
	b.AllowZero()
	b.SetSymbols(like.InSymbols(), like.OutSymbols())
	b.AddStates(len(x.Final))
	for _, start := range x.Starts {
		b.AddStart(start.State, start.Weight)
	}
	for q, arcs := range x.Arcs {
		for _, a := range arcs {
			b.AddArc(int32(q), a)
		}
	}
	for q, w := range x.Final {
		b.SetFinal(int32(q), w)
	}
	machine, err := b.Freeze()
	if err != nil {
		return nil, err
	}
	t, err := s.whole(machine, nil)
	if err != nil {
		return nil, err
	}
	if len(x.Theta) != t.Params.Len() || len(x.Posterior) == 0 {
		return nil, fmt.Errorf("%w: %d parameters, want %d", em.ErrCheckpoint, len(x.Theta), t.Params.Len())
	}
	t.Theta = x.Theta
	if err := s.score(ctx, t); err != nil {
		return nil, err
	}
	t.Posterior, t.slack, t.expanded = x.Posterior, x.Slack, x.Expanded
	return t, s.count(ctx, t)
}

// fingerprint returns a hash of the problem, data and options that determine the result.
func (s *search) fingerprint(first *fst.FST[float64]) (string, error) {
	t, err := s.whole(first, nil)
	if err != nil {
		return "", err
	}
	l, err := t.Likelihood(t.data)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	o := s.opts
	if err := em.Fingerprint(h, l, &o.Options); err != nil {
		return "", err
	}
	fmt.Fprintln(h, o.Iterations, o.Tolerance, o.ChooseEvery, o.Normalization, *o.Prior, o.Moves, o.Candidates, o.Beam, o.MinStates, o.MaxStates, s.seed)
	return hex.EncodeToString(h.Sum(nil)), nil
}

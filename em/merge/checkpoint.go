package merge

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/saved"
)

// checkpointFormat is the format of the file, which holds a savedSearch.
const checkpointFormat saved.Format = "pathsum merge checkpoint 2"

// savedSearch is the state of a search between two expansions.
type savedSearch struct {
	Beam       []savedMember
	Expansions uint64
}

// savedMember is what a member is made of anew: its machine, as training began, and θ.
type savedMember struct {
	Starts   []savedArc // their From is −1
	Arcs     []savedArc
	Final    []float64
	Theta    []float64
	Slack    float64
	Trace    []float64
	Expanded bool
}

type savedArc struct {
	From, In, Out, To int32
	Weight            float64
}

func savedOf(m *member) savedMember {
	x := savedMember{Theta: m.Theta, Slack: m.slack, Trace: m.trace, Expanded: m.expanded}
	for _, s := range m.machine.Graph().Starts() {
		x.Starts = append(x.Starts, savedArc{From: -1, To: s.State, Weight: s.Weight})
	}
	for s := range int32(m.machine.NumStates()) {
		for _, a := range m.machine.AppendArcs(nil, s) {
			x.Arcs = append(x.Arcs, savedArc{s, a.In, a.Out, a.To, a.Weight})
		}
		x.Final = append(x.Final, m.machine.Final(s))
	}
	return x
}

// machine returns the machine that was saved, with the symbols of like.
func (x *savedMember) machine(like *fst.FST[float64]) (*fst.FST[float64], error) {
	b := fst.NewBuilder(real)
	b.AllowZero()
	b.SetSymbols(like.InSymbols(), like.OutSymbols())
	b.AddStates(len(x.Final))
	for _, s := range x.Starts {
		b.AddStart(s.To, s.Weight)
	}
	for _, a := range x.Arcs {
		b.AddArc(a.From, fst.Arc[float64]{In: a.In, Out: a.Out, To: a.To, Weight: a.Weight})
	}
	for s, w := range x.Final {
		b.SetFinal(int32(s), w)
	}
	return b.Freeze()
}

// save writes the search, if a checkpoint is wanted.
func (s *search) save() error {
	if s.opts.Checkpoint == "" {
		return nil
	}
	x := savedSearch{Expansions: s.expansions}
	for _, m := range s.beam {
		x.Beam = append(x.Beam, savedOf(m))
	}
	if err := checkpointFormat.Save(s.opts.Checkpoint, s.identity, &x); err != nil {
		return nested.Errorf("merge: checkpoint: %w", err)
	}
	return nil
}

// load takes the search from the checkpoint, if there is one. What a member was trained to is
// in the file; its counts are made anew.
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
	if !found {
		return false, nil
	}
	for i := range x.Beam {
		m, err := s.restore(ctx, &x.Beam[i], first)
		if err != nil {
			return true, nested.Errorf("merge: %s: %w", s.opts.Checkpoint, err)
		}
		s.beam = append(s.beam, m)
	}
	s.expansions = x.Expansions
	return true, nil
}

func (s *search) restore(ctx context.Context, x *savedMember, like *fst.FST[float64]) (*member, error) {
	machine, err := x.machine(like)
	if err != nil {
		return nil, err
	}
	t, err := s.whole(machine, nil)
	if err != nil {
		return nil, err
	}
	if len(x.Theta) != t.Params.Len() || len(x.Trace) == 0 {
		return nil, fmt.Errorf("%w: %d parameters, want %d", em.ErrCheckpoint, len(x.Theta), t.Params.Len())
	}
	t.Theta = x.Theta
	if err := s.score(ctx, t); err != nil {
		return nil, err
	}
	if err := s.count(ctx, t); err != nil {
		return nil, err
	}
	t.slack = x.Slack
	t.Posterior = slices.Clone(x.Trace)
	return &member{trained: t, trace: t.Posterior, expanded: x.Expanded}, nil
}

// fingerprint identifies what the result depends on.
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
	fmt.Fprintf(h, "%d %T %+v %+v %d %d %d %d %d %d %v\n", o.Normalization, o.Law, o.Law, *o.Prior, o.Moves, o.Candidates, o.Beam,
		o.Iterations, o.Least, o.Most, s.seed)
	l.Fingerprint(h)
	return hex.EncodeToString(h.Sum(nil)), nil
}

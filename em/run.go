package em

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"math"
	"slices"

	"example.org/pathsum/em/internal/digest"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/internal/saved"
)

// start is one start of a run. Its Theta is nil after it has lost.
type start struct {
	Start
	LogLikelihood float64
	Gap           float64 // of the last iteration
	Ended         bool
	Status        Status     // Canceled until the start ends
	Reason        string     // the error, if Infeasible
	First         *departure // nil: the objective never falls
	ascent        Ascent

	// If the first E step of the start has no value: the θ that was drawn, and the number of
	// times that it was scaled.
	drawn  []float64
	shrunk int
}

// lead returns the difference between the last objectives of s and o.
func (s *start) lead(o *start) float64 { return s.Last() - o.Last() + (s.lastFace() - o.lastFace()) }

// end ends the start and drops the memory of its method.
func (s *start) end(status Status) {
	if a, ok := s.ascent.(Finisher); ok && !(s.First != nil && s.First.Back) {
		a.Finish(&s.Start)
	}
	s.Ended, s.Status, s.Trial, s.ascent, s.First = true, status, nil, nil, nil
}

// forget drops the fields that only the winner needs.
func (s *start) forget() { s.Theta, s.Skipped = nil, nil }

// run is the state of training between two iterations, as stored in a checkpoint.
type run struct {
	Starts []*start
	Round  int // of pruning
	// Remarks are the remarks of the E steps. Symmetric is the remark on the start, or "".
	Remarks   []string
	Symmetric string
}

// best returns the index of the start with the best objective among the starts that which accepts:
// the first of several, or −1.
func (r *run) best(which func(*start) bool) int {
	best := -1
	for i, s := range r.Starts {
		if which(s) && (best < 0 || s.lead(r.Starts[best]) > 0) {
			best = i
		}
	}
	return best
}

// settle ends a start and calls forget for all ended starts but the best.
func (r *run) settle(s *start, status Status) {
	s.end(status)
	ended := func(s *start) bool { return s.Ended && !s.Status.lost() }
	for i, best := 0, r.best(ended); i < len(r.Starts); i++ {
		if i != best && r.Starts[i].Ended {
			r.Starts[i].forget()
		}
	}
}

// feasible returns the index of the best start that has not lost, or −1.
func (r *run) feasible() int { return r.best(func(s *start) bool { return !s.Status.lost() }) }

// result returns the current result, with the status of the best start.
func (r *run) result() *Result {
	i := r.feasible()
	s := r.Starts[i]
	out := &Result{Status: s.Status, Theta: s.Theta, Objective: s.trace(s.lastFace()), LogLikelihood: s.LogLikelihood,
		GradientNorm: s.GradientNorm, Gap: s.Gap, Start: i, Skipped: s.Skipped, Remarks: r.Remarks}
	if r.Symmetric != "" {
		out.Remarks = append(slices.Clip(out.Remarks), r.Symmetric)
	}
	for _, o := range r.Starts {
		out.Starts = append(out.Starts, StartResult{Status: o.Status, Objective: o.trace(s.lastFace()), Reason: o.Reason})
	}
	return out
}

// trace returns the objectives with the constant of face.
func (s *start) trace(face float64) []float64 {
	if !slices.ContainsFunc(s.Face, func(x float64) bool { return x != face }) {
		return s.Objective
	}
	trace := slices.Clone(s.Objective)
	for i, x := range s.Face {
		trace[i] += x - face
	}
	return trace
}

// limit returns the limit of iterations for the remaining starts in the current round.
func (t *Trainer) limit(r *run) int {
	p := t.opts.Prune
	if p.After == 0 || r.left() == 1 {
		return t.opts.Iterations
	}
	limit := math.Ceil(float64(p.After) / math.Pow(p.Keep, float64(r.Round)))
	return int(min(limit, float64(t.opts.Iterations)))
}

// left returns the number of starts that have not lost.
func (r *run) left() int {
	n := 0
	for _, s := range r.Starts {
		if !s.Status.lost() {
			n++
		}
	}
	return n
}

// prune ends a round.
func (r *run) prune(keep float64) {
	var rank []*start
	for _, s := range r.Starts {
		if !s.Status.lost() {
			rank = append(rank, s)
		}
	}
	slices.SortStableFunc(rank, func(a, b *start) int { return cmp.Compare(b.lead(a), 0) })
	kept := int(math.Ceil(keep * float64(len(rank))))
	for _, s := range rank[min(kept, len(rank)-1):] {
		s.end(Pruned)
		s.forget()
	}
	r.Round++
}

// ErrCheckpoint is returned for a checkpoint file that cannot be
// used.
var ErrCheckpoint = errors.New("bad checkpoint")

// checkpointFormat is the format of the file, which holds the values that states yields.
const checkpointFormat saved.Format = "pathsum em checkpoint 7"

// states yields the run, and then the memory of the method of each active start. It calls begin
// for each of these starts first.
func (r *run) states(begin func(*start) error) (states iter.Seq[any], err *error) {
	err = new(error)
	return func(yield func(any) bool) {
		if !yield(r) {
			return
		}
		for _, s := range r.Starts {
			if s.Ended || len(s.Objective) == 0 {
				continue
			}
			if *err = begin(s); *err != nil {
				return
			}
			if state := s.ascent.State(); state != nil && !yield(state) {
				return
			}
		}
	}, err
}

// load returns the state in the checkpoint file, or the state of a new run if there
// is not a file.
func (t *Trainer) load() (*run, error) {
	fresh := &run{Starts: make([]*start, t.opts.starts())}
	for i := range fresh.Starts {
		fresh.Starts[i] = &start{Status: Canceled}
	}
	if t.opts.Checkpoint == "" {
		return fresh, nil
	}
	t.identity = t.fingerprint()
	r := new(run)
	states, fault := r.states(func(s *start) (err error) {
		s.ascent, err = t.opts.Method.Begin(t, &s.Start)
		return err
	})
	found, err := checkpointFormat.LoadAll(t.opts.Checkpoint, t.identity, states)
	err = cmp.Or(*fault, err)
	if errors.As(err, new(*fs.PathError)) {
		return nil, nested.Errorf("em: %w", err)
	}
	if err != nil {
		return nil, nested.Errorf("em: %w: %s: %w", ErrCheckpoint, t.opts.Checkpoint, err)
	}
	if !found {
		return fresh, nil
	}
	t.opts.Start = nil // no longer needed
	return r, nil
}

// save writes r if there is a checkpoint file. It replaces the file by renaming, so
// that the file is complete even if the process dies.
func (t *Trainer) save(r *run) error {
	if t.opts.Checkpoint == "" {
		return nil
	}
	states, _ := r.states(func(*start) error { return nil })
	if err := checkpointFormat.SaveAll(t.opts.Checkpoint, t.identity, states); err != nil {
		return nested.Errorf("em: checkpoint: %w", err)
	}
	return nil
}

// fingerprint identifies everything that determines the run's result, apart from the
// iteration limit and the tolerance, which a resumed run may change.
func (t *Trainer) fingerprint() string {
	h := sha256.New()
	writeTraining(h, t.likelihood, &t.opts, t.seeds)
	return hex.EncodeToString(h.Sum(nil))
}

// Fingerprint writes everything that determines the result of Fit, apart from Options.Rand and the
// limits Options.Iterations, Options.Tolerance and Options.ChooseEvery. A search that calls Fit
// distinguishes its checkpoints from those of other searches by a hash of it. It returns the error
// of Fit for invalid options.
func Fingerprint(w io.Writer, l Likelihood, opts *Options) error {
	nonnil.Check("em: Fingerprint", "writer", w, "likelihood", l)
	o, err := opts.complete(l)
	if err != nil {
		return err
	}
	writeTraining(w, l, &o, nil)
	return nil
}

// writeTraining writes the fingerprint of a training with complete options.
func writeTraining(w io.Writer, l Likelihood, o *Options, seeds [][2]uint64) {
	d := digest.To{Writer: w}
	d.Ints(int(o.EStep), o.Restarts)
	d.Floats(o.Temperature)
	d.Floats(o.Start...)
	for _, theta := range o.Starts {
		d.Slice(theta, len(theta))
	}
	fmt.Fprintf(d, "%#v %+v\n", o.Method, o.Prune)
	for _, s := range seeds {
		binary.Write(d, binary.LittleEndian, s)
	}
	for _, g := range l.Params().groups {
		fmt.Fprintf(d, "%q %d %T %+v\n", g.name, g.n, g.law, g.law)
	}
	l.Fingerprint(w)
}

// conclude returns the status of a start that is over, or has made all its iterations. If its
// objective may fall, an E step over all data checks whether it is below the start's first. If so,
// conclude returns the start to its first θ, and the status is Stalled.
func (t *Trainer) conclude(ctx context.Context, s *start, over bool) (Status, error) {
	status := IterationLimit
	if over {
		status = t.verdict(s)
	}
	if s.First == nil {
		return status, nil
	}
	if f, ok := s.ascent.(Finisher); ok {
		f.Finish(&s.Start)
	}
	q := t.Ask(s.Theta)
	e, err := t.likelihood.Expect(ctx, q)
	lost := outOfRange(err) || errors.Is(err, ErrUnderivable)
	switch {
	case canceled(ctx, err):
		return status, t.canceled(ctx, s)
	case err != nil && !lost:
		return status, err
	case err == nil:
		if t.follows {
			if err := t.Bounded(q.Theta, e.Counts); err != nil {
				return status, err
			}
		}
		p := t.Point(q, e)
		rise := p.Objective - s.Objective[0] + (p.face - s.Face[0])
		lost = len(p.Skipped) == len(s.First.Skipped) && rise < -decreaseRounding*(1+math.Abs(s.Objective[0]))
	}
	if !lost {
		return status, nil
	}
	s.back()
	return Stalled, nil
}

// departure is the state at the beginning of a start.
type departure struct {
	Theta         []float64
	LogLikelihood float64
	Skipped       []Skipped
	Back          bool // the start has returned here
}

// depart records the beginning of s, p at theta, if its objective may fall.
func (t *Trainer) depart(s *start, theta []float64, p Point) {
	if len(s.Objective) == 0 && !p.Rises && !heuristic(t.likelihood) {
		s.First = &departure{Theta: slices.Clone(theta), LogLikelihood: p.LogLikelihood, Skipped: p.Skipped}
	}
}

// back returns s to its beginning.
func (s *start) back() {
	s.First.Back = true
	last := len(s.Objective) - 1
	s.Objective[last], s.Face[last] = s.Objective[0], s.Face[0]
	s.Theta, s.LogLikelihood, s.Skipped = s.First.Theta, s.First.LogLikelihood, s.First.Skipped
}

package convex

import (
	"context"
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"time"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/internal/saved"
)

// Splitting minimizes by Davis–Yin three-operator splitting: in each iteration one projection onto
// the positive semidefinite matrices, one gradient of g and one projection onto the entrywise
// constraints (Davis and Yin 2017), accelerated by Anderson's method. It takes O(t³) time per
// iteration and O(t²) memory for t merged rows. The bounds are certified: up to rounding, they hold
// after any number of iterations.
//
// Naive Bayes with ternary children, β = 1, processor time and heap (BenchmarkSplitting):
//
//	children  rows  distinct  groups    gap  iterations    time    heap
//	6          100        34       –  1e-4           30  0.02 s    4 MB
//	6          400        86       –  1e-4           60  0.12 s    8 MB
//	6         1000       127       –  1e-4          110  0.37 s   15 MB
//	12         200       200       –  1e-3           40  0.66 s   30 MB
//	12         400       400       –  1e-3           60   3.6 s  100 MB
//	12        1000      1000     300  0.02           30    15 s  430 MB
//	12 + 1     100       100       –  1e-3          100   1.1 s   18 MB
//	12 + 1     200       200       –  0.01           80   3.6 s   75 MB
//
// In the rows 12 + 1, half of the children are below a hidden child of the root. The run with 1000
// distinct rows has Rows: 300 and Gap: 0.1, which the check after 20 iterations just misses. To
// reproduce the table: go test ./convex -run xxx -bench Splitting -benchtime 1x
//
// With 20 children instead of 12 the gap is below 0.1 after 30 iterations and 18 s. With
// β = 0.3 and 1000 distinct rows it is still open after 60 iterations and 27 s.
//
// The smaller β is relative to the weights of rows, the more iterations it takes: from Σ weights/β
// = 10⁵ on, the default may not suffice, and the bounds stay far apart.
type Splitting struct {
	// Gap is the relative gap between the bounds at which Solve stops (default 1e-3). With a larger
	// gap, terms are also minimized less accurately in each iteration.
	Gap float64
	// Iterations bounds the iterations of each separate part (default 2000).
	Iterations int
	// Every is the number of iterations between two checks of the bounds (default 10).
	Every int
	// Set is the set to which relations are relaxed (default Correlations).
	Set Set
	// Rows, if not 0, is the maximum number of groups of merged rows. If there are more merged
	// rows, they are grouped by k-means on their observations; relations between groups are found
	// first, and relations between rows from there. Gap and Iterations apply to both stages. The
	// bounds hold for all rows.
	Rows int
	// Checkpoint is the name of a file for the state. It is replaced atomically at every check, and
	// Solve continues from it if it exists. The result is the same, bit for bit, as without
	// interruption.
	Checkpoint string
	// Observer, if not nil, is called at every check.
	Observer func(Event)
}

// Set is a convex set to which relations are relaxed.
type Set int

const (
	// Correlations is C: positive semidefinite, unit diagonal, no negative entry.
	Correlations Set = iota
	// Classes also requires M − 11ᵀ/v to be positive semidefinite, where v is the variable's number
	// of values. This holds for every relation of at most v classes. The set is tighter, but
	// usually only slightly.
	Classes
)

// String returns "Davis–Yin splitting".
func (Splitting) String() string { return "Davis–Yin splitting" }

// Solve minimizes the relaxed problem. If ctx is done it returns the Result so far, with Status
// Canceled, and an error wrapping the context's. Other errors wrap ErrInvalid (invalid settings) or
// ErrCheckpoint.
func (s Splitting) Solve(ctx context.Context, p *Problem) (*Result, error) {
	nonnil.Check("convex: Solve", "context", ctx, "problem", p)
	s, err := s.complete()
	if err != nil {
		return nil, err
	}
	r := &splittingRun{Splitting: s, p: p, began: time.Now()}
	if err := r.load(); err != nil {
		return nil, err
	}
	if err = r.solve(ctx); err != nil && ctx.Err() == nil {
		return nil, err
	}
	return r.result(), err
}

// complete returns s with defaults filled in, or an error for invalid settings.
func (s Splitting) complete() (Splitting, error) {
	set(&s.Gap, 1e-3)
	set(&s.Iterations, 2000)
	set(&s.Every, 10)
	switch {
	case !(s.Gap > 0) || math.IsInf(s.Gap, 1):
		return s, invalid("gap %g, want a finite number > 0", s.Gap)
	case s.Iterations < 0:
		return s, invalid("%d iterations", s.Iterations)
	case s.Every < 0:
		return s, invalid("a check every %d iterations", s.Every)
	case s.Rows < 0 || s.Rows == 1:
		return s, invalid("%d groups of rows", s.Rows)
	case s.Set != Correlations && s.Set != Classes:
		return s, invalid("unknown %v", s.Set)
	}
	return s, nil
}

// String returns the name of the set.
func (s Set) String() string {
	switch s {
	case Correlations:
		return "correlations"
	case Classes:
		return "classes"
	}
	return fmt.Sprintf("Set(%d)", int(s))
}

func set[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// ErrCheckpoint is returned, wrapped, for a checkpoint file that cannot be used.
var ErrCheckpoint = errors.New("bad checkpoint")

// checkpointFormat is the format of the file, which holds a partState for each part begun.
const checkpointFormat saved.Format = "pathsum convex checkpoint 5"

// identity returns a hash of everything that determines the result, except the gap and the limit of
// iterations, which a resumed run may change.
func (r *splittingRun) identity() (string, error) {
	h := sha256.New()
	e := gob.NewEncoder(h)
	for _, v := range []any{r.p.variables, r.p.weights, r.p.ridge, r.Every, r.Set, r.Rows} {
		if err := e.Encode(v); err != nil {
			return "", nested.Errorf("convex: %w", err)
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// load restores the parts from the checkpoint file, if it exists.
func (r *splittingRun) load() (err error) {
	if r.Checkpoint == "" {
		return nil
	}
	if r.whose, err = r.identity(); err != nil {
		return err
	}
	var saved []partState
	if _, err := checkpointFormat.Load(r.Checkpoint, r.whose, &saved); err != nil {
		return nested.Errorf("convex: %w: %s: %w", ErrCheckpoint, r.Checkpoint, err)
	}
	for i, s := range saved {
		x := newPartRun(r.p.parts[i], &r.Splitting)
		x.Status, x.descent.descentState = s.Status, s.Descent
		for k, t := range x.p.terms {
			t.residual = s.Descent.Residuals[k]
		}
		r.parts = append(r.parts, x)
	}
	return nil
}

// save writes the checkpoint file, if Checkpoint is set.
func (r *splittingRun) save() error {
	if r.Checkpoint == "" {
		return nil
	}
	saved := make([]partState, len(r.parts))
	for i, x := range r.parts {
		d := x.descent
		d.Residuals = d.Residuals[:0]
		for _, t := range x.p.terms {
			d.Residuals = append(d.Residuals, t.residual)
		}
		saved[i] = partState{x.Status, d.descentState}
	}
	if err := checkpointFormat.Save(r.Checkpoint, r.whose, saved); err != nil {
		return nested.Errorf("convex: checkpoint: %w", err)
	}
	return nil
}

// Result is the result of Splitting.Solve.
type Result struct {
	Status Status
	// Lower and Upper bound the minimum of the relaxed problem, Constant included; Upper is the
	// value at Relations, rounding up. Lower is at least Constant, unless a hidden variable has
	// observed parents and no hidden one: then relations may have a lesser value, and Lower may be
	// −Inf.
	Lower, Upper float64
	// LabelsLower is a lower bound of the loss of any labels: Constant plus, for each separate
	// part, the greater of its lower bound and 0, since −ln P ≥ 0.
	LabelsLower float64
	// MarginalLower is a lower bound, for any parameters, of −ln P of the rows as observed plus the
	// ridge, that is, of −1 times the objective of marginal EM. In each separate part it is the
	// lower bound less ln v for each row with v completions, or 0 if that is greater: a row has at
	// most v times the probability of its best completion. It includes Constant.
	MarginalLower float64
	// Relations holds one relation per hidden variable, in the order of Problem.Hidden.
	Relations []*Relation
	// Iterations is the number of iterations, summed over separate parts.
	Iterations int
}

// Gap returns the relative gap (Upper − Lower) / max(1, |Upper|).
func (r *Result) Gap() float64 { return relativeGap(r.Lower, r.Upper) }

func relativeGap(lower, upper float64) float64 {
	return (upper - lower) / max(1, upper, -upper)
}

// Event describes the state of a solver at a check of its bounds.
type Event struct {
	// Part is the index of the current separate part, out of Parts.
	Part, Parts int
	// Iteration counts from 1 in each part, to Iterations at most.
	Iteration, Iterations int
	// Lower and Upper are the part's bounds so far.
	Lower, Upper float64
	// Rank is the total rank of the part's relations, and Step the step size.
	Rank int
	Step float64
	// Elapsed is the time since Solve was called.
	Elapsed time.Duration
}

// Status is the reason why a solver ended.
type Status int

const (
	// Converged: the gap between the bounds is at most Splitting.Gap.
	Converged Status = iota
	// IterationLimit: the limit of iterations was reached. The bounds are valid.
	IterationLimit
	// Canceled: the context was done. The bounds are valid.
	Canceled
	// Degenerate: converged, but the optimum puts all rows of a hidden variable into one class. A
	// large ridge may cause this.
	Degenerate
)

var statusNames = [...]string{"converged", "iteration limit", "canceled", "degenerate: one class"}

// String returns the name of the status.
func (s Status) String() string {
	if s < 0 || int(s) >= len(statusNames) {
		return fmt.Sprintf("Status(%d)", int(s))
	}
	return statusNames[s]
}

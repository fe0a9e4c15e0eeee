package em

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"

	"example.org/pathsum/fst"
	"example.org/pathsum/semiring/expr"
)

// ErrCheckpoint is wrapped by errors about a checkpoint file that cannot be
// used.
var ErrCheckpoint = errors.New("bad checkpoint")

// checkpoint is the content of the file: JSON, with numbers as strings so that
// every float64, infinities too, comes back as it was.
type checkpoint struct {
	Format        string    `json:"format"`
	Run           string    `json:"run"` // fingerprint of problem, data and options
	Start         int       `json:"start"`
	Theta         []exact   `json:"theta"`
	Objective     []exact   `json:"objective"`
	LogLikelihood exact     `json:"log_likelihood"`
	Skipped       []Skipped `json:"skipped,omitempty"`
	Fresh         bool      `json:"fresh,omitempty"`
	Starts        []exact   `json:"starts,omitempty"`
	Best          *best     `json:"best,omitempty"`
}

type best struct {
	Status        Status    `json:"status"`
	Start         int       `json:"start"`
	Theta         []exact   `json:"theta"`
	Objective     []exact   `json:"objective"`
	LogLikelihood exact     `json:"log_likelihood"`
	Skipped       []Skipped `json:"skipped,omitempty"`
}

const checkpointFormat = "pathsum em checkpoint 1"

// exact is a float64 written with as many digits as it takes.
type exact float64

// MarshalText writes the shortest decimal that reads back as x.
func (x exact) MarshalText() ([]byte, error) {
	return strconv.AppendFloat(nil, float64(x), 'g', -1, 64), nil
}

// UnmarshalText reads what MarshalText wrote.
func (x *exact) UnmarshalText(b []byte) error {
	v, err := strconv.ParseFloat(string(b), 64)
	*x = exact(v)
	return err
}

func toExact(v []float64) []exact {
	out := make([]exact, len(v))
	for i, x := range v {
		out[i] = exact(x)
	}
	return out
}

func fromExact(v []exact) []float64 {
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = float64(x)
	}
	return out
}

// load returns the state in the checkpoint file, or that of a new run if there
// is no file.
func (t *trainer) load(seeds [][2]uint64) (*progress, error) {
	fresh := &progress{Theta: t.opts.Start, Fresh: true}
	if t.opts.Checkpoint == "" {
		return fresh, nil
	}
	t.run = t.fingerprint(seeds)
	text, err := os.ReadFile(t.opts.Checkpoint)
	if errors.Is(err, fs.ErrNotExist) {
		return fresh, nil
	}
	if err != nil {
		return nil, fmt.Errorf("em: %w", err)
	}
	bad := func(format string, args ...any) (*progress, error) {
		return nil, fmt.Errorf("em: %w: %s: "+format, append([]any{ErrCheckpoint, t.opts.Checkpoint}, args...)...)
	}
	var c checkpoint
	if err := json.Unmarshal(text, &c); err != nil {
		return bad("%v", err)
	}
	switch {
	case c.Format != checkpointFormat:
		return bad("format is %q, want %q", c.Format, checkpointFormat)
	case c.Run != t.run:
		return bad("it belongs to a run with other machines, data, start or options")
	case c.Start > t.opts.Restarts || len(c.Starts) != c.Start || (c.Best == nil) != (c.Start == 0):
		return bad("start %d does not agree with the rest", c.Start)
	}
	p := &progress{Start: c.Start, Theta: fromExact(c.Theta), Objective: fromExact(c.Objective),
		LogLikelihood: float64(c.LogLikelihood), Skipped: c.Skipped, Fresh: c.Fresh, Starts: fromExact(c.Starts)}
	if err := t.problem.Params.Check(p.Theta); err != nil {
		return bad("%v", err)
	}
	if b := c.Best; b != nil {
		if b.Start < 0 || b.Start >= c.Start {
			return bad("the best start is %d of %d", b.Start, c.Start)
		}
		if err := t.problem.Params.Check(fromExact(b.Theta)); err != nil {
			return bad("best start: %v", err)
		}
		p.Best = &Result{Status: b.Status, Start: b.Start, Theta: fromExact(b.Theta),
			Objective: fromExact(b.Objective), LogLikelihood: float64(b.LogLikelihood), Skipped: b.Skipped}
	}
	return p, nil
}

// save writes p's state, if a checkpoint is wanted. The file is replaced by
// renaming, so that it is whole whenever the process dies.
func (t *trainer) save(p *progress) (err error) {
	if t.opts.Checkpoint == "" {
		return nil
	}
	c := checkpoint{Format: checkpointFormat, Run: t.run, Start: p.Start, Theta: toExact(p.Theta),
		Objective: toExact(p.Objective), LogLikelihood: exact(p.LogLikelihood), Skipped: p.Skipped,
		Fresh: p.Fresh, Starts: toExact(p.Starts)}
	if b := p.Best; b != nil {
		c.Best = &best{Status: b.Status, Start: b.Start, Theta: toExact(b.Theta),
			Objective: toExact(b.Objective), LogLikelihood: exact(b.LogLikelihood), Skipped: b.Skipped}
	}
	text, err := json.Marshal(c)
	if err != nil {
		return fmt.Errorf("em: checkpoint: %w", err)
	}
	if err := replaceFile(t.opts.Checkpoint, text); err != nil {
		return fmt.Errorf("em: checkpoint: %w", err)
	}
	return nil
}

// replaceFile makes text the content of the named file, all or nothing.
func replaceFile(name string, text []byte) (err error) {
	f, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".tmp*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if _, err = f.Write(text); err != nil {
		return err
	}
	if err = f.Sync(); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}

// fingerprint identifies what the run's result depends on, apart from the
// iteration limit and the tolerance, which a resumed run may change.
func (t *trainer) fingerprint(seeds [][2]uint64) string {
	d := digest{sha256.New()}
	o := t.opts
	d.ints(int(o.EStep), int(o.Underivable), o.Restarts, len(t.problem.Cascade), len(t.data))
	d.floats(o.Temperature)
	d.floats(o.Start...)
	for _, s := range seeds {
		binary.Write(d, binary.LittleEndian, s)
	}
	for _, g := range t.problem.Params.groups {
		fmt.Fprintf(d, "%q %d %T %+v\n", g.name, g.n, g.law, g.law)
	}
	// Machines are told by their handles, and handles by their values.
	if values, err := t.problem.Params.space.Evaluate(nil, leaves(o.Start)); err == nil {
		d.slice(values, len(values))
	}
	for _, m := range t.problem.Cascade {
		d.machine(m)
	}
	for _, x := range t.data {
		d.floats(x.Weight)
		d.side(x.X)
		d.side(x.Y)
	}
	return hex.EncodeToString(d.Sum(nil))
}

type digest struct{ hash.Hash }

func (d digest) ints(v ...int) {
	for _, x := range v {
		binary.Write(d, binary.LittleEndian, int64(x))
	}
}

func (d digest) floats(v ...float64) {
	for _, x := range v {
		binary.Write(d, binary.LittleEndian, math.Float64bits(x))
	}
}

func (d digest) slice(v any, n int) {
	d.ints(n)
	binary.Write(d, binary.LittleEndian, v)
}

func (d digest) machine(f *fst.FST[expr.W]) {
	g := f.Graph()
	d.slice(g.Row(), len(g.Row()))
	d.slice(g.To(), len(g.To()))
	d.slice(f.In(), len(f.In()))
	d.slice(f.Out(), len(f.Out()))
	d.slice(g.Weights(), len(g.Weights()))
	d.slice(g.Finals(), len(g.Finals()))
	for _, s := range g.Starts() {
		d.ints(int(s.State), int(s.Weight))
	}
}

func (d digest) side(s Side) {
	if s.set != nil {
		d.ints(-2)
		d.machine(s.set)
		return
	}
	if !s.string {
		d.ints(-1)
		return
	}
	d.slice(s.labels, len(s.labels))
}

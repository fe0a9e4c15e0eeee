package program

import (
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"golang.org/x/term"

	"example.org/pathsum/internal/figure"
)

// Run is one run of a program: where its results go.
type Run struct {
	// Out is standard output, or what takes its place where the records or the answers to
	// -apply are there: see Output.
	Out io.Writer

	program  *Program
	stderr   io.Writer
	terminal bool // stderr is one
	began    time.Time
	training Training
	curves   []figure.Line // of -plot, in place of the objective
	own      []entry
	skipped  int      // lines
	remarked sync.Map // remarks that were written

	mu      sync.Mutex // guards the following
	states  []state    // the checkpoints
	reached string     // the last iteration that was seen; "": none was
}

// Training is what every program reports of its training.
type Training struct {
	Iterations int
	// Objective is the value that training raises after each iteration, in nats.
	Objective []float64
	// Status says why training ended, such as "converged".
	Status string
	// Skipped is the number of examples that the model cannot derive.
	Skipped int
}

type entry struct {
	key   string
	value any
}

func newRun(p *Program, out, stderr io.Writer) *Run {
	f, ok := stderr.(*os.File)
	return &Run{
		Out: out, program: p, stderr: stderr, began: time.Now(),
		terminal: ok && term.IsTerminal(int(f.Fd())),
		training: Training{Status: "done"},
	}
}

// leaveStandardOutput makes standard output free of all but records: results for people go to
// standard error, and nowhere with -quiet.
func (r *Run) leaveStandardOutput() {
	r.Out = r.stderr
	if *r.program.quiet {
		r.Out = io.Discard
	}
}

// Trained sets the figures of training in the JSON object. Without a call no
// iteration was made and the status is "done".
func (r *Run) Trained(t Training) { r.training = t }

// Set sets a key of the program's own in the JSON object. The value consists of
// booleans, strings, numbers, slices, maps with strings as keys and structs, whose
// field tags `json:"name"` give the names. It panics if every program
// has that key.
func (r *Run) Set(key string, value any) {
	for _, f := range r.common() {
		if f.key == key {
			panic("program: key " + key + " of the JSON object is set by the package")
		}
	}
	i := slices.IndexFunc(r.own, func(f entry) bool { return f.key == key })
	if i < 0 {
		r.own = append(r.own, entry{key: key})
		i = len(r.own) - 1
	}
	r.own[i].value = value
}

// common returns the figures of every program.
func (r *Run) common() []entry {
	used := usage()
	seed := uint64(0)
	if r.program.seed != nil {
		seed = *r.program.seed
	}
	return []entry{
		{"program", r.program.name},
		{"seconds", time.Since(r.began).Seconds()},
		{"cpu_seconds", used.cpuSeconds},
		{"peak_rss_mb", used.peakMiB},
		{"workers", r.workers()},
		{"seed", seed},
		{"iterations", r.training.Iterations},
		{"objective", r.training.Objective},
		{"status", r.training.Status},
		{"skipped", r.training.Skipped},
		{"lines_skipped", r.skipped},
	}
}

// workers returns the value of -workers, 1 without the flag.
func (r *Run) workers() int {
	if r.program.workers == nil {
		return 1
	}
	return *r.program.workers
}

// report returns the JSON object.
func (r *Run) report() []byte { return appendObject(nil, slices.Concat(r.common(), r.own)) }

// Warn writes a line to standard error. It is for what the user should know
// although the program goes on.
func (r *Run) Warn(format string, args ...any) {
	r.program.complain(r.stderr, fmt.Errorf(format, args...))
}

package program

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Program is an example program: its name and its flags. Each of the flag methods declares one
// flag and returns the variable that holds its value once Main or Execute has parsed the
// arguments; a program calls those that it needs.
type Program struct {
	// Flags has the flags of this program only. Flags of several programs have a method, and so
	// do flags that name a file: Input, Save, Figure.
	Flags *flag.FlagSet
	// Clock returns the time for the progress. New sets it to time.Now.
	Clock func() time.Time

	name, synopsis string
	examples       []string
	about          map[string]Subject                // of flags that About names
	uses           []string                          // flags with an effect on a loaded model
	permitted      []string                          // flags that modify these uses
	loads          *string                           // -load; nil: the flag is not declared
	answers        *int                              // -n; nil: the flag is not declared
	run            func(context.Context, *Run) error // made by Define

	json, quiet *bool
	version     *bool
	workers     *int
	seed        *uint64
	state       *string // the name of the checkpoint; nil without checkpoints
	inputs      []input
	lines       *string // the name of -apply's file; nil: the flag is not declared
	records     *Output // -o; nil: the flag is not declared
	outputs     []*Output
	checks      []func() error
}

// New returns a program with the flags -json, -quiet and -version, which every program has. The
// synopsis, a sentence, begins the output of -h, and commands to paste follow it.
func New(name, synopsis string, examples ...string) *Program {
	p := &Program{
		Flags: flag.NewFlagSet(name, flag.ContinueOnError), Clock: time.Now,
		name: name, synopsis: synopsis, examples: examples, about: map[string]Subject{},
	}
	p.Flags.SetOutput(io.Discard)
	p.Flags.Usage = func() {}
	p.json = p.Flags.Bool("json", false, "end standard output (with -apply: standard error) with a JSON object of every figure that was printed")
	p.quiet = p.Flags.Bool("quiet", false, "show no progress")
	p.version = p.Flags.Bool("version", false, "print the version and exit")
	return p
}

// Data declares -data, the name of a file to use instead of the embedded data; format describes
// its lines.
func (p *Program) Data(format string) *string {
	return p.Input("data", "read `FILE` in place of the embedded data; lines: "+format)
}

// Test declares -test, the name of a file of held-out data; format describes its lines and the
// data held out without the flag.
func (p *Program) Test(format string) *string {
	p.Uses("test")
	return p.Input("test", "read held-out data from `FILE`. "+format)
}

// Iterations declares -iterations, at least 1, with its default.
func (p *Program) Iterations(n int) *int {
	return p.Count("iterations", n, 1, "train for at most `N` iterations from each start")
}

// Restarts declares -restarts, the number of further starts, with its default.
func (p *Program) Restarts(n int) *int {
	return p.Count("restarts", n, 0, "train from `N` further, random starts as well, and keep the best")
}

// Seed declares -seed, 1 by default.
func (p *Program) Seed() *uint64 {
	p.seed = p.Flags.Uint64("seed", 1, "make every random choice from the seed `N`: the same seed gives the same results")
	return p.seed
}

// Workers declares -workers, at least 1; the default is the number of processors
// that the process may use.
func (p *Program) Workers() *int {
	p.workers = p.Count("workers", runtime.GOMAXPROCS(0), 1, "use `N` processors, by default all; the results do not depend on it")
	return p.workers
}

// Plot declares -plot for a figure: see Figure.
func (p *Program) Plot(shows string) *Output { return p.Figure("plot", shows) }

// Choice declares a flag whose value is one of several names, by default the first; usage
// describes the choice.
func (p *Program) Choice(flag, usage string, names ...string) *string {
	value := p.Flags.String(flag, names[0], usage+": one `NAME` of "+strings.Join(names, ", "))
	p.Check(func() error {
		if !slices.Contains(names, *value) {
			return fmt.Errorf("-%s %s: want one of %s", flag, *value, strings.Join(names, ", "))
		}
		return nil
	})
	return value
}

// Do sets the function that runs the program. For a program with a model, call Define instead.
func (p *Program) Do(run func(context.Context, *Run) error) { p.run = run }

// Check adds a condition on the flags' values: if f returns an error, they are wrong.
func (p *Program) Check(f func() error) { p.checks = append(p.checks, f) }

// Main runs the program with the arguments, outputs and signals of the process, and ends the
// process with the exit status.
func (p *Program) Main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // afterwards a signal has its default effect
	os.Exit(p.Execute(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// Execute runs the program once with the given arguments and outputs and returns the exit
// status. If ctx is done, it behaves as Main does on an interrupt.
func (p *Program) Execute(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	out := &output{w: stdout}
	if err := p.parse(args); err != nil {
		switch {
		case errors.Is(err, flag.ErrHelp):
			p.help(out)
			return p.end(stderr, out.err)
		case errors.Is(err, errVersion):
			fmt.Fprintln(out, p.name, version())
			return p.end(stderr, out.err)
		}
		p.complain(stderr, fmt.Errorf("%w (-h explains the flags)", err))
		return 2
	}
	r := newRun(p, out, stderr)
	defer p.discard()
	if err := p.prepare(r, out); err != nil {
		return p.end(stderr, err)
	}
	status, err := 0, p.run(ctx, r)
	interrupted := ctx.Err() != nil
	if interrupted {
		r.training.Status = "canceled"
		if err == nil || errors.Is(err, ctx.Err()) {
			status, err = interruptedStatus, r.interrupted()
		}
	}
	reports := *p.json && (err == nil || interrupted)
	if reports && !p.applies() {
		fmt.Fprintf(out, "%s\n", r.report())
	}
	if err == nil {
		err = out.err
	}
	if err == nil {
		r.remarkLimit()
		err = r.removeStates()
	}
	if err != nil {
		p.complain(stderr, err)
		status = max(status, 1)
	}
	if reports && p.applies() && (err == nil || interrupted) {
		fmt.Fprintf(stderr, "%s\n", r.report())
	}
	return status
}

// applies reports whether to answer the lines of -apply.
func (p *Program) applies() bool { return p.lines != nil && *p.lines != "" }

// interruptedStatus is the exit status after an interrupt.
const interruptedStatus = 130

// errVersion is returned by parse for -version, like flag.ErrHelp for -h.
var errVersion = errors.New("version")

func (p *Program) parse(args []string) error {
	if err := p.Flags.Parse(args); err != nil {
		return err
	}
	if *p.version {
		return errVersion
	}
	if p.Flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", p.Flags.Arg(0))
	}
	if err := p.checkInputs(); err != nil {
		return err
	}
	for _, check := range p.checks {
		if err := check(); err != nil {
			return err
		}
	}
	if p.applies() && p.records != nil && !p.records.Given() {
		p.records.name = "-"
	}
	return p.checkFiles()
}

// end returns the exit status and reports the error, if any.
func (p *Program) end(stderr io.Writer, err error) int {
	if err == nil {
		return 0
	}
	p.complain(stderr, err)
	return 1
}

// complain writes the error in one line.
func (p *Program) complain(stderr io.Writer, err error) {
	lines := strings.FieldsFunc(err.Error(), func(r rune) bool { return r == '\n' || r == '\r' })
	fmt.Fprintf(stderr, "%s: %s\n", p.name, strings.Join(lines, "; "))
}

// output is standard output; it keeps the first error.
type output struct {
	w   io.Writer
	err error
}

func (o *output) Write(b []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.w.Write(b)
	if err != nil {
		o.err = fmt.Errorf("standard output: %w", err)
	}
	return n, o.err
}

// version returns the module that the program was built from, its version as known to the go
// command, and the version of Go.
func version() string {
	path, version := "example.org/pathsum", "(devel)"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		path, version = info.Main.Path, info.Main.Version
	}
	return path + " " + version + " " + runtime.Version()
}

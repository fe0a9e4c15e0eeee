package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"time"
)

// flags are the values of the flags.
type flags struct {
	data, checkpoint, save, load, apply, o, plot string
	iterations, restarts, workers                int
	seed                                         uint64
	json, quiet                                  bool
}

const synopsis = `casino finds out when a casino used a loaded die, from the throws alone.

    go run ./examples/casino
    echo 3154266466634616651233?61 | go run ./examples/casino -apply -
`

// parseFlags returns the run that the arguments describe. If they request help, it writes the
// help to out and returns flag.ErrHelp.
func parseFlags(args []string, out, errs io.Writer) (*casino, error) {
	c := &casino{out: out, answers: out, errs: errs, began: time.Now(), report: map[string]any{"program": "casino", "loglik_true": nil, "loglik_fit": nil, "decode_accuracy": nil}}
	s := flag.NewFlagSet("casino", flag.ContinueOnError)
	s.SetOutput(io.Discard)
	s.Usage = func() {}
	s.StringVar(&c.data, "data", "", "read `FILE` in place of simulated throws; lines: the faces of an evening's throws, 1 to 6,\n? where one was not seen[<TAB>the dice, F or L for each]")
	s.IntVar(&c.iterations, "iterations", 200, "train for at most `N` iterations from each start")
	s.IntVar(&c.restarts, "restarts", 4, "train from `N` further random starts, and keep the best")
	s.Uint64Var(&c.seed, "seed", 1, "make every random choice from the seed `N`")
	s.IntVar(&c.workers, "workers", runtime.GOMAXPROCS(0), "use `N` processors; the results do not depend on it")
	s.StringVar(&c.checkpoint, "checkpoint", "", "keep the state of training in `FILE`, and go on from it if it exists")
	s.StringVar(&c.save, "save", "", "write the trained model to `FILE`")
	s.StringVar(&c.load, "load", "", "read the model from `FILE`, written by -save, instead of training one")
	s.StringVar(&c.apply, "apply", "", "answer the lines of `FILE`, the throws of an evening each, with the most probable dice")
	s.StringVar(&c.o, "o", "", "write throws<TAB>most probable dice to `FILE`, a line for each evening")
	s.StringVar(&c.plot, "plot", "", "draw the learning curve in `FILE`, .svg or .png")
	s.BoolVar(&c.json, "json", false, "end standard output (with -apply: standard error) with a JSON object of all figures")
	s.BoolVar(&c.quiet, "quiet", false, "show no progress")
	version := s.Bool("version", false, "print the version of Go")
	switch err := s.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		s.SetOutput(out)
		fmt.Fprint(out, synopsis, "\n")
		s.PrintDefaults()
		return nil, err
	case err != nil:
		return nil, err
	case *version:
		fmt.Fprintln(out, "casino example.org/pathsum", runtime.Version())
		return nil, flag.ErrHelp
	}
	c.report["workers"], c.report["seed"], c.report["iterations"], c.report["objective"] = c.workers, c.seed, 0, []float64{}
	c.report["status"], c.report["skipped"], c.report["lines_skipped"] = "done", 0, 0
	if c.apply != "" || c.o == "-" || c.save == "-" { // standard output has records only
		if c.out = errs; c.quiet {
			c.out = io.Discard
		}
	}
	return c, c.check(s)
}

// check returns an error if the flags are wrong.
func (c *casino) check(s *flag.FlagSet) error {
	err := error(nil)
	s.Visit(func(f *flag.Flag) {
		if c.load != "" && strings.Contains(" data checkpoint save plot iterations restarts seed ", " "+f.Name+" ") {
			err = fmt.Errorf("-%s: has no effect with -load", f.Name)
		}
	})
	switch {
	case err != nil:
		return err
	case s.NArg() > 0:
		return fmt.Errorf("unexpected argument %q", s.Arg(0))
	case c.iterations < 1 || c.restarts < 0 || c.workers < 1:
		return errors.New("-iterations and -workers: want at least 1, and of -restarts at least 0")
	case c.load != "" && c.apply == "":
		return errors.New("-load: want -apply as well")
	case c.plot != "" && !strings.HasSuffix(c.plot, ".svg") && !strings.HasSuffix(c.plot, ".png"):
		return fmt.Errorf("-plot %s: want a name that ends in .svg or .png", c.plot)
	}
	files := []string{c.data, c.load, c.apply, c.checkpoint, c.save, c.o, c.plot}
	const inputs = 3
	for i, name := range files {
		for j, other := range files[:i] {
			a, _ := os.Stat(name)
			b, _ := os.Stat(other)
			same := name == other || a != nil && b != nil && os.SameFile(a, b)
			if same && name != "" && name != os.DevNull && (j >= inputs || (i < inputs) == (name == "-")) {
				return fmt.Errorf("%s is named twice: it would be read twice, or overwritten", name)
			}
		}
	}
	return nil
}

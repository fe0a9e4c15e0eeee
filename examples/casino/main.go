package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"runtime"
	"runtime/metrics"
	"strings"
	"syscall"
	"time"

	"example.org/pathsum/em"
	"example.org/pathsum/models/hmm"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second interrupt ends the process immediately
	os.Exit(execute(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// execute runs the program and returns its exit status: 0 for success, 1 for failure, 2 for
// wrong flags and 130 after an interrupt.
func execute(ctx context.Context, args []string, out, errs io.Writer) int {
	c, err := parseFlags(args, out, errs)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		fmt.Fprintf(errs, "casino: %v (-h explains the flags)\n", err)
		return 2
	}
	err = c.run(ctx)
	interrupted := ctx.Err() != nil && errors.Is(err, ctx.Err())
	if interrupted {
		c.report["status"], err = "canceled", errors.New("interrupted")
		if _, gone := os.Stat(c.checkpoint); gone == nil && c.reached != "" {
			err = fmt.Errorf("%w: %s keeps the training up to %s; the same command goes on from there", err, c.checkpoint, c.reached)
		}
	}
	if err != nil {
		fmt.Fprintf(errs, "casino: %v\n", err)
	} else if c.checkpoint != "" {
		os.Remove(c.checkpoint) // finished: no run will resume from it
	}
	if c.json && (err == nil || interrupted) {
		err = cmp.Or(err, c.writeReport(out))
	}
	switch {
	case interrupted:
		return 130
	case err != nil:
		return 1
	}
	return 0
}

// casino is one run of the program.
type casino struct {
	flags
	out     io.Writer // for people
	answers io.Writer // standard output, for records
	errs    io.Writer
	began   time.Time
	report  map[string]any
	reached string // the last iteration that was seen
}

// run trains or loads the model, and then applies it as the flags request.
func (c *casino) run(ctx context.Context) error {
	if _, err := os.Stat(c.apply); err != nil && c.apply != "" && c.apply != "-" {
		return err // fail before hours of training instead of after them
	}
	if c.load != "" {
		m, err := load(c.load)
		if err != nil {
			return fmt.Errorf("-load: %w", err)
		}
		return c.answer(ctx, m)
	}
	data, truth, err := c.read()
	if err != nil {
		return err
	}
	m, err := newModel()
	if err != nil {
		return err
	}
	fit, err := c.fit(ctx, m, sequences(data...))
	if fit != nil {
		show(c.out, m, truth)
	}
	if err == nil && c.save != "" {
		err = write(c.save, c.answers, m.Save)
	}
	if err == nil && c.plot != "" {
		err = drawCurve(c.plot, fit.Objective)
	}
	switch {
	case err != nil:
		return err
	case c.apply != "":
		return c.answer(ctx, m)
	}
	return c.score(m, data)
}

// writeReport writes the JSON object, with time and memory from the runtime.
func (c *casino) writeReport(w io.Writer) error {
	if c.apply != "" {
		w = c.errs
	}
	runtime.GC() // processor times are updated by a collection
	all := []metrics.Sample{{Name: "/cpu/classes/total:cpu-seconds"}, {Name: "/cpu/classes/idle:cpu-seconds"}, {Name: "/memory/classes/total:bytes"}}
	metrics.Read(all)
	c.report["seconds"] = time.Since(c.began).Seconds()
	c.report["cpu_seconds"] = all[0].Value.Float64() - all[1].Value.Float64()
	c.report["peak_rss_mb"] = float64(all[2].Value.Uint64()) / (1 << 20)
	return json.NewEncoder(w).Encode(c.report)
}

// read returns the evenings of -data, or else simulated evenings and the model that drew them.
func (c *casino) read() ([]evening, *model, error) {
	if c.data == "" {
		truth, err := newTruth()
		if err != nil {
			return nil, nil, err
		}
		data, log, err := simulate(truth, c.seed)
		c.report["loglik_true"] = log
		fmt.Fprintf(c.out, "log likelihood %.3f by the model that threw\n", log)
		return data, truth, err
	}
	data, skipped, err := read(c.data)
	for _, err := range skipped {
		fmt.Fprintf(c.errs, "casino: skipped: %v\n", err)
	}
	c.report["lines_skipped"] = len(skipped)
	return data, nil, err
}

// period is the time between two lines of progress.
var period = 5 * time.Second

// fit trains the model from several starts. If ctx is done, it returns the result so far, as
// em.Fit does.
func (c *casino) fit(ctx context.Context, m *model, data []hmm.Sequence[int32]) (*em.Result, error) {
	shown := time.Now()
	source := rand.NewPCG(c.seed, 2)
	fit, err := m.Fit(ctx, data, &em.Options{
		Start:      m.Params.Random(rand.New(source)),
		Iterations: c.iterations, Restarts: c.restarts, Rand: source,
		Workers: c.workers, Checkpoint: c.checkpoint,
		Observer: func(v em.Event) {
			c.reached = fmt.Sprintf("start %d, iteration %d", v.Start, v.Iteration+1)
			if !c.quiet && time.Since(shown) >= period {
				fmt.Fprintf(c.errs, "training, %s/%d: log likelihood %.3f\n", c.reached, c.iterations, v.Objective)
				shown = time.Now()
			}
		},
	})
	if fit == nil {
		return nil, err
	}
	for _, remark := range fit.Remarks {
		fmt.Fprintf(c.errs, "casino: %s\n", remark)
	}
	fmt.Fprintf(c.out, "log likelihood %.3f by the model that was learnt\n\n", fit.LogLikelihood)
	c.report["loglik_fit"] = fit.LogLikelihood
	c.report["iterations"], c.report["objective"] = fit.Iterations(), fit.Objective
	c.report["status"], c.report["skipped"] = fit.Status.String(), len(fit.Skipped)
	if err == nil && !c.quiet && fit.Status == em.IterationLimit {
		fmt.Fprintf(c.errs, "casino: training ended at the iteration limit, after iteration %d; -iterations sets it\n", fit.Iterations())
	}
	return fit, err
}

// score prints the fraction of dice identified correctly, and writes the most probable dice.
func (c *casino) score(m *model, data []evening) error {
	p, err := m.Predictor()
	if err != nil {
		return err
	}
	right, known := 0, 0
	var records strings.Builder
	for _, e := range data {
		found, err := m.decode(p, e)
		if err != nil {
			return err
		}
		fmt.Fprintf(&records, "%s\t%s\n", e.throws, found)
		for t := range e.dice {
			known++
			if e.dice[t] == found[t] {
				right++
			}
		}
	}
	if known > 0 {
		accuracy := float64(right) / float64(known)
		fmt.Fprintf(c.out, "%.2f %% of %d dice told right\n", 100*accuracy, known)
		c.report["decode_accuracy"] = accuracy
	}
	return write(cmp.Or(c.o, os.DevNull), c.answers, func(w io.Writer) error {
		_, err := io.WriteString(w, records.String())
		return err
	})
}

// answer writes a line for each line of -apply immediately, so that it can run in a pipe.
func (c *casino) answer(ctx context.Context, m *model) error {
	p, err := m.Predictor()
	if err != nil {
		return err
	}
	in, err := open(c.apply)
	if err != nil {
		return err
	}
	defer in.Close()
	return write(cmp.Or(c.o, "-"), c.answers, func(w io.Writer) error {
		n := 0
		for text, err := range lines(in) {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			record := ""
			if n++; err == nil {
				record, err = m.record(p, text)
			}
			if err != nil {
				fmt.Fprintf(c.errs, "casino: %v\n", at(c.apply, n, err))
			}
			if _, err := fmt.Fprintln(w, record); err != nil {
				return err
			}
		}
		return nil
	})
}

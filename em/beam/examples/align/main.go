// Align trains the word alignment of translated sentences by pipelines: both directions, so
// that they agree, as package align does in one process. The driver reads the sentences once,
// for the vocabulary and the pairs of words; workers read their shards themselves.
//
// It runs on the prism runner within the process, or on another engine by flags of Beam's SDK. With
// -check it also trains in the process, and compares bits.
//
//	go -C em/beam run ./examples/align
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	// Runners and filesystems that flags and file names can select.
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/gcs"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/flink"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/spark"

	"example.org/pathsum/em/beam"
	"example.org/pathsum/em/beam/models"
	"example.org/pathsum/models/align"
)

var (
	text       = flag.String("text", "../../internal/wordalign/sentences.tsv", "the sentences: e ||| f in each line, or e and f with a tab in between")
	dir        = flag.String("dir", "", "the folder that driver and workers share (default: a temporary one of this machine)")
	how        = flag.String("how", "multiplied", "how the directions agree: multiplied (posteriors), averaged (product EM), separately")
	iterations = flag.Int("iterations", 5, "iterations of the hidden Markov model, after 3 of Model 1")
	checkpoint = flag.String("checkpoint", "", "the file from which training goes on after a break")
	check      = flag.Bool("check", true, "train in this process, too, and compare")
)

func main() {
	flag.Parse()
	log.LogLevel = "error"
	beam.Init()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "align:", err)
		os.Exit(1)
	}
}

// run trains, and reports to out.
func run(ctx context.Context, out io.Writer) (err error) {
	shared := *dir
	if shared == "" {
		if shared, err = os.MkdirTemp("", "pathsum-align-"); err != nil {
			return err
		}
		defer os.RemoveAll(shared)
	}
	corpus, err := read(ctx, *text)
	if err != nil {
		return err
	}
	known, err := beam.Survey(ctx, shared, nil, *text)
	if err != nil {
		return err
	}
	m, err := align.New(corpus, nil)
	if err != nil {
		return err
	}
	opts, err := options()
	if err != nil {
		return err
	}
	shards := known.Cut(corpus.Cut())
	fmt.Fprintf(out, "%d sentences in %d shards, on %s\n", corpus.Len(), len(shards), beam.Runner())
	began := time.Now()
	opts.Observer = func(p align.Progress) {
		fmt.Fprintf(out, "stage %d, iteration %d: log likelihood %.4f, %v\n", p.Stage, p.Iteration, p.LogLikelihood, time.Since(began).Round(time.Millisecond))
	}
	via, end := models.Distribute(ctx, m, beam.Job{Shards: shards, Dir: shared})
	defer end()
	opts.Distribute = via
	if _, err := m.Fit(ctx, corpus, opts); err != nil {
		return err
	}
	if !*check {
		return nil
	}
	same, err := align.New(corpus, nil)
	if err != nil {
		return err
	}
	opts.Distribute, opts.Observer, opts.Checkpoint = nil, nil, ""
	if _, err := same.Fit(ctx, corpus, opts); err != nil {
		return err
	}
	var a, b bytes.Buffer
	if err := errors.Join(m.Save(&a), same.Save(&b)); err != nil {
		return err
	}
	if !bytes.Equal(a.Bytes(), b.Bytes()) {
		return errors.New("the model differs in its bits from the model of a run in one process")
	}
	fmt.Fprintln(out, "The model has the bits of a run in one process.")
	return nil
}

// read reads all sentences.
func read(ctx context.Context, name string) (*align.Corpus, error) {
	c := align.NewCorpus()
	all := beam.Shard{Lines: []beam.Range{{File: name, First: 1}}}
	for l, err := range all.Read(ctx) {
		if err != nil {
			return nil, err
		}
		s, err := models.Pair(l)
		if err != nil {
			return nil, err
		}
		if err := c.AddLine(l.Number, s); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, l.Number, err)
		}
	}
	return c, nil
}

// options returns the training options of both directions.
func options() (*align.FitOptions, error) {
	step, counting := align.Own, align.Multiplied
	switch *how {
	case "multiplied":
	case "averaged":
		step, counting = align.Joint, align.Averaged
	case "separately":
		counting = align.Separate
	default:
		return nil, fmt.Errorf("unknown -how %q", *how)
	}
	o := &align.FitOptions{Stages: []align.Stage{
		{Positions: align.Model1, Iterations: 3, EStep: align.Own, Counting: counting},
		{Positions: align.HMM, Iterations: *iterations, EStep: step, Counting: counting},
	}}
	o.Checkpoint = *checkpoint
	return o, nil
}

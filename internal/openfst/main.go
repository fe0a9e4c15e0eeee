package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("openfst: ")
	rounds := flag.Int("runs", 3, "rounds of processes, each of which does a task three times")
	pattern := flag.String("tasks", "", "regular expression of the tasks to measure")
	child := flag.String("child", "", "what to do as a child process: a task in a folder that is prepared, or prepare")
	to := flag.String("to", "", "folder that a child process is to prepare")
	flag.Parse()
	if flag.NArg() != 1 {
		log.Fatal("want one folder of inputs")
	}
	chosen, err := regexp.Compile(*pattern)
	if err != nil {
		log.Fatal(err)
	}
	switch *child {
	default:
		err = work(os.Stdout, flag.Arg(0), *child)
	case "prepare":
		err = prepare(*to, flag.Arg(0))
	case "":
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
		defer stop()
		err = compare(ctx, os.Stdout, flag.Arg(0), chosen, *rounds)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// compare prints the table of the tasks with the chosen names.
func compare(ctx context.Context, w io.Writer, inputs string, chosen *regexp.Regexp, rounds int) error {
	dir, err := os.MkdirTemp("", "openfst")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	self, err := os.Executable()
	if err != nil {
		return err
	}
	// This process stays small, because the peak of a child starts at its parent's.
	if text, err := exec.CommandContext(ctx, self, "-child", "prepare", "-to", dir, inputs).CombinedOutput(); err != nil {
		return fmt.Errorf("inputs: %w: %s", err, text)
	}
	baseline, err := compile(ctx, dir, "-O3", "-march=native")
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%-46s %18s %18s %8s\n", "", "OpenFst", "package fst", "time")
	for _, t := range tasks {
		if !chosen.MatchString(t.name) {
			continue
		}
		var theirs, ours measurement
		for range rounds {
			if err := theirs.add(ctx, baseline, dir, t.name, fmt.Sprint(repetitions)); err != nil {
				return err
			}
			if err := ours.add(ctx, self, "-child", t.name, dir); err != nil {
				return err
			}
		}
		if err := agree(theirs.answer, ours.answer); err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
		fmt.Fprintf(w, "%-46s %7.3f s %5.0f MB %7.3f s %5.0f MB %7.2f×\n", t.what,
			theirs.seconds, theirs.megabytes, ours.seconds, ours.megabytes, ours.seconds/theirs.seconds)
	}
	return nil
}

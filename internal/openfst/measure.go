package main

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// repetitions is the number of times that a process does its task.
const repetitions = 3

//go:embed testdata/tasks.cc
var source []byte

// compile returns the program that does the tasks with OpenFst, compiled with these options.
func compile(ctx context.Context, dir string, options ...string) (string, error) {
	name := filepath.Join(dir, "tasks")
	if err := os.WriteFile(name+".cc", source, 0o600); err != nil {
		return "", err
	}
	options = append(options, "-std=c++17", name+".cc", "-lfst", "-ldl", "-lpthread", "-o", name)
	cmd := exec.CommandContext(ctx, "g++", options...)
	if text, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("g++: %w\n%s", err, text)
	}
	return name, nil
}

// work does a task and prints the same output as the processes of OpenFst: a line per run with
// the seconds, the megabytes and the answer.
func work(w io.Writer, dir, name string) error {
	i := slices.IndexFunc(tasks, func(t task) bool { return t.name == name })
	if i < 0 {
		return fmt.Errorf("no task %s", name)
	}
	run, err := tasks[i].prepare(dir)
	if err != nil {
		return err
	}
	for range repetitions {
		before, _ := usage()
		result, err := run()
		if err != nil {
			return err
		}
		after, peak := usage()
		fmt.Fprintf(w, "%.6f %.1f", after-before, peak)
		answer, err := result()
		if err != nil {
			return err
		}
		for _, x := range answer {
			fmt.Fprintf(w, " %.9g", x)
		}
		fmt.Fprintln(w)
	}
	return nil
}

// measurement has the minimum time and memory of the processes, and their answer.
type measurement struct {
	seconds, megabytes float64
	answer             []float64
}

// add runs a process and reads its output.
func (m *measurement) add(ctx context.Context, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("%s %s: %w: %s", filepath.Base(name), strings.Join(args, " "), err, &complaint)
	}
	for n, lines := 0, bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); n++ {
		var numbers []float64
		for _, field := range strings.Fields(lines.Text()) {
			x, err := strconv.ParseFloat(field, 64)
			if err != nil {
				return err
			}
			numbers = append(numbers, x)
		}
		if len(numbers) < 3 {
			return fmt.Errorf("%s printed %q", filepath.Base(name), lines.Text())
		}
		if m.answer == nil {
			*m = measurement{numbers[0], numbers[1], numbers[2:]}
		}
		if err := agree(m.answer, numbers[2:]); err != nil {
			return err
		}
		m.seconds = min(m.seconds, numbers[0])
		if n == 0 {
			m.megabytes = min(m.megabytes, numbers[1])
		}
	}
	return nil
}

// tolerance is for costs: OpenFst stores 32 bits of them, and rounds when it pushes.
const tolerance = 1e-4

// agree returns an error if two answers differ. Whole numbers are sizes and must be equal.
func agree(a, b []float64) error {
	same := func(x, y float64) bool {
		return x == y || x != math.Trunc(x) && math.Abs(x-y) <= tolerance*math.Abs(x)
	}
	if !slices.EqualFunc(a, b, same) {
		return fmt.Errorf("answers differ: %v and %v", a, b)
	}
	return nil
}

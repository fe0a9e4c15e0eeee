package program

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestProgressLines(t *testing.T) {
	train := func(_ context.Context, r *Run) error {
		p := r.Progress("training", 3)
		p.Step("-12.5")
		p.Step("-11.5")
		p.Done()
		q := r.Progress("decoding", 25)
		var wg sync.WaitGroup
		for range 25 {
			wg.Go(func() { q.Step("") })
		}
		wg.Wait()
		q.Done()
		r.Progress("nothing", 0).Done()
		return nil
	}
	want := "training 2/3 in 0.0 s: -11.5\ndecoding 25/25 in 0.0 s\n"
	if got := execute(t.Context(), train); got.stderr != want || got.out != "" {
		t.Errorf("%+v", got)
	}
	if got := execute(t.Context(), train, "-quiet"); got.stderr != "" {
		t.Errorf("quiet: %q", got.stderr)
	}
}

// Without a bar, there is a line every few seconds, for any number of steps.
func TestProgressPeriod(t *testing.T) {
	var stderr bytes.Buffer
	program := New("fake", "")
	var now time.Time
	program.Clock = func() time.Time { return now }
	p := newRun(program, io.Discard, &stderr).Progress("training", 400)
	for i := range 300 {
		now = now.Add(50 * time.Millisecond)
		p.Step(fmt.Sprint("step ", i+1))
	}
	p.Done()
	want := "training 100/400: step 100\ntraining 200/400: step 200\n" +
		"training 300/400: step 300\ntraining 300/400 in 15.0 s: step 300\n"
	if stderr.String() != want {
		t.Errorf("%q, want %q", stderr.String(), want)
	}
}

func TestProgressBar(t *testing.T) {
	var stderr bytes.Buffer
	r := newRun(New("fake", ""), io.Discard, &stderr)
	r.terminal = true
	p := r.Progress("training", 2)
	for i := range 3 { // more than announced is allowed
		p.Step(fmt.Sprint("step ", i))
	}
	p.Done()
	got := stderr.String()
	for _, want := range []string{"training", "step 2", "100%"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %q", want, got)
		}
	}
	if strings.Count(got, "\n") != 1 || !strings.HasSuffix(got, "\n") {
		t.Errorf("the bar is not one line: %q", got)
	}
	stderr.Reset()
	*r.program.quiet = true
	q := r.Progress("training", 2)
	q.Step("step")
	q.Done()
	if stderr.Len() > 0 {
		t.Errorf("quiet: %q", stderr.String())
	}
}

// A bar stays in its line, for any detail: a longer one is cut, and a shorter one erases the
// preceding bar completely.
func TestProgressBarWidth(t *testing.T) {
	var stderr bytes.Buffer
	r := newRun(New("fake", ""), io.Discard, &stderr)
	r.terminal = true
	p := r.Progress("training", 4)
	for range 2 {
		p.Step(strings.Repeat("long ", 100))
		p.drawn = time.Time{}
	}
	p.Step("short")
	p.Done()
	drawn := strings.Split(strings.TrimSuffix(stderr.String(), "\n"), "\r")
	for _, line := range drawn[1:] {
		text, erased := strings.CutSuffix(line, "\x1b[K")
		if n := len([]rune(text)); n >= lineCells || !erased {
			t.Errorf("%d cells, and the rest erased is %t: %q", n, erased, line)
		}
	}
	if last := drawn[len(drawn)-1]; !strings.Contains(last, " 75% ") || !strings.Contains(last, "3/4 short") {
		t.Errorf("the last bar is %q", last)
	}
}

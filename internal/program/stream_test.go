package program

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/pathsum/internal/stdintest"
)

// square answers a line of a stream of numbers.
func square(_ context.Context, line string) ([]string, error) {
	var n int
	if _, err := fmt.Sscan(line, &n); err != nil {
		return []string{""}, errors.New("no number")
	}
	return []string{fmt.Sprint(n * n)}, nil
}

// Each line of input has one line of output, in order, for any problem of the line. The object
// is not among them, but ends standard error.
func TestStream(t *testing.T) {
	var in, want, problems strings.Builder
	for n := range 500 {
		switch {
		case n == 7:
			in.WriteString("x\n")
			want.WriteString("x\t\n")
			problems.WriteString("fake: standard input:8: no number\n")
		case n == 300:
			in.WriteString("\xff\n")
			want.WriteString("\n")
			problems.WriteString("fake: standard input:301: invalid UTF-8 at byte 1\n")
		case n == 400: // the line would look like a line with an answer
			in.WriteString("2\t4\n")
			want.WriteString("\n")
			problems.WriteString("fake: standard input:401: a tab, which stands between the columns of the output\n")
		default:
			fmt.Fprintf(&in, "%d\n", n)
			fmt.Fprintf(&want, "%d\t%d\n", n, n*n)
		}
	}
	output := filepath.Join(t.TempDir(), "out")
	for _, args := range [][]string{nil, {"-o", "-"}, {"-o", output}} {
		stdintest.Set(t, in.String())
		got := execute(t.Context(), func(ctx context.Context, r *Run) error {
			return r.Stream(ctx, Stream{Answer: square})
		}, append(args, "-apply", "-", "-workers", "3", "-json")...)
		answers := got.out
		if len(args) > 0 && args[1] == output {
			text, err := os.ReadFile(output)
			if err != nil || got.out != "" {
				t.Fatalf("%.200q on standard output, %v", got.out, err)
			}
			answers = string(text)
		}
		if got.status != 0 || answers != want.String() || !strings.HasPrefix(got.stderr, problems.String()+"{") {
			t.Errorf("%v: status %d, %q, %.200q", args, got.status, got.stderr, answers)
		}
		if _, values := object(t, got.stderr); values["lines"] != 500. || values["problems"] != 3. {
			t.Errorf("%v: values %v", args, values)
		}
	}
}

// The records of a bare stream are the answers alone.
func TestBareStream(t *testing.T) {
	stdintest.Set(t, "1\n2\n")
	got := execute(t.Context(), func(ctx context.Context, r *Run) error {
		return r.Stream(ctx, Stream{Answer: square, Bare: true})
	}, "-apply", "-")
	if got.status != 0 || got.out != "1\n4\n" {
		t.Errorf("%+v", got)
	}
}

// A stream ends at a read error or an interrupt.
func TestStreamErrors(t *testing.T) {
	got := execute(t.Context(), func(ctx context.Context, r *Run) error {
		return r.Stream(ctx, Stream{Answer: square})
	}, "-apply", t.TempDir())
	if got.status != 1 || !strings.Contains(got.stderr, "is a directory") {
		t.Errorf("status %d, %q", got.status, got.stderr)
	}
	ctx, cancel := context.WithCancel(t.Context())
	stdintest.Set(t, "1\n2\n3\n")
	got = execute(ctx, func(ctx context.Context, r *Run) error {
		return r.Stream(ctx, Stream{
			Answer: func(ctx context.Context, line string) ([]string, error) {
				cancel()
				return nil, ctx.Err()
			}})
	}, "-apply", "-", "-json")
	if _, values := object(t, got.stderr); got.status != 130 || values["problems"] != 0. || values["status"] != "canceled" {
		t.Errorf("status %d, %q, %q", got.status, got.out, got.stderr)
	}
}

// Other outputs also have a line for each line, and a record may contain tabs if it does not
// contain the line.
func TestStreamOthers(t *testing.T) {
	stdintest.Set(t, "2\nx\n3\t\n")
	folder := t.TempDir()
	name := filepath.Join(folder, "cubes")
	var none *Output
	got := execute(t.Context(), func(ctx context.Context, r *Run) error {
		cubes := &Output{flag: "cubes", name: name}
		none = &Output{flag: "none"}
		return r.Stream(ctx, Stream{Bare: true, Others: []*Output{none, cubes},
			Answer: func(ctx context.Context, line string) ([]string, error) {
				answers, err := square(ctx, line)
				if err != nil {
					return nil, err
				}
				var n int
				fmt.Sscan(line, &n)
				return append(answers, "lost", fmt.Sprint(n*n*n)), nil
			}})
	}, "-apply", "-", "-workers", "2")
	text, err := os.ReadFile(name)
	if got.status != 0 || got.out != "4\n\n9\n" || string(text) != "8\n\n27\n" || err != nil || got.stderr != "fake: standard input:2: no number\n" {
		t.Errorf("status %d, %q, others %q, %v, %q", got.status, got.out, text, err, got.stderr)
	}
}

package program

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// square is what a stream of numbers does.
func square(_ context.Context, line string) (string, error) {
	var n int
	if _, err := fmt.Sscan(line, &n); err != nil {
		return line + "\t", errors.New("no number")
	}
	return fmt.Sprint(line, "\t", n*n), nil
}

// One line comes out for each line that goes in, in order, whatever the matter with it.
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
		default:
			fmt.Fprintf(&in, "%d\n", n)
			fmt.Fprintf(&want, "%d\t%d\n", n, n*n)
		}
	}
	output := filepath.Join(t.TempDir(), "out")
	for _, output := range []string{"", output} {
		got := execute(t.Context(), func(ctx context.Context, r *Run) error {
			return r.Stream(ctx, Stream{Input: "-", Stdin: strings.NewReader(in.String()), Output: output, Workers: 3, Answer: square})
		}, "-json")
		if output != "" {
			text, err := os.ReadFile(output)
			if err != nil {
				t.Fatal(err)
			}
			got.out = string(text) + got.out
		}
		if got.status != 0 || !strings.HasPrefix(got.out, want.String()) || got.stderr != problems.String() {
			t.Errorf("status %d, %q, %.200q", got.status, got.stderr, got.out)
		}
		if _, values := object(t, got.out); values["lines"] != 500. || values["problems"] != 2. {
			t.Errorf("values %v", values)
		}
	}
}

// A stream ends where it cannot read, or where it is interrupted.
func TestStreamErrors(t *testing.T) {
	got := execute(t.Context(), func(ctx context.Context, r *Run) error {
		return r.Stream(ctx, Stream{Input: filepath.Join(t.TempDir(), "none"), Workers: 1, Answer: square})
	})
	if got.status != 1 || !strings.Contains(got.stderr, "none") {
		t.Errorf("status %d, %q", got.status, got.stderr)
	}
	ctx, cancel := context.WithCancel(t.Context())
	got = execute(ctx, func(ctx context.Context, r *Run) error {
		return r.Stream(ctx, Stream{Input: "-", Stdin: strings.NewReader("1\n2\n3\n"), Workers: 1,
			Answer: func(ctx context.Context, line string) (string, error) {
				cancel()
				return "", ctx.Err()
			}})
	}, "-json")
	if _, values := object(t, got.out); got.status != 1 || values["problems"] != 0. || values["status"] != "canceled" {
		t.Errorf("status %d, %q, %q", got.status, got.out, got.stderr)
	}
}

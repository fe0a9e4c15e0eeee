package program

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/pathsum/internal/tsv"
)

// A loaded model is prepared before lines are answered, by the records of another file, of which
// wrong ones are skipped. One that is trained is not.
func TestPrepare(t *testing.T) {
	t.Chdir(t.TempDir())
	pairs := strings.Repeat("a\tb\n", 10) + "c\n"
	for name, text := range map[string]string{"model": "m", "lines": "x\n", "pairs": pairs} {
		if err := os.WriteFile(filepath.Clean(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for args, want := range map[string]string{
		"-load model -more pairs -apply lines": "x\tm of 10\n", "-load model -apply lines": "x\tm\n", "-more pairs -apply lines": "x\tnew\n",
	} {
		p := New("fake", "fake answers.")
		more := p.Input("more", "read `FILE`")
		p.About(AboutAnswers, "more")
		p.Output("a line")
		Define(p, Task[struct{}, *string]{
			New: func(struct{}) (*string, error) { s := "new"; return &s, nil },
			Load: func(in io.Reader) (*string, error) {
				b, err := io.ReadAll(in)
				s := string(b)
				return &s, err
			},
			Prepare: func(_ context.Context, r *Run, m *string) error {
				if !r.Given("more") {
					return nil
				}
				all, err := All(r, tsv.PairsOf(*more))
				*m += fmt.Sprint(" of ", len(all))
				return err
			},
			Answer: func(_ context.Context, m *string, _ string, _ int) ([]string, error) { return []string{*m}, nil },
			Line:   "A line.",
		})
		var out, stderr bytes.Buffer
		status := p.Execute(t.Context(), strings.Fields(args), &out, &stderr)
		if status != 0 || out.String() != want {
			t.Errorf("%s: status %d, %q, want %q; %s", args, status, &out, want, &stderr)
		}
		if told := strings.Contains(stderr.String(), "pairs:11: "); told != strings.HasPrefix(args, "-load model -more") {
			t.Errorf("%s: %s", args, &stderr)
		}
	}
}

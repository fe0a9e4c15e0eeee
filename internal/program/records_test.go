package program

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"example.org/pathsum/internal/tsv"
)

// TestRecords: bad lines are skipped and reported, unless there are too many or reading fails.
func TestRecords(t *testing.T) {
	in := strings.Repeat("a\tb\n", 50)
	for _, x := range []struct {
		name   string
		in     io.Reader
		read   int
		status int
		told   []string
		object string // a part of it
	}{
		{"all in order", strings.NewReader(in), 50, 0, nil, `"lines_skipped":0`},
		{"one wrong", strings.NewReader(in + "wrong\n" + in), 100, 0, []string{"fake: skipped: f:51: no tab, want 2 to 3 columns"}, `"lines_skipped":1`},
		{"seven wrong", strings.NewReader(in + strings.Repeat("a\t\n", 7) + in), 100, 0,
			[]string{"fake: skipped: f:51: empty side: column 2", "fake: skipped: f:52: empty", "fake: skipped: 2 more lines"}, `"lines_skipped":7`},
		{"too many", strings.NewReader(in + strings.Repeat("a\t\n", 7)), 50, 1, []string{"fake: f:51: empty side: column 2 (and 6 more of 57 lines are wrong)"}, ""},
		{"a single line", strings.NewReader("wrong\n"), 0, 1, []string{"fake: f:1: no tab, want 2 to 3 columns"}, ""},
		{"nothing", strings.NewReader(""), 0, 0, nil, `"lines_skipped":0`},
		{"reading fails", io.MultiReader(strings.NewReader(in), iotest.ErrReader(errors.New("broken"))), 50, 1, []string{"fake: f:51: broken"}, ""},
	} {
		read := 0
		got := execute(context.Background(), func(ctx context.Context, r *Run) error {
			for _, err := range Records(r, tsv.Pairs(x.in, "f")) {
				if err != nil {
					return err
				}
				read++
			}
			return nil
		}, "-json")
		told := slices.Collect(strings.Lines(got.stderr))
		for _, want := range x.told {
			if !slices.ContainsFunc(told, func(line string) bool { return strings.HasPrefix(line, want) }) {
				t.Errorf("%s: no %q in\n%s", x.name, want, got.stderr)
			}
		}
		if got.status != x.status || read != x.read || len(x.told) == 0 && len(told) > 0 || !strings.Contains(got.out, x.object) {
			t.Errorf("%s: %d records, %s", x.name, read, fmt.Sprintf("%+v", got))
		}
	}
	// A caller may end early.
	execute(context.Background(), func(ctx context.Context, r *Run) error {
		for range Records(r, tsv.Pairs(strings.NewReader(in+"wrong\n"), "f")) {
			break
		}
		return nil
	})
}

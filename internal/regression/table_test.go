package regression

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/pathsum/internal/program"
)

func TestTargets(t *testing.T) {
	rows := strings.Repeat("1,2,3\n4,5,7\n", 5)
	for _, test := range []struct {
		text, target, want string
		features           []string
	}{
		{rows, "", "column 1", []string{"column 2", "column 3"}},
		{strings.ReplaceAll(rows, ",", " "), "", "column 3", []string{"column 1", "column 2"}},
		{rows, "2", "column 2", []string{"column 1", "column 3"}},
		{"\"a\";\"year, of birth\";\"b\"\n" + strings.ReplaceAll(rows, ",", ";"), "b", "b", []string{"a", "year, of birth"}},
		{"\"a\";\"year\";\"b\"\n" + strings.ReplaceAll(rows, ",", ";"), "", "year", []string{"a", "b"}},
		{"a,year,b\n" + rows, "", "year", []string{"a", "b"}},
		{"a,year,b\n" + rows, "b", "b", []string{"a", "year"}},
	} {
		data, err := parse(new(program.Run).Skipping(), strings.NewReader(test.text), "data.csv", test.target)
		if err != nil || data.Target != test.want || data.Width() != 2 {
			t.Errorf("%q: %+v, %v", test.text, data, err)
			continue
		}
		if d := cmp.Diff(test.features, data.Features); d != "" {
			t.Errorf("%q: %s", test.text, d)
		}
	}
}

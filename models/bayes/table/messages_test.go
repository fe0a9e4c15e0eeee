package table_test

import (
	"fmt"
	"strings"
	"testing"

	"example.org/pathsum/internal/mistakes"
	"example.org/pathsum/models/bayes"
	"example.org/pathsum/models/bayes/table"
)

// TestMessages: columns that are no variables, and cells that are no states, are refused with their
// place, whether a table is read before or rows are read at once.
func TestMessages(t *testing.T) {
	var all mistakes.List
	rain := must(bayes.New([]bayes.Variable{{Name: "rain", States: []string{"yes", "no"}}, {Name: "mm"}}, []bayes.Family{{Children: []int{0}}, {Children: []int{1}}}))
	for _, x := range []struct {
		text string
		want error
	}{
		{"", bayes.ErrFormat},
		{"rain\n", bayes.ErrFormat},
		{"rain,rain\n1,2\n", bayes.ErrFormat},
		{"rain,mm\nyes\n", bayes.ErrFormat},
		{"rain,mm\n\"yes,1\n", bayes.ErrFormat},
		{"rain,mm\nyes,1\nmaybe,1\n", bayes.ErrInvalid},
		{"rain,mm\nyes,1\nno,inf\n", bayes.ErrInvalid},
		{"a,b\nyes,1\n", bayes.ErrFormat},
		{"rian\nyes\n", bayes.ErrFormat},
		{"rain,mm\nyes,wet\n", bayes.ErrInvalid},
		{"rain\nyes\nmaybe\n", bayes.ErrInvalid},
		{"rain,mm\nYES,1\n", bayes.ErrInvalid},
		{"rain,mm\nyes,1e999,", bayes.ErrFormat},
	} {
		read := func() error {
			csv, err := table.Read(strings.NewReader(x.text), "dir/diary.csv", nil)
			if err == nil {
				_, err = csv.RowsOf(rain)
			}
			return err
		}
		all.Add(fmt.Sprintf("%q", x.text), x.want, read)
		if _, err := table.ReadRows(strings.NewReader(x.text), "dir/diary.csv", rain); fmt.Sprint(err) != fmt.Sprint(read()) {
			t.Errorf("%q: error %v of ReadRows, want %v", x.text, err, read())
		}
	}
	csv := must(table.Read(strings.NewReader("id,rain\n7,yes\n"), "diary.csv", nil))
	all.Add("Select: rian of id, rain", bayes.ErrInvalid, func() error { _, err := csv.Select("rian"); return err })
	all.Add("Numbers: words", bayes.ErrFormat, func() error { _, err := csv.Numbers(1); return err })
	columns := &table.Table{File: "t.csv", Columns: []string{"x", "y", "z"}, Rows: [][]string{{"1", "2", ""}}}
	for _, structure := range []string{
		"x; w",
		"x; y | w",
		"x; y; x | y",
		"x | y; y | x",
		"x | x",
		"x; y | x, x",
		"z",
		"",
		"x;",
		"x | ,",
		"x | y | z; y",
	} {
		all.Add(fmt.Sprintf("Network: %q", structure), bayes.ErrInvalid, func() error { _, err := columns.Network(structure); return err })
	}
	mistakes.Check(t, all)
}

package table_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"example.org/pathsum/models/bayes"
	"example.org/pathsum/models/bayes/table"
)

func isSet(r bayes.Row) bool { return r[0] == r[0] }

// fitted returns P(variable = state) of a network that learnt the rows: the relative
// frequency if no cell is missing.
func fitted(t *testing.T, n *bayes.Network, rows []bayes.Row, variable, state string) float64 {
	t.Helper()
	m, _, err := n.Fit(context.Background(), bayes.Data{Rows: rows}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return must(m.P(variable, state, nil))
}

// A byte order mark is not a part of the name of the first column, which was lost by it. Rain
// falls on three days of four.
func TestByteOrderMark(t *testing.T) {
	const days = "rain,wet\nyes,yes\nyes,yes\nno,no\nyes,yes\n"
	for _, text := range []string{days, "\ufeff" + days, strings.ReplaceAll(days, "\n", "\r"), "\ufeff" + strings.ReplaceAll(days, "\n", "\r\n")} {
		csv := must(table.Read(strings.NewReader(text), "diary.csv", nil))
		n := must(csv.Network("rain; wet | rain"))
		if p := fitted(t, n, must(csv.RowsOf(n)), "rain", "yes"); math.Abs(p-.75) > 1e-12 {
			t.Errorf("%q: P(rain) = %g, want 3/4", text, p)
		}
	}
	for _, text := range []string{"\xff\xfer\x00", "\xfe\xff\x00r"} {
		var e *bayes.ParseError
		if _, err := table.Read(strings.NewReader(text), "diary.csv", nil); !errors.As(err, &e) || !errors.Is(err, bayes.ErrFormat) || !strings.Contains(err.Error(), "UTF-16") {
			t.Errorf("UTF-16: %v", err)
		}
	}
}

// A cell that is a state of its variable is not missing, whatever it looks like: na, not
// available elsewhere, is North America here, three rows of four.
func TestStatesThatLookMissing(t *testing.T) {
	n := must(bayes.New([]bayes.Variable{{Name: "continent", States: []string{"na", "eu"}}, {Name: "hot", States: []string{"yes", "no"}}},
		[]bayes.Family{{Children: []int{0}}, {Children: []int{1}, Parents: []int{0}}}))
	rows := must(table.ReadRows(strings.NewReader("continent,hot\nna,yes\nna,yes\nna,yes\neu,no\n"), "na.csv", n))
	if p := fitted(t, n, rows, "continent", "na"); math.Abs(p-.75) > 1e-12 {
		t.Errorf("P(na) = %g, want 3/4", p)
	}
	for _, state := range []string{"?", "nan", "NA", "NaN"} {
		n := must(bayes.New([]bayes.Variable{{Name: "x", States: []string{state, "other"}}}, []bayes.Family{{Children: []int{0}}}))
		rows := must(table.ReadRows(strings.NewReader("x\nother\n"+state+"\n\"\"\n"), "x.csv", n))
		if d := cmp.Diff([]bayes.Row{{1}, {0}, {math.NaN()}}, rows, cmpopts.EquateNaNs()); d != "" {
			t.Errorf("state %q: %s", state, d)
		}
	}
	// Without such a state the words are missing cells, in any case.
	plain := must(bayes.New([]bayes.Variable{{Name: "x", States: []string{"a"}}, {Name: "y"}}, []bayes.Family{{Children: []int{0}}, {Children: []int{1}}}))
	for _, row := range must(table.ReadRows(strings.NewReader("x,y\nNA,nan\n?,na\nnAn,\n,?\n"), "x.csv", plain)) {
		if isSet(row) || row[1] == row[1] {
			t.Errorf("row %v, want missing cells", row)
		}
	}
	// A cell that differs from a state in case alone may be either.
	var e *bayes.ParseError
	if _, err := table.ReadRows(strings.NewReader("continent\neu\nNA\n"), "na.csv", n); !errors.As(err, &e) || e.Line != 3 || !errors.Is(err, bayes.ErrInvalid) {
		t.Errorf("NA for the state na: %v", err)
	}
}

// Equal numbers are one state; codes with a zero before them and words are what they are.
func TestStatesOfNumbers(t *testing.T) {
	for _, test := range []struct {
		column string
		states []string
	}{
		{"0 0.0 1 1.0 1e0 +1 -0", []string{"0", "1"}},
		{"10 9.50 9.5 NA", []string{"9.50", "10"}},
		{"01 1 10", []string{"01", "1", "10"}},
		{"0 0.0 none", []string{"0", "0.0", "none"}},
		{"9007199254740993 9007199254740992", []string{"9007199254740992", "9007199254740993"}}, // one float64
	} {
		cells := strings.Fields(test.column)
		csv := must(table.Read(strings.NewReader(strings.Join(cells, "\n")+"\n"), "x.csv", []string{"x"}))
		if d := cmp.Diff(test.states, csv.States(0)); d != "" {
			t.Errorf("%s: %s", test.column, d)
		}
		n := must(csv.Network("x"))
		for i, row := range must(csv.RowsOf(n)) {
			if !table.Missing(cells[i]) && !isSet(row) {
				t.Errorf("%s: cell %d is missing", test.column, i)
			}
		}
	}
	csv := must(table.Read(strings.NewReader("x\n0\n0.0\n1\n0\n"), "x.csv", nil))
	n := must(csv.Network("x"))
	if p := fitted(t, n, must(csv.RowsOf(n)), "x", "0.00"); math.Abs(p-.75) > 1e-12 {
		t.Errorf("P(0) = %g, want 3/4", p)
	}
	for states, want := range map[string]string{"0 0.0": "0.00", "0 x": "0.0", "1 2": "3"} {
		v := bayes.Variable{Name: "v", States: strings.Fields(states)}
		if x, err := v.Parse(want); !errors.Is(err, bayes.ErrInvalid) {
			t.Errorf("%s of the states %s is number %g", want, states, x)
		}
	}
}

// A column may be left out.
func TestSelect(t *testing.T) {
	n := must(bayes.New([]bayes.Variable{{Name: "rain", States: []string{"yes", "no"}}, {Name: "mm"}}, []bayes.Family{{Children: []int{0}}, {Children: []int{1}}}))
	csv := must(table.Read(strings.NewReader("id,rain\n7,yes\n"), "diary.csv", nil))
	if rows := must(must(csv.Select("rain")).RowsOf(n)); rows[0][0] != 0 || rows[0][1] == rows[0][1] {
		t.Errorf("rows %v", rows)
	}
}

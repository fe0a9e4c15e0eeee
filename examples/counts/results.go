package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"

	"example.org/pathsum/internal/program"
)

// result is the accuracy of a method, or of a method after a pass of EM.
type result struct {
	Size    int     `json:"region"` // 0: all tags were known
	Method  string  `json:"method"`
	Pass    int     `json:"pass"` // 0: the method has no passes
	Train   float64 `json:"train_accuracy"`
	Test    float64 `json:"test_accuracy"`
	Gap     float64 `json:"gap"` // of the constrained estimate
	Seconds float64 `json:"seconds"`
	Skipped int     `json:"skipped"`
}

type results []result

// print prints a table.
func (all results) print(w io.Writer) {
	rows := [][]string{{"region", "method", "pass", "train", "test", "seconds", ""}}
	for _, x := range all {
		size, pass, note := "all", "", ""
		if x.Size > 0 {
			size = strconv.Itoa(x.Size)
		}
		if x.Pass > 0 {
			pass = strconv.Itoa(x.Pass)
		}
		if x.Gap > 0 {
			note = fmt.Sprintf("gap %.3g", x.Gap)
		}
		if x.Skipped > 0 {
			note = fmt.Sprintf("%d skipped", x.Skipped)
		}
		rows = append(rows, []string{size, x.Method, pass, fmt.Sprintf("%.2f", 100*x.Train), fmt.Sprintf("%.2f", 100*x.Test), fmt.Sprintf("%.2f", x.Seconds), note})
	}
	program.WriteTable(w, rows)
}

// report sets the keys of the JSON object: accuracy is the test accuracy, a list over regions,
// or a list of lists over passes.
func (all results) report(r *program.Run) {
	regions, accuracy := []int{}, map[string][]any{}
	for _, x := range all {
		if x.Size == 0 {
			r.Set("supervised", x.Test) // last set by the features
			continue
		}
		if len(regions) == 0 || regions[len(regions)-1] != x.Size {
			regions = append(regions, x.Size)
		}
		of := accuracy[x.Method]
		switch {
		case x.Pass == 0:
			of = append(of, x.Test)
		case x.Pass == 1:
			of = append(of, []float64{x.Test})
		default:
			of[len(of)-1] = append(of[len(of)-1].([]float64), x.Test)
		}
		accuracy[x.Method] = of
	}
	r.Set("regions", regions)
	r.Set("accuracy", accuracy)
	r.Set("results", all)
}

// lines returns the test accuracies of EM by pass. Each size of regions has a line from uniform
// distributions and a line from the moment estimates, whose accuracy is pass 0.
func (all results) lines() []program.Line {
	var lines []program.Line
	add := func(name string, first int, x result) {
		if i := slices.IndexFunc(lines, func(l program.Line) bool { return l.Name == name }); i >= 0 {
			lines[i].Values = append(lines[i].Values, x.Test)
			return
		}
		lines = append(lines, program.Line{Name: name, First: first, Values: []float64{x.Test}})
	}
	for _, x := range all {
		switch x.Method {
		case cold:
			add(fmt.Sprint("regions of ", x.Size), 1, x)
		case constrained, warm:
			add(fmt.Sprintf("from the moments, %d", x.Size), 0, x)
		}
	}
	return lines
}

package main

import (
	"fmt"
	"strconv"

	"example.org/pathsum/internal/program"
)

// result is the accuracy of a method, after a pass of EM or by itself.
type result struct {
	Size    int     `json:"region"` // 0: all tags were known
	Method  string  `json:"method"`
	Pass    int     `json:"pass"` // 0: the method has none
	Train   float64 `json:"train_accuracy"`
	Test    float64 `json:"test_accuracy"`
	Gap     float64 `json:"gap"` // of the constrained estimate
	Seconds float64 `json:"seconds"`
	Skipped int     `json:"skipped"`
}

type results []result

// print prints a table.
func (all results) print(r *program.Run) {
	fmt.Fprintf(r.Out, "\n%6s  %-27s %4s  %6s  %6s  %8s\n", "region", "method", "pass", "train", "test", "seconds")
	for _, x := range all {
		size, pass, note := "all", "", ""
		if x.Size > 0 {
			size = strconv.Itoa(x.Size)
		}
		if x.Pass > 0 {
			pass = strconv.Itoa(x.Pass)
		}
		if x.Gap > 0 {
			note = fmt.Sprintf("  gap %.3g", x.Gap)
		}
		if x.Skipped > 0 {
			note = fmt.Sprintf("  %d skipped", x.Skipped)
		}
		fmt.Fprintf(r.Out, "%6s  %-27s %4s  %6.2f  %6.2f  %8.2f%s\n", size, x.Method, pass, 100*x.Train, 100*x.Test, x.Seconds, note)
	}
}

// report sets the keys of the JSON object: accuracy is of the test, a list over regions,
// or a list of lists over passes.
func (all results) report(r *program.Run) {
	regions, accuracy := []int{}, map[string][]any{}
	for _, x := range all {
		if x.Size == 0 {
			r.Set("supervised", x.Test) // that of features, the last
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

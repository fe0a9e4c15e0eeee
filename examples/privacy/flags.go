package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// count is the value of a flag that is a number, not less than least.
type count struct{ n, least int }

// String returns the number.
func (c *count) String() string { return strconv.Itoa(c.n) }

// Set makes c the number that text is.
func (c *count) Set(text string) error {
	n, err := strconv.Atoi(text)
	if err != nil || n < c.least {
		return fmt.Errorf("want a number of at least %d", c.least)
	}
	c.n = n
	return nil
}

// epsilons is the value of the flag -epsilon.
type epsilons []float64

// String returns the list.
func (e *epsilons) String() string {
	var text []string
	for _, x := range *e {
		text = append(text, strconv.FormatFloat(x, 'g', -1, 64))
	}
	return strings.Join(text, ",")
}

// Set makes e the list of positive numbers that text is.
func (e *epsilons) Set(text string) error {
	*e = nil
	for field := range strings.SplitSeq(text, ",") {
		x, err := strconv.ParseFloat(strings.TrimSpace(field), 64)
		if err != nil || !(x > 0) || math.IsInf(x, 1) {
			return fmt.Errorf("%q is not a positive number", field)
		}
		*e = append(*e, x)
	}
	return nil
}

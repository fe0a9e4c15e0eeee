package main

import (
	"fmt"
	"strconv"
	"strings"

	"example.org/pathsum/models/crf"
)

// sizes is the value of the flag -regions.
type sizes []int

// String returns the list.
func (s *sizes) String() string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint([]int(*s)), " ", ","), "[]")
}

// Set makes s the list of positive numbers that text is.
func (s *sizes) Set(text string) error {
	*s = nil
	for field := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(field)
		if err != nil || n < 1 {
			return fmt.Errorf("%q is no size", field)
		}
		*s = append(*s, n)
	}
	return nil
}

// model is the value of the flag -model: the kind that is fitted to statistics of features.
type model crf.Kind

// String returns the name.
func (m *model) String() string { return crf.Kind(*m).String() }

// Set makes m the model of that name.
func (m *model) Set(name string) error {
	for _, k := range []crf.Kind{crf.Node, crf.Chain} {
		if k.String() == name {
			*m = model(k)
			return nil
		}
	}
	return fmt.Errorf("want %v or %v", crf.Node, crf.Chain)
}

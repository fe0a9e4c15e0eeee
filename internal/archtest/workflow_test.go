package archtest

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestWorkflowRunsEveryStep: the workflow has a job for each step of .ci/run.
func TestWorkflowRunsEveryStep(t *testing.T) {
	steps := func(name, pattern string) []string {
		text, err := os.ReadFile("../../" + name)
		if err != nil {
			t.Fatal(err)
		}
		m := regexp.MustCompile(pattern).FindSubmatch(text)
		if m == nil {
			t.Fatalf("%s has no %s", name, pattern)
		}
		return strings.Fields(strings.ReplaceAll(string(m[1]), ",", " "))
	}
	want := steps(".ci/run", `(?m)^readonly all=\((.*)\)$`)
	got := steps(".github/workflows/ci.yml", `(?m)^ +step: \[(.*)\]$`)
	if len(want) == 0 || !slices.Equal(got, want) {
		t.Errorf("the workflow runs %q, the gate %q", got, want)
	}
}

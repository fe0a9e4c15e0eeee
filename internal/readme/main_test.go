package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Example runs the program of the README.
func Example() {
	main()
	// Output: -69.82 nats; 'g':'g' 'r':'r' 'i':'i' 'f':'p' ' ':'h'
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestPackagesAreListed: the table of packages is complete and has no other entries.
func TestPackagesAreListed(t *testing.T) {
	module := strings.TrimSpace(run(t, ".", nil, "go", "list", "-m"))
	var want []string
	for path := range strings.FieldsSeq(run(t, ".", nil, "go", "list", module+"/...")) {
		path = strings.TrimPrefix(path, module+"/")
		if !strings.HasPrefix(path, "examples/") && !slices.Contains(strings.Split(path, "/"), "internal") {
			want = append(want, path)
		}
	}
	var got []string
	for _, row := range table(t, "## Packages") {
		got = append(got, strings.Trim(row[0], "` "))
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("the table lists %q, the module has %q", got, want)
	}
}

// TestAnotherModule builds and runs the program as a separate module, which finds the library
// by a replace directive as in the README, without a network.
func TestAnotherModule(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	module := strings.TrimSpace(run(t, ".", nil, "go", "list", "-m"))
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("main.go", read(t, "main.go"))
	if sum, err := os.ReadFile(filepath.Join(root, "go.sum")); err == nil {
		write("go.sum", string(sum))
	}
	env := []string{"GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off"}
	run(t, dir, env, "go", "mod", "init", "another.example/program")
	run(t, dir, env, "go", "mod", "edit", "-require="+module+"@v0.0.0", "-replace="+module+"="+root)
	if got, want := run(t, dir, env, "go", "run", "."), "-69.82 nats; 'g':'g' 'r':'r' 'i':'i' 'f':'p' ' ':'h'\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// run returns the standard output of a command.
func run(t *testing.T, dir string, env []string, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, &stderr)
	}
	return string(out)
}

//go:build linux || darwin

package program

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestMain turns the test binary into a program that waits for an interrupt, if
// the environment asks for it.
func TestMain(m *testing.M) {
	if os.Getenv("PATHSUM_WAITING_PROGRAM") == "" {
		os.Exit(m.Run())
	}
	p := New("waiting", "")
	p.Do(func(ctx context.Context, r *Run) error {
		fmt.Fprintln(r.Out, "ready")
		<-ctx.Done()
		if os.Getenv("PATHSUM_WAITING_PROGRAM") == "stubborn" {
			fmt.Fprintln(r.Out, "stubborn")
			time.Sleep(time.Minute)
		}
		return nil
	})
	p.Main()
}

// waiting starts such a program, and returns it with its output after the line
// "ready".
func waiting(t *testing.T, kind string) (*exec.Cmd, *bufio.Reader, *bytes.Buffer) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-json")
	cmd.Env = append(os.Environ(), "PATHSUM_WAITING_PROGRAM="+kind)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	out := bufio.NewReader(pipe)
	if line, err := out.ReadString('\n'); line != "ready\n" {
		t.Fatalf("%q, %v", line, err)
	}
	return cmd, out, &stderr
}

func TestSignal(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		cmd, out, stderr := waiting(t, "polite")
		if err := cmd.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		rest, err := io.ReadAll(out)
		if err != nil {
			t.Fatal(err)
		}
		var exit *exec.ExitError
		if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 130 {
			t.Errorf("%v: ended with %v, want exit status 130", signal, err)
		}
		if _, values := object(t, string(rest)); values["status"] != "canceled" {
			t.Errorf("%v: %s", signal, rest)
		}
		if stderr.String() != "waiting: interrupted\n" {
			t.Errorf("%v: standard error %q", signal, stderr)
		}
	}
}

func TestSecondSignal(t *testing.T) {
	cmd, out, _ := waiting(t, "stubborn")
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if line, err := out.ReadString('\n'); !strings.HasPrefix(line, "stubborn") {
		t.Fatalf("%q, %v", line, err)
	}
	go func() {
		// The first signal restores the default action while the program runs on,
		// so the next one may come too early.
		for cmd.Process.Signal(os.Interrupt) == nil {
			time.Sleep(10 * time.Millisecond)
		}
	}()
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != -1 {
		t.Errorf("ended with %v, want the signal to end it", err)
	}
}

// A pipe is written directly, not replaced.
func TestOutputToAPipe(t *testing.T) {
	name := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Skip("no pipes:", err)
	}
	got := make(chan string)
	go func() {
		text, _ := os.ReadFile(name)
		got <- string(text)
	}()
	r := executeOutput(t.Context(), func(_ context.Context, _ *Run, o *Output) error {
		return o.Write(func(w io.Writer) error { _, err := io.WriteString(w, "text"); return err })
	}, "-o", name)
	if text := <-got; text != "text" || r.status != 0 {
		t.Errorf("read %q, %+v", text, r)
	}
	if info, err := os.Stat(name); err != nil || info.Mode().IsRegular() {
		t.Errorf("the pipe was replaced: %v", err)
	}
}

// Two flags that name the same pipe, under any names, are an error.
func TestSamePipeTwice(t *testing.T) {
	name := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Skip("no pipes:", err)
	}
	other := name + "2"
	if err := os.Link(name, other); err != nil {
		t.Skip("no links:", err)
	}
	got := execute(t.Context(), nothing, "-data", name, "-test", other)
	if got.status != 2 || !strings.Contains(got.stderr, "can be read only once") {
		t.Errorf("%+v", got)
	}
}

// Another name of standard output is treated as standard output.
func TestOutputToStandardOutput(t *testing.T) {
	out, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	p := New("fake", "")
	o := p.Output("a line")
	var stderr bytes.Buffer
	p.Do(func(_ context.Context, r *Run) error {
		fmt.Fprintln(r.Out, "summary")
		return o.Write(func(w io.Writer) error { _, err := io.WriteString(w, "record\n"); return err })
	})
	status := p.Execute(t.Context(), []string{"-json", "-o", out.Name()}, out, &stderr)
	text, err := os.ReadFile(out.Name())
	if status != 0 || err != nil || !strings.HasPrefix(string(text), "record\n{") || stderr.String() != "summary\n" {
		t.Errorf("status %d, %v, %q, %q", status, err, text, &stderr)
	}
}

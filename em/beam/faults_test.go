package beam_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	sdk "github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal/extworker"

	"example.org/pathsum/em"
	"example.org/pathsum/em/beam"
	"example.org/pathsum/em/beam/models"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/internal/likelihoodtest"
	"example.org/pathsum/semiring"
)

// faulty is a kind of model whose shards fail according to fault.
const faulty = "test faulty"

// fault is called whenever a line is read, with the number of earlier calls for it.
var fault struct {
	sync.Mutex
	of   func(line, before int) error
	seen map[int]int
}

func init() {
	models.RegisterCascade(faulty, cascade.Data{Strategy: cascade.ByBlocks}, func(m *cascade.Model, l cascade.Line) (cascade.Example, error) {
		fault.Lock()
		of, before := fault.of, fault.seen[l.Number]
		fault.seen[l.Number]++
		fault.Unlock()
		if err := of(l.Number, before); err != nil {
			panic(err) // an error of a line would be a verdict
		}
		return example(m, l)
	})
}

// inject makes models of the kind faulty fail.
func inject(of func(line, before int) error) {
	fault.Lock()
	defer fault.Unlock()
	fault.of, fault.seen = of, map[int]int{}
}

// task is a model, its data, and training in one process and by a job.
type task struct {
	model *cascade.Model
	lines []string
	job   beam.Job
	opts  em.Options
	want  *em.Result
}

func newTask(t *testing.T, n int) *task {
	t.Helper()
	x := &task{model: channel(t, 3), lines: noisy(n, 3), opts: em.Options{Iterations: 5, Tolerance: -1}}
	x.opts.Start = x.model.Theta
	dir := t.TempDir()
	x.job = beam.Job{Model: byBlocks, Saved: save(t, x.model), Dir: dir, Lanes: 2,
		Shards: surveyed(t, dir, write(t, dir, x.lines, n)...)}
	var err error
	if x.want, err = em.Fit(t.Context(), local(t, x.model, x.lines, cascade.Data{Strategy: cascade.ByBlocks}), &x.opts); err != nil {
		t.Fatal(err)
	}
	return x
}

// train trains by the job and compares.
func (x *task) train(t *testing.T) {
	t.Helper()
	got, err := em.Fit(t.Context(), remote(t, x.job), &x.opts)
	if err != nil {
		t.Fatal(err)
	}
	sameResult(t, got, x.want)
}

// TestFailingShards: a shard that fails at its first and second try is tried
// again by its worker, or by the driver if the worker gives up.
func TestFailingShards(t *testing.T) {
	x := newTask(t, 130)
	x.job.Model = faulty
	for _, c := range []struct {
		name            string
		tries, attempts int
	}{{"by its worker", 3, 1}, {"by the driver", 1, 3}} {
		t.Run(c.name, func(t *testing.T) {
			failed := 0
			inject(func(line, before int) error {
				if line == 40 && before >= 1 && before <= 2 { // the driver's head reads line 1 … only
					failed++
					return errors.New("broken on purpose")
				}
				return nil
			})
			inject40 := fault.of
			fault.of = func(line, before int) error { return inject40(line, before+1) }
			job := x.job
			job.Tries, job.Attempts = c.tries, c.attempts
			x := *x
			x.job = job
			x.train(t)
			if failed != 2 {
				t.Errorf("%d failures, want 2", failed)
			}
		})
	}
	t.Run("for good", func(t *testing.T) {
		inject(func(line, _ int) error {
			if line == 40 {
				return errors.New("broken on purpose")
			}
			return nil
		})
		job := x.job
		job.Tries, job.Attempts = 2, 2
		_, err := em.Fit(t.Context(), remote(t, job), &x.opts)
		if err == nil || !strings.Contains(err.Error(), "broken on purpose") || fault.seen[40] != 4 {
			t.Errorf("error %v after %d tries, want one that says what is broken after 4", err, fault.seen[40])
		}
	})
}

// TestVerdicts: an E step by a pipeline reports the same about model, θ and data: errors
// that Fit handles, and skipped examples.
func TestVerdicts(t *testing.T) {
	x := newTask(t, 100)
	lines := append([]string(nil), x.lines...)
	lines[30], lines[71] = "1 2\t99", "99\t1\t0.5"
	dir := t.TempDir()
	job := x.job
	job.Shards = surveyed(t, dir, write(t, dir, lines, 100)...)
	q := em.Query{Theta: x.model.Theta}

	_, err := remote(t, job).Expect(t.Context(), q)
	if !errors.Is(err, em.ErrUnderivable) || !strings.Contains(err.Error(), "2 of 100 examples") || !strings.Contains(err.Error(), "example 30") {
		t.Errorf("examples without a derivation: %v", err)
	}
	job.Model = skipping
	l := remote(t, job)
	whole := local(t, x.model, lines, cascade.Data{Strategy: cascade.ByLattice, Underivable: em.Skip})
	got, err := l.Expect(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	want, err := whole.Expect(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	for i := range want.Skipped {
		want.Skipped[i].Name = strings.Replace(want.Skipped[i].Name, "text:", "text-0:", 1)
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
	without := want.Skipped[1:]
	if got, err = l.ExpectWithout(t.Context(), q, without); err != nil || len(got.Skipped) != 1 || got.Skipped[0].Index != 30 {
		t.Errorf("without %v: %v skipped, error %v", without, got.Skipped, err)
	}
	if _, err := l.Expect(t.Context(), em.Query{Theta: q.Theta[1:]}); !errors.Is(err, em.ErrParameter) {
		t.Errorf("θ too short: %v", err)
	}
	likelihoodtest.Check(t, l, q)
	q.Tangent = q.Theta
	likelihoodtest.Check(t, l, q)
}

// TestDivergence: a θ at which a sum diverges is reported by a pipeline, too.
func TestDivergence(t *testing.T) {
	m := growing(t)
	dir := t.TempDir()
	lines := []string{"1\t1", "1\t1"}
	job := beam.Job{Model: byLattice, Saved: save(t, m), Dir: dir, Shards: surveyed(t, dir, write(t, dir, lines, 2)...)}
	l := remote(t, job)
	if _, err := l.Expect(t.Context(), em.Query{Theta: []float64{.25, 1.5}}); !errors.Is(err, semiring.ErrDiverges) || !strings.Contains(err.Error(), "shard 0") {
		t.Errorf("error %v, want one of shard 0 that wraps ErrDiverges", err)
	}
	if _, err := l.Expect(t.Context(), em.Query{Theta: []float64{.25, .5}}); err != nil {
		t.Error(err)
	}
}

// forgetful is a kind of model that creates weights for its shards.
const forgetful = "test forgetful"

type forgetfulModel struct{ *cascade.Model }

func init() {
	beam.Register(forgetful, func(saved io.Reader) (beam.Model, error) {
		m, err := cascade.Load(saved)
		return forgetfulModel{m}, err
	})
}

func (m forgetfulModel) Shard(_ context.Context, lines iter.Seq2[cascade.Line, error]) (em.Divisible, error) {
	data := cascade.Data{Strategy: cascade.ByLattice}
	for l, err := range lines {
		if err != nil {
			return nil, err
		}
		m.Params.Space().Const(semiring.NewScaled(1 / float64(2+l.Number)))
		x, err := example(nil, l)
		if err != nil {
			return nil, err
		}
		data.Examples = append(data.Examples, x)
	}
	l, err := m.Likelihood(data)
	return l.(em.Divisible), err
}

// TestLayouts: tallies with a layout that differs from the driver's are an error.
func TestLayouts(t *testing.T) {
	x := newTask(t, 100)
	job := x.job
	job.Model = forgetful
	if _, err := remote(t, job).Expect(t.Context(), em.Query{Theta: x.model.Theta}); !errors.Is(err, em.ErrInvalid) || !strings.Contains(err.Error(), "as it is opened") {
		t.Errorf("error %v", err)
	}
}

// TestCancel: a canceled run ends and returns its current result.
func TestCancel(t *testing.T) {
	x := newTask(t, 100)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	opts := x.opts
	opts.Observer = func(e em.Event) {
		if e.Iteration == 2 {
			time.AfterFunc(time.Millisecond, cancel)
		}
	}
	opts.Iterations = 1000
	r, err := em.Fit(ctx, remote(t, x.job), &opts)
	if !errors.Is(err, context.Canceled) || r == nil || r.Status != em.Canceled || len(r.Objective) < 3 {
		t.Errorf("result %+v, error %v", r, err)
	}
}

// play runs the role of another test process.
func play(role string) error {
	switch what, argument, _ := strings.Cut(role, " "); what {
	case "workers":
		port, err := strconv.Atoi(argument)
		if err != nil {
			return err
		}
		pool, err := extworker.StartLoopback(context.Background(), port)
		if err != nil {
			return err
		}
		fmt.Println("ready at", pool.EnvironmentConfig(context.Background()))
		select {}
	case "driver":
		return drive(argument)
	default:
		return fmt.Errorf("unknown role %q", role)
	}
}

// spawn starts a process with a role, and returns when it has printed its first line.
func spawn(t *testing.T, what string, env ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(append(os.Environ(), role+"="+what), env...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	return cmd
}

// dying is a kind of model that kills its process once: when it reads line 50 and the file
// named in the environment does not exist.
const (
	dying    = "test dying"
	dyingEnv = "PATHSUM_BEAM_DEAD"
)

func init() {
	models.RegisterCascade(dying, cascade.Data{Strategy: cascade.ByBlocks}, func(m *cascade.Model, l cascade.Line) (cascade.Example, error) {
		if name := os.Getenv(dyingEnv); name != "" && l.Number == 50 {
			if _, err := os.Stat(name); errors.Is(err, os.ErrNotExist) {
				if err := os.WriteFile(name, nil, 0o600); err != nil {
					return cascade.Example{}, err
				}
				syscall.Kill(os.Getpid(), syscall.SIGKILL)
				select {}
			}
		}
		return example(m, l)
	})
}

// TestKilledWorker: the worker process is killed in the middle of a shard, and another
// one replaces it.
func TestKilledWorker(t *testing.T) {
	x := newTask(t, 130)
	x.job.Model = dying
	x.job.Shards = x.job.Shards[:len(x.job.Shards):len(x.job.Shards)]
	listener, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	listener.Close()
	name := filepath.Join(t.TempDir(), "dead")
	what, env := fmt.Sprintf("workers %d", port), dyingEnv+"="+name
	workers := spawn(t, what, env)
	defer func() { workers.Process.Kill(); workers.Wait() }()
	external(t, fmt.Sprintf("localhost:%d", port))
	runs := 0
	x.job.Run = func(ctx context.Context, p *sdk.Pipeline) error {
		if runs++; runs == 2 {
			workers.Wait()
			workers = spawn(t, what, env)
		}
		return beam.Run(ctx, p)
	}
	x.train(t)
	if _, err := os.Stat(name); err != nil || runs != len(x.want.Objective)+1 {
		t.Errorf("nobody died: %v; %d pipelines of %d iterations", err, runs, len(x.want.Objective))
	}
}

// external makes workers of another process run pipelines, until the test ends.
func external(t *testing.T, address string) {
	t.Helper()
	kind, config, binary := *jobopts.EnvironmentType, *jobopts.EnvironmentConfig, *jobopts.WorkerBinary
	*jobopts.EnvironmentType, *jobopts.EnvironmentConfig = "EXTERNAL", address
	*jobopts.WorkerBinary = os.DevNull // the workers have it
	t.Cleanup(func() {
		*jobopts.EnvironmentType, *jobopts.EnvironmentConfig, *jobopts.WorkerBinary = kind, config, binary
	})
}

// drive trains by a job in the given folder, and prints a line after each iteration.
func drive(dir string) error {
	var t testing.T
	m, lines := channel(&t, 3), noisy(100, 3)
	job := beam.Job{Model: byBlocks, Saved: save(&t, m), Dir: dir, Shards: surveyed(&t, dir, write(&t, dir, lines, 100)...)}
	l, err := beam.New(context.Background(), job)
	if err != nil {
		return err
	}
	defer l.Close()
	_, err = em.Fit(context.Background(), l, &em.Options{Start: m.Theta, Iterations: 8, Tolerance: -1, Checkpoint: filepath.Join(dir, "checkpoint"),
		Observer: func(e em.Event) {
			if e.Iteration == 3 {
				fmt.Println("iteration 3")
				time.Sleep(time.Minute) // until it is killed
			}
		}})
	return err
}

// TestKilledDriver: if a driver is killed between two iterations, another process resumes from its
// checkpoint.
func TestKilledDriver(t *testing.T) {
	dir := t.TempDir()
	driver := spawn(t, "driver "+dir)
	driver.Process.Kill()
	driver.Wait()
	m, lines := channel(t, 3), noisy(100, 3)
	job := beam.Job{Model: byBlocks, Saved: save(t, m), Dir: dir, Shards: surveyed(t, dir, write(t, dir, lines, 100)...)}
	opts := em.Options{Start: m.Theta, Iterations: 8, Tolerance: -1}
	want, err := em.Fit(t.Context(), local(t, m, lines, cascade.Data{Strategy: cascade.ByBlocks}), &opts)
	if err != nil {
		t.Fatal(err)
	}
	opts.Checkpoint = filepath.Join(dir, "checkpoint")
	made := 0
	opts.Observer = func(em.Event) { made++ }
	got, err := em.Fit(t.Context(), remote(t, job), &opts)
	if err != nil {
		t.Fatal(err)
	}
	sameResult(t, got, want)
	if made >= 8 || made < 4 {
		t.Errorf("%d iterations after 3 of 8", made)
	}
}

// TestWrongFirst: a shard whose number of examples disagrees with the First of the next shard is
// an error, as indices of examples would be wrong.
func TestWrongFirst(t *testing.T) {
	x := newTask(t, 100)
	x.job.Model = skipping
	q := em.Query{Theta: x.model.Theta}
	if _, err := remote(t, x.job).Expect(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	for what, change := range map[string]func(s []beam.Shard){
		"too early":      func(s []beam.Shard) { s[1].First-- },
		"too late":       func(s []beam.Shard) { s[1].First++ },
		"all too late":   func(s []beam.Shard) { each(s[1:], func(s *beam.Shard) { s.First += 10 }) },
		"all alike":      func(s []beam.Shard) { each(s, func(s *beam.Shard) { s.First = 0 }) },
		"the last":       func(s []beam.Shard) { s[len(s)-1].First += 3 },
		"from number 10": func(s []beam.Shard) { each(s, func(s *beam.Shard) { s.First += 10 }) },
	} {
		job := x.job
		job.Shards = slices.Clone(job.Shards)
		change(job.Shards)
		l, err := beam.New(t.Context(), job)
		if err == nil {
			_, err = l.Expect(t.Context(), q)
			l.Close()
		}
		if !errors.Is(err, em.ErrInvalid) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v, want one line that wraps %v", what, err, em.ErrInvalid)
		}
	}
}

func each(shards []beam.Shard, change func(*beam.Shard)) {
	for i := range shards {
		change(&shards[i])
	}
}

// TestMissingFile: a file that only a worker cannot find is named in one line, and the worker is
// tried again in case the file appears.
func TestMissingFile(t *testing.T) {
	x := newTask(t, 60)
	x.job.Attempts = 2
	x.job.Shards = slices.Clone(x.job.Shards)
	last := &x.job.Shards[len(x.job.Shards)-1]
	last.Lines = slices.Clone(last.Lines)
	there := last.Lines[0].File
	name := filepath.Join(t.TempDir(), "nowhere.txt")
	last.Lines[0].File = name
	l := remote(t, x.job)
	q := em.Query{Theta: x.model.Theta}
	_, err := l.Expect(t.Context(), q)
	want := fmt.Sprintf("beam: an E step has failed 2 times: shard %d: open %s: no such file or directory", len(x.job.Shards)-1, name)
	if !errors.Is(err, fs.ErrNotExist) || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	content, err := os.ReadFile(there)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, content, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Expect(t.Context(), q); err != nil {
		t.Errorf("after the file has come: %v", err)
	}
}

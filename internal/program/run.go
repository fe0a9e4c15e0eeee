package program

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"reflect"
	"slices"
	"sync"
	"time"

	"golang.org/x/term"
)

// Run is one run of a program, and the destination of its results.
type Run struct {
	// Out is standard output, or its replacement if the records or the answers to -apply go
	// there: see Output.
	Out io.Writer

	program  *Program
	stderr   io.Writer
	terminal bool // stderr is one
	began    time.Time
	training Training
	curves   []Line // of -plot; nil: the objective
	own      []entry
	skipped  int // lines

	mu       sync.Mutex      // guards the following
	states   []state         // the checkpoints
	reached  string          // the last observed iteration; "" before the first
	remarked map[string]bool // remarks that were written
}

// Training has the results of training that every program reports.
type Training struct {
	Iterations int
	// Objective is the value that training increases, after each iteration, in nats.
	Objective []float64
	// Status is the reason why training ended, such as "converged".
	Status string
	// Skipped is the number of examples that the model cannot derive.
	Skipped int
}

type entry struct {
	key   string
	value any
}

func newRun(p *Program, out, stderr io.Writer) *Run {
	f, ok := stderr.(*os.File)
	return &Run{
		Out: out, program: p, stderr: stderr, began: time.Now(),
		terminal: ok && term.IsTerminal(int(f.Fd())),
		training: Training{Status: "done"},
	}
}

// leaveStandardOutput reserves standard output for records: results for people go to standard
// error, and are discarded with -quiet.
func (r *Run) leaveStandardOutput() {
	r.Out = r.stderr
	if *r.program.quiet {
		r.Out = io.Discard
	}
}

// Trained sets the figures of training in the JSON object. Without a call there are no
// iterations and the status is "done".
func (r *Run) Trained(t Training) { r.training = t }

// Set sets one of the program's own keys in the JSON object. The value consists of booleans,
// strings, numbers, slices, maps with strings as keys and structs, whose field tags
// `json:"name"` give the names. It panics if the key is one of the keys of every program.
func (r *Run) Set(key string, value any) {
	for _, f := range r.common() {
		if f.key == key {
			panic("program: key " + key + " of the JSON object is set by the package")
		}
	}
	i := slices.IndexFunc(r.own, func(f entry) bool { return f.key == key })
	if i < 0 {
		r.own = append(r.own, entry{key: key})
		i = len(r.own) - 1
	}
	r.own[i].value = value
}

// common returns the figures of every program.
func (r *Run) common() []entry {
	used := usage()
	seed := uint64(0)
	if r.program.seed != nil {
		seed = *r.program.seed
	}
	return []entry{
		{"program", r.program.name},
		{"seconds", time.Since(r.began).Seconds()},
		{"cpu_seconds", used.cpuSeconds},
		{"peak_rss_mb", used.peakMiB},
		{"workers", r.workers()},
		{"seed", seed},
		{"iterations", r.training.Iterations},
		{"objective", r.training.Objective},
		{"status", r.training.Status},
		{"skipped", r.training.Skipped},
		{"lines_skipped", r.skipped},
	}
}

// workers returns the value of -workers, or 1 without the flag.
func (r *Run) workers() int {
	if r.program.workers == nil {
		return 1
	}
	return *r.program.workers
}

// report returns the JSON object.
func (r *Run) report() []byte { return appendObject(nil, slices.Concat(r.common(), r.own)) }

// Warn writes a line to standard error, a warning to the user about a problem that does not end
// the program.
func (r *Run) Warn(format string, args ...any) {
	r.program.complain(r.stderr, fmt.Errorf(format, args...))
}

// appendObject appends the JSON object of the figures, in their order.
func appendObject(dst []byte, figures []entry) []byte {
	dst = append(dst, '{')
	for i, f := range figures {
		dst = appendKey(dst, i, f.key)
		dst = appendValue(dst, reflect.ValueOf(f.value))
	}
	return append(dst, '}')
}

// appendKey appends the i-th key of an object.
func appendKey(dst []byte, i int, key string) []byte {
	if i > 0 {
		dst = append(dst, ',')
	}
	return append(appendMarshaled(dst, key), ':')
}

// appendValue appends v in the format of encoding/json, with two differences: it writes null
// for a number that JSON cannot represent, where encoding/json fails, and [] for a nil slice.
func appendValue(dst []byte, v reflect.Value) []byte {
	switch v.Kind() {
	case reflect.Invalid:
		return append(dst, "null"...)
	case reflect.Float32, reflect.Float64:
		if x := v.Float(); math.IsNaN(x) || math.IsInf(x, 0) {
			return append(dst, "null"...)
		}
		return appendMarshaled(dst, v.Interface())
	case reflect.Pointer, reflect.Interface:
		return appendValue(dst, v.Elem())
	case reflect.Slice, reflect.Array:
		dst = append(dst, '[')
		for i := range v.Len() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendValue(dst, v.Index(i))
		}
		return append(dst, ']')
	case reflect.Map:
		members := map[string]reflect.Value{}
		for it := v.MapRange(); it.Next(); {
			members[it.Key().String()] = it.Value()
		}
		dst = append(dst, '{')
		for i, key := range slices.Sorted(maps.Keys(members)) {
			dst = appendValue(appendKey(dst, i, key), members[key])
		}
		return append(dst, '}')
	case reflect.Struct:
		dst = append(dst, '{')
		for i := range v.NumField() {
			dst = appendValue(appendKey(dst, i, fieldName(v.Type().Field(i))), v.Field(i))
		}
		return append(dst, '}')
	}
	return appendMarshaled(dst, v.Interface())
}

func fieldName(f reflect.StructField) string {
	if name := f.Tag.Get("json"); name != "" {
		return name
	}
	return f.Name
}

func appendMarshaled(dst []byte, value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		panic(fmt.Sprintf("program: a value of type %T in the JSON object: %v", value, err))
	}
	return append(dst, text...)
}

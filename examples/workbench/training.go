package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"time"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst/fstio"
	"example.org/pathsum/semiring"
)

// Bounds of training.
const (
	mostIterations = 500
	mostExamples   = 20_000
	latticeBytes   = 128 << 20
	eventsEvery    = 100 * time.Millisecond // at most one event in this time carries the values
)

// progress is the message to the page about an iteration.
type progress struct {
	Iteration int      `json:"iteration"`
	Objective *float64 `json:"objective"` // nil if it is not finite
	Groups    []group  `json:"groups"`    // nil in between
	Status    string   `json:"status"`    // empty until the end
	Remarks   []string `json:"remarks"`
	Faults    []fault  `json:"faults"`
}

// examples reads the lines of the data: a pair with a tab between, or a single string.
func examples(q *request) (cascade.Data, error) {
	data := cascade.Data{CacheBytes: latticeBytes, LatticeLimit: largest}
	for i, line := range strings.Split(q.Data, "\n") {
		line = strings.TrimSuffix(line, "\r")
		if line == "" {
			continue
		}
		if len(line) > largestInput {
			return data, fmt.Errorf("line %d has %d bytes; want at most %d", i+1, len(line), largestInput)
		}
		if len(data.Examples) == mostExamples {
			return data, fmt.Errorf("line %d: there are more than %d examples; leave some out", i+1, mostExamples)
		}
		x, y, pair := strings.Cut(line, "\t")
		e := cascade.Example{Name: fmt.Sprintf("line %d", i+1)}
		switch {
		case strings.Contains(y, "\t"):
			return data, fmt.Errorf("line %d has more than one tab; want input, tab, output", i+1)
		case pair:
			e.X, e.Y = cascade.Text(x), cascade.Text(y)
		case q.Single == "input":
			e.X = cascade.Text(x)
		default:
			e.Y = cascade.Text(x)
		}
		data.Examples = append(data.Examples, e)
	}
	if len(data.Examples) == 0 {
		return data, errors.New("there are no examples; write lines of input, tab, output, or of single strings")
	}
	return data, nil
}

// model returns the chosen definition as a model with the values of the request.
func model(q *request) (*grammar, *cascade.Model, error) {
	g, err := parse(q)
	if err != nil {
		return nil, nil, err
	}
	m, err := g.compiler.Machine(g.name)
	if err != nil {
		return nil, nil, err
	}
	theta, err := g.theta(q.Values)
	return g, &cascade.Model{Problem: cascade.Problem{Params: g.params, Stages: []cascade.Stage{m}}, Theta: theta}, err
}

// train runs EM, and reports its progress until ctx is done.
func train(ctx context.Context, q *request, tell func(progress)) {
	g, m, err := model(q)
	if err == nil && g.params.Len() == 0 {
		err = fmt.Errorf("%s has no parameters; write alternatives as {name: a | b} or coins as a +_p b", g.name)
	}
	var data cascade.Data
	if err == nil {
		data, err = examples(q)
	}
	if err != nil {
		tell(failure(err))
		return
	}
	if q.Seed != 0 {
		m.Theta = g.params.Random(rand.NewPCG(q.Seed, 0))
	}
	var last time.Duration
	options := &em.Options{Iterations: min(max(q.Iterations, 1), mostIterations), Workers: 1, Observer: func(e em.Event) {
		p := progress{Iteration: e.Iteration, Objective: finite(e.Objective), Remarks: e.Remarks}
		if e.Iteration == 0 || e.Elapsed-last >= eventsEvery {
			last = e.Elapsed
			p.Groups = g.groups(e.Theta)
		}
		tell(p)
	}}
	result, err := m.Fit(ctx, data, options)
	if err != nil && (result == nil || ctx.Err() == nil) {
		tell(failure(err))
		return
	}
	end := progress{Iteration: result.Iterations(), Groups: g.groups(m.Theta), Status: result.Status.String(), Remarks: result.Remarks}
	if result.Iterations() > 0 {
		end.Objective = finite(result.Last())
	}
	tell(end)
}

func failure(err error) progress {
	return progress{Status: "failed", Faults: []fault{newFault("training", err)}}
}

func finite(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

// file is a download.
type file struct {
	Name  string `json:"name"`
	Bytes []byte `json:"bytes"` // in base64
}

// export returns the model as the library saves it, or its machine in a form of OpenFst.
func export(q *request) (*file, error) {
	g, m, err := model(q)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if q.Form == "model" {
		err := m.Save(&b)
		return &file{g.name + ".model", b.Bytes()}, err
	}
	f, err := cascade.Instantiate(g.params, m.Stages[0], m.Theta, semiring.Tropical{})
	if err != nil {
		return nil, err
	}
	switch q.Form {
	case "fst":
		err = fstio.WriteBinary(&b, f, nil)
	case "txt":
		err = fstio.WriteText(&b, f, nil)
	default:
		err = fmt.Errorf("%q is not a form of a file; want model, fst or txt", q.Form)
	}
	return &file{g.name + "." + q.Form, b.Bytes()}, err
}

// load returns the values in the text of a saved model, as parameters of the definitions.
func load(q *request) ([]group, error) {
	saved, err := cascade.Load(strings.NewReader(q.Model))
	if err != nil {
		return nil, err
	}
	g, m, err := model(q)
	if err != nil {
		return nil, err
	}
	values := map[string]float64{}
	for name, v := range saved.Params.Named(saved.Theta) {
		if _, ok := m.Params.Lookup(name); !ok {
			return nil, fmt.Errorf("the file has a parameter %s, which %s does not have; load it beside its definitions", name, g.name)
		}
		values[name] = v
	}
	theta, err := g.theta(values)
	return g.groups(theta), err
}

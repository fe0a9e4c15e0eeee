package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

const here = "127.0.0.1:8080"

// ask posts a question, and returns the status and the text of the answer.
func ask(t testing.TB, h http.Handler, path string, q any) (int, []byte) {
	t.Helper()
	text, err := json.Marshal(q)
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+here+path, bytes.NewReader(text))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Code, w.Body.Bytes()
}

// seen returns the answer to a question.
func seen(t testing.TB, h http.Handler, q request) answer {
	t.Helper()
	_, text := ask(t, h, "/see", q)
	var a answer
	if err := json.Unmarshal(text, &a); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return a
}

// gallery returns the examples of the page by title.
func gallery(t *testing.T) map[string]request {
	text, err := embedded.ReadFile("page/gallery.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []struct {
		Title string
		request
	}
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	titles := map[string]request{}
	for _, e := range all {
		e.Best = 5
		titles[e.Title] = e.request
	}
	if len(titles) != 8 {
		t.Fatalf("%d examples", len(titles))
	}
	return titles
}

// TestGallery opens every panel of every example.
func TestGallery(t *testing.T) {
	h := newServer(here)
	outputs := map[string]string{ // the best output before training
		"Spelling channel": "the", "Number names": "forty-two", "Edit distance with posteriors": "abca",
	}
	all := gallery(t)
	for _, title := range slices.Sorted(maps.Keys(all)) {
		q := all[title]
		if a := seen(t, h, q); len(a.Faults) > 0 || q.Panel != "training" && (a.View == nil || a.View.Picture == "" && a.View.Samples == nil) {
			t.Errorf("%s: %v, %+v", title, a.Faults, a.View)
		}
		for _, q.Panel = range []string{"machine", "lattice", "steps", "training", "forest"} {
			a := seen(t, h, q)
			if q.Panel == "forest" || title == "A grammar" {
				continue // machines have no trees, and grammars no machine
			}
			if len(a.Faults) > 0 {
				t.Errorf("%s: %s: %v", title, q.Panel, a.Faults)
			}
			if want, ok := outputs[title]; ok && (len(a.Outputs) == 0 || a.Outputs[0].Text != want) {
				t.Errorf("%s: %+v, want %q", title, a.Outputs, want)
			}
		}
		if q.Data == "" {
			continue
		}
		first, last := trained(t, h, q)
		if !(last > first) {
			t.Errorf("%s: training from %v to %v", title, first, last)
		}
	}
}

// trained returns the first and the last objective of training.
func trained(t *testing.T, h http.Handler, q request) (first, last float64) {
	t.Helper()
	first, last = math.NaN(), math.NaN()
	for _, p := range events(t, h, q) {
		if len(p.Faults) > 0 {
			t.Errorf("training: %v", p.Faults)
		}
		if p.Objective != nil {
			if last = *p.Objective; math.IsNaN(first) {
				first = last
			}
		}
	}
	return first, last
}

func events(t *testing.T, h http.Handler, q request) (all []progress) {
	t.Helper()
	_, text := ask(t, h, "/train", q)
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n\n") {
		var p progress
		if err := json.Unmarshal([]byte(strings.TrimPrefix(line, "data: ")), &p); err != nil {
			t.Fatalf("%v: %q", err, line)
		}
		all = append(all, p)
	}
	return all
}

// TestTraining compares with a closed form: relative frequencies.
func TestTraining(t *testing.T) {
	h := newServer(here)
	q := request{Definitions: "x = {g: a | b | c};", Data: "a\nb\na\na\nc\n", Iterations: 5, Panel: "training"}
	all := events(t, h, q)
	end := all[len(all)-1]
	if end.Status != "converged" || len(end.Groups) != 1 {
		t.Fatalf("%+v", end)
	}
	q.Values = map[string]float64{}
	for i, want := range []float64{.6, .2, .2} {
		v := end.Groups[0][i]
		if math.Abs(v.Value-want) > 1e-12 {
			t.Errorf("%s is %v, want %v", v.Name, v.Value, want)
		}
		q.Values[v.Name] = v.Value
	}
	q.Input = "b"
	a := seen(t, h, q)
	if len(a.Outputs) != 1 || a.Outputs[0].Probability != "0.2" || len(a.Before) != 1 || a.Before[0].Probability != "0.3333" {
		t.Errorf("%+v, before %+v", a.Outputs, a.Before)
	}
	if u := a.Outputs[0].Uses; len(u) != 1 || u[0].Name != "g[1]" || math.Abs(u[0].Times-1) > 1e-12 {
		t.Errorf("uses %v", u)
	}

	// A saved model restores the values to the last bit.
	q.Form = "model"
	_, text := ask(t, h, "/export", q)
	var saved file
	if err := json.Unmarshal(text, &saved); err != nil || saved.Name != "x.model" {
		t.Fatalf("%v, %s", err, text)
	}
	_, text = ask(t, h, "/load", request{Definitions: q.Definitions, Model: string(saved.Bytes)})
	var groups []group
	if err := json.Unmarshal(text, &groups); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	for _, v := range groups[0] {
		if q.Values[v.Name] != v.Value {
			t.Errorf("%s is %v again, want %v", v.Name, v.Value, q.Values[v.Name])
		}
	}
	if _, text = ask(t, h, "/load", request{Definitions: "y = {f: a | b};", Model: string(saved.Bytes)}); !strings.Contains(string(text), "does not have") {
		t.Errorf("%s", text)
	}
}

// TestPosteriors compares the lattice with hand-computed probabilities: of a:b and a:c the
// machine writes b with .25 and c with .75.
func TestPosteriors(t *testing.T) {
	h := newServer(here)
	q := request{Definitions: "x = <.25> a:b | <.5> a:c | <.25> a:c;", Input: "a", Panel: "lattice"}
	if a := seen(t, h, q); len(a.Faults) > 0 || !strings.Contains(a.View.Note, "all paths: 1.") {
		t.Errorf("%v, %+v", a.Faults, a.View)
	}
	q.Output = "c"
	if a := seen(t, h, q); len(a.Faults) > 0 || !strings.Contains(a.View.Note, "all paths: 0.75.") {
		t.Errorf("%v, %+v", a.Faults, a.View)
	}
	q.Output = "a"
	if a := seen(t, h, q); len(a.Faults) > 0 || a.View.States != 0 || a.View.Note != "There are no strings." {
		t.Errorf("%v, %+v", a.Faults, a.View)
	}
}

// TestForest counts trees: Catalan numbers times powers.
func TestForest(t *testing.T) {
	h := newServer(here)
	q := request{Definitions: "S = @S '+' @S | <.5> a;", Input: "a+a+a+a", Panel: "forest"}
	a := seen(t, h, q)
	if len(a.Faults) > 0 || a.View == nil {
		t.Fatal(a.Faults)
	}
	if want := "all trees: 0.3125."; !strings.Contains(a.View.Note, want) { // 5 · 2⁻⁴
		t.Errorf("%q, want %q", a.View.Note, want)
	}
	if len(a.View.Samples) != 5 || a.View.Samples[0][:14] != "0.0625  (S (S " && a.View.Samples[0][:13] != "0.0625  (S (S" {
		t.Errorf("%q", a.View.Samples)
	}
	q = request{Definitions: "NP = a @VP | n; VP = v @NP | v @NP @PP; PP = p @NP; other = x; S = @NP @other? @VP;", Name: "S", Input: "nvn", Panel: "forest"}
	if a = seen(t, h, q); len(a.Faults) > 0 || len(a.View.Samples) != 1 || a.View.Samples[0] != "1  (S (NP n) (VP v (NP n)))" {
		t.Errorf("%v %+v", a.Faults, a.View)
	}
}

// TestSteps compares sizes with known sizes of the results.
func TestSteps(t *testing.T) {
	h := newServer(here)
	q := request{Definitions: "x = ab | ac | ad; y = b:c;", Name: "x", Panel: "steps", Steps: []string{"determinize", "minimize", "nonsense"}}
	q.Definitions = strings.NewReplacer("ab", `"ab"`, "ac", `"ac"`, "ad", `"ad"`).Replace(q.Definitions)
	a := seen(t, h, q)
	if len(a.Faults) > 0 || len(a.Steps) != 4 || a.Steps[2].States != 3 || a.Steps[2].Arcs != 4 || !strings.Contains(a.Steps[3].Fault, "is not an operation") {
		t.Errorf("%v %+v", a.Faults, a.Steps)
	}
	q.Name, q.Input, q.Steps = "y", "b", []string{"after input", "outputs"}
	if a = seen(t, h, q); len(a.Steps) != 3 || a.Steps[2].Fault != "" || a.Steps[2].Arcs != 1 {
		t.Errorf("%v %+v", a.Faults, a.Steps)
	}
}

// TestFaultsHavePlaces checks the line and column of errors.
func TestFaultsHavePlaces(t *testing.T) {
	h := newServer(here)
	for _, c := range []struct {
		text         string
		line, column int
	}{
		{"x = a;\ny = (b | ;", 2, 10}, {"x = @z;", 1, 5}, {"x = a;\nx = b;", 2, 1},
	} {
		a := seen(t, h, request{Definitions: c.text, Panel: "machine"})
		if len(a.Faults) != 1 || a.Faults[0].Where != "definitions" || a.Faults[0].Line != c.line || a.Faults[0].Column != c.column {
			t.Errorf("%q: %+v, want %d:%d", c.text, a.Faults, c.line, c.column)
		}
	}
}

// TestHostile makes excessive requests: the answer is a message, and the server continues.
func TestHostile(t *testing.T) {
	h := newServer(here)
	ok := request{Definitions: "x = a:b;", Input: "a", Panel: "machine"}
	for name, q := range map[string]request{
		"states":      {Definitions: "x = .{1000}{1000}; y = a;", Name: "x"},
		"many arcs":   {Definitions: "x = [\u4e00-\u9fff]{1000};"},
		"subsets":     {Definitions: "x = ~([ab]* a [ab]{30});"},
		"optional":    {Definitions: "x = ((a?){1000}){100};"},
		"cycle":       {Definitions: "x = @y; y = @x;"},
		"parentheses": {Definitions: "x = " + strings.Repeat("(", 1<<20)},
		"stars":       {Definitions: "x = a" + strings.Repeat("*", 1<<19) + ";"},
		"binary":      {Definitions: "x = \x00\xff\xfe\x01;"},
		"input":       {Definitions: "x = a*;", Input: strings.Repeat("a", 1<<20)},
		"unknown":     {Definitions: "x = a*;", Input: "<script>"},
		"diverges":    {Definitions: "x = (<2> ())*;"},
		"infinite":    {Definitions: "x = a (():b)*;", Input: "a", Panel: "lattice", Best: 1 << 40, Output: "c"},
		"value":       {Definitions: "x = {g: a | b};", Values: map[string]float64{"g[0]": 7, "g[1]": -1}},
		"panel":       {Definitions: "x = a;", Panel: "<b>"},
	} {
		if q.Panel == "" {
			q.Panel = "machine"
		}
		a := seen(t, h, q)
		if len(a.Faults) == 0 {
			t.Errorf("%s: no message: %+v", name, a)
		}
		for _, f := range a.Faults {
			t.Logf("%s: %.200s", name, f.Message)
		}
	}
	if status, text := ask(t, h, "/see", request{Definitions: strings.Repeat("a", 10<<20)}); status != http.StatusRequestEntityTooLarge || !bytes.Contains(text, []byte("shorten")) {
		t.Errorf("10 MB: %d %s", status, text)
	}
	if a := seen(t, h, ok); len(a.Faults) > 0 || a.Outputs[0].Text != "b" {
		t.Errorf("afterwards: %+v", a)
	}
	for name, q := range map[string]request{
		"none":    {Definitions: "x = {g: a | b};"},
		"tabs":    {Definitions: "x = {g: a | b};", Data: "a\tb\tc"},
		"unknown": {Definitions: "x = {g: a | b};", Data: "a\nq\n"},
		"nothing": {Definitions: "x = a;", Data: "a"},
		"many":    {Definitions: "x = {g: a | b};", Data: strings.Repeat("a\n", mostExamples+1)},
		"syntax":  {Definitions: "x = {g: a"},
	} {
		all := events(t, h, q)
		if end := all[len(all)-1]; end.Status != "failed" || len(end.Faults) != 1 {
			t.Errorf("%s: %+v", name, end)
		}
	}
	for _, text := range []string{"", "{}", "null", `{"machines":[`, "\x00"} {
		if _, answer := ask(t, h, "/load", request{Definitions: "x = {g: a | b};", Model: text}); !bytes.Contains(answer, []byte("faults")) {
			t.Errorf("%q: %s", text, answer)
		}
	}
}

// TestPanics: a panic in a computation ends neither the server nor the slot.
func TestPanics(t *testing.T) {
	s := &server{answers: make(chan struct{}, 1)}
	h := compute(s, func(context.Context, *request) (int, error) { panic("mistake") })
	for range 2 {
		if status, text := ask(t, h, "/see", request{}); status != http.StatusOK || !bytes.Contains(text, []byte("mistake of the workbench")) {
			t.Errorf("%d %s", status, text)
		}
	}
}

// TestNamesAreTexts uses HTML in names of symbols and groups.
func TestNamesAreTexts(t *testing.T) {
	a := seen(t, newServer(here), request{Definitions: `x = '<img src=x onerror=alert(1)>' | '"]; b [label=<b>' | '&amp;';`, Panel: "machine"})
	if len(a.Faults) > 0 || strings.Contains(a.View.Picture, "<img") || strings.Contains(a.View.Picture, "<b>") || !strings.Contains(a.View.Picture, "&lt;img src=x") {
		t.Errorf("%v %+v", a.Faults, a.View)
	}
}

// TestOtherPages makes requests like a page of another host.
func TestOtherPages(t *testing.T) {
	h := newServer(here)
	for _, c := range []struct {
		method, host, origin, site, kind string
		want                             int
	}{
		{"GET", here, "", "", "", 200}, {"GET", "localhost:8080", "", "", "", 200},
		{"GET", "evil.example:8080", "", "", "", 403}, {"GET", "127.0.0.1", "", "", "", 403}, {"GET", "", "", "", "", 403},
		{"POST", here, "http://" + here, "same-origin", "application/json", 200},
		{"POST", here, "http://evil.example", "", "application/json", 403}, {"POST", here, "null", "", "application/json", 403},
		{"POST", here, "http://localhost:8080", "", "application/json", 403},
		{"POST", here, "", "cross-site", "application/json", 403},
		{"POST", "evil.example", "http://evil.example", "same-origin", "application/json", 403},
		{"POST", here, "", "", "text/plain", 415}, {"POST", here, "", "", "", 415},
		{"PUT", here, "", "", "application/json", 405},
	} {
		path := "/"
		if c.method != "GET" {
			path = "/see"
		}
		r := httptest.NewRequestWithContext(t.Context(), c.method, path, strings.NewReader(`{"definitions":"x = a;","panel":"training"}`))
		r.Host = c.host
		for key, v := range map[string]string{"Origin": c.origin, "Sec-Fetch-Site": c.site, "Content-Type": c.kind} {
			if v != "" {
				r.Header.Set(key, v)
			}
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != c.want {
			t.Errorf("%+v: %d", c, w.Code)
		}
		if csp := w.Header().Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'") {
			t.Errorf("%+v: policy %q", c, csp)
		}
	}
	for _, path := range []string{"/../go.mod", "/..%2fgo.mod", "/main.go", "/page/page.js"} {
		r := httptest.NewRequestWithContext(t.Context(), "GET", "http://"+here+path, nil)
		w := httptest.NewRecorder()
		if h.ServeHTTP(w, r); w.Code == http.StatusOK {
			body, _ := io.ReadAll(w.Body)
			t.Errorf("%s: %.80s", path, body)
		}
	}
}

// typing returns a request with a grammar of some 5,000 states.
func typing() request {
	var b strings.Builder
	b.WriteString("words = {words: ")
	for i := range 700 {
		if i > 0 {
			b.WriteString(" | ")
		}
		fmt.Fprintf(&b, `"%c%c%c%05d"`, 'a'+i%26, 'a'+i/26%26, 'a'+i*7%26, i*7919%100000)
	}
	b.WriteString("};\nslip = {slip: right=[a-z0-9] | drop=[a-z]:()};\ntyped = @words;")
	return request{Definitions: b.String(), Name: "typed", Input: "aaa00000", Best: 5, Panel: "machine"}
}

// BenchmarkTyping measures the answer to a letter typed into a grammar of some 5,000 states; the
// baseline is a grammar of two.
func BenchmarkTyping(b *testing.B) {
	h := newServer(here)
	for _, c := range []struct {
		name string
		q    request
	}{{"states=2", request{Definitions: "x = a:b;", Input: "a", Panel: "machine"}}, {"states=5000", typing()}} {
		b.Run(c.name, func(b *testing.B) {
			states := 0
			for b.Loop() {
				a := seen(b, h, c.q)
				if len(a.Faults) > 0 || len(a.Outputs) == 0 {
					b.Fatal(a.Faults, a.Outputs)
				}
				states = a.View.States
			}
			b.ReportMetric(float64(states), "states")
		})
	}
}

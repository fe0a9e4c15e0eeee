package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// TestProgram runs the program: it prints its address, answers there, and ends on an interrupt.
func TestProgram(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, w := io.Pipe()
	status := make(chan int)
	go func() {
		var errs bytes.Buffer
		status <- newProgram().Execute(ctx, []string{"-browser=false"}, w, &errs)
	}()
	var address string
	if _, err := fmt.Fscanln(r, &address); err != nil {
		t.Fatal(err)
	}
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	page, err := http.DefaultClient.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	defer page.Body.Close()
	if text, err := io.ReadAll(page.Body); err != nil || !bytes.Contains(text, []byte("<title>Workbench</title>")) {
		t.Errorf("%v, %s", err, text)
	}
	cancel()
	if s := <-status; s != 130 {
		t.Errorf("status %d, want 130 for an interrupt", s)
	}
}

// TestAddress rejects addresses that other computers can reach.
func TestAddress(t *testing.T) {
	for _, address := range []string{"0.0.0.0:0", ":8080", "192.0.2.1:80", "example.org:80", "127.0.0.1", ""} {
		var out, errs bytes.Buffer
		if s := newProgram().Execute(t.Context(), []string{"-browser=false", "-address", address}, &out, &errs); s != 2 || !strings.Contains(errs.String(), "-address") {
			t.Errorf("%q: status %d, %s", address, s, &errs)
		}
	}
}

// TestAbandoned closes pages that train: their slots become free, and until then another page
// gets a message.
func TestAbandoned(t *testing.T) {
	s := httptest.NewUnstartedServer(nil)
	s.Config.Handler = newServer(s.Listener.Addr().String())
	s.Start()
	defer s.Close()
	data := strings.Repeat(strings.Repeat("a", 60)+"\t"+strings.Repeat("bc", 35)+"\n", 1000)
	text, err := json.Marshal(request{Definitions: "x = ({g: a:b | a:c | a:() | ():b | ():c})*_more;", Data: data, Iterations: mostIterations})
	if err != nil {
		t.Fatal(err)
	}
	start := func(ctx context.Context, text []byte) *http.Response {
		q, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"/train", bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		q.Header.Set("Content-Type", "application/json")
		answer, err := http.DefaultClient.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		return answer
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for range trainings { // an answer comes with the first event
		answer := start(ctx, text)
		defer answer.Body.Close()
	}
	small, err := json.Marshal(request{Definitions: "x = {g: a | b};", Data: "a", Iterations: 1})
	if err != nil {
		t.Fatal(err)
	}
	other := func() string {
		answer := start(t.Context(), small)
		defer answer.Body.Close()
		all, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(all)
	}
	if got := other(); !strings.Contains(got, "trainings are running") {
		t.Errorf("a training too many: %s", got)
	}
	cancel()
	for range 300 {
		if !strings.Contains(other(), "trainings are running") {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Error("pages that were closed go on to train")
}

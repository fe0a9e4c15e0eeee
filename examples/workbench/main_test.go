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

// TestAddress refuses addresses that other computers reach.
func TestAddress(t *testing.T) {
	for _, address := range []string{"0.0.0.0:0", ":8080", "192.0.2.1:80", "example.org:80", "127.0.0.1", ""} {
		var out, errs bytes.Buffer
		if s := newProgram().Execute(t.Context(), []string{"-browser=false", "-address", address}, &out, &errs); s != 2 || !strings.Contains(errs.String(), "-address") {
			t.Errorf("%q: status %d, %s", address, s, &errs)
		}
	}
}

// TestLongTraining trains for longer than a request may take to arrive.
func TestLongTraining(t *testing.T) {
	s := httptest.NewUnstartedServer(nil)
	s.Config.ReadTimeout = 100 * time.Millisecond
	s.Config.Handler = newServer(s.Listener.Addr().String())
	s.Start()
	defer s.Close()
	var data strings.Builder
	for i := range 200 {
		fmt.Fprintf(&data, "%s\t%s\n", strings.Repeat("a", 30+i%20), strings.Repeat("bc", 15+i%13))
	}
	text, err := json.Marshal(request{Definitions: "x = ({g: a:b | a:c | a:() | ():b | ():c})*_more;", Data: data.String(), Iterations: 40})
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	q, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/train", bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	q.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	all, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(all, []byte(`"canceled"`)) || !bytes.Contains(all, []byte(`"status":"converged"`)) && !bytes.Contains(all, []byte(`"status":"iteration limit"`)) {
		t.Errorf("after %v: …%s", time.Since(began), all[max(0, len(all)-300):])
	}
}

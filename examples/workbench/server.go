package main

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"mime"
	"net"
	"net/http"
	"runtime"
	"time"

	"example.org/pathsum/fst/rx"
	"example.org/pathsum/internal/program"
)

//go:embed page
var embedded embed.FS

// Bounds of the server.
const (
	largestBody = 4 << 20
	patience    = 1800 * time.Millisecond // for an answer, but training
	longest     = 10 * time.Minute        // of training
	trainings   = 4                       // at a time
)

// server answers requests of the page. It has no state but the work in progress.
type server struct {
	hosts    map[string]bool // valid values of Host
	answers  chan struct{}   // one element for each computation
	training chan struct{}
}

// newServer returns the handler for the page at an address.
func newServer(address string) http.Handler {
	s := &server{
		hosts:    map[string]bool{address: true},
		answers:  make(chan struct{}, max(2, runtime.GOMAXPROCS(0))),
		training: make(chan struct{}, trainings),
	}
	if _, port, err := net.SplitHostPort(address); err == nil {
		s.hosts[net.JoinHostPort("localhost", port)] = true
	}
	page, _ := fs.Sub(embedded, "page") // the name is valid
	mux := http.NewServeMux()
	mux.Handle("GET /", http.FileServerFS(page))
	mux.HandleFunc("POST /see", compute(s, see))
	mux.HandleFunc("POST /export", compute(s, func(_ context.Context, q *request) (*file, error) { return export(q) }))
	mux.HandleFunc("POST /load", compute(s, func(_ context.Context, q *request) ([]group, error) { return load(q) }))
	mux.HandleFunc("POST /train", s.train)
	// Graphviz is compiled on first use. This starts before the first picture needs it.
	go picture(context.Background(), []byte("digraph { a }"))
	return s.guard(mux)
}

// guard rejects requests that other pages make in the name of the user. A page of another host,
// even if its name points to this computer, has another Host or Origin.
func (s *server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		if !s.hosts[r.Host] {
			http.Error(w, "this page is for the address that the program printed", http.StatusForbidden)
			return
		}
		origin, site := r.Header.Get("Origin"), r.Header.Get("Sec-Fetch-Site")
		if origin != "" && origin != "http://"+r.Host || r.Method == http.MethodPost && site != "" && site != "same-origin" {
			http.Error(w, "requests of other pages are refused", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// read decodes a request. If the request is bad, it answers with an error and returns false.
func read(w http.ResponseWriter, r *http.Request) (*request, bool) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		http.Error(w, "want application/json", http.StatusUnsupportedMediaType)
		return nil, false
	}
	q := new(request)
	err := json.NewDecoder(http.MaxBytesReader(w, r.Body, largestBody)).Decode(q)
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		refuse(w, http.StatusRequestEntityTooLarge, fmt.Errorf("the page holds more than %d MB; shorten a text", largestBody>>20))
	} else if err != nil {
		refuse(w, http.StatusBadRequest, fmt.Errorf("the request is not one of the page: %w", err))
	}
	return q, err == nil
}

func refuse(w http.ResponseWriter, status int, err error) {
	reply(w, status, answer{Faults: []fault{newFault("panel", err)}})
}

func reply(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(v) // an error means that the page is gone
}

// fault is an error at its place.
type fault struct {
	Where   string `json:"where"` // definitions, input, panel or training
	Message string `json:"message"`
	Line    int    `json:"line"` // from 1; 0 for no place
	Column  int    `json:"column"`
}

func newFault(where string, err error) fault {
	f := fault{Where: where, Message: err.Error()}
	if e := (*rx.Error)(nil); errors.As(err, &e) {
		f.Where, f.Line, f.Column = "definitions", e.Line, e.Column
	}
	return f
}

// answer is what the page shows. Parts that could not be made have a fault.
type answer struct {
	Names   []string `json:"names"`
	Name    string   `json:"name"`
	Outputs []output `json:"outputs"`
	Before  []output `json:"before"` // at the start of the parameters, if there are other Values
	Groups  []group  `json:"groups"`
	Steps   []step   `json:"steps"`
	View    *view    `json:"view"`
	Faults  []fault  `json:"faults"`
}

// compute returns a handler that answers by do within patience. If do takes longer, it
// continues up to the bounds of its machines, and keeps its slot.
func compute[T any](s *server, do func(context.Context, *request) (T, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		q, ok := read(w, r)
		if !ok {
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), patience)
		defer cancel()
		select {
		case s.answers <- struct{}{}:
		case <-ctx.Done():
			refuse(w, http.StatusServiceUnavailable, errors.New("earlier requests are still computed; wait a moment and type again"))
			return
		}
		a, err := program.Interruptible(ctx, func() (a T, err error) {
			defer func() {
				<-s.answers
				if recover() != nil { // in this goroutine it would end the server
					err = errors.New("this is a mistake of the workbench; please report the definitions")
				}
			}()
			return do(ctx, q)
		})
		if errors.Is(err, context.DeadlineExceeded) {
			err = fmt.Errorf("stopped after %v: make the definitions or the input smaller", patience)
		}
		if err != nil {
			refuse(w, http.StatusOK, err)
			return
		}
		reply(w, http.StatusOK, a)
	}
}

// see answers with the outputs of the input and the panel that is open.
func see(ctx context.Context, q *request) (*answer, error) {
	a := &answer{}
	fail := func(where string, err error) (*answer, error) {
		a.Faults = append(a.Faults, newFault(where, err))
		return a, ctx.Err()
	}
	g, err := parse(q)
	if err != nil {
		return fail("definitions", err)
	}
	a.Names, a.Name = g.names, g.name
	if q.Panel == "forest" {
		if a.View, err = g.parses(ctx, q); err != nil {
			return fail("panel", err)
		}
		return a, nil
	}
	m, err := g.compiler.Machine(g.name)
	if err != nil {
		return fail("definitions", err)
	}
	theta, err := g.theta(q.Values)
	if err != nil {
		return fail("training", err)
	}
	a.Groups = g.groups(theta)
	if a.Outputs, err = g.outputs(ctx, m, theta, q); err != nil {
		fail("input", err)
	}
	if len(q.Values) > 0 && err == nil {
		if a.Before, err = g.outputs(ctx, m, g.params.Start(), q); err != nil {
			fail("input", err)
		}
	}
	switch q.Panel {
	case "machine": // no steps
		q.Steps = nil
		_, a.View, err = g.steps(ctx, m, q)
	case "lattice":
		a.View, err = g.lattice(ctx, m, theta, q)
	case "steps":
		a.Steps, a.View, err = g.steps(ctx, m, q)
	case "training":
		err = nil
	default:
		err = fmt.Errorf("%q is no panel", q.Panel)
	}
	if err != nil {
		return fail("panel", err)
	}
	return a, ctx.Err()
}

// train answers with server-sent events, one for each iteration, until training ends, the page
// closes the connection, or it has taken the longest time.
func (s *server) train(w http.ResponseWriter, r *http.Request) {
	q, ok := read(w, r)
	if !ok {
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	stream := http.NewResponseController(w)
	tell := func(p progress) {
		text, _ := json.Marshal(p) // numbers are finite: see finite
		fmt.Fprintf(w, "data: %s\n\n", text)
		stream.Flush()
	}
	select {
	case s.training <- struct{}{}:
		defer func() { <-s.training }()
	default:
		tell(failure(fmt.Errorf("%d trainings are running; stop one", trainings)))
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), longest)
	defer cancel()
	train(ctx, q, tell)
}

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"runtime"
	"time"

	"example.org/pathsum/internal/program"
)

func main() { newProgram().Main() }

func newProgram() *program.Program {
	p := program.New("workbench", "workbench opens a page on which one writes machines, sees them and trains them.",
		"go -C examples/workbench run .",
		"go -C examples/workbench run . -address 127.0.0.1:8080 -browser=false")
	address := p.Flags.String("address", "127.0.0.1:0", "listen on `HOST:PORT`, a host of this computer; port 0 stands for a free one")
	browser := p.Flags.Bool("browser", true, "open the page in a browser, if there is one")
	p.Check(func() error {
		host, _, err := net.SplitHostPort(*address)
		if ip := net.ParseIP(host); err != nil || host != "localhost" && (ip == nil || !ip.IsLoopback()) {
			return fmt.Errorf("-address: %q, want 127.0.0.1, [::1] or localhost, and a port", *address)
		}
		return nil
	})
	p.Do(func(ctx context.Context, r *program.Run) error { return serve(ctx, r, *address, *browser) })
	return p
}

// serve answers requests until ctx is done.
func serve(ctx context.Context, r *program.Run, address string, browser bool) error {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return err
	}
	url := "http://" + listener.Addr().String() + "/"
	fmt.Fprintln(r.Out, url)
	if browser {
		open(ctx, url)
	}
	s := &http.Server{
		Handler: newServer(listener.Addr().String()), BaseContext: func(net.Listener) context.Context { return ctx },
		ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 30 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 1 << 16,
	}
	stop := context.AfterFunc(ctx, func() { s.Close() })
	defer stop()
	if err := s.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// open starts the browser of the desktop. Without one, the address that was printed suffices.
func open(ctx context.Context, url string) {
	name := cmp.Or(map[string]string{"darwin": "open", "windows": "explorer"}[runtime.GOOS], "xdg-open")
	if c := exec.CommandContext(ctx, name, url); c.Start() == nil {
		go c.Wait()
	}
}

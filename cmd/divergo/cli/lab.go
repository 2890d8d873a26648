//go:build !js

package cli

import (
	"bytes"
	"errors"
	"fmt"
	"mime"
	"net"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"divergo/cmd/divergo/lab"
	"divergo/internal/output"
)

// localVerbs returns the verbs that the program of a page lacks.
func localVerbs() []*cobra.Command {
	return []*cobra.Command{newArea(), newCheck(), newLab(), newProve(), newRTL(), newSweep()}
}

func newLab() *cobra.Command {
	var port uint16
	var out string
	c := &cobra.Command{
		Use:   "lab",
		Short: "Serve a page that runs kernels in the browser",
		Long: `Serve a page on which this program runs in the browser, as WebAssembly: edit PTX, choose mechanisms
and a machine, see the table and what the cycles were spent on, and share all of it as a link. The
page is served to this computer only. Nothing leaves the browser. Ctrl-C ends the server.

With --out the page is written to a new folder instead. Any web server can offer it.

The program for the browser is taken from the folder "lab" beside this binary. Without one it is
compiled, which needs Go and a checkout of the program's source as the current folder.`,
		Example: `  divergo lab
  divergo lab --port 9000
  divergo lab --out site`,
		Args: exactly(0, "no argument"),
		RunE: func(c *cobra.Command, _ []string) error {
			if out != "" && c.Flags().Changed("port") {
				return errors.New("--port is for a server, not for --out")
			}
			if out != "" {
				if err := output.TryNewFolder(out); err != nil {
					return fmt.Errorf("--out: %w", err)
				}
			}
			program, err := browserProgram(c)
			if err != nil {
				return err
			}
			site, err := lab.Site(program)
			if err != nil {
				return err
			}
			if out == "" {
				return serveLab(c, site, port)
			}
			if err := output.WriteFolder(out, site); err != nil {
				return fmt.Errorf("--out: %w", err)
			}
			return nil
		},
	}
	c.Flags().Uint16Var(&port, "port", 8000, "`PORT` of the server; 0: any free one")
	c.Flags().StringVar(&out, "out", "", "write the page to a new `FOLDER`")
	return c
}

// browserProgram finds or compiles the program for the browser.
func browserProgram(c *cobra.Command) (*lab.Program, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	if p, err := lab.Beside(filepath.Join(filepath.Dir(self), "lab")); p != nil || err != nil {
		return p, err
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return nil, errors.New("this binary does not say which program it is: build it with go build in module mode")
	}
	fmt.Fprintln(c.ErrOrStderr(), "divergo: compiling the program for the browser; the first time takes a minute or two")
	p, err := lab.Build(info.Path)
	if err != nil {
		return nil, fmt.Errorf("%w\nrun this in a checkout of the program's source, with Go installed", err)
	}
	return p, nil
}

// serveLab serves the site to this computer until the user ends it.
func serveLab(c *cobra.Command, site map[string][]byte, port uint16) error {
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(int(port))))
	if err != nil {
		return fmt.Errorf("--port: %w; choose another port", err)
	}
	asked, leave := listen(c)
	defer leave()
	server := &http.Server{Handler: siteHandler(site), ReadHeaderTimeout: 10 * time.Second}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	fmt.Fprintf(c.OutOrStdout(), "http://%s/   (Ctrl-C ends)\n", listener.Addr())
	for {
		select {
		case err := <-ended:
			return err
		case <-time.After(50 * time.Millisecond):
			if asked() {
				return server.Close()
			}
		}
	}
}

// siteHandler serves files from memory.
func siteHandler(site map[string][]byte) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := strings.TrimPrefix(path.Clean(r.URL.Path), "/")
		if name == "" {
			name = "index.html"
		}
		data, ok := site[name]
		if !ok {
			http.NotFound(w, r)
			return
		}
		kind := mime.TypeByExtension(path.Ext(name))
		if kind == "" || path.Ext(name) == ".gz" {
			kind = "application/octet-stream"
		}
		w.Header().Set("Content-Type", kind)
		w.Header().Set("Cache-Control", "no-cache")
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
	})
}

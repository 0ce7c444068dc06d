package ollama

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"scrinalia/worker"

	"github.com/ollama/ollama/api"
)

// Server is what a model server says of itself.
type Server struct {
	Host      string // as it was understood, without credentials
	Version   string
	Installed []string // models, as the server names them
	Loaded    []string // that are in memory now
}

// Probe asks a server what it is and has; host is as in the option of that name, env the value of OLLAMA_HOST. It makes no model say or load
// anything. Server.Host is set also when it fails, which it does with Unavailable, or with Invalid when host is none.
func Probe(ctx context.Context, host, env string) (Server, error) {
	u, err := address(host, env)
	if host == "" {
		u, err = ResolveHost("", env)
	}
	if err != nil {
		return Server{}, err
	}
	s := Server{Host: withoutUser(u)}
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment}
	defer transport.CloseIdleConnections()
	c := api.NewClient(u, &http.Client{Transport: transport})
	if s.Version, err = c.Version(ctx); err != nil {
		return s, unreachable(s, err)
	}
	list, err := c.List(ctx)
	if err != nil {
		return s, unreachable(s, err)
	}
	for _, m := range list.Models {
		s.Installed = append(s.Installed, m.Name)
	}
	running, err := c.ListRunning(ctx)
	if err != nil {
		return s, nil // old servers do not tell
	}
	for _, m := range running.Models {
		s.Loaded = append(s.Loaded, m.Name)
	}
	return s, nil
}

func unreachable(s Server, err error) error {
	return &worker.Error{Kind: worker.Unavailable, Msg: fmt.Sprintf("Ollama at %s does not answer.", s.Host), Err: err}
}

// Has says whether a model is installed, comparing names as Ollama does.
func (s Server) Has(model string) bool { return holds(s.Installed, model) }

// Keeps says whether a model is in memory.
func (s Server) Keeps(model string) bool { return holds(s.Loaded, model) }

func holds(list []string, model string) bool {
	return slices.ContainsFunc(list, func(m string) bool { return SameModel(m, model) })
}

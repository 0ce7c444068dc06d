package thumbnail

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"scrinalia/worker"
)

const (
	patience   = 3           // failures in a row after which a host is left alone
	leaveAlone = time.Minute // before it is asked once more
)

// hosts is polite to the hosts that pictures come from: few requests to one at the same time, a pause between them, and none for a while to
// one that does not answer. Hosts do not wait for each other.
type hosts struct {
	perHost int64
	pause   time.Duration
	mu      sync.Mutex
	byName  map[string]*host
}

type host struct {
	slots chan struct{}

	mu       sync.Mutex
	failures int // in a row
	until    time.Time
}

func newHosts(perHost int64, pause time.Duration) *hosts {
	return &hosts{perHost: perHost, pause: pause, byName: map[string]*host{}}
}

// turn fetches when it is the turn of the address's host.
func (h *hosts) turn(ctx context.Context, address string, fetch func() (*os.File, error)) (*os.File, error) {
	name := hostOf(address)
	if name == "" {
		return fetch()
	}
	at := h.host(name)
	select {
	case at.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if at.leftAlone() {
		<-at.slots
		return nil, &worker.PictureError{
			Reason: worker.PictureUnreachable, Msg: fmt.Sprintf("%s failed %d times in a row and is left alone for a while.", name, patience),
		}
	}
	f, err := fetch()
	at.note(err)
	if h.pause > 0 {
		time.AfterFunc(h.pause, func() { <-at.slots })
	} else {
		<-at.slots
	}
	return f, err
}

// hostOf is the host whose turn has to come; empty for what is on no host.
func hostOf(address string) string {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	return strings.ToLower(u.Hostname())
}

func (h *hosts) host(name string) *host {
	h.mu.Lock()
	defer h.mu.Unlock()
	at := h.byName[name]
	if at == nil {
		at = &host{slots: make(chan struct{}, h.perHost)}
		h.byName[name] = at
	}
	return at
}

func (h *host) leftAlone() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.failures >= patience && time.Now().Before(h.until)
}

func (h *host) note(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	failure, ok := errors.AsType[*worker.PictureError](err)
	if !ok || failure.Reason != worker.PictureUnreachable {
		h.failures = 0
		return
	}
	h.failures++
	h.until = time.Now().Add(leaveAlone)
}

package storetest

import (
	"context"
	"net"
	"net/url"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Line is a way to a database over TCP that a test can count, hold up and cut.
type Line struct {
	URL string // of the database, over this line

	network, address string
	listener         net.Listener
	group            sync.WaitGroup

	mu     sync.Mutex
	passes chan struct{} // closed while bytes pass
	ended  bool
	opened int
	conns  map[net.Conn]struct{}
}

// NewLine opens a line to the database at address. It ends with the test.
func NewLine(t testing.TB, address string) *Line {
	t.Helper()
	cfg, err := pgx.ParseConfig(address)
	if err != nil {
		t.Fatal(err)
	}
	l := &Line{passes: make(chan struct{}), conns: map[net.Conn]struct{}{}}
	close(l.passes)
	l.network, l.address = pgconn.NetworkAddress(cfg.Host, cfg.Port)
	if l.listener, err = new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	u := url.URL{Scheme: "postgres", User: url.UserPassword(cfg.User, cfg.Password), Host: l.listener.Addr().String(), Path: "/" + cfg.Database, RawQuery: "sslmode=disable"}
	l.URL = u.String()
	l.group.Go(l.accept)
	t.Cleanup(func() {
		_ = l.listener.Close()
		l.mu.Lock()
		l.ended = true
		l.mu.Unlock()
		l.Release()
		l.Cut()
		l.group.Wait()
	})
	return l
}

// Opened says how many connections were made over the line so far.
func (l *Line) Opened() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.opened
}

// Hold stops every byte in both directions, as a network does that is gone: connections stay, new ones are made, and nothing answers.
func (l *Line) Hold() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.passes = make(chan struct{})
}

// Release ends Hold.
func (l *Line) Release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-l.passes:
	default:
		close(l.passes)
	}
}

// Cut ends every connection.
func (l *Line) Cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.conns {
		_ = c.Close()
	}
}

func (l *Line) gate() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.passes
}

func (l *Line) keep(c net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.conns[c] = struct{}{}
	return !l.ended
}

func (l *Line) drop(c net.Conn) {
	_ = c.Close()
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.conns, c)
}

func (l *Line) accept() {
	for {
		c, err := l.listener.Accept()
		if err != nil {
			return
		}
		l.mu.Lock()
		l.opened++
		l.mu.Unlock()
		l.group.Go(func() { l.carry(c) })
	}
}

// carry passes bytes between both ends until one of them closes.
func (l *Line) carry(near net.Conn) {
	defer l.drop(near)
	if !l.keep(near) {
		return
	}
	<-l.gate()
	far, err := new(net.Dialer).DialContext(context.Background(), l.network, l.address)
	if err != nil {
		return
	}
	defer l.drop(far)
	if !l.keep(far) {
		return
	}
	var both sync.WaitGroup
	both.Go(func() { l.pass(far, near) })
	both.Go(func() { l.pass(near, far) })
	both.Wait()
}

// pass copies one direction, and closes both ends when it is over.
func (l *Line) pass(to, from net.Conn) {
	defer to.Close()
	defer from.Close()
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		<-l.gate()
		if n > 0 {
			if _, err := to.Write(buf[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

package picture_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"scrinalia/picture"
	"scrinalia/sample"
	"scrinalia/worker"

	"golang.org/x/net/dns/dnsmessage"
)

const (
	patience = 30 * time.Second
	megabyte = 1 << 20
)

func local(t testing.TB) *picture.Studio {
	t.Helper()
	n, err := picture.ParseNetworks("127.0.0.1, ::1")
	if err != nil {
		t.Fatal(err)
	}
	return picture.New(picture.Options{Version: "1.4.0", Private: n})
}

func wantReason(t *testing.T, err error, want worker.PictureReason) {
	t.Helper()
	if p, ok := errors.AsType[*worker.PictureError](err); !ok || p.Reason != want {
		t.Errorf("%v, want %s", err, want)
	}
}

func serve(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

func TestFetch(t *testing.T) {
	t.Parallel()
	var agent atomic.Value
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		agent.Store(r.UserAgent())
		if r.URL.Path == "/far" {
			http.Redirect(w, r, "/near?x=%20y", http.StatusFound)
			return
		}
		fmt.Fprint(w, "a picture")
	})
	for _, path := range []string{"/near", "/far", "/with space and ção", " /x "} {
		f, err := local(t).Fetch(t.Context(), strings.Replace(address+path, address+" ", " "+address, 1), patience, megabyte)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := io.ReadAll(f)
		if err = errors.Join(err, f.Close()); err != nil || string(raw) != "a picture" {
			t.Errorf("%q, %v", raw, err)
		}
	}
	if got := agent.Load(); got != "Scrinalia/1.4.0 (thumbnails for an archive's catalogue)" {
		t.Errorf("it calls itself %q", got)
	}
}

func TestAnswersThatAreNoPicture(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		var code int
		switch what := strings.TrimPrefix(r.URL.Path, "/"); what {
		case "slow":
			select {
			case <-release:
			case <-r.Context().Done():
			}
		case "trickle":
			w.Header().Set("Content-Length", "1000")
			_, _ = w.Write([]byte("begun"))
			w.(http.Flusher).Flush()
			select {
			case <-release:
			case <-r.Context().Done():
			}
		case "cut", "short":
			w.Header().Set("Content-Length", "1000")
			_, _ = w.Write([]byte("begun"))
			if what == "cut" {
				panic(http.ErrAbortHandler)
			}
		case "cut-chunk":
			_, _ = w.Write([]byte("begun"))
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		case "huge":
			w.Header().Set("Content-Length", "1000000000000")
			w.WriteHeader(http.StatusOK)
		case "endless":
			for r.Context().Err() == nil {
				if _, err := w.Write(make([]byte, 64<<10)); err != nil {
					return
				}
			}
		case "around":
			http.Redirect(w, r, "/around", http.StatusFound)
		case "file":
			w.Header().Set("Location", "file:///etc/passwd")
			w.WriteHeader(http.StatusFound)
		default:
			_, _ = fmt.Sscan(what, &code)
			w.WriteHeader(code)
		}
	})
	nobody := httptest.NewServer(http.NotFoundHandler())
	nobody.Close()
	for _, tt := range []struct {
		address string
		within  time.Duration
		want    worker.PictureReason
	}{
		{address + "/404", patience, worker.PictureGone},
		{address + "/410", patience, worker.PictureGone},
		{address + "/401", patience, worker.PictureDenied},
		{address + "/403", patience, worker.PictureDenied},
		{address + "/204", patience, worker.PictureDenied},
		{address + "/408", patience, worker.PictureUnreachable},
		{address + "/429", patience, worker.PictureUnreachable},
		{address + "/500", patience, worker.PictureUnreachable},
		{address + "/503", patience, worker.PictureUnreachable},
		{address + "/slow", 50 * time.Millisecond, worker.PictureUnreachable},
		{address + "/trickle", 50 * time.Millisecond, worker.PictureUnreachable},
		{address + "/cut", patience, worker.PictureUnreachable},
		{address + "/cut-chunk", patience, worker.PictureUnreachable},
		{address + "/short", patience, worker.PictureUnreachable},
		{address + "/huge", patience, worker.PictureTooLarge},
		{address + "/endless", patience, worker.PictureTooLarge},
		{address + "/around", patience, worker.PictureUnreachable},
		{address + "/file", patience, worker.PictureUnreachable},
		{nobody.URL, patience, worker.PictureUnreachable},
		{"http://no-such-host.invalid/x.jpg", patience, worker.PictureUnreachable},
		{"", patience, worker.PictureNoAddress},
		{"see the reading room", patience, worker.PictureNoAddress},
		{"/pictures/1.jpg", patience, worker.PictureNoAddress},
		{"//example.org/1.jpg", patience, worker.PictureNoAddress},
		{"ftp://example.org/1.jpg", patience, worker.PictureNoAddress},
		{"file:///etc/passwd", patience, worker.PictureNoAddress},
		{`C:\pictures\1.jpg`, patience, worker.PictureNoAddress},
		{"http:///1.jpg", patience, worker.PictureNoAddress},
		{sample.Scheme + "none.jpg", patience, worker.PictureGone},
		{sample.Scheme + "../collection.jsonl", patience, worker.PictureGone},
	} {
		t.Run(tt.address[max(0, len(tt.address)-20):], func(t *testing.T) {
			t.Parallel()
			_, err := local(t).Fetch(t.Context(), tt.address, tt.within, megabyte)
			wantReason(t, err, tt.want)
		})
	}
	t.Run("cancelled", func(t *testing.T) {
		t.Parallel()
		why := errors.New("the run was stopped")
		ctx, stop := context.WithCancelCause(t.Context())
		time.AfterFunc(10*time.Millisecond, func() { stop(why) })
		if _, err := local(t).Fetch(ctx, address+"/slow", patience, megabyte); !errors.Is(err, why) {
			t.Errorf("%v, want the cause", err)
		}
	})
	t.Run("password", func(t *testing.T) {
		t.Parallel()
		_, err := local(t).Fetch(t.Context(), "http://user:hidden@"+strings.TrimPrefix(nobody.URL, "http://"), patience, megabyte)
		if wantReason(t, err, worker.PictureUnreachable); strings.Contains(err.Error(), "hidden") {
			t.Errorf("a password is told: %v", err)
		}
	})
}

// TestPrivateAddresses: this machine is not asked, however its address is spelled or reached.
func TestPrivateAddresses(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	inside := serve(t, func(http.ResponseWriter, *http.Request) { asked.Add(1) })
	_, port, err := net.SplitHostPort(strings.TrimPrefix(inside, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	outside := picture.New(picture.Options{})
	for _, host := range []string{"127.0.0.1", "127.1.2.3", "localhost", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "[::]"} {
		_, err := outside.Fetch(t.Context(), "http://"+host+":"+port+"/x.jpg", patience, megabyte)
		wantReason(t, err, worker.PicturePrivate)
	}

	// a page outside that leads inside: here, outside is an address that is allowed
	leads := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://127.0.0.2:"+port+"/x.jpg", http.StatusFound)
	})
	_, err = local(t).Fetch(t.Context(), leads, patience, megabyte)
	wantReason(t, err, worker.PicturePrivate)

	// a name that is outside when one looks, and inside when one connects
	names := &liar{}
	lied := picture.New(picture.Options{Resolve: names.resolver(t)})
	_, err = lied.Fetch(t.Context(), "http://rebinding.example.org:"+port+"/x.jpg", patience, megabyte)
	wantReason(t, err, worker.PicturePrivate)
	if names.asked.Load() == 0 {
		t.Error("the name was not looked up")
	}
	if asked.Load() != 0 {
		t.Errorf("%d requests came in", asked.Load())
	}
}

// liar is a name server for which every name is this machine.
type liar struct{ asked atomic.Int64 }

func (l *liar) resolver(t *testing.T) *net.Resolver {
	t.Helper()
	server, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	go l.answer(server)
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", server.LocalAddr().String())
	}}
}

func (l *liar) answer(server net.PacketConn) {
	buffer := make([]byte, 1500)
	for {
		n, from, err := server.ReadFrom(buffer)
		if err != nil {
			return
		}
		var m dnsmessage.Message
		if m.Unpack(buffer[:n]) != nil || len(m.Questions) != 1 {
			continue
		}
		l.asked.Add(1)
		m.Response, m.Additionals = true, nil
		if q := m.Questions[0]; q.Type == dnsmessage.TypeA {
			m.Answers = []dnsmessage.Resource{{
				Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class}, Body: &dnsmessage.AResource{A: [4]byte{127, 0, 0, 1}},
			}}
		}
		if raw, err := m.Pack(); err == nil {
			_, _ = server.WriteTo(raw, from)
		}
	}
}

func TestNetworks(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		allowed, ip string
		want        bool
	}{
		{"", "93.184.216.34", true},
		{"", "2606:2800:220:1::1", true},
		{"", "10.1.2.3", false},
		{"", "172.31.0.1", false},
		{"", "192.168.1.1", false},
		{"", "169.254.169.254", false},
		{"", "100.64.0.1", false},
		{"", "224.0.0.1", false},
		{"", "255.255.255.255", false},
		{"", "::1", false},
		{"", "::ffff:10.0.0.1", false},
		{"", "::10.0.0.1", false},
		{"", "64:ff9b::a00:1", false},
		{"", "2002:a00:1::1", false},
		{"", "fd00::1", false},
		{"", "fe80::1%eth0", false},
		{"10.1.0.0/16", "10.1.2.3", true},
		{"10.1.0.0/16", "10.2.2.3", false},
		{"10.1.0.0/16", "::ffff:10.1.2.3", true},
		{"192.168.1.1, fd00::/8", "fd00::1", true},
		{"192.168.1.1, fd00::/8", "192.168.1.2", false},
		{"true", "169.254.169.254", true},
		{"no", "10.1.2.3", false},
	} {
		n, err := picture.ParseNetworks(tt.allowed)
		if err != nil {
			t.Fatal(err)
		}
		if got := picture.Allow(n, netip.MustParseAddr(tt.ip)); got != tt.want {
			t.Errorf("with %q, %s is allowed: %t", tt.allowed, tt.ip, got)
		}
	}
	for _, wrong := range []string{"maybe", "10.1.0.0/33", "10.1.0.0/16;10.2.0.0/16", "images.example.org"} {
		if _, err := picture.ParseNetworks(wrong); err == nil {
			t.Errorf("%q is taken", wrong)
		}
	}
}

package picture

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"scrinalia/sample"
	"scrinalia/worker"
)

// Options are what fetching depends on beside the address.
type Options struct {
	Version string   // of the program, for the User-Agent
	Private Networks // private networks that pictures may come from
	Resolve *net.Resolver
}

// Studio fetches pictures and makes thumbnails. It is safe for concurrent use.
type Studio struct {
	client    *http.Client
	userAgent string
	cores     chan struct{}
	memory    *memory
}

// New returns a studio. It opens nothing.
func New(o Options) *Studio {
	dialer := &net.Dialer{Timeout: 10 * time.Second, Control: o.Private.control, Resolver: o.Resolve}
	transport := &http.Transport{
		DialContext:           dialer.DialContext,
		TLSHandshakeTimeout:   10 * time.Second,
		ResponseHeaderTimeout: time.Minute, // the time limit of the run is the one that counts
		IdleConnTimeout:       30 * time.Second,
		MaxIdleConnsPerHost:   8,
		DisableCompression:    true, // what was compressed to nearly nothing would have to be bounded too
		ForceAttemptHTTP2:     true,
	}
	if o.Private.all { // through a proxy, nobody here sees which address is connected to
		transport.Proxy = http.ProxyFromEnvironment
	}
	return &Studio{
		client:    &http.Client{Transport: transport, CheckRedirect: checkRedirect},
		userAgent: strings.TrimSpace("Scrinalia/" + o.Version + " (thumbnails for an archive's catalogue)"),
		cores:     newCores(), memory: newMemory(),
	}
}

const maxRedirects = 5

var errRedirects = fmt.Errorf("more than %d redirects", maxRedirects)

func checkRedirect(r *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects {
		return errRedirects
	}
	if r.URL.Scheme != "http" && r.URL.Scheme != "https" {
		return fmt.Errorf("a redirect to %s://", r.URL.Scheme)
	}
	return nil
}

// Fetch downloads the picture at an address into a file that is gone when it is closed. It gives up when it takes longer than within, or is
// larger than maxBytes.
func (s *Studio) Fetch(ctx context.Context, address string, within time.Duration, maxBytes int64) (*os.File, error) {
	address = strings.TrimSpace(address)
	if strings.HasPrefix(address, sample.Scheme) {
		return fetchSample(address)
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return nil, refuse(worker.PictureNoAddress, nil, "This is no address of the web that a picture could be fetched from.")
	}
	limited, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	f, err := s.download(limited, u, maxBytes)
	switch {
	case err == nil:
		return f, nil
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case limited.Err() != nil:
		return nil, refuse(worker.PictureUnreachable, nil, "%s did not send the picture within %s.", u.Hostname(), within)
	}
	return nil, err
}

func (s *Studio) download(ctx context.Context, u *url.URL, maxBytes int64) (*os.File, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), http.NoBody)
	if err != nil {
		return nil, refuse(worker.PictureNoAddress, err, "This is no address that a picture could be fetched from.")
	}
	r.Header.Set("User-Agent", s.userAgent)
	r.Header.Set("Accept", "image/*")
	answer, err := s.client.Do(r)
	if err != nil {
		return nil, unreached(u.Hostname(), err)
	}
	defer answer.Body.Close()
	if err := checkStatus(u.Hostname(), answer); err != nil {
		return nil, err
	}
	if answer.ContentLength > maxBytes {
		return nil, tooManyBytes(maxBytes)
	}
	f, err := temporary()
	if err != nil {
		return nil, err
	}
	if err := fill(f, answer.Body, u.Hostname(), maxBytes); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func fill(f *os.File, body io.Reader, host string, maxBytes int64) error {
	var readErr error
	n, err := io.Copy(f, io.LimitReader(&noting{body, &readErr}, maxBytes+1))
	switch {
	case readErr != nil:
		return refuse(worker.PictureUnreachable, readErr, "%s stopped in the middle of the picture.", host)
	case err != nil:
		return fmt.Errorf("keep a picture for a moment: %w", err)
	case n > maxBytes:
		return tooManyBytes(maxBytes)
	}
	_, err = f.Seek(0, io.SeekStart)
	return err
}

// noting remembers what reading failed with, apart from what writing does.
type noting struct {
	io.Reader
	err *error
}

func (n *noting) Read(p []byte) (int, error) {
	c, err := n.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		*n.err = err
	}
	return c, err
}

func tooManyBytes(maxBytes int64) error {
	return refuse(worker.PictureTooLarge, nil, "The file is larger than %d MB; max_megabytes can allow it, with force.", maxBytes>>20)
}

// temporary is a file without a name: nothing is left of it, however the process ends.
func temporary() (*os.File, error) {
	f, err := os.CreateTemp("", "scrinalia-picture-")
	if err != nil {
		return nil, fmt.Errorf("keep a picture for a moment: %w", err)
	}
	if err := os.Remove(f.Name()); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func checkStatus(host string, answer *http.Response) error {
	switch code := answer.StatusCode; {
	case code == http.StatusOK:
		return nil
	case code == http.StatusNotFound, code == http.StatusGone:
		return refuse(worker.PictureGone, nil, "%s has no such picture: it answers %s.", host, status(answer))
	case code >= http.StatusInternalServerError, code == http.StatusRequestTimeout, code == http.StatusTooEarly, code == http.StatusTooManyRequests:
		return refuse(worker.PictureUnreachable, nil, "%s answers %s.", host, status(answer))
	default:
		return refuse(worker.PictureDenied, nil, "%s does not hand the picture out: it answers %s.", host, status(answer))
	}
}

func status(answer *http.Response) string {
	return strings.TrimSpace(fmt.Sprint(answer.StatusCode, " ", http.StatusText(answer.StatusCode)))
}

// unreached says why no answer came.
func unreached(host string, err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err // without the address, which may hold a password
	}
	if p, ok := errors.AsType[*privateError](err); ok {
		return refuse(worker.PicturePrivate, nil, "%s leads to an address that pictures may not come from: %s.", host, p)
	}
	return refuse(worker.PictureUnreachable, err, "%s does not answer.", host)
}

func fetchSample(address string) (*os.File, error) {
	raw, err := sample.Image(address)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, refuse(worker.PictureGone, nil, "The sample collection has no such picture.")
	}
	if err != nil {
		return nil, err
	}
	f, err := temporary()
	if err != nil {
		return nil, err
	}
	if _, err := f.Write(raw); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	_, err = f.Seek(0, io.SeekStart)
	return f, err
}

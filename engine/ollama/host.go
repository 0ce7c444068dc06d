package ollama

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"scrinalia/worker"
)

const (
	defaultHost = "127.0.0.1"
	defaultPort = "11434"
)

// ResolveHost returns the address of the server: the option, else what OLLAMA_HOST holds, else http://127.0.0.1:11434. It reads
// them as Ollama does (envconfig.Host in its sources): scheme, port and path may be left out, the port of an explicit http or https
// is 80 or 443, a port that is none is replaced by the default. An address that means "every interface" becomes loopback. What
// could never be asked (another scheme, white space in the host) is refused as Invalid. Credentials are kept.
func ResolveHost(option, env string) (*url.URL, error) {
	s := unquote(option)
	if s == "" {
		s = unquote(env)
	}
	scheme, rest, port := splitScheme(s)
	if scheme != "http" && scheme != "https" {
		return nil, worker.Errorf(worker.Invalid, "an Ollama host begins with http:// or https://, not with %q", scheme+"://")
	}
	rest, path, _ := strings.Cut(rest, "/")
	var user *url.Userinfo
	if i := strings.LastIndexByte(rest, '@'); i >= 0 {
		user, rest = userinfo(rest[:i]), rest[i+1:]
	}
	u := &url.URL{Scheme: scheme, User: user, Host: hostPort(rest, port)}
	if path = strings.Trim(path, "/"); path != "" {
		u.Path = "/" + path
	}
	// what url.Parse refuses, the HTTP client would refuse later and less clearly
	brackets := strings.ContainsAny(rest, "[]") && !strings.Contains(u.Host, "[")
	if again, err := url.Parse(u.String()); err != nil || again.Host != u.Host || brackets || strings.ContainsAny(rest+path, "?# \t") {
		return nil, worker.Errorf(worker.Invalid, "%q is no address of an Ollama host; it looks like 127.0.0.1:11434 or https://models.example.org", withoutUser(u))
	}
	return u, nil
}

func unquote(s string) string { return strings.Trim(strings.TrimSpace(s), `"'`) }

// splitScheme returns the scheme, what follows it and the port that it implies.
func splitScheme(s string) (scheme, rest, port string) {
	scheme, rest, ok := strings.Cut(s, "://")
	switch {
	case !ok && s == "ollama.com":
		return "https", s, "443"
	case !ok:
		return "http", s, defaultPort
	case scheme == "http":
		return scheme, rest, "80"
	case scheme == "https":
		return scheme, rest, "443"
	}
	return scheme, rest, ""
}

func userinfo(s string) *url.Userinfo {
	name, password, ok := strings.Cut(s, ":")
	if !ok {
		return url.User(unescape(name))
	}
	return url.UserPassword(unescape(name), unescape(password))
}

func unescape(s string) string {
	if plain, err := url.PathUnescape(s); err == nil {
		return plain
	}
	return s
}

func hostPort(s, port string) string {
	host, given, err := net.SplitHostPort(s)
	if err != nil {
		host, given = strings.Trim(s, "[]"), port
	}
	if n, err := strconv.ParseUint(given, 10, 16); err == nil {
		port = strconv.FormatUint(n, 10)
	}
	return net.JoinHostPort(connectable(host), port)
}

// connectable turns an address to listen on into one to call.
func connectable(host string) string {
	if host == "" {
		return defaultHost
	}
	ip, err := netip.ParseAddr(host)
	switch {
	case err != nil:
		return host
	case ip.IsUnspecified() && ip.Is4():
		return defaultHost
	case ip.IsUnspecified():
		return netip.IPv6Loopback().String()
	}
	return ip.String()
}

// withoutUser is the address as it may be shown and stored.
func withoutUser(u *url.URL) string {
	bare := *u
	bare.User = nil
	return bare.String()
}

// hostOption reads the option host. Credentials are no configuration: they would be shown and stored with every run.
func hostOption(env string) func(any) (any, error) {
	return func(v any) (any, error) {
		s, _ := v.(string)
		u, err := ResolveHost(s, env)
		if err != nil {
			return nil, err
		}
		if unquote(s) != "" && u.User != nil {
			return nil, fmt.Errorf("a host with a user name or password is only taken from the environment variable OLLAMA_HOST")
		}
		return withoutUser(u), nil
	}
}

// address returns the described host, with the credentials of OLLAMA_HOST if that is the host they are for.
func address(described, env string) (*url.URL, error) {
	u, err := ResolveHost(described, "")
	if err != nil {
		return nil, err
	}
	if e, err := ResolveHost("", env); err == nil && withoutUser(e) == withoutUser(u) {
		return e, nil
	}
	return u, nil
}

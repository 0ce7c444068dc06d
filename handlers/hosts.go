package handlers

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"
)

// Hosts are the names that the panel answers to. A page of another site can point a name of its own at this machine (DNS rebinding) and would
// then count as the same origin; its requests carry that name. The zero value answers to loopback names and addresses only.
type Hosts struct {
	names     []string
	addresses bool // any IP address: nobody can point one elsewhere
}

// NewHosts takes the address as it was configured, the one that is listened on, the names that the operator allows, and the machine's own name.
// Beside loopback and the bound address only the allowed names pass. Without any, a panel that is reachable from other machines also answers to
// IP addresses and to the machine's name.
func NewHosts(configured, bound string, allowed []string, machine string) (Hosts, error) {
	var h Hosts
	for _, name := range allowed {
		bare := hostName(name)
		if bare == "" || strings.ContainsAny(strings.TrimSpace(name), "/*@ \t") {
			return h, fmt.Errorf("%q is no name of a host; it takes names or addresses separated by commas, such as panel.example.org, without https:// and without *", name)
		}
		h.names = append(h.names, bare)
	}
	for _, name := range []string{hostName(configured), hostName(bound)} {
		if ip, err := netip.ParseAddr(name); name != "" && (err != nil || !ip.IsUnspecified()) {
			h.names = append(h.names, name)
		}
	}
	ip, err := netip.ParseAddr(hostName(bound))
	if len(allowed) == 0 && (err != nil || !ip.IsLoopback()) {
		h.addresses = true
		machine = strings.ToLower(machine)
		short, _, _ := strings.Cut(machine, ".")
		h.names = append(h.names, machine, short)
	}
	return h, nil
}

// Allow says whether the panel answers to the Host of a request. Its port does not matter.
func (h Hosts) Allow(host string) bool {
	name := hostName(host)
	if name == "" {
		return false
	}
	if ip, err := netip.ParseAddr(name); err == nil && (h.addresses || ip.Unmap().IsLoopback()) {
		return true
	}
	return name == "localhost" || strings.HasSuffix(name, ".localhost") || slices.Contains(h.names, name)
}

// hostName is a host without port, brackets, zone and final dot, in lower case; an IP address in its one spelling.
func hostName(host string) string {
	name := strings.TrimSpace(host)
	if h, _, err := net.SplitHostPort(name); err == nil {
		name = h
	}
	name = strings.ToLower(strings.TrimSuffix(strings.Trim(name, "[]"), "."))
	if ip, err := netip.ParseAddr(name); err == nil {
		return ip.Unmap().WithZone("").String()
	}
	return name
}

var errHost = errors.New("the panel does not answer to this name")

// knownHost refuses requests that were sent to another name than the panel's. Probes ask by whatever address they have.
func (h *handlers) knownHost(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if r := c.Request(); !isProbe(r) && !h.hosts.Allow(r.Host) {
			return errHost
		}
		return next(c)
	}
}

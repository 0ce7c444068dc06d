package picture

import (
	"fmt"
	"net/netip"
	"strings"
	"syscall"
)

// Networks are the private networks that pictures may come from. The zero value is none.
type Networks struct {
	all     bool
	allowed []netip.Prefix
}

// ParseNetworks reads what an operator allows: empty or false for nothing, true for every address, or networks and addresses, separated by commas.
func ParseNetworks(s string) (Networks, error) {
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "", "false", "0", "no":
		return Networks{}, nil
	case "true", "1", "yes":
		return Networks{all: true}, nil
	}
	var n Networks
	for part := range strings.SplitSeq(s, ",") {
		part = strings.TrimSpace(part)
		prefix, err := netip.ParsePrefix(part)
		if err != nil {
			ip, ipErr := netip.ParseAddr(part)
			if ipErr != nil {
				return n, fmt.Errorf("%q is neither true, false, nor a network such as 10.1.0.0/16", part)
			}
			prefix = netip.PrefixFrom(ip, ip.BitLen())
		}
		n.allowed = append(n.allowed, prefix.Masked())
	}
	return n, nil
}

// private are the networks that are not the internet's: this machine, this link, networks of one's own, and those through which an address of them can be spelled.
var private = prefixes(
	"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24", "192.168.0.0/16",
	"198.18.0.0/15", "224.0.0.0/4", "240.0.0.0/4",
	"::/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/32", "2002::/16", "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8",
)

func prefixes(all ...string) []netip.Prefix {
	out := make([]netip.Prefix, len(all))
	for i, s := range all {
		out[i] = netip.MustParsePrefix(s)
	}
	return out
}

// allow says whether a picture may come from an address.
func (n Networks) allow(ip netip.Addr) bool {
	ip = ip.Unmap().WithZone("")
	if n.all || contains(n.allowed, ip) {
		return true
	}
	return !contains(private, ip)
}

func contains(networks []netip.Prefix, ip netip.Addr) bool {
	for _, p := range networks {
		if p.Contains(ip) {
			return true
		}
	}
	return false
}

// privateError is why a connection was not made.
type privateError struct{ ip netip.Addr }

func (e *privateError) Error() string {
	return e.ip.String() + " is in a private network; SCRINALIA_ALLOW_PRIVATE_IMAGES can allow it"
}

// control looks at every connection in the last moment, when its name is resolved and nothing can change it any more.
func (n Networks) control(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	if !n.allow(at.Addr()) {
		return &privateError{at.Addr().Unmap()}
	}
	return nil
}

package storage

import (
	"cmp"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"scrinalia/worker"

	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/minio/minio-go/v7/pkg/s3utils"
)

// Address says where objects are kept: a folder, or a bucket of a server.
type Address struct {
	Folder string // absolute; empty for a server

	Bucket, Prefix string
	Endpoint       string // scheme, host and port
	Region         string // empty: the server is asked
	PathStyle      bool   // the bucket stands in the path of requests, not in the name of the host

	credentials *credentials.Credentials
}

// awsEndpoint is where a bucket is whose address names no endpoint.
const awsEndpoint = "https://s3.amazonaws.com"

// String says how the address was understood.
func (a Address) String() string {
	if a.Folder != "" {
		return "the folder " + a.Folder
	}
	style, region := "host style", cmp.Or(a.Region, "as the server says")
	if a.PathStyle {
		style = "path style"
	}
	return fmt.Sprintf("the bucket %s at %s (%s, region %s)", path.Join(a.Bucket, a.Prefix), a.Endpoint, style, region)
}

// ParseAddress reads SCRINALIA_STORAGE_URL: empty for the default folder, a path or file:// for another one, s3://BUCKET?endpoint=...&region=...,
// or the server's own address with the bucket behind it, with or without http:// or https://. Credentials come from the environment and files of
// AWS, never from the address.
func ParseAddress(raw, defaultFolder string, getenv func(string) string) (Address, error) {
	raw = strings.TrimSpace(raw)
	switch {
	case raw == "":
		return folderAddress(defaultFolder)
	case strings.HasPrefix(raw, "/"), strings.HasPrefix(raw, "./"), strings.HasPrefix(raw, "../"):
		return folderAddress(raw)
	case !strings.Contains(raw, "://"):
		raw = guessScheme(raw) + "://" + raw
	}
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" && u.Scheme != "file" {
		return Address{}, refuse("it is no address")
	}
	if u.User != nil {
		return Address{}, refuse("credentials do not belong into it; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
	}
	switch u.Scheme {
	case "file":
		if u.Host != "" || u.RawQuery != "" {
			return Address{}, refuse("a folder is written file:///absolute/path")
		}
		return folderAddress(u.Path)
	case "s3":
		return bucketAddress(u, u.Host, u.Path, u.Query().Get("endpoint"), getenv)
	case "http", "https":
		bucket, prefix, _ := strings.Cut(strings.TrimPrefix(u.Path, "/"), "/")
		return bucketAddress(u, bucket, prefix, u.Scheme+"://"+u.Host, getenv)
	}
	return Address{}, refuse("%s:// is not known", u.Scheme)
}

func refuse(format string, args ...any) error {
	return worker.Errorf(worker.Invalid, "SCRINALIA_STORAGE_URL is not understood: %s. It takes a folder, s3://BUCKET?endpoint=HOST:PORT&region=REGION, or https://HOST:PORT/BUCKET.",
		fmt.Sprintf(format, args...))
}

func folderAddress(dir string) (Address, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return Address{}, refuse("%v", err)
	}
	return Address{Folder: abs}, nil
}

// parameters are what an address of a bucket may say behind its question mark.
var parameters = []string{"endpoint", "path_style", "region"}

func bucketAddress(u *url.URL, bucket, prefix, endpoint string, getenv func(string) string) (Address, error) {
	q, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return Address{}, refuse("what follows the question mark cannot be read")
	}
	for name := range q {
		if !slices.Contains(parameters, name) {
			return Address{}, refuse("there is no parameter %q; there are %s", name, strings.Join(parameters, ", "))
		}
	}
	if u.Scheme != "s3" && q.Has("endpoint") {
		return Address{}, refuse("the endpoint is named twice")
	}
	if err := s3utils.CheckValidBucketName(bucket); err != nil {
		return Address{}, refuse("%q cannot be the name of a bucket: %v", bucket, err)
	}
	a := Address{Bucket: bucket, Prefix: strings.Trim(path.Clean("/"+prefix), "/")}
	endpoint = cmp.Or(endpoint, getenv("AWS_ENDPOINT_URL_S3"), getenv("AWS_ENDPOINT_URL"))
	own := endpoint != ""
	a.Endpoint = awsEndpoint
	if own {
		if a.Endpoint, err = cleanEndpoint(endpoint); err != nil {
			return Address{}, err
		}
	}
	a.PathStyle = own
	if style := q.Get("path_style"); style != "" {
		if style != "true" && style != "false" {
			return Address{}, refuse("path_style is true or false")
		}
		a.PathStyle = style == "true"
	}
	a.Region = cmp.Or(q.Get("region"), getenv("AWS_REGION"), getenv("AWS_DEFAULT_REGION"))
	if own {
		a.Region = cmp.Or(a.Region, "us-east-1") // what servers of one's own call theirs
	}
	a.credentials = findCredentials(getenv, own)
	return a, nil
}

// cleanEndpoint takes host:port as well as an address.
func cleanEndpoint(raw string) (string, error) {
	if !strings.Contains(raw, "://") {
		raw = guessScheme(raw) + "://" + raw
	}
	u, err := url.Parse(raw)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return "", refuse("the endpoint is HOST:PORT, or that with http:// or https:// before it")
	case u.User != nil:
		return "", refuse("credentials do not belong into the endpoint; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
	case u.Path != "" && u.Path != "/" || u.RawQuery != "":
		return "", refuse("the endpoint has a path, which S3 cannot have; it ends behind the port")
	}
	return u.Scheme + "://" + u.Host, nil
}

// guessScheme is http for machines nearby, which rarely have certificates, and https for all others.
func guessScheme(address string) string {
	host, _, _ := strings.Cut(address, "/")
	host, _, _ = strings.Cut(host, "?")
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
	if err == nil && (ip.IsLoopback() || ip.IsPrivate()) || err != nil && !strings.Contains(host, ".") {
		return "http"
	}
	return "https"
}

// findCredentials looks where programs for AWS look: the environment, the shared file, and what Amazon gives to its own machines and containers.
func findCredentials(getenv func(string) string, own bool) *credentials.Credentials {
	if id := getenv("AWS_ACCESS_KEY_ID"); id != "" {
		return credentials.NewStaticV4(id, getenv("AWS_SECRET_ACCESS_KEY"), getenv("AWS_SESSION_TOKEN"))
	}
	var chain []credentials.Provider
	file := getenv("AWS_SHARED_CREDENTIALS_FILE")
	if home := getenv("HOME"); file == "" && home != "" {
		file = filepath.Join(home, ".aws", "credentials")
	}
	if file != "" {
		chain = append(chain, &credentials.FileAWSCredentials{Filename: file, Profile: getenv("AWS_PROFILE")})
	}
	given := cmp.Or(getenv("AWS_WEB_IDENTITY_TOKEN_FILE"), getenv("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"), getenv("AWS_CONTAINER_CREDENTIALS_FULL_URI"))
	if !own || given != "" { // elsewhere, nobody answers where Amazon's machines ask
		chain = append(chain, &credentials.IAM{})
	}
	return credentials.NewChainCredentials(chain)
}

package storage

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io/fs"
	"net"
	"strings"
	"syscall"

	"scrinalia/worker"

	"github.com/minio/minio-go/v7"
)

// Reason is why a bucket cannot be used.
type Reason string

// The reasons.
const (
	NoRoute        Reason = "no_route"        // nobody answers there, or not in time
	TLS            Reason = "tls"             // the certificate, or one side speaks TLS and the other does not
	NoCredentials  Reason = "no_credentials"  // none were found
	WrongKey       Reason = "wrong_key"       // the server does not know the access key, or no longer
	WrongSignature Reason = "wrong_signature" // the secret, or the clock
	Denied         Reason = "denied"          // the key may not do this
	NoBucket       Reason = "no_bucket"       // there is none of that name
	ReadOnly       Reason = "read_only"       // reading works, writing does not
	Full           Reason = "full"            // no space, or a quota is used up
	Unexpected     Reason = "unexpected"      // anything else; the cause says what
)

// FaultError is what keeps a bucket from being used. It is the cause inside of a worker.Error of kind Unavailable.
type FaultError struct {
	Reason Reason
	Err    error
}

func (f *FaultError) Error() string { return f.Err.Error() }

// Unwrap returns the cause.
func (f *FaultError) Unwrap() error { return f.Err }

// ReasonOf is why a bucket could not be used; empty when the error says nothing of that.
func ReasonOf(err error) Reason {
	if f, ok := errors.AsType[*FaultError](err); ok {
		return f.Reason
	}
	return ""
}

// sentences say what is wrong with the bucket that stands before them, and what mends it.
var sentences = map[Reason]string{
	NoRoute:        "does not answer. Start it, or correct its address in SCRINALIA_STORAGE_URL.",
	TLS:            "could not be spoken to safely. Check its certificate, and whether the endpoint in SCRINALIA_STORAGE_URL is http or https.",
	NoCredentials:  "needs credentials, and there are none. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.",
	WrongKey:       "does not know the access key. Correct AWS_ACCESS_KEY_ID, or renew it.",
	WrongSignature: "refused the signature. Correct AWS_SECRET_ACCESS_KEY, and check this machine's clock.",
	Denied:         "refused access. Let the key read, write and delete objects there.",
	NoBucket:       "is not there. Make it, or correct its name in SCRINALIA_STORAGE_URL.",
	ReadOnly:       "can be read, but not written. Let objects be written and deleted there.",
	Full:           "has no space left. Make room, or raise the quota.",
	Unexpected:     "does not work as it should.",
}

// unavailable makes the error that people are shown of what went wrong with the bucket where.
func unavailable(where string, reason Reason, err error) error {
	return &worker.Error{Kind: worker.Unavailable, Msg: "Storage: " + where + " " + sentences[reason], Err: &FaultError{reason, err}}
}

// s3Codes are the reasons behind the codes that servers answer.
var s3Codes = map[string]Reason{
	"InvalidAccessKeyId": WrongKey, "InvalidToken": WrongKey, "ExpiredToken": WrongKey, "InvalidClientTokenId": WrongKey,
	"SignatureDoesNotMatch": WrongSignature, "RequestTimeTooSkewed": WrongSignature, "RequestExpired": WrongSignature,
	"AccessDenied": Denied, "AllAccessDisabled": Denied, "AccountProblem": Denied,
	"NoSuchBucket": NoBucket, "InvalidBucketName": NoBucket,
	"XMinioStorageFull": Full, "XMinioAdminBucketQuotaExceeded": Full, "QuotaExceeded": Full, "InsufficientStorage": Full, "EntityTooLarge": Unexpected,
	"XMinioServerNotInitialized": NoRoute, "ServiceUnavailable": NoRoute, "SlowDown": NoRoute, "SlowDownWrite": NoRoute, "SlowDownRead": NoRoute,
}

const insufficientStorage = 507

// s3Reason tells what kept a request from being answered apart.
func s3Reason(err error) Reason {
	if answer, ok := errors.AsType[minio.ErrorResponse](err); ok {
		switch reason, known := s3Codes[answer.Code]; {
		case known:
			return reason
		case answer.StatusCode == insufficientStorage:
			return Full
		case strings.Contains(answer.Message, "HTTP request to an HTTPS server"), strings.Contains(answer.Message, "plain HTTP request"):
			return TLS
		}
		return Unexpected
	}
	switch {
	case isTLS(err):
		return TLS
	case isNetwork(err):
		return NoRoute
	}
	return Unexpected
}

func isTLS(err error) bool {
	_, verification := errors.AsType[*tls.CertificateVerificationError](err)
	_, authority := errors.AsType[x509.UnknownAuthorityError](err)
	_, host := errors.AsType[x509.HostnameError](err)
	_, record := errors.AsType[tls.RecordHeaderError](err)
	_, alert := errors.AsType[tls.AlertError](err)
	return verification || authority || host || record || alert || strings.Contains(err.Error(), "server gave HTTP response to HTTPS client")
}

func isNetwork(err error) bool {
	_, network := errors.AsType[net.Error](err)
	return network || strings.HasSuffix(err.Error(), "EOF")
}

// folderReason tells what the file system refused apart.
func folderReason(err error) Reason {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return Full
	case errors.Is(err, syscall.EROFS):
		return ReadOnly
	case errors.Is(err, fs.ErrPermission):
		return Denied
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return NoBucket
	}
	return Unexpected
}

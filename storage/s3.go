package storage

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"path"
	"time"

	"scrinalia/worker"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

const (
	dialFor    = 5 * time.Second
	answerFor  = 30 * time.Second // until a request's answer begins
	requestFor = time.Minute      // for a whole writing request
)

// s3 is a bucket on a server that speaks S3.
type s3 struct {
	client minio.Core
	a      Address
	creds  *credentials.Credentials
}

func openS3(a Address) (Bucket, error) {
	at, err := url.Parse(a.Endpoint)
	if err != nil {
		return nil, fmt.Errorf("parse the endpoint: %w", err)
	}
	transport, err := minio.DefaultTransport(at.Scheme == "https")
	if err != nil {
		return nil, fmt.Errorf("make the transport of storage: %w", err)
	}
	transport.DialContext = (&net.Dialer{Timeout: dialFor}).DialContext
	transport.ResponseHeaderTimeout = answerFor
	lookup := minio.BucketLookupDNS
	if a.PathStyle {
		lookup = minio.BucketLookupPath
	}
	b := &s3{a: a, creds: a.credentials}
	client, err := minio.New(at.Host, &minio.Options{
		Creds: b.creds, Secure: at.Scheme == "https", Transport: transport, Region: a.Region, BucketLookup: lookup,
		MaxRetries: 1, // whoever asks knows best whether to try again
	})
	if err != nil {
		return nil, worker.Errorf(worker.Invalid, "SCRINALIA_STORAGE_URL: the endpoint %s is not understood: %w.", a.Endpoint, err)
	}
	b.client = minio.Core{Client: client}
	return b, nil
}

func (b *s3) String() string { return b.a.String() }

// check says whether there are credentials at all: without, a server would be asked anonymously.
func (b *s3) check() error {
	value, err := b.creds.GetWithContext(b.client.CredContext())
	if err != nil || value.AccessKeyID == "" {
		if err == nil {
			err = fmt.Errorf("neither the environment nor the files of AWS have credentials")
		}
		return unavailable(b.String(), NoCredentials, err)
	}
	return nil
}

func (b *s3) key(key string) string { return path.Join(b.a.Prefix, key) }

func (b *s3) Put(ctx context.Context, key, contentType string, data []byte) error {
	if err := checkKey(key, contentType); err != nil {
		return err
	}
	if err := b.check(); err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, requestFor)
	defer cancel()
	_, err := b.client.Client.PutObject(limited, b.a.Bucket, b.key(key), bytes.NewReader(data), int64(len(data)),
		minio.PutObjectOptions{ContentType: contentType, DisableMultipart: true, SendContentMd5: true, DisableContentSha256: true}) // the signature covers the MD5
	return b.fail(ctx, err)
}

func (b *s3) Get(ctx context.Context, key string) (io.ReadCloser, Info, error) {
	if err := checkKey(key, contentTypes[path.Ext(key)]); err != nil {
		return nil, Info{}, err
	}
	if err := b.check(); err != nil {
		return nil, Info{}, err
	}
	body, stat, _, err := b.client.GetObject(ctx, b.a.Bucket, b.key(key), minio.GetObjectOptions{})
	if absent(err) {
		return nil, Info{}, notFound(key, err)
	}
	if err != nil {
		return nil, Info{}, b.fail(ctx, err)
	}
	return body, Info{ContentType: stat.ContentType, Size: stat.Size, Modified: stat.LastModified}, nil
}

func (b *s3) Delete(ctx context.Context, key string) error {
	if err := b.check(); err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, requestFor)
	defer cancel()
	err := b.client.RemoveObject(limited, b.a.Bucket, b.key(key), minio.RemoveObjectOptions{})
	if absent(err) {
		return nil
	}
	return b.fail(ctx, err)
}

func absent(err error) bool {
	answer := minio.ToErrorResponse(err)
	return answer.Code == "NoSuchKey" || answer.Code == "" && answer.StatusCode == http.StatusNotFound
}

// fail makes the error of a request; when the caller gave up it is the caller's own.
func (b *s3) fail(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return unavailable(b.String(), s3Reason(err), err)
}

package store_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"testing"

	"scrinalia/store"
	"scrinalia/store/storetest"
	"scrinalia/worker"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgproto3"
)

// oldServer speaks enough of PostgreSQL's protocol to let a client in, or refuse it, and to tell its version. No such server can be installed
// beside the one that the tests run on.
type oldServer struct {
	version uint32                  // as server_version_num
	refuse  *pgproto3.ErrorResponse // the answer to every login
}

// start returns the server's address.
func (o oldServer) start(t *testing.T) string {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				o.talk(pgproto3.NewBackend(conn, conn))
			}()
		}
	}()
	return fmt.Sprintf("postgres://ana:geheim@%s/archive?sslmode=disable", l.Addr())
}

func (o oldServer) talk(b *pgproto3.Backend) {
	if _, err := b.ReceiveStartupMessage(); err != nil {
		return
	}
	if o.refuse != nil {
		b.Send(o.refuse)
		_ = b.Flush()
		return
	}
	b.Send(&pgproto3.AuthenticationOk{})
	b.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
	row := &pgproto3.RowDescription{Fields: []pgproto3.FieldDescription{{Name: []byte("version"), DataTypeOID: 23, DataTypeSize: 4, TypeModifier: -1, Format: 1}}}
	for b.Flush() == nil {
		m, err := b.Receive()
		if err != nil {
			return
		}
		switch m := m.(type) {
		case *pgproto3.Parse:
			b.Send(&pgproto3.ParseComplete{})
		case *pgproto3.Describe:
			if m.ObjectType == 'S' {
				b.Send(&pgproto3.ParameterDescription{})
			}
			b.Send(row)
		case *pgproto3.Bind:
			b.Send(&pgproto3.BindComplete{})
		case *pgproto3.Execute:
			b.Send(&pgproto3.DataRow{Values: [][]byte{binary.BigEndian.AppendUint32(nil, o.version)}})
			b.Send(&pgproto3.CommandComplete{CommandTag: []byte("SELECT 1")})
		case *pgproto3.Sync:
			b.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
		}
	}
}

// TestOpenChecksTheVersion: 14 is the oldest that will do.
func TestOpenChecksTheVersion(t *testing.T) {
	t.Parallel()
	for version, want := range map[uint32]string{
		90624:  "The database is PostgreSQL 9; version 14 or newer is needed.",
		130022: "The database is PostgreSQL 13; version 14 or newer is needed.",
		140000: "",
		180001: "",
	} {
		s, err := store.Open(t.Context(), oldServer{version: version}.start(t), slog.New(slog.DiscardHandler))
		if err == nil {
			s.Close()
		}
		e, _ := errors.AsType[*worker.Error](err)
		if e == nil && (want != "" || err != nil) || e != nil && (e.Msg != want || e.Kind != worker.Invalid) {
			t.Errorf("%d: %v, want %q", version, err, want)
		}
	}
}

// TestOpenSaysWhyItIsNotLetIn: the sentence names what is wrong in DATABASE_URL, without the password and without jargon.
func TestOpenSaysWhyItIsNotLetIn(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{
		"28P01": `refused the password of user "ana". Correct it, or check DATABASE_URL.`,
		"28000": `does not let user "ana" in: there is no such user, or its pg_hba.conf refuses it from here. Create or admit the user, or check DATABASE_URL.`,
		"3D000": `There is no database "archive" at 127.0.0.1`,
		"42501": `User "ana" may not connect to the database "archive" at 127.0.0.1`,
		"57P03": `The database does not answer at 127.0.0.1`,
	} {
		_, err := store.Open(t.Context(), oldServer{refuse: &pgproto3.ErrorResponse{Severity: "FATAL", Code: code, Message: "nein"}}.start(t), slog.New(slog.DiscardHandler))
		e, ok := errors.AsType[*worker.Error](err)
		if !ok || e.Kind != worker.Unavailable || !strings.Contains(e.Msg, want) || strings.Contains(e.Msg, code) || strings.Contains(e.Msg, "geheim") || strings.Contains(e.Msg, "nein") {
			t.Errorf("%s: %v, want %q", code, err, want)
		}
	}
	missing := strings.Replace(storetest.EmptyURL(t), "scrinalia_empty_", "scrinalia_no_", 1)
	if _, err := store.Open(t.Context(), missing, slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), "There is no database \"scrinalia_no_") {
		t.Errorf("a real server: %v", err)
	}
}

// TestCloseDoesNotHang leaves a connection behind that somebody keeps.
func TestCloseDoesNotHang(t *testing.T) {
	t.Parallel()
	s, err := store.Open(t.Context(), storetest.EmptyURL(t), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	conn, err := s.Pool().Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	if conn.Conn().IsClosed() {
		t.Error("the connection was taken away from who uses it")
	}
	conn.Release()
}

// TestOpenWantsUTF8: a database of another encoding could not hold every description.
func TestOpenWantsUTF8(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t)
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	name := conn.Config().Database + "_latin1"
	if _, err := conn.Exec(t.Context(), "CREATE DATABASE \""+name+"\" ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0"); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_, _ = conn.Exec(context.WithoutCancel(t.Context()), "DROP DATABASE \""+name+"\" WITH (FORCE)")
	}()
	_, err = store.Open(t.Context(), strings.Replace(url, conn.Config().Database, name, 1), slog.New(slog.DiscardHandler))
	if err == nil || !strings.Contains(err.Error(), "LATIN1") || worker.KindOf(err) != worker.Invalid {
		t.Errorf("got %v, want a refusal that names LATIN1", err)
	}
}

package localpg

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// What CREATE DATABASE says when another process was faster.
const (
	duplicateDatabase = "42P04"
	uniqueViolation   = "23505"
)

// EnsureDatabase creates a database of this name unless there is one. Several
// processes may do so at once.
func (s *Server) EnsureDatabase(ctx context.Context, name string) error {
	conn, err := pgx.Connect(ctx, s.URL("postgres"))
	if err != nil {
		return fmt.Errorf("connect to the private server: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	var there bool
	const query = "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)"
	if err := conn.QueryRow(ctx, query, name).Scan(&there); err != nil || there {
		return err
	}
	// Unlike template1, template0 never has a session that would block the copy.
	_, err = conn.Exec(ctx, "CREATE DATABASE "+pgx.Identifier{name}.Sanitize()+" TEMPLATE template0")
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		switch {
		case e.Code == duplicateDatabase, e.Code == uniqueViolation:
			return nil
		case isDiskFull(nil, e.Message):
			return diskFull(s.place.dir, err)
		}
	}
	return err
}

package store

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"

	"scrinalia/worker"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// constraints says what breaking a constraint means to a user. One that is not listed is a bug.
var constraints = map[string]*worker.Error{
	"tags_one_per_folded_name":                  worker.Errorf(worker.Conflict, "There is a tag of that name already."),
	"entities_one_per_folded_name_and_type":     worker.Errorf(worker.Conflict, "There is an entity of that name and type already."),
	"curation_revisions_one_per_revision":       worker.Errorf(worker.Conflict, "The entry was changed meanwhile; look at it again first."),
	"levels_one_per_position":                   worker.Errorf(worker.Conflict, "Another level has that position already."),
	"worker_override_revisions_one_per_version": worker.Errorf(worker.Conflict, "The settings were changed meanwhile; look at the newer version first."),
}

const oneInFlight = "runs_one_in_flight_per_worker"

// translate turns a driver's error into one of worker's, or wraps it with what was tried.
func translate(op string, err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*worker.Error](err); ok {
		return err
	}
	if errors.Is(err, pgx.ErrNoRows) {
		return &worker.Error{Kind: worker.NotFound, Msg: "There is no such entry.", Err: err}
	}
	if e, ok := constraints[constraint(err)]; ok {
		return &worker.Error{Kind: e.Kind, Msg: e.Msg, Err: err}
	}
	if c := constraint(err); strings.Contains(c, "_one_per_folded_") {
		return &worker.Error{Kind: worker.Conflict, Msg: "There is an entry of that name already, in use or retired. Nothing was saved.", Err: err}
	}
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok && pg.Code == noTable && strings.Contains(pg.Message, `"river_`) {
		return &worker.Error{Kind: worker.Unavailable, Msg: "The tables of the job queue are gone from the database. Run scrinalia migrate up, which makes them again.", Err: fmt.Errorf("%s: %w", op, err)}
	}
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok && pg.Code == "53100" {
		return &worker.Error{Kind: worker.Unavailable, Msg: "The disk of the database is full. Free some space and try again; nothing was changed.", Err: fmt.Errorf("%s: %w", op, err)}
	}
	if unavailable(err) {
		return &worker.Error{Kind: worker.Unavailable, Msg: "The database does not answer.", Err: fmt.Errorf("%s: %w", op, err)}
	}
	return fmt.Errorf("%s: %w", op, err)
}

func constraint(err error) string {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return pg.ConstraintName
	}
	return ""
}

const noTable = "42P01"

// How a server refuses a login, by SQLSTATE.
const (
	wrongPassword = "28P01"
	noLogin       = "28000" // no such user, or none from here
	noDatabase    = "3D000"
	noPrivilege   = "42501"
)

// refusedLogin says whether the server answered, but let nobody in.
func refusedLogin(pg *pgconn.PgError) bool {
	switch pg.Code {
	case wrongPassword, noLogin, noDatabase:
		return true
	case noPrivilege:
		return pg.Severity == "FATAL" // of a statement it is an error
	}
	return false
}

// unavailable: no connection could be had or kept, or the server is going down or starting (SQLSTATE classes 08 and 57P, 53300).
func unavailable(err error) bool {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return strings.HasPrefix(pg.Code, "08") || strings.HasPrefix(pg.Code, "57P") || pg.Code == "53300" || refusedLogin(pg)
	}
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return true
	}
	if _, ok := errors.AsType[net.Error](err); ok && !errors.Is(err, context.Canceled) {
		return true
	}
	return pgconn.SafeToRetry(err) || errors.Is(err, net.ErrClosed) || strings.Contains(err.Error(), "unexpected EOF") ||
		strings.Contains(err.Error(), "conn closed") || strings.Contains(err.Error(), "closed pool")
}

// dataError says whether a statement failed because of the data it was given (SQLSTATE classes 22, 23 and 54), so that a
// smaller batch may go through.
func dataError(err error) (message string, ok bool) {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	if !ok || len(pg.Code) < 2 {
		return "", false
	}
	switch pg.Code[:2] {
	case "22", "23", "54":
		return pg.Message, true
	}
	return "", false
}

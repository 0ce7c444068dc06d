package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"scrinalia/store/db"
	"scrinalia/worker"

	"github.com/jackc/pgx/v5"
)

// lockBase is the high half of the advisory locks that runs hold: "SCRN" in ASCII. The low half is the run's id.
const lockBase int64 = 0x5343524e << 32

// ErrOwnershipLost means that the run is no longer this process's: the connection that holds its lock is gone, or it was ended by somebody else.
var ErrOwnershipLost = errors.New("the run is no longer owned by this process")

// Owner holds a run: a connection of its own with the run's advisory lock. What it writes to the ledger goes through that very
// connection, so that whoever lost the lock cannot write. It is safe for concurrent use.
type Owner struct {
	mu    sync.Mutex
	conn  *pgx.Conn
	q     *db.Queries
	runID int64
}

// Own takes the lock of a run on a new connection. ok is false when somebody else holds it.
func (s *Store) Own(ctx context.Context, runID int64) (o *Owner, ok bool, err error) {
	return s.own(ctx, runID, lockBase+runID)
}

func (s *Store) own(ctx context.Context, id, lock int64) (o *Owner, ok bool, err error) {
	conn, err := pgx.ConnectConfig(ctx, s.pool.Config().ConnConfig)
	if err != nil {
		return nil, false, translate("take lock", err)
	}
	err = conn.QueryRow(ctx, "SELECT pg_try_advisory_lock($1)", lock).Scan(&ok)
	if err != nil || !ok {
		_ = conn.Close(context.WithoutCancel(ctx))
		return nil, false, translate("take lock", err)
	}
	return &Owner{conn: conn, q: db.New(conn), runID: id}, true, nil
}

// Start turns the QUEUED run into RUNNING. ok is false when it is no longer queued.
func (o *Owner) Start(ctx context.Context, owner string, total int64) (ok bool, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	n, err := o.q.StartRun(ctx, db.StartRunParams{ID: o.runID, Owner: &owner, Total: &total})
	return n == 1, translate("start run", err)
}

// Save stores what the run has done so far, and the unit that it was at last. cancelled says that somebody asked it to stop. When the connection is gone, or the run
// is over, the error is ErrOwnershipLost.
func (o *Owner) Save(ctx context.Context, c worker.Counts, unit *string, notes map[string]worker.Note) (cancelled bool, err error) {
	raw, err := encodeNotes(notes)
	if err != nil {
		return false, fmt.Errorf("encode notes: %w", err)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	cancelled, err = o.q.SaveProgress(ctx, db.SaveProgressParams{ID: o.runID, Processed: c.Processed, Failed: c.Failed, Skipped: c.Skipped, Notes: raw, CurrentUnit: unit})
	if err == nil {
		return cancelled, nil
	}
	if ctx.Err() != nil && !o.conn.IsClosed() {
		return false, context.Cause(ctx)
	}
	return false, fmt.Errorf("%w: %w", ErrOwnershipLost, err)
}

// maxExample is how much of an example of a note is kept, in bytes.
const maxExample = 4 << 10

// encodeNotes writes notes as JSON that can be stored: the text of some examples comes from a model.
func encodeNotes(notes map[string]worker.Note) ([]byte, error) {
	clean := make(map[string]worker.Note, len(notes))
	for name, n := range notes {
		n.Examples = slices.Clone(n.Examples)
		for i, e := range n.Examples {
			n.Examples[i] = CleanText(e, maxExample)
		}
		clean[name] = n
	}
	return json.Marshal(clean)
}

// Finish writes the outcome. ok is false when the run had ended already: the earlier outcome stays.
func (o *Owner) Finish(ctx context.Context, status worker.Status, message string, c worker.Counts, notes map[string]worker.Note) (ok bool, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return finish(ctx, o.q, o.runID, status, message, c, notes)
}

// maxErrorBytes is how much of a run's error is kept.
const maxErrorBytes = 8000

func finish(ctx context.Context, q *db.Queries, id int64, status worker.Status, message string, c worker.Counts, notes map[string]worker.Note) (bool, error) {
	raw, err := encodeNotes(notes)
	if err != nil {
		raw = []byte("{}")
	}
	p := db.FinishRunParams{ID: id, Status: string(status), Processed: c.Processed, Failed: c.Failed, Skipped: c.Skipped, Notes: raw}
	if message != "" || status == worker.Failed || status == worker.Interrupted {
		text := CleanText(message, maxErrorBytes)
		p.Error = &text
	}
	n, err := q.FinishRun(ctx, p)
	if _, bad := dataError(err); bad { // the text itself must never keep the outcome from being stored
		text := "The error could not be stored."
		p.Error, p.Notes = &text, []byte("{}")
		n, err = q.FinishRun(ctx, p)
	}
	return n == 1, translate("finish run", err)
}

// Release closes the connection, which frees the lock.
func (o *Owner) Release() {
	o.mu.Lock()
	defer o.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	_ = o.conn.Close(ctx)
}

// InFlight is a run that recovery looks at.
type InFlight struct {
	ID        int64
	Worker    string
	Status    worker.Status
	Owner     string
	Heartbeat *time.Time
	QueuedAt  time.Time
	Unit      string   // that it was at last
	InWork    []string // the names of some of the units that are in work
	AtWork    int64    // how many are
	Held      bool     // somebody holds the run's lock
	JobID     *int64
}

// namedInWork is how many of the units in work recovery names.
const namedInWork = 3

// InFlightRuns returns queued and running runs above an id, in pages.
func (s *Store) InFlightRuns(ctx context.Context, after int64, limit int) ([]InFlight, error) {
	rows, err := s.q.ListInFlight(ctx, db.ListInFlightParams{Named: namedInWork, LockBase: lockBase, After: after, MaxRows: int32(limit)})
	if err != nil {
		return nil, translate("list runs in flight", err)
	}
	out := make([]InFlight, len(rows))
	for i, r := range rows {
		out[i] = InFlight{ID: r.ID, Worker: r.WorkerName, Status: worker.Status(r.Status), Heartbeat: r.HeartbeatAt, QueuedAt: r.QueuedAt, Held: r.Held, JobID: r.JobID, InWork: r.InWork, AtWork: r.UnitsInWork}
		if r.Owner != nil {
			out[i].Owner = *r.Owner
		}
		if r.CurrentUnit != nil {
			out[i].Unit = *r.CurrentUnit
		}
	}
	return out, nil
}

// Interrupt ends runs whose owners are gone, each with its reason, keeping their last counts, in one statement: runs whose lock somebody holds are left
// alone. It returns those that it ended.
func (s *Store) Interrupt(ctx context.Context, reasons map[int64]string) ([]int64, error) {
	p := db.InterruptRunsParams{LockBase: lockBase}
	for _, id := range slices.Sorted(maps.Keys(reasons)) {
		p.Ids, p.Reasons = append(p.Ids, id), append(p.Reasons, CleanText(reasons[id], maxErrorBytes))
	}
	ended, err := s.q.InterruptRuns(ctx, p)
	return ended, translate("end runs whose process is gone", err)
}

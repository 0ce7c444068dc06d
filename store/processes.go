package store

import (
	"context"

	"scrinalia/store/db"
	"scrinalia/worker"
)

// processLocks is the high half of the advisory locks that processes hold while they live: "SCRX" in ASCII. The low half is the row's id.
const processLocks int64 = 0x53435258 << 32

// Present is the connection that shows that a process lives: it is alive as long as this one is.
type Present struct{ owner *Owner }

// Present notes a process that executes runs. It lives until Leave, or until its connection ends. Rows of the dead are dropped.
func (s *Store) Present(ctx context.Context, p worker.Process) (*Present, error) {
	if err := s.q.DropDeadProcesses(ctx, processLocks); err != nil {
		return nil, translate("drop dead processes", err)
	}
	id, err := s.q.AddProcess(ctx, db.AddProcessParams{Owner: p.Owner, Host: p.Host, Pid: int32(p.PID), Role: p.Role, Version: p.Version, Concurrency: int32(p.Concurrency)})
	if err != nil {
		return nil, translate("note the process", err)
	}
	owner, _, err := s.own(ctx, id, processLocks+id)
	if err != nil {
		return nil, err
	}
	return &Present{owner}, nil
}

// Alive says whether the connection still stands.
func (p *Present) Alive(ctx context.Context) bool {
	p.owner.mu.Lock()
	defer p.owner.mu.Unlock()
	return p.owner.conn.Ping(ctx) == nil
}

// Leave ends it.
func (p *Present) Leave() { p.owner.Release() }

// Processes lists those that execute queued runs and are alive.
func (s *Store) Processes(ctx context.Context) ([]worker.Process, error) {
	rows, err := s.q.ListProcesses(ctx, processLocks)
	if err != nil {
		return nil, translate("list processes", err)
	}
	list := make([]worker.Process, len(rows))
	for i, r := range rows {
		list[i] = worker.Process{
			Owner: r.Owner, Host: r.Host, PID: int(r.Pid), Role: r.Role, Version: r.Version, Concurrency: int(r.Concurrency), StartedAt: r.StartedAt, Runs: r.Runs,
		}
	}
	return list, nil
}

// Abandoned says how many runs are queued while no process that executes runs is alive.
func (s *Store) Abandoned(ctx context.Context) (int64, error) {
	r, err := s.q.CountAbandoned(ctx, processLocks)
	if err != nil || r.Processes > 0 {
		return 0, translate("look for runs that nobody executes", err)
	}
	return r.Queued, nil
}

// Package localpg runs the private PostgreSQL server of one data directory,
// which is the program's database when no other is named. It finds the
// installed binaries, makes the cluster on first use, listens on a Unix socket
// and never on TCP, and lets several processes share the server: the last one
// to leave stops it.
//
// It knows nothing of the tables inside. It may import the standard library
// and pgx; it needs a Unix system (flock, sessions, Unix sockets).
//
// Two lock files of the data directory carry the whole agreement between
// processes. The start lock is held, exclusively, by whoever looks for, starts
// or stops the server. The users lock is held, shared, by everyone who uses it.
// The kernel drops both when a process dies, so nothing has to be cleaned up:
// a server whose users were all killed keeps running until the next Open adopts
// it and the matching Close stops it.
package localpg

import (
	"context"
	"log/slog"
	"net/url"
	"strings"
	"sync"
)

// role is the superuser of every cluster made here.
const role = "scrinalia"

// Options says where the server lives and how it is made.
type Options struct {
	// Dir is the data directory. It holds postgres/ (the cluster), run/ (the
	// socket), postgres.log and the lock files, and is made if missing.
	Dir string
	// BinDir is the folder of initdb and postgres; searched for when empty.
	BinDir string
	// Settings are further server settings, such as fsync=off in tests. They
	// take effect at start: a server that already runs is taken as it is.
	Settings map[string]string
	// NoSync makes the cluster without waiting for the disk, for tests.
	NoSync bool
	// Logger hears of starts, adoptions and stops; nil for none.
	Logger *slog.Logger
}

// Server is one user's hold on the server of a data directory.
type Server struct {
	options   Options
	place     place
	log       *slog.Logger
	bin       string
	major     int
	socketDir string
	users     *lock
	closing   sync.Once
	closeErr  error
}

// Open joins the running server of o.Dir or starts it, making the cluster
// first when there is none. It returns once the server accepts connections.
// Cancelling ctx gives up, and ends a start under way; it has no hold on the
// server once Open has returned.
//
// The text of the errors is made to be shown to a person.
func Open(ctx context.Context, o Options) (*Server, error) {
	if err := checkSettings(o.Settings); err != nil {
		return nil, err
	}
	p, err := newPlace(o.Dir)
	if err != nil {
		return nil, err
	}
	start, err := acquire(ctx, p.startLock(), p.account)
	if err != nil {
		return nil, p.lockError(err)
	}
	defer start.release()
	s := &Server{options: o, place: p, log: o.Logger}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.users, err = openLock(p.usersLock(), p.account); err != nil {
		return nil, p.lockError(err)
	}
	if err := s.join(ctx, o); err != nil {
		s.users.release()
		return nil, err
	}
	return s, nil
}

// join is the part of Open that runs under the start lock.
func (s *Server) join(ctx context.Context, o Options) error {
	// Nobody can stand in the way: a shared lock conflicts only with Close,
	// which asks for its exclusive one under the start lock.
	if err := s.users.share(); err != nil {
		return s.place.lockError(err)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, startTimeout, errStartTimeout)
	defer cancel()
	m, running, err := s.place.adopt(ctx)
	if err != nil {
		return err
	}
	if running {
		s.log.InfoContext(ctx, "joined the running postgres", "dir", s.place.dir, "pid", m.pid)
		return s.adopted(m, o)
	}
	return s.start(ctx, o)
}

// Revive starts the server again when it ended, by a crash or by somebody's
// hand, and does nothing while it runs. It is for one caller at a time.
func (s *Server) Revive(ctx context.Context) error {
	start, err := acquire(ctx, s.place.startLock(), s.place.account)
	if err != nil {
		return s.place.lockError(err)
	}
	defer start.release()
	ctx, cancel := context.WithTimeoutCause(ctx, startTimeout, errStartTimeout)
	defer cancel()
	if _, running, err := s.place.adopt(ctx); err != nil || running {
		return err
	}
	return s.start(ctx, s.options)
}

// adopted fills in what a server that already runs can tell.
func (s *Server) adopted(m postmaster, o Options) error {
	major, err := s.place.clusterMajor()
	if err != nil {
		return err
	}
	s.major, s.socketDir, s.bin = major, m.socketDir, o.BinDir
	if s.bin == "" { // a running server needs no binaries: they may have been removed since
		if in, err := systemFinder().choose(major, s.place.cluster()); err == nil {
			s.bin = in.dir
		}
	}
	return nil
}

// URL is the connection string of a database of this server, over its Unix
// socket and as its superuser.
func (s *Server) URL(database string) string { return connString(s.socketDir, database) }

func connString(socketDir, database string) string {
	q := url.Values{"host": {socketDir}, "port": {socketPort}, "user": {role}, "sslmode": {"disable"}}
	// libpq reads a plus sign as itself, so spaces must not become one.
	return "postgres:///" + url.PathEscape(database) + "?" + strings.ReplaceAll(q.Encode(), "+", "%20")
}

// Version is the major version of the cluster, such as 17.
func (s *Server) Version() int { return s.major }

// BinDir is the folder of the server's programs, pg_dump among them where it
// is installed. It is empty for an adopted server whose programs are gone.
func (s *Server) BinDir() string { return s.bin }

// Close leaves the server. The last user stops it and waits until it is gone.
// Further calls return what the first returned.
func (s *Server) Close() error {
	s.closing.Do(func() { s.closeErr = s.leave() })
	return s.closeErr
}

func (s *Server) leave() error {
	defer s.users.release()
	ctx, cancel := context.WithTimeout(context.Background(), leaveTimeout)
	defer cancel()
	start, err := acquire(ctx, s.place.startLock(), s.place.account)
	if err != nil {
		return s.place.lockError(err)
	}
	defer start.release()
	if alone, err := s.users.exclude(); err != nil || !alone {
		return err
	}
	return s.stop()
}

package localpg

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// maxSocketDir leaves room for the socket's name in the 104 bytes that the
// strictest system gives to a socket's path.
const maxSocketDir = 88

// place is a data directory, by its real path, and the account that the server
// runs as there.
type place struct {
	dir     string
	account account
}

func (p place) cluster() string   { return filepath.Join(p.dir, "postgres") }
func (p place) logFile() string   { return filepath.Join(p.dir, "postgres.log") }
func (p place) startLock() string { return filepath.Join(p.dir, "postgres.start.lock") }
func (p place) usersLock() string { return filepath.Join(p.dir, "postgres.users.lock") }

// newPlace makes the data directory if it is missing.
func newPlace(dir string) (place, error) {
	if dir == "" {
		return place{}, failure(ErrAccess, nil, "no data directory was given: set SCRINALIA_DATA_DIR")
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return place{}, folderError(dir, err)
	}
	a, err := serverAccount(filepath.Join(abs, "postgres"))
	if err != nil {
		return place{}, err
	}
	if err := makeDataDir(abs, a); err != nil {
		return place{}, folderError(abs, err)
	}
	real, err := filepath.EvalSymlinks(abs) // every process must see the same path
	if err != nil {
		return place{}, folderError(abs, err)
	}
	p := place{dir: real, account: a}
	return p, p.checkOwner()
}

// checkOwner refuses the cluster of another user, which PostgreSQL would too.
func (p place) checkOwner() error {
	fi, err := os.Stat(p.cluster())
	if err != nil || p.account.drop {
		return nil //nolint:nilerr // no cluster yet, or its owner is the account
	}
	if uid, _ := owner(fi); uid != p.account.uid {
		return failure(ErrAccess, nil, "the database in %s belongs to user %s, but this program runs as %s: "+
			"run it as that user, or choose another SCRINALIA_DATA_DIR", p.cluster(), userName(uid), p.account.name)
	}
	return nil
}

// makeDataDir keeps other users out of a new directory. A directory that root
// makes stays root's own, and the account may only pass through.
func makeDataDir(dir string, a account) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	switch err := os.Mkdir(dir, 0o700); {
	case errors.Is(err, fs.ErrExist):
		if fi, err := os.Stat(dir); err == nil && !fi.IsDir() {
			return &fs.PathError{Op: "mkdir", Path: dir, Err: syscall.ENOTDIR}
		}
		return nil
	case err != nil || !a.drop:
		return err
	}
	if err := os.Lchown(dir, -1, a.gid); err != nil {
		return err
	}
	return os.Chmod(dir, 0o710)
}

// socketDir makes the folder of the socket: run/ of the data directory, or a
// short one elsewhere if that path is too long for a socket or has a comma,
// which connection strings take for a list of hosts.
func (p place) socketDir() (string, error) {
	dir := filepath.Join(p.dir, "run")
	if len(dir) > maxSocketDir || strings.Contains(dir, ",") {
		dir = p.shortSocketDir()
	}
	if err := os.Mkdir(dir, 0o700); err == nil {
		if err := p.account.own(dir); err != nil {
			return "", folderError(dir, err)
		}
	} else if !errors.Is(err, fs.ErrExist) {
		return "", folderError(dir, err)
	}
	return dir, p.checkSocketDir(dir)
}

func (p place) shortSocketDir() string {
	sum := sha256.Sum256([]byte(p.dir))
	return filepath.Join("/tmp", fmt.Sprintf("scrinalia-%d-%x", p.account.uid, sum[:8]))
}

// checkSocketDir makes sure that nobody else can put a socket there or reach
// ours: whoever connects is trusted.
func (p place) checkSocketDir(dir string) error {
	fi, err := os.Lstat(dir)
	if err != nil {
		return folderError(dir, err)
	}
	uid, _ := owner(fi)
	if p.account.drop && uid == 0 && fi.IsDir() { // made, but not yet handed over
		if err := p.account.own(dir); err != nil {
			return folderError(dir, err)
		}
		uid = p.account.uid
	}
	if !fi.IsDir() || uid != p.account.uid {
		return failure(ErrAccess, nil, "%s should be a folder of user %s for the database's socket, but is not: remove it",
			dir, p.account.name)
	}
	if fi.Mode().Perm() == 0o700 {
		return nil
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return folderError(dir, err)
	}
	return nil
}

// lockError is the sentence for a lock file that could not be opened or had.
func (p place) lockError(err error) error {
	if errors.Is(err, ErrBusy) {
		return failure(ErrBusy, err, "another process is still starting or stopping the database in %s", p.dir)
	}
	return folderError(p.dir, err)
}

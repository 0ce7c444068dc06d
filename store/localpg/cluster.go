package localpg

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// newClusterPrefix begins the name of a cluster that is being made. It becomes
// the cluster by being renamed, so a half-made one is never taken for whole.
const newClusterPrefix = "postgres.new-"

// clusterMajor is the major version that the cluster was made by, or 0 when
// there is none yet.
func (p place) clusterMajor() (int, error) {
	b, err := os.ReadFile(filepath.Join(p.cluster(), "PG_VERSION"))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, folderError(p.cluster(), err)
	}
	text, _, _ := strings.Cut(strings.TrimSpace(string(b)), ".") // 9.6 counts as 9
	major, err := strconv.Atoi(text)
	if err != nil || major <= 0 {
		return 0, failure(ErrVersion, err, "%s is damaged: its file PG_VERSION names no version. "+
			"Restore the folder from a backup, or move it away", p.cluster())
	}
	return major, nil
}

// probe finds out, by trying, whether the account can run the programs and
// enter the data directory. Only root's account can fail to.
func (p place) probe(ctx context.Context, in install) error {
	if !p.account.drop {
		return nil
	}
	for _, t := range []struct{ enter, dir, advice string }{
		{"/", in.dir, "install PostgreSQL where every user can run it, or set " + binEnv},
		{p.dir, p.dir, "choose another SCRINALIA_DATA_DIR, such as /var/lib/scrinalia, or let other users pass (chmod o+x)"},
	} {
		cmd := exec.CommandContext(ctx, filepath.Join(in.dir, "postgres"), "--version")
		p.account.prepare(cmd)
		cmd.Dir = t.enter
		switch err := cmd.Run(); {
		case errors.Is(err, fs.ErrPermission):
			return failure(ErrAccess, err, "user %s may not enter %s, and the database must run as that user "+
				"because PostgreSQL refuses to run as root: %s", p.account.name, p.account.barrier(t.dir), t.advice)
		case err != nil:
			return failure(ErrStart, err, "the programs in %s could not be run as user %s: %v", in.dir, p.account.name, err)
		}
	}
	return nil
}

// makeCluster makes the cluster, and leaves nothing behind if it fails.
func (p place) makeCluster(ctx context.Context, in install, noSync bool) error {
	if err := p.clearWay(); err != nil {
		return err
	}
	made, err := os.MkdirTemp(p.dir, newClusterPrefix)
	if err != nil {
		return folderError(p.dir, err)
	}
	err = p.account.own(made)
	if err == nil {
		err = p.initdb(ctx, in, made, noSync)
	}
	if err == nil {
		err = os.Rename(made, p.cluster())
	}
	if err != nil {
		_ = os.RemoveAll(made) // the first error says more
		if _, ok := errors.AsType[*Error](err); ok {
			return err
		}
		return folderError(p.dir, err)
	}
	if noSync {
		return nil
	}
	return syncFolder(p.dir)
}

// clearWay removes what an interrupted start has left. Nobody else is at work
// here, for the start lock is held.
func (p place) clearWay() error {
	entries, err := os.ReadDir(p.dir)
	if err != nil {
		return folderError(p.dir, err)
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), newClusterPrefix) {
			// The initdb of a killed process may still be filling it: what
			// stays now goes the next time, and is in nobody's way.
			_ = os.RemoveAll(filepath.Join(p.dir, e.Name()))
		}
	}
	// Remove takes an empty folder away and refuses any other.
	fi, err := os.Lstat(p.cluster())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil || !fi.IsDir() || os.Remove(p.cluster()) != nil {
		return failure(ErrStart, err, "%s is in the way: it is not a database of PostgreSQL (it has no file PG_VERSION). "+
			"Move it away, or choose another SCRINALIA_DATA_DIR", p.cluster())
	}
	return nil
}

// initdb fills an empty folder. Where the system lacks the locale C.UTF-8, the
// plain C has to do; the encoding is UTF-8 in both.
func (p place) initdb(ctx context.Context, in install, dir string, noSync bool) error {
	out, err := p.runInitdb(ctx, in, dir, "C.UTF-8", noSync)
	if err != nil && strings.Contains(out, "invalid locale name") {
		out, err = p.runInitdb(ctx, in, dir, "C", noSync)
	}
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return gaveUp(ctx, "making the database in "+p.dir, "")
	case isDiskFull(err, out):
		return diskFull(p.dir, err)
	}
	return failure(ErrStart, err, "making the database in %s failed (initdb: %v)%s", p.dir, err, quote(out))
}

func (p place) runInitdb(ctx context.Context, in install, dir, locale string, noSync bool) (string, error) {
	args := []string{
		"-D", dir, "-U", role, "-E", "UTF8", "--locale=" + locale, "--lc-messages=C",
		"--auth-local=trust", "--auth-host=reject", "--no-instructions",
	}
	if noSync {
		args = append(args, "--no-sync")
	}
	cmd := exec.CommandContext(ctx, filepath.Join(in.dir, "initdb"), args...)
	p.account.prepare(cmd)
	cmd.Dir = dir
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // it tidies up
	cmd.WaitDelay = 5 * time.Second
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// syncFolder makes the rename of a file inside last through a power cut.
func syncFolder(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return folderError(dir, err)
	}
	defer f.Close()
	if err := f.Sync(); err != nil {
		return folderError(dir, err)
	}
	return nil
}

package localpg

import (
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
)

// account is the user that the programs of PostgreSQL run as. It is this
// process's own, except under root, which PostgreSQL refuses to run as.
type account struct {
	uid, gid int
	name     string
	drop     bool // root hands over to it
}

// serverAccount picks the account: the owner of the cluster if there is one
// already, else postgres, else nobody.
func serverAccount(cluster string) (account, error) {
	if uid := os.Geteuid(); uid != 0 {
		return account{uid: uid, gid: os.Getegid(), name: userName(uid)}, nil
	}
	if fi, err := os.Stat(cluster); err == nil {
		if uid, gid := owner(fi); uid > 0 {
			return account{uid: uid, gid: gid, name: userName(uid), drop: true}, nil
		}
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, uidErr := strconv.ParseInt(u.Uid, 10, 64)
		gid, gidErr := strconv.ParseInt(u.Gid, 10, 64)
		if uidErr == nil && gidErr == nil {
			return account{uid: int(uint32(uid)), gid: int(uint32(gid)), name: name, drop: true}, nil
		}
	}
	return account{}, failure(ErrAccess, nil, "PostgreSQL refuses to run as root, and there is neither "+
		"a user postgres nor a user nobody to run it as: run this program as another user")
}

func userName(uid int) string {
	if u, err := user.LookupId(strconv.Itoa(uid)); err == nil {
		return u.Username
	}
	return strconv.Itoa(uid)
}

// owner reports the user and group of a file, or -1 and -1 where the system
// does not tell.
func owner(fi os.FileInfo) (uid, gid int) {
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		return int(st.Uid), int(st.Gid)
	}
	return -1, -1
}

// own gives a file that root has made to the account.
func (a account) own(path string) error {
	if !a.drop {
		return nil
	}
	return os.Lchown(path, a.uid, a.gid)
}

// prepare makes cmd run as the account, with a small environment that cannot
// hold a secret of ours, and in a session of its own: what the terminal sends
// to this program (Ctrl-C, the end of the session) does not reach it.
func (a account) prepare(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if a.drop {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(a.uid), Gid: uint32(a.gid)}
	}
	cmd.Env = []string{"PATH=" + filepath.Dir(cmd.Path) + ":/usr/bin:/bin", "LC_ALL=C", "TZ=UTC"}
	for _, k := range []string{"LD_LIBRARY_PATH", "LOCALE_ARCHIVE"} { // where libraries and locales lie
		if v, ok := os.LookupEnv(k); ok {
			cmd.Env = append(cmd.Env, k+"="+v)
		}
	}
}

// barrier is the outermost folder on the way to dir that the account may not
// enter, judged by the permission bits, or dir itself.
func (a account) barrier(dir string) string {
	var way []string
	for d := dir; ; d = filepath.Dir(d) {
		way = append(way, d)
		if d == filepath.Dir(d) {
			break
		}
	}
	for _, d := range slices.Backward(way) {
		fi, err := os.Stat(d)
		if err == nil && !a.enters(fi) {
			return d
		}
	}
	return dir
}

func (a account) enters(fi os.FileInfo) bool {
	uid, gid := owner(fi)
	switch bits := fi.Mode().Perm(); {
	case uid == a.uid:
		return bits&0o100 != 0
	case gid == a.gid:
		return bits&0o010 != 0
	default:
		return bits&0o001 != 0
	}
}

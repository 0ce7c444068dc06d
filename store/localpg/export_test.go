package localpg

// FindIn is FindBinaries for given places instead of the system's.
func FindIn(explicit string, path, globs, nearby []string) (string, error) {
	in, err := finder{explicit, path, globs, nearby}.choose(0, "")
	return in.dir, err
}

// FindFor is FindIn for a cluster of a major version.
func FindFor(major int, path, globs []string) (string, error) {
	in, err := finder{path: path, globs: globs}.choose(major, "the cluster")
	return in.dir, err
}

// MaxLog is the size above which the server's log is emptied.
const MaxLog = maxLog

package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

func makeDataDir(dir string) error {
	mode := os.FileMode(0o700)
	if os.Geteuid() == 0 {
		mode = 0o711 // the account that the private database runs as must pass
	}
	return os.MkdirAll(dir, mode)
}

// lockDataDir makes this process the only serve of a data directory. The kernel frees the lock of a process that was killed.
func lockDataDir(dir, address string) (unlock func(), err error) {
	if err := makeDataDir(dir); err != nil {
		return nil, fmt.Errorf("the data directory %s cannot be made: %w; choose another with SCRINALIA_DATA_DIR", dir, errors.Unwrap(err))
	}
	f, err := os.OpenFile(filepath.Join(dir, "serve.lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("the data directory %s cannot be written: %w; choose another with SCRINALIA_DATA_DIR", dir, errors.Unwrap(err))
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		defer f.Close()
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, fmt.Errorf("the data directory %s cannot be locked: %w", dir, err)
		}
		who, _ := io.ReadAll(io.LimitReader(f, 200))
		return nil, fmt.Errorf("another serve uses the data directory %s already (%s); stop it, or choose another directory with SCRINALIA_DATA_DIR", dir, strings.TrimSpace(string(who)))
	}
	if err := f.Truncate(0); err == nil {
		_, _ = fmt.Fprintf(f, "process %d at http://%s\n", os.Getpid(), address)
	}
	return func() { _ = f.Close() }, nil
}

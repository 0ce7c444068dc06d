package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"
)

// TestFullDisk: what could not be printed is told, and is no success.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = full.Close() })
	var stderr bytes.Buffer
	status := run(context.Background(), []string{"--help"}, func(string) string { return "" }, full, &stderr)
	if status != exitFailed || !strings.Contains(stderr.String(), "no space left on device") {
		t.Errorf("exit status %d and %q", status, stderr.String())
	}
}

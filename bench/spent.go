package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// spent is what a piece of work took: by the clock, and of the processors, this process and the database's together. On a machine that
// others use the second tells more. It is 0 where the system does not say.
type spent struct{ wall, cpu time.Duration }

// timed does some work and says what it took.
func (b *bench) timed(work func() error) (spent, error) {
	begin, used := time.Now(), b.cpu()
	err := work()
	return spent{time.Since(begin), b.cpu() - used}, err
}

// speed is how fast this is against other work on the same rows: by the clock and by processor time.
func (s spent) speed(other spent) (byClock, byCPU float64) {
	if s.cpu > 0 {
		byCPU = other.cpu.Seconds() / s.cpu.Seconds()
	}
	return other.wall.Seconds() / s.wall.Seconds(), byCPU
}

// cpu is what this process and the private server have used so far, but for the looking itself.
func (b *bench) cpu() time.Duration {
	raw, err := os.ReadFile(filepath.Join(b.dir, "db", "postgres", "postmaster.pid"))
	if err != nil {
		return 0
	}
	postmaster, _, _ := strings.Cut(string(raw), "\n")
	own := ownCPU() - b.looking
	server, ok := family(postmaster)
	b.looking = ownCPU() - own
	if !ok {
		return 0
	}
	return own + server
}

func ownCPU() time.Duration {
	var own syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &own); err != nil {
		return 0
	}
	return time.Duration(own.Utime.Nano() + own.Stime.Nano())
}

// tick is the unit of Linux's process times.
const tick = time.Second / 100

// family is the processor time of a process, of its children, and of those that ended.
func family(pid string) (time.Duration, bool) {
	f, ok := processStat(pid)
	if !ok {
		return 0, false
	}
	total := ticks(f[11:15]) // its own and its ended children's, in user and system mode
	children, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return 0, false
	}
	for _, path := range children {
		if f, ok := processStat(filepath.Base(filepath.Dir(path))); ok && f[1] == pid {
			total += ticks(f[11:13])
		}
	}
	return total, true
}

// processStat is /proc/PID/stat from its third field on: state, parent, ...
func processStat(pid string) ([]string, bool) {
	raw, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return nil, false
	}
	text := string(raw)
	f := strings.Fields(text[strings.LastIndexByte(text, ')')+1:]) // a program's name may hold spaces
	return f, len(f) > 15
}

func ticks(fields []string) time.Duration {
	var n int64
	for _, f := range fields {
		if v, err := strconv.ParseInt(f, 10, 64); err == nil {
			n += v
		}
	}
	return time.Duration(n) * tick
}

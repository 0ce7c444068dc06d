package worker

import "time"

// DatabaseFacts are what a database says of itself.
type DatabaseFacts struct {
	Version            string // of PostgreSQL
	Connections        int    // that are used, by everybody
	MaxConnections     int    // that are allowed
	Bytes              int64  // of this database
	Schema             uint   // newest migration in the database
	Program            uint   // newest migration that this program knows
	Dirty              bool   // a migration ended half-way
	LongTransactions   int    // open for more than five minutes
	OldestTransaction  time.Duration
	QueueRows          int64 // of the job queue's table, live and dead
	QueueDead          int64
	Standby            bool  // it only follows another server
	ReplicationBytes   int64 // that the slowest follower lags behind; 0 also without any
	ReplicationServers int
}

// RunFacts are what the ledger says of how runs go.
type RunFacts struct {
	Processes     int // that execute queued runs and are alive
	Queued        int
	OldestQueued  time.Duration // how long the first of them waits
	Running       int
	QueueLost     bool       // the tables of the job queue are gone
	Stuck         []StuckRun // running for long without progress
	Interrupted   int        // within the last 24 hours
	LastInterrupt *int64     // the newest of these runs
}

// StuckRun is a run without progress for longer than ten minutes and three times its worker's median run.
type StuckRun struct {
	ID     int64
	Worker string
	Still  time.Duration // since it said that it went on
}

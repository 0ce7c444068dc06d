package worker

import "time"

// Process is one that executes queued runs and is alive. Its JSON is a contract.
type Process struct {
	Owner       string    `json:"owner"` // as the runs that it executes name it
	Host        string    `json:"host"`
	PID         int       `json:"pid"`
	Role        string    `json:"role"` // serve or work
	Version     string    `json:"version"`
	Concurrency int       `json:"concurrency"` // runs that it executes at once
	StartedAt   time.Time `json:"started_at"`
	Runs        []int64   `json:"runs"` // that it executes now
}

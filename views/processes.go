package views

import "scrinalia/worker"

// ProcessesPage is what executes queued runs.
type ProcessesPage struct {
	Frame
	Processes []worker.Process
}

package views

import (
	"net/url"

	"scrinalia/worker"
)

// WorkersPath is the address of the table of workers.
func WorkersPath() string { return "/workers" }

// WorkersTablePath is the table, also when the archive is empty.
func WorkersTablePath() string { return "/workers?table=1" }

// WorkerPath is the address of one worker.
func WorkerPath(name string) string { return "/workers/" + url.PathEscape(name) }

// WorkerRowPath is the worker's row in the table.
func WorkerRowPath(name string) string { return "/workers#worker-" + url.PathEscape(name) }

// StartPath is where runs of a worker are asked for.
func StartPath(name string) string { return WorkerPath(name) + "/runs" }

// ForcePath is the page that asks before every unit is read again.
func ForcePath(name string, values url.Values) string {
	return WorkerPath(name) + "/force?" + values.Encode()
}

// ReleasePath is where units of a worker that are set aside are released.
func ReleasePath(name string) string { return WorkerPath(name) + "/release" }

// SettingsPath is where the settings of a worker are saved.
func SettingsPath(name string) string { return WorkerPath(name) + "/settings" }

// ResetPath is where the settings of a worker are told to follow the code everywhere.
func ResetPath(name string) string { return SettingsPath(name) + "/reset" }

// DraftPath shows the form again for another engine, and saves nothing.
func DraftPath(name string) string { return SettingsPath(name) + "/draft" }

// SavedPath is the page of a worker after its settings were saved; version is the revision that it became, 0 for none.
func SavedPath(name string, version int64) string {
	return WorkerPath(name) + "?saved=" + itoa(version) + "#settings"
}

// HistoryPath is a page of the changes to a worker's settings.
func HistoryPath(f worker.RevisionFilter) string {
	q := url.Values{}
	if f.Field != "" {
		q.Set("field", f.Field)
	}
	if f.By != "" {
		q.Set("by", f.By)
	}
	if f.Before > 0 {
		q.Set("before", itoa(f.Before))
	}
	path := SettingsPath(f.Worker) + "/revisions"
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}

// RestorePath is where a revision is made the one in force again.
func RestorePath(name string, version int64) string {
	return SettingsPath(name) + "/revisions/" + itoa(version) + "/restore"
}

// RunPath is the address of one run.
func RunPath(id int64) string { return "/runs/" + itoa(id) }

// RunFailuresPath is the run's page with the failed units after one.
func RunFailuresPath(id, after int64) string {
	return RunPath(id) + "?after=" + itoa(after) + "#failed"
}

// RunChangesPath is the run's page with the changes after one.
func RunChangesPath(id, after int64) string {
	return RunPath(id) + "?changes=" + itoa(after) + "#changes"
}

// ProcessesPath is the address of the processes that execute runs.
func ProcessesPath() string { return "/processes" }

// HealthPath is the address of the checks.
func HealthPath() string { return "/health" }

// ThumbnailPath is the address of the small picture of a description. With the picture's version it may be kept for ever.
func ThumbnailPath(document int64, version string) string {
	return "/thumbnails/" + itoa(document) + "?v=" + url.QueryEscape(version)
}

// CancelPath is where a run is told to stop.
func CancelPath(id int64) string { return RunPath(id) + "/cancel" }

// RunsPath is the address of a page of the ledger.
func RunsPath(f worker.RunFilter) string {
	q := url.Values{}
	set := func(name, value string) {
		if value != "" && value != "0" {
			q.Set(name, value)
		}
	}
	set("worker", f.Worker)
	set("status", string(f.Status))
	set("fingerprint", f.Fingerprint)
	set("before", itoa(f.Before))
	set("after", itoa(f.After))
	if len(q) == 0 {
		return "/runs"
	}
	return "/runs?" + q.Encode()
}

// ImportPath is where a file is uploaded to.
func ImportPath() string { return "/import" }

// SamplePath is where the sample collection is asked for.
func SamplePath() string { return "/import/sample" }

// ReportPath is the address of an import's report.
func ReportPath(id string) string { return "/imports/" + url.PathEscape(id) }

// RejectsPath is the address of the file of an import's rejects.
func RejectsPath(id string) string { return ReportPath(id) + "/rejects.csv" }

// LanguagePath is where the language is chosen.
func LanguagePath() string { return "/language" }

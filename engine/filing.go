package engine

import "scrinalia/worker"

// Filings turns a classifier's choices into what becomes of the readings: a label is set when its score is above the threshold.
func Filings(readings []worker.Reading, choices []Choice, labels []worker.Label, threshold float64) []worker.Filing {
	ids := make(map[string]int32, len(labels))
	for _, l := range labels {
		ids[l.Name] = l.ID
	}
	filings := make([]worker.Filing, len(choices))
	for i, c := range choices {
		filings[i] = worker.Filing{Reading: readings[i], Label: ids[c.Label], Score: c.Score, Set: c.Label != "" && c.Score > threshold}
		if c.Err != nil {
			filings[i] = worker.Filing{Reading: readings[i], Error: c.Err.Error()}
		}
	}
	return filings
}

package metrics

import "github.com/prometheus/client_golang/prometheus"

var (
	connections = prometheus.NewDesc("scrinalia_db_connections", "Connections of the pool by state; max is what it may open.", []string{"state"}, nil)
	acquires    = prometheus.NewDesc("scrinalia_db_acquires_total", "Connections taken from the pool.", nil, nil)
	waits       = prometheus.NewDesc("scrinalia_db_waits_total", "Connections that had to be waited for.", nil, nil)
	waited      = prometheus.NewDesc("scrinalia_db_wait_seconds_total", "Time spent waiting for a connection.", nil, nil)
	verdict     = prometheus.NewDesc("scrinalia_check_verdict", "1 for the verdict that a health check came to last, 0 for the others.", []string{"check", "verdict"}, nil)
)

type poolCollector struct{ read func() Pool }

// Describe lists the series.
func (poolCollector) Describe(ch chan<- *prometheus.Desc) {
	ch <- connections
	ch <- acquires
	ch <- waits
	ch <- waited
}

// Collect reads the pool.
func (c poolCollector) Collect(ch chan<- prometheus.Metric) {
	p := c.read()
	for state, n := range map[string]int64{"acquired": p.Acquired, "idle": p.Idle, "total": p.Total, "max": p.Max} {
		ch <- prometheus.MustNewConstMetric(connections, prometheus.GaugeValue, float64(n), state)
	}
	ch <- prometheus.MustNewConstMetric(acquires, prometheus.CounterValue, float64(p.Acquires))
	ch <- prometheus.MustNewConstMetric(waits, prometheus.CounterValue, float64(p.Waits))
	ch <- prometheus.MustNewConstMetric(waited, prometheus.CounterValue, p.Waited.Seconds())
}

type checkCollector struct{ last func() []Verdict }

// Describe lists the series.
func (checkCollector) Describe(ch chan<- *prometheus.Desc) { ch <- verdict }

// Collect reads the last report.
func (c checkCollector) Collect(ch chan<- prometheus.Metric) {
	for _, v := range c.last() {
		for _, known := range []string{"ok", "degraded", "failed", "unknown"} {
			ch <- prometheus.MustNewConstMetric(verdict, prometheus.GaugeValue, truth(v.Verdict == known), v.Check, known)
		}
	}
}

package views

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// Num writes a whole number with its thousands apart.
func (f Frame) Num(n int64) string {
	sep := ","
	if f.Lang == Portuguese {
		sep = "."
	}
	digits := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, digits = "−", digits[1:]
	}
	var b strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteString(sep)
		}
		b.WriteRune(d)
	}
	return sign + b.String()
}

// Dec writes a number with so many decimals.
func (f Frame) Dec(v float64, decimals int) string {
	s := strconv.FormatFloat(v, 'f', decimals, 64)
	if f.Lang == Portuguese {
		s = strings.Replace(s, ".", ",", 1)
	}
	return s
}

// nbsp keeps a number with its unit on one line.
const nbsp = "\u00a0"

// Duration writes a time span in the two units that matter: under 0.1 s, 0.4 s, 20 s, 1 min 54 s, 2 h 05 min, 3 d 4 h.
func (f Frame) Duration(d time.Duration) string {
	seconds := int64(d.Round(time.Second) / time.Second)
	switch {
	case d < 100*time.Millisecond:
		return strings.ReplaceAll(f.T("duration.least"), " ", nbsp)
	case d < 9950*time.Millisecond:
		return f.Dec(math.Round(d.Seconds()*10)/10, 1) + nbsp + "s"
	case seconds < 60:
		return strconv.FormatInt(seconds, 10) + nbsp + "s"
	case seconds < 3600:
		return strconv.FormatInt(seconds/60, 10) + nbsp + "min" + nbsp + two(seconds%60) + nbsp + "s"
	case seconds < 48*3600:
		return strconv.FormatInt(seconds/3600, 10) + nbsp + "h" + nbsp + two(seconds%3600/60) + nbsp + "min"
	}
	return strconv.FormatInt(seconds/86400, 10) + nbsp + "d" + nbsp + strconv.FormatInt(seconds%86400/3600, 10) + nbsp + "h"
}

// Span writes a time span that still grows: to the second, so that it does not flicker.
func (f Frame) Span(d time.Duration) string {
	if d = d.Truncate(time.Second); d < 10*time.Second {
		return strconv.FormatInt(int64(d/time.Second), 10) + nbsp + "s"
	}
	return f.Duration(d)
}

func two(n int64) string {
	if n < 10 {
		return "0" + strconv.FormatInt(n, 10)
	}
	return strconv.FormatInt(n, 10)
}

// Rate writes how fast units go: 41/s, 4.2/s, 12/min; empty when it cannot be told.
func (f Frame) Rate(units int64, d time.Duration) string {
	if units <= 0 || d < 500*time.Millisecond {
		return ""
	}
	perSecond := float64(units) / d.Seconds()
	switch {
	case perSecond >= 10:
		return f.Num(int64(math.Round(perSecond))) + "/s"
	case perSecond >= 1:
		return f.Dec(perSecond, 1) + "/s"
	}
	return f.Dec(perSecond*60, decimalsOf(perSecond*60)) + "/min"
}

func decimalsOf(v float64) int {
	if v < 10 {
		return 1
	}
	return 0
}

// When writes a moment as people say it: today 14:31, yesterday 17:40, 12 Oct 11:02, 12 Oct 2025 11:02.
func (f Frame) When(t time.Time) string {
	t, now := t.In(f.zone()), f.Now.In(f.zone())
	hour := t.Format("15:04")
	switch {
	case sameDay(t, now):
		return f.T("time.today", hour)
	case sameDay(t, now.AddDate(0, 0, -1)):
		return f.T("time.yesterday", hour)
	}
	day := strconv.Itoa(t.Day()) + " " + f.month(t)
	if t.Year() != now.Year() {
		day += " " + strconv.Itoa(t.Year())
	}
	return day + " " + hour
}

func (f Frame) month(t time.Time) string {
	names := strings.Fields(f.T("time.months"))
	if len(names) != 12 {
		return t.Format("Jan")
	}
	return names[t.Month()-1]
}

func sameDay(a, b time.Time) bool {
	ay, am, ad := a.Date()
	by, bm, bd := b.Date()
	return ay == by && am == bm && ad == bd
}

// Clock writes the hour to the second.
func (f Frame) Clock(t time.Time) string { return t.In(f.zone()).Format("15:04:05") }

// Moment writes a moment to the second, with its day where that is not today.
func (f Frame) Moment(t time.Time) string {
	if sameDay(t.In(f.zone()), f.Now.In(f.zone())) {
		return f.Clock(t)
	}
	return f.When(t) + t.In(f.zone()).Format(":05")
}

// Machine writes a moment for the datetime attribute, and Full for the title: the day, the milliseconds, the zone.
func (f Frame) Machine(t time.Time) string {
	return t.In(f.zone()).Format("2006-01-02T15:04:05.000Z07:00")
}

// Full writes a moment in full.
func (f Frame) Full(t time.Time) string {
	return t.In(f.zone()).Format("2006-01-02 15:04:05.000 MST")
}

// ZoneName is the name of the zone that times are shown in.
func (f Frame) ZoneName() string {
	if name := f.zone().String(); name != "Local" {
		return name
	}
	name, offset := f.Now.In(f.zone()).Zone()
	if strings.ContainsAny(name, "+-0123456789") {
		return "UTC" + time.Unix(0, 0).In(time.FixedZone("", offset)).Format("-07:00")
	}
	return name
}

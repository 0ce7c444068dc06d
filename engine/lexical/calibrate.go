package lexical

// curve maps evidence to the share of choices with that evidence that were
// right, by straight lines between its points.
type curve []struct{ evidence, share float64 }

// The points are shares counted on the -a and -weak examples together, evened
// out to rise and held a little lower where few examples stand behind them.
var (
	formCurve = curve{
		{0, 0},
		{weightMention, 0.15}, // 2 of 10
		{0.30, 0.28},          // a hint at the head: 6 of 12
		{0.42, 0.55},
		{0.50, 0.70}, // a weak term at the head: 16 of 17
		{weightPart, 0.90},
		{1, 0.97},
	}
	topicCurve = curve{
		{0, 0},
		{0.38, 0.25}, // two subjects that contend: 3 of 12
		{0.50, 0.48}, // a weak term alone: 7 of 13
		{0.63, 0.54}, // noun and adjective that contend: 0 of 3
		{0.70, 0.66},
		{0.85, 0.78}, // a subject and a word unknown: 11 of 14
		{1, 0.97},    // 83 of 83
	}
)

func (c curve) at(x float64) float64 {
	for i := 1; i < len(c); i++ {
		a, b := c[i-1], c[i]
		if x <= b.evidence {
			return a.share + (b.share-a.share)*(max(x, a.evidence)-a.evidence)/(b.evidence-a.evidence)
		}
	}
	return c[len(c)-1].share
}

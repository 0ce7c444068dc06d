package judge

import "strings"

// Endings of folded words, in the singular. An abstract noun of four letters or fewer is none.
var (
	abstractEndings = strings.Fields(`cao coes sao soes dade dades ismo agem agens mento mentos tura encia ancia ologia grafia eza cultura
		metria nomia sofia logica tica tecnica ing tion sion ism ness ment ity ship hood ology graphy onomy ics ance ence`)
	adjectiveEndings = strings.Fields(`al ais ar ares ico ica icos icas ivo iva ivos ivas oso osa osos osas ario aria arios arias ista istas ano ana anos anas
		eiro eira eiros eiras avel aveis ivel iveis ense enses es esa eses esas ado ada ados adas ido ida idos idas nte ntes il is ea eas eu eus
		ic ical ive ous ary ern ish less ful`)
)

func abstract(w string) bool  { return ends(w, abstractEndings, 3) }
func adjective(w string) bool { return ends(w, adjectiveEndings, 2) }

// ends says whether a word has one of the endings, with at least so many letters before it.
func ends(w string, endings []string, stem int) bool {
	for _, e := range endings {
		if len(w) >= len(e)+stem && strings.HasSuffix(w, e) {
			return true
		}
	}
	return false
}

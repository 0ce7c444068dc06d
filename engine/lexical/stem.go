package lexical

import (
	"strings"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/portuguese"
)

// plurals are endings of folded plurals and their singulars, longest first.
// They hold for both languages where only "s" goes; the others are Portuguese.
var plurals = [...]struct{ plural, singular string }{
	{"coes", "cao"},
	{"soes", "sao"},
	{"toes", "tao"},
	{"ioes", "iao"},
	{"oes", "ao"},
	{"aes", "ao"},
	{"aos", "ao"},
	{"ais", "al"},
	{"eis", "el"},
	{"ois", "ol"},
	{"uis", "ul"},
	{"ies", "y"},
	{"res", "r"},
	{"zes", "z"},
	{"nses", "ns"},
	{"sses", "ss"},
	{"ches", "ch"},
	{"shes", "sh"},
	{"ns", "m"},
	{"ss", "ss"},
	{"eus", "eu"},
	{"aus", "au"},
	{"us", "us"},
	{"is", "is"},
	{"s", ""},
}

// singulars are words whose ending looks like a plural and is not, or whose
// singular no ending tells.
var singulars = map[string]string{
	"mais": "mais", "onibus": "onibus", "lapis": "lapis", "tres": "tres", "seis": "seis", "mes": "mes", "meses": "mes",
	"croquis": "croqui", "gas": "gas", "pires": "pires", "reis": "rei", "leis": "lei", "series": "serie", "especies": "especie", "dossies": "dossie", "species": "species", "superficies": "superficie", "deus": "deus", "ceus": "ceu", "veus": "veu", "reus": "reu", "naus": "nau", "paus": "pau", "mateus": "mateus",
	"fotos": "foto", "memoranda": "memorandum", "picnics": "picnic", "trees": "tree",

	"homens": "homem", "jovens": "jovem", "trens": "trem", "trains": "train", "plans": "plan", "towns": "town",
	"gardens": "garden", "stations": "station", "railways": "railway", "atlas": "atlas", "chassis": "chassis", "tax": "tax",
	"minerals": "mineral", "women": "woman", "men": "man", "children": "child", "files": "file", "movies": "movie",
	"pais": "pai", "demais": "demais", "depois": "depois", "dois": "dois", "sessions": "session", "cais": "cais",
	"recordings": "recording", "drawings": "drawing", "elevations": "elevation", "sections": "section", "regulations": "regulation",
	"decisions": "decision", "commissions": "commission", "bens": "bem", "religions": "religion",
}

// lemma takes the plural off a folded word. So that "torres" and "autores" can
// share a rule, "torre" loses its vowel as well.
func lemma(w string) string {
	if s, ok := singulars[w]; ok {
		return s
	}
	for _, e := range [...]string{"re", "ze", "che"} {
		if len(w) > 4 && strings.HasSuffix(w, e) {
			return w[:len(w)-1]
		}
	}
	if len(w) < 4 || w[len(w)-1] != 's' {
		return w
	}
	if strings.HasSuffix(w, "ions") || strings.HasSuffix(w, "ings") {
		return w[:len(w)-1]
	}
	for _, p := range plurals {
		if strings.HasSuffix(w, p.plural) && len(w) > len(p.plural)+1 {
			return w[:len(w)-len(p.plural)] + p.singular
		}
	}
	return w
}

// englishEndings do not end a Portuguese word.
var englishEndings = [...]string{"ing", "ed", "tion", "sion", "ly", "ness", "ment", "th", "sh", "ck", "ght", "gy", "my", "ry", "ty", "ny", "cy", "hy"}

// stem reduces a folded word to what its inflections share. Words that end as
// only English ones do take the English stemmer, all others the Portuguese.
func stem(w string) string {
	w = lemma(w)
	if len(w) < 4 || w[0] <= '9' {
		return w
	}
	env := snowballstem.NewEnv(w)
	for _, e := range englishEndings {
		if strings.HasSuffix(w, e) {
			english.Stem(env)
			return env.Current()
		}
	}
	portuguese.Stem(env)
	return mend(env.Current())
}

// mend evens out what the stemmer, which expects accents, leaves of folded
// words: "fundacao" and "fundacional", "restauracao" and "restaurar".
func mend(s string) string {
	for _, e := range [...]string{"acao", "icao", "ucao", "aca", "ica", "uca", "cao"} {
		if len(s) > len(e)+3 && strings.HasSuffix(s, e) {
			return s[:len(s)-len(e)]
		}
	}
	return s
}

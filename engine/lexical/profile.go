package lexical

import "regexp"

// profile is what the guard knows of a language. Patterns are matched against
// folded tags with single blanks.
type profile struct {
	name        string
	placeholder *regexp.Regexp
	date        *regexp.Regexp
	quantity    *regexp.Regexp
	address     *regexp.Regexp
	subject     *regexp.Regexp // looks like an address and is a subject
}

// number is a figure as tags have them: "1.200", "12,5", "3x4", "1:100", "14a".
const number = `(?:n[.o]? ?|no\. |c\. ?)?[0-9]+(?:[.,/:x×-][0-9]+)*(?: ?[ao])?`

//nolint:misspell // Portuguese
var profiles = [...]profile{
	{
		name: "pt-BR",
		placeholder: regexp.MustCompile(`^(?:[(\[]? ?(?:` +
			`(?:assunto |titulo |autor |autoria |nome |pessoa |pessoas |local |lugar |data |tema )?(?:nao|sem|por) (?:se )?(?:identificad[oa]s?|identificar|identificacao|informad[oa]s?|informar|informacao|` +
			`especificad[oa]s?|especificar|especificacao|classificad[oa]s?|classificar|classificacao|consta|aplica|aplicavel|definid[oa]s?|definir|legivel|titulo|data|assunto|` +
			`autor|autoria|nome|local|legenda|descricao|tema|preenchid[oa]|dados|disponivel|determinad[oa]s?|atribuid[oa]s?|referencia)` +
			`|ilegivel|ilegiveis|desconhecid[oa]s?|anonim[oa]s?|indefinid[oa]s?|indeterminad[oa]s?|ignorad[oa]s?|inexistente|a (?:definir|identificar|classificar|preencher|confirmar)|em branco|` +
			`outr[oa]s?|divers[oa]s?|vari[oa]s|assuntos (?:diversos|gerais|varios)|temas (?:diversos|gerais)|gera(?:l|is)|miscelanea|etc\.?|nenhum[a]?|nulo|teste|pendente|s/?[./ ]?(?:d|t|l|n|a|i|id|inf)\.?|n/?[./ ]?(?:a|c|d|i)\.?` +
			`) ?[)\]]?|[^\pL\pN]*)$`),
		date: regexp.MustCompile(`^(?:(?:c\.|ca\.?|circa|cerca de|ano|anos|ano de|anos de|dec\.?|decadas?|decada de|em|de|entre|apos|ante[s]? de) ?)*` +
			`(?:(?:[0-9]{1,2}o? (?:de )?)?(?:janeiro|fevereiro|marco|abril|maio|junho|julho|agosto|setembro|outubro|novembro|dezembro)(?: (?:de )?[0-9]{4})?|` +
			`(?:sec\.?|seculos?) (?:[ivx]+|[0-9]+)(?: ?(?:-|a|e|/) ?(?:[ivx]+|[0-9]+))?|` +
			`[0-9]{1,2}[/.-][0-9]{1,2}[/.-][0-9]{2,4}|[0-9]{1,2}/[0-9]{4}|1[0-9]{3}-[0-9]{2}(?:-[0-9]{2})?|(?:anos |decada de )[0-9]{2}|` +
			`(?:1[0-9]{3}|20[0-9]{2})s?\??(?: ?(?:-|–|a|e|/|ate) ?(?:1[0-9]{3}|20[0-9]{2}|[0-9]{2}))?)$`),
		quantity: regexp.MustCompile(`^` + number + `(?: ?(?:e|a|-|x|×|por) ?` + number + `)*(?: ?(?:mm|cm|dm|m|km|m2|m3|ha|hectares?|alqueires?|g|kg|t|toneladas?|arrobas?|l|litros?|ml|w|kw|kv|hp|cv|v|volts?|watts?|%|por cento|` +
			`metros?(?: (?:lineares|quadrados|cubicos))?|quilometros?|centimetros?|quilos?|gramas?|horas?|h|min|minutos?|segundos?|dias?|meses|anos?|reis|mil reis|contos?(?: de reis)?|cruzeiros?|cruzados?|reais|dolares|libras?|` +
			`folhas?|fls?\.?|paginas?|pags?\.?|p\.|pastas?|caixas?|cx\.?|volumes?|vols?\.?|pecas?|itens|item|unidades?|un\.?|fotos?|fotografias?|documentos?|exemplares|exemplar|copias?|rolos?|negativos?|pessoas|rpm|graus|o|a|mb|gb|dpi|polegadas?))?\.?$|` +
			`^(?:r|rs|us|u)?\$ ?[0-9][0-9.,]*$|^[0-9][0-9.]*\$[0-9]*$`),
		address: regexp.MustCompile(`^(?:r\.|rua|av\.?|avenida|al\.|alameda|tv\.?|trav\.|travessa|pca\.?|pc\.|praca|largo|lgo\.?|lg\.|beco|ladeira|viela|estr\.|estrada|rod\.|rodovia|via|viaduto|vd\.?|passagem|esquina|quadra) ` +
			`(?:(?:d[aeo]s?|n\.?o?|com|general|gal\.?) ?)*[\pL\pN"'].*$|` +
			`^[\pL .'-]+, ?(?:n\.?[o.]? ?)?[0-9]+[a-z]?(?: ?[-,/] ?.*)?$|^cep:? ?[0-9]|^[0-9]{5}-[0-9]{3}$`),
		subject: regexp.MustCompile(`^(?:rua|avenida|praca|largo|estrada|travessa|beco|ladeira|viela|rodovia|via|viaduto|passagem|esquina|quadra) (?:e |ou |public|comerci|pedestre|de pedestre|para pedestre|calcad|pavimentad|arborizad|` +
			`urban|rura|municipa|estadua|federa|ferre|de ferro|de rodagem|de terra|vicina|boiadeir|carrocav|sem saida|esportiv|de esporte|de futebol|de nivel|expressa|sacra|ferrea|ajardinad|de pedagio|de alimentacao|elevad|permanente|lactea|crucis)`),
	},
	{
		name: "en",
		placeholder: regexp.MustCompile(`^[(\[]? ?(?:(?:not|un|non|no) ?-?(?:identified|known|specified|titled|dated|named|classified|legible|readable|applicable|available|given|determined|recorded|stated|assigned|subject|title|date|name|data|author)|` +
			`un(?:identified|known|specified|titled|dated|named|classified|readable|determined|assigned)(?: (?:person|persons|people|man|men|woman|women|group|place|location|building|subject|author|photographer))?|` +
			`illegible|indecipherable|anonymous|miscellaneous|misc\.?|various|general|others?|none|null|n/?a|tbd|tba|todo|to be (?:identified|determined|confirmed)|blank|empty|untitled|test|pending|etc\.?) ?[)\]]?$`),
		date: regexp.MustCompile(`^(?:(?:c\.|ca\.?|circa|about|before|after|between|in|the|early|mid|late|year) ?-?)*` +
			`(?:(?:[0-9]{1,2}(?:st|nd|rd|th)? )?(?:january|february|march|april|may|june|july|august|september|october|november|december)(?: [0-9]{1,2}(?:st|nd|rd|th)?)?(?:,? [0-9]{4})?|` +
			`[0-9]{1,2}(?:st|nd|rd|th)[ -]century|(?:1[0-9]{3}|20[0-9]{2})'?s?(?: ?(?:-|–|to|and|/) ?(?:1[0-9]{3}|20[0-9]{2}|[0-9]{2})'?s?)?)$`),
		quantity: regexp.MustCompile(`^` + number + `(?: ?(?:by|to|-|x|×) ?` + number + `)*(?: ?(?:in|inch|inches|ft|foot|feet|yd|yards?|mi|miles?|acres?|lb|lbs|pounds?|oz|ounces?|gal|gallons?|metres?|meters?|` +
			`(?:linear|square|cubic) (?:metres?|meters?|feet|miles?|yards?)|hours?|minutes?|seconds?|days?|weeks?|months?|years?|sheets?|pages?|pp\.?|boxes|box|folders?|volumes?|pieces?|items?|photos?|photographs?|copies|copy|reels?|negatives?|people|degrees?|cents?|dollars?|shillings?|pence))?\.?$|` +
			`^£ ?[0-9][0-9.,]*$`),
		address: regexp.MustCompile(`^(?:[0-9]+[a-z]?,? )?(?:[\pL\pN.'-]+ ){1,4}(?:street|st\.?|avenue|ave\.?|road|rd\.?|lane|boulevard|blvd\.?|square|sq\.?|terrace|crescent|drive|row)(?:,? (?:[0-9]+|n|s|e|w|north|south|east|west))?$|` +
			`^[0-9]+[a-z]?,? (?:[\pL.'-]+ ){1,4}(?:street|st\.?|avenue|ave\.?|road|lane|place|court|way)\b.*$|^p\.?o\.? box [0-9]`),
		subject: regexp.MustCompile(`^(?:(?:one-way|pedestrian|main|public|residential|commercial|urban|city|town|market|rail|dirt|country|toll|paved|unpaved|gravel|military|roman|rural|access|ring|high|shopping|cobbled|bus|cycle|street|the|a|rowing|private|corduroy|silk|death|skid) )+` +
			`(?:street|avenue|road|lane|boulevard|square|terrace|crescent|drive|row)$`),
	},
}

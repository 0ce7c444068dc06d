package titles

import "regexp"

// pattern is a suspicion that an expression tells.
type pattern struct {
	clue
	re *regexp.Regexp
}

// inTitle are looked for in the title as it is written.
var inTitle = []pattern{
	{clue{Encoding, 0.97}, regexp.MustCompile("\u00c3[\u0080-\u00bf\u0152\u0153\u0160\u0161\u0178\u017d\u017e\u0192\u02c6\u02dc\u2013-\u203a\u20ac\u2122]|\u00e2\u20ac|\u00c2[\u00a0-\u00bf]")},
	{clue{Encoding, 0.95}, regexp.MustCompile("\ufffd")},
	{clue{Encoding, 0.95}, regexp.MustCompile(`(?i)\\u00[0-9a-f]{2}|%20|%c3%[89ab][0-9a-f]|=[cC]3=[89abAB][0-9a-fA-F]`)},
	{clue{Encoding, 0.8}, regexp.MustCompile(`\pL\?\pL`)},

	{clue{Markup, 0.95}, regexp.MustCompile(`(?i)</?[a-z][a-z0-9]*(?:\s[^>]*)?/?>`)},
	{clue{Markup, 0.9}, regexp.MustCompile(`&(?:[a-zA-Z]{2,8}|#[0-9]{2,5});`)},
	{clue{Markup, 0.97}, regexp.MustCompile(`\{\{.*\}\}|\$\{\w+\}|\[object \w+\]|%[sd]\b.*%[sd]\b`)},
	{clue{Markup, 0.97}, regexp.MustCompile(`#(?:REF!|N/[AD]|VALUE!|VALOR!|NAME\?|NOME\?|DIV/0!|NULL!|NUM!)`)},
	{clue{Markup, 0.95}, regexp.MustCompile(`^=\s?[A-Za-z.]+\(`)},
	{clue{Markup, 0.95}, regexp.MustCompile(`(?i)^(?:insert into|delete from|drop table|select .+ from|update \w+ set)\b|';\s*drop `)},
	{clue{Markup, 0.85}, regexp.MustCompile(`^(?:dc|dcterms|ead|isad|marc)[.:_]\w+\s*[:=]|^[a-z_]{2,20}\s?=\s?\S`)},
	{clue{Markup, 0.95}, regexp.MustCompile(`^(?:NaN|undefined|null|None|nil|false|true)(?: (?:NaN|undefined|null|None|nil))*$`)},
	{clue{Markup, 0.95}, regexp.MustCompile(`^0000-00-00|^1899-12-30|^1970-01-01 00:00`)},

	{clue{FileName, 0.93}, regexp.MustCompile(`(?i)\S\.(?:jpe?g|tiff?|png|gif|bmp|webp|heic|psd|ai|cr2|nef|dng|pdf|docx?|odt|rtf|txt|xlsx?|csv|pptx?|zip|rar|7z|mp[34]|avi|mov|wmv|wav|m4a|html?|xml|json|tmp|db|eml|msg|dwg)$`)},
	{clue{FileName, 0.93}, regexp.MustCompile(`(?i)^(?:img|dscn?|dscf|pict|mvi|pxl|cimg|imgp|hpim|scan|scanned|digitalizar|digitalizado|digitalizacao|gopr|dji|sam|vid)[-_ ]?[0-9]{2,}[-_0-9a-z]*$|^P[0-9]{7}$`)},
	{clue{FileName, 0.85}, regexp.MustCompile(`(?i)^(?:documento?|image[mn]?|foto|untitled|arquivo|file|pasta|scan|book|livro|novo|new)[-_]?(?:[0-9]+|\([0-9]+\))$`)},
	{clue{FileName, 0.95}, regexp.MustCompile(`(?i)^(?:whatsapp (?:image|video|audio)|screen ?shot|captura de tela|captura de ecr[aã]|print da tela)\b`)},
	{clue{FileName, 0.95}, regexp.MustCompile(`^[A-Za-z]:\\|^\\\\\w|^/(?:home|users|var|mnt|srv|tmp|media|Users)/|^(?:https?|ftp|file)://|^www\.\S+$`)},
	{clue{FileName, 0.65}, regexp.MustCompile(`https?://\S+`)},

	{clue{BlankForm, 0.88}, regexp.MustCompile(`_{3,}|(?:_\s?){3,}`)},
	{clue{BlankForm, 0.8}, regexp.MustCompile(`\.{6,}`)},

	{clue{TestEntry, 0.9}, regexp.MustCompile(`^(?:TODO|FIXME|TBD|XXX)\b\s*[:!]`)},
	{clue{Noise, 0.82}, regexp.MustCompile(`[,;:]{3,}|[.,;:]{2,} [.,;:]{2,}|[!?]{4,}`)},
}

// inWords are looked for in the folded words, with single blanks between and without signs.
var inWords = []pattern{
	{clue{Placeholder, 0.95}, regexp.MustCompile(`^(?:(?:o|the|um|a) )?(?:titulo|title|subtitulo|titulo (?:do|da) (?:documento|item|registro|peca|unidade)|texto do titulo|title text|nome do (?:item|documento|arquivo)|descricao (?:do|da) (?:item|documento|registro)|item title|document title|placeholder)$`)},
	{clue{Placeholder, 0.95}, regexp.MustCompile(`^(?:inserir|insira|digite|escreva|informe|preencha|preencher|incluir|coloque|enter|insert|type|write|add)(?: (?:o|a|um|the|your|novo|aqui|here))*(?: (?:titulo|nome|texto|descricao|title|name|text|description|depois|later|campo|field)(?: (?:aqui|here))?)?$`)},
	{clue{Placeholder, 0.92}, regexp.MustCompile(`^(?:a|por|para) (?:preencher|definir|completar|inserir|informar|descrever|catalogar|confirmar)$|^to be (?:completed|filled in|defined|described|catalogued|cataloged|confirmed)$|^(?:tbd|tba|n a)$`)},
	{clue{Placeholder, 0.92}, regexp.MustCompile(`^(?:nov[oa]|new) (?:documento|document|registro|record|item|arquivo|file|pasta|folder|planilha|spreadsheet|apresentacao|entry)(?: [0-9]+)?$`)},
	{clue{Placeholder, 0.92}, regexp.MustCompile(`^(?:(?:documento|document|item|registro|record|arquivo|file|imagem|image|foto) )?(?:sem (?:nome|titulo|assunto)|untitled|unnamed|no (?:name|title|subject))(?: (?:documento|document|record|item|file|folder))?(?: [0-9]+)?$`)},
	{clue{Placeholder, 0.93}, regexp.MustCompile(`^(?:copia de|copy of) (?:copia de|copy of) |^lorem ipsum|\bdolor sit amet\b`)},
	{clue{Placeholder, 0.9}, regexp.MustCompile(`^(?:abc|abcd|abcde|abc ?123|xyz|xpto|foo|bar|foo bar|foo bar baz|foobar|asd|qwe|zxc|aaa|bbb|zzz|fulano|beltrano|fulano de tal)$`)},
	{clue{TestEntry, 0.92}, regexp.MustCompile(`^(?:teste?s?|testando|testing|tst)(?: (?:[0-9]+|teste?s?|testando|de cadastro|de (?:importacao|registro|inclusao)|record|entry|item|only|apenas))*$|^(?:so|apenas|just|only) (?:um |a )?teste?$|^(?:registro|item|documento|record) (?:de )?teste?$`)},
	{clue{Remark, 0.8}, regexp.MustCompile(`^(?:verificar|conferir|corrigir|revisar|rever|reescrever|apagar|excluir|deletar|descartar|arrumar|refazer|renomear)(?: (?:o|a|os|as|isto|isso|este|depois|titulo|data|nome|com|se|item|registro|mais|tarde|urgente|nome|tudo)\b)*$`)},
	{clue{Remark, 0.85}, regexp.MustCompile(`^(?:duplicad[oa]|duplicate|repetid[oa])(?: (?:excluir|apagar|deletar|delete|remove|verificar|check))?$|^(?:delete|remove|check|fix|ignore) (?:me|this|later|title|it)$|^nao (?:usar|publicar|excluir)$|^do not (?:use|publish|delete)$`)},
	{clue{Remark, 0.75}, regexp.MustCompile(`^(?:ver|falar|perguntar|confirmar|checar) com (?:[ao] )?\w+$|^nao sei(?: o que e)?$|^what is this$|^o que e isso$|^(?:i )?(?:do not|don t|dont) know$`)},
	{clue{Words, 0.92}, regexp.MustCompile(`^(?:(?:bla|etc|lorem|hm+|kk+|haha\w*|hehe\w*|rsrs\w*) ?){2,}$`)},
}

func patterns(t text) clue { return worstOf(inTitle, t.title) }

func phrases(t text) clue { return worstOf(inWords, t.phrase) }

func worstOf(list []pattern, s string) clue {
	var worst clue
	for _, p := range list {
		if p.confidence > worst.confidence && p.re.MatchString(s) {
			worst = p.clue
		}
	}
	return worst
}

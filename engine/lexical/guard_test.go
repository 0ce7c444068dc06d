package lexical_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"scrinalia/engine/lexical"
)

func TestNotASubject(t *testing.T) {
	t.Parallel()
	exclusions := []string{"Prado, Honório", "diversões", "", "Vila Serena (SP)"}
	tests := map[string][]string{
		lexical.ReasonPlaceholder: {
			"", "  ", "?", "---", "não identificado", "NÃO IDENTIFICADA", "Nao identificados", "ilegível", "sem título", "sem identificação", "desconhecido",
			"outros", "Diversos", "geral", "assuntos diversos", "s/d", "s.d.", "[ilegível]", "n/a", "a identificar", "não informado", "pessoa não identificada", "por identificar",
			"unidentified", "not identified", "illegible", "Unknown", "untitled", "Miscellaneous", "unidentified group", "[unknown]", "to be determined", "em branco",
		},
		lexical.ReasonDate: {
			"1923", "1903-1911", "1918?", "c. 1920", "década de 1930", "anos 40", "século XIX", "séc. XX", "4 de maio de 1909", "1909-05-04", "04/05/1909", "maio de 1909",
			"1920s", "19th century", "May 4, 1909", "circa 1880", "1914 to 1918", "julho",
		},
		lexical.ReasonQuantity: {
			"10 m", "400 m³", "12", "1.200", "3,5 kg", "62 x 91 cm", "10x15", "64 folhas", "2 pastas", "1:100", "n. 14", "35 mm", "14ª", "R$ 200,00", "500$000", "5 feet", "12 boxes", "£ 40", "90 minutos",
		},
		lexical.ReasonAddress: {
			"Rua Direita", "RUA DIREITA", "Rua das Flores, 12", "Av. Paulista", "Avenida Beira-Mar", "Praça da Sé", "Praça Floriano Peixoto", "Largo do Rosário", "Travessa 3", "Alameda Santos, 1000",
			"R. do Comércio", "Flores, 12", "CEP 01310-100", "Baker Street", "221b Baker Street", "Fifth Avenue", "12 Abbey Road", "Estrada de Santos", "P.O. Box 12",
		},
		lexical.ReasonExcluded: {"Honório Prado", "prado, honorio", "HONÓRIO PRADO", "Diversão", "Vila Serena SP"},
		"": {
			"Arquitetura", "Ruas", "Ruas e avenidas", "Praças", "Praça pública", "Rua", "Estradas de ferro", "Estrada de rodagem", "Estrada de ferro", "Via Sacra", "Rua de pedestres", "Street markets", "Railroad",
			"Dirt road", "Revolução de 1932", "Centenário da Independência", "Segunda Guerra Mundial", "13 de Maio e abolição", "Outras religiões", "Diversões públicas", "Assistência", "Metros cúbicos",
			"Trabalho", "Honório", "Geralistas", "Generals", "Cartas anônimas", "Sem-terra", "Moradores de rua", "Feira do largo", "Censo de 1920", "Vida no século XIX", "Rowing", "Maioria",
		},
	}
	for want, tags := range tests {
		for _, tag := range tags {
			reason, refused := lexical.NotASubject(tag, exclusions)
			if diff := cmp.Diff(want, reason); diff != "" || refused != (want != "") {
				t.Errorf("%q: refused %v (-want +got)\n%s", tag, refused, diff)
			}
		}
	}
}

func TestNotASubjectOnOddInput(t *testing.T) {
	t.Parallel()
	for _, tag := range []string{"\x00", "\xff\xfe", "🏛️", strings.Repeat("rua ", 1<<18), "Arquitetura\x00", "\u202e1923"} {
		lexical.NotASubject(tag, []string{tag, "\xff"})
	}
	if reason, _ := lexical.NotASubject("Na\u0303o identificado", nil); reason != lexical.ReasonPlaceholder {
		t.Errorf("decomposed accents: %q", reason)
	}
	if reason, _ := lexical.NotASubject("Rua\u00a0Direita", nil); reason != lexical.ReasonAddress {
		t.Errorf("no-break space: %q", reason)
	}
}

package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// The words of the synthetic collection. They are of this file and no archive's.
var (
	kinds = strings.Fields("Ofício Planta Fotografia Ata Relatório Mapa Decreto Recibo Petição Carta Livro Projeto Boletim Contrato Memorando Inventário")

	things = strings.Fields(`ponte mercado praça escola estrada matadouro chafariz cemitério hospital teatro jardim estação capela fábrica olaria
		engenho cadeia quartel biblioteca represa bonde telégrafo iluminação calçamento arruamento aqueduto coreto asilo alfândega armazém
		barragem cartório cinema colégio curtume feira ferrovia fonte galeria horta igreja lavoura moinho muralha obelisco oficina
		pedreira porto pousada presépio quintal reservatório romaria sesmaria tecelagem torre usina vacinação viaduto zeladoria`)

	qualities = strings.Fields(`antigo central novo velho público rural urbano municipal provisório reformado alagado coberto demolido
		inacabado restaurado arrendado vizinho paroquial imperial operário ribeirinho serrano fluvial noturno diocesano agrícola`)

	places = strings.Fields(`Pedra|Clara Barra|Funda Serra|Verde Rio|Manso Água|Limpa Monte|Alegre Porto|Velho Campo|Largo Lagoa|Seca
		Morro|Alto Vale|Novo Ilha|Grande Mata|Escura Poço|Fundo Ribeirão|Bonito Boa|Vista`)

	links = strings.Fields("de do da para com sobre em no na e")
)

// place is a name of a place, which in the list above has a bar for its space.
func place(n int) string { return strings.ReplaceAll(places[n%len(places)], "|", " ") }

// term is a subject; different numbers give different terms.
func term(n int) string {
	thing, rest := things[n%len(things)], n/len(things)
	quality, rest := qualities[rest%len(qualities)], rest/len(qualities)
	t := thing + " " + quality + " " + "em " + place(rest)
	if rest >= len(places) {
		t += fmt.Sprintf(" %d", rest/len(places))
	}
	return strings.ToUpper(t[:1]) + t[1:]
}

func one(random *rand.Rand, list []string) string { return list[random.IntN(len(list))] }

func title(random *rand.Rand) string {
	return fmt.Sprintf("%s n. %d %s %s %s, %s", one(random, kinds), 1+random.IntN(20_000), one(random, links), one(random, things),
		one(random, qualities), place(random.IntN(len(places))))
}

func date(random *rand.Rand) string {
	year := 1840 + random.IntN(130)
	if random.IntN(3) == 0 {
		return fmt.Sprintf("%d-%d", year, year+1+random.IntN(12))
	}
	return fmt.Sprintf("%02d/%02d/%d", 1+random.IntN(28), 1+random.IntN(12), year)
}

// sentences makes about n words of running text. A few have the faults that the cleaning rules look for.
func sentences(random *rand.Rand, n int) string {
	var s strings.Builder
	for i := range n {
		switch {
		case i == 0:
			s.WriteString(one(random, kinds))
		case i%12 == 0:
			s.WriteString(". " + one(random, kinds))
		case i%2 == 0:
			s.WriteString(" " + one(random, links))
		case i%5 == 0:
			s.WriteString(" " + one(random, qualities))
		default:
			s.WriteString(" " + one(random, things))
		}
	}
	switch random.IntN(40) {
	case 0:
		s.WriteString("  fotogr. anexa")
	case 1:
		s.WriteString(" --")
	}
	s.WriteByte('.')
	return s.String()
}

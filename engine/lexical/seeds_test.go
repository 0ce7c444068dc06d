package lexical_test

// The seeds of the two vocabularies.
var (
	typologies = []string{
		"Planta Arquitetônica", "Mapa / Croqui Urbanístico", "Fotografia", "Decreto / Lei / Portaria", "Ofício / Memorando",
		"Audiovisual", "Ata de Reunião", "Relatório Técnico", "Processo Administrativo", "Dossiê Funcional",
	}
	subjects = []string{
		"Urbanismo e Arquitetura", "Mobilidade e Transporte", "Religião", "Meio Ambiente e Áreas Verdes", "Economia e Comércio",
		"Educação e Cultura", "Patrimônio e Preservação", "Assistência e Questões Sociais",
	}
)

const (
	typologyThreshold = 0.40 // default of worker typology
	subjectThreshold  = 0.55 // default of worker macro-category
)

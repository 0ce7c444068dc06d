package importer_test

import (
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"

	"scrinalia/importer"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// mappedOnly compares the fields of a record that its hash covers.
var mappedOnly = cmp.Options{cmpopts.IgnoreFields(importer.Record{}, "Raw", "ContentHash"), cmpopts.EquateEmpty()}

func records(t *testing.T, name string) []importer.Record {
	t.Helper()
	sink := newMemory()
	if _, _, err := load(t, sink, name); err != nil {
		t.Fatal(err)
	}
	return sink.records
}

func TestAtoMRecords(t *testing.T) {
	t.Parallel()
	want := []importer.Record{
		{
			DescriptionID: "1003", ParentDescriptionID: "1002", ReferenceCode: "07",
			Title: `Planta da Praça do Mercado, "ala norte"`, Level: "Item", Date: "c. 1911; 1913-02-01 - 1913-03-31",
			Extent: "1 planta, tinta sobre papel, 62 x 48 cm", Repository: "Arquivo Municipal de Vila Serena",
			Producers: "Alencar, Rita", AdminBioHistory: "Engenheira da Câmara entre 1905 e 1920.",
			ScopeContent: "Planta baixa da ala norte.\nNo verso, a lápis: \"não executado\".\n\nEscala 1:200.",
			Language:     "pt", AccessConditions: "Livre", ImageURL: "https://example.org/imagens/1003.tif",
			Subjects: []string{"Mercados", "Urbanismo"}, Places: []string{"Vila Serena", "Praça do Mercado"}, Genres: []string{"Plantas"},
		},
		{
			DescriptionID: "1001", ReferenceCode: "OP", Title: "Obras Públicas", Level: "Fundo", Date: "1890 - 1950",
			Extent: "12 m lineares", Repository: "Arquivo Municipal de Vila Serena", Producers: "Câmara Municipal de Vila Serena",
			AdminBioHistory: "Criada em 1834.\nExtinta e refeita em 1891.",
			Provenance:      "Guardado na Câmara até 1974.\n\nRecolhido em 1975.",
			ScopeContent:    "Plantas, orçamentos e correspondência", Language: "pt; fr",
			ArchivistNotes: "Descrito por M. Prado.\n\nRevisto em 2019.",
		},
		{
			DescriptionID: "1002", ParentDescriptionID: "1001", ReferenceCode: "02", Title: "Mercados", Level: "Série",
			Date: "1905-1930", Producers: "Secção de Mercados", Subjects: []string{"Mercados"},
		},
	}
	got := records(t, "atom-2x.csv")
	if diff := cmp.Diff(want, got, mappedOnly); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	var raw map[string]string
	if err := json.Unmarshal(got[2].Raw, &raw); err != nil {
		t.Fatal(err)
	}
	wantRaw := map[string]string{
		"legacyId": "1002", "parentId": "1001", "qubitParentSlug": "obras-publicas", "accessionNumber": "1975/14", "identifier": "02",
		"title": "Mercados", "levelOfDescription": "Série", "archivalHistory": "NULL", "acquisition": "NULL", "scopeAndContent": "NULL",
		"appraisal": "NULL", "subjectAccessPoints": "Mercados", "eventDates": "1905-1930", "eventTypes": "Accumulation",
		"eventActors": "Secção de Mercados", "culture": "pt",
	}
	if diff := cmp.Diff(wantRaw, raw); diff != "" {
		t.Errorf("raw (-want +got):\n%s", diff)
	}
}

func TestRecords(t *testing.T) {
	t.Parallel()
	const big = "12345678901234567890"
	tests := []struct {
		file string
		want []importer.Record
	}{
		{"cr.csv", []importer.Record{{DescriptionID: "1", Title: "Actas"}, {DescriptionID: "2", ParentDescriptionID: "1", Title: "Ofícios"}}},
		{"bom-crlf.csv", []importer.Record{{DescriptionID: "1", Title: "Actas", ScopeContent: "um\ndois"}, {DescriptionID: "2", ParentDescriptionID: "1", Title: "Ofícios"}}},
		{"windows-1252.csv", []importer.Record{{DescriptionID: "1", Title: "Orações – “São João”"}, {DescriptionID: "2", ParentDescriptionID: "1", Title: "Ofícios"}, {DescriptionID: "3", Title: "A\ufffdB"}}},
		{"damaged-utf8.csv", []importer.Record{{DescriptionID: "1", Title: "Orações e Ofícios"}, {DescriptionID: "3", Title: "fim"}}},
		{"nul.csv", []importer.Record{{DescriptionID: "1", Title: "Actas", ScopeContent: "bell here"}}},
		{"nfd.csv", []importer.Record{{DescriptionID: "1", Title: "Orações"}}},
		{"quotes.csv", []importer.Record{{DescriptionID: "4", Title: "Cartas"}, {DescriptionID: "5", Title: "fim"}, {DescriptionID: "7", Title: `ok "sim"`}}},
		{"duplicates.csv", []importer.Record{{DescriptionID: "1", Title: "Actas"}, {DescriptionID: "2", Title: "Ofícios"}}},
		{"blank-id.csv", []importer.Record{
			{DescriptionID: "A", Title: "Actas", ReferenceCode: "A"}, {DescriptionID: "B", Title: "Ofícios"}, {DescriptionID: "9", Title: "Nove", ReferenceCode: "N"},
		}},
		{"semicolon.csv", []importer.Record{{DescriptionID: "1", Title: "Actas; e mais"}}},
		{"old-creators.csv", []importer.Record{{DescriptionID: "1", Title: "Actas", Producers: "Ana; Rui", AdminBioHistory: "hist1\n\nhist2", Date: "1900; 1901"}}},
		{"plain.jsonl", []importer.Record{
			{DescriptionID: big, Title: "Actas", Level: "Fundo"},
			{DescriptionID: "2", ParentDescriptionID: big, Subjects: []string{"Mercados"}},
		}},
		{"nul.jsonl", []importer.Record{{DescriptionID: "1", Title: "ab😀\ufffdc"}, {DescriptionID: "2", Title: "x"}}},
		{"windows-1252.jsonl", []importer.Record{{DescriptionID: "1", Title: "Orações"}}},
	}
	for _, tt := range tests {
		t.Run(tt.file, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, records(t, tt.file), mappedOnly); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestRaw(t *testing.T) {
	t.Parallel()
	tests := []struct{ file, want string }{
		{"nul.csv", `{"legacyId":"1","title":"Actas","scopeAndContent":"bell\u0007 here"}`},
		{"columns-any-order.csv", `{"Culture":"pt","TITLE":"Actas","myOwn":"meu","LegacyID":"1","column 5":"x","column 6":"y"}`},
		{"nul.jsonl", `{"description_id":"1","title":"ab\ud83d\ude00\ufffdc","note":"\ufffd\\u0000"}`},
		{"plain.jsonl", `{"description_id": 12345678901234567890, "title": "Actas", "level": "Fundo", "mine": 7}`},
		{"nfd.csv", `{"legacyId":"1","title":"Orac` + "\u0327o\u0303" + `es"}`},
	}
	for _, tt := range tests {
		t.Run(tt.file, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, string(records(t, tt.file)[0].Raw)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// An archive that reads its own export changes nothing.
func TestExportChangesNothing(t *testing.T) {
	t.Parallel()
	sink := newMemory()
	if _, _, err := load(t, sink, "export.jsonl"); err != nil {
		t.Fatal(err)
	}
	got, _, err := load(t, sink, "export-again.jsonl")
	if err != nil || got.Imported != 0 || got.Unchanged != 1 {
		t.Errorf("%d imported, %d unchanged, %v; want 0, 1", got.Imported, got.Unchanged, err)
	}
}

// The hash of a record must never change by itself: every record of every
// archive would be transferred again, and its reviews be lost.
func TestHashNeverChanges(t *testing.T) {
	t.Parallel()
	full := importer.Record{
		DescriptionID: "1", Title: "Orações", ParentDescriptionID: "0", ReferenceCode: "A/1", ParentReferenceCode: "A", Level: "Fundo",
		Date: "1900", Extent: "1 m", Repository: "R", Producers: "P", AdminBioHistory: "H", Provenance: "V", ScopeContent: "S",
		Language: "pt", AccessConditions: "C", ArchivistNotes: "N", ImageURL: "http://x/",
		Subjects: []string{"a", "b"}, Places: []string{"c"}, Names: []string{"d"}, Genres: []string{"e"},
		Raw: json.RawMessage(`{"not":"hashed"}`),
	}
	moved := full
	moved.Subjects, moved.Places = []string{"a"}, []string{"b", "c"}
	shifted := full
	shifted.Date, shifted.Extent = "19001", " m"
	tests := []struct {
		name   string
		record importer.Record
		want   string
	}{
		{"empty", importer.Record{}, "77f4ac5176a300737cf553757e4c02521869c44d9638438f80c6a54a0b115ed3"},
		{"full", full, "a12b529c681311d0e94ce4ca6fa0906561dfd13ef720df52902e08f4b4681f7c"},
		{"an item moved to the next list", moved, "5feaac5b0d29ba391c8ff54fa869d3e1a8df7e8d2c136e5ed4bf1ab554e58cbd"},
		{"a character moved to the next field", shifted, "04ef24fa82ab82654d183f740724cdd13e29713cc525395f1a947c68d8b8614f"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			sum := tt.record.Hash()
			if got := hex.EncodeToString(sum[:]); got != tt.want {
				t.Errorf("hash %s, want %s", got, tt.want)
			}
		})
	}
}

func TestSameRecordInBothFormats(t *testing.T) {
	t.Parallel()
	csv := records(t, "nfd.csv")[0]
	jsonl := records(t, "windows-1252.jsonl")[0]
	if csv.ContentHash != jsonl.ContentHash {
		t.Errorf("hashes differ: %s", strings.TrimSpace(cmp.Diff(csv, jsonl)))
	}
}

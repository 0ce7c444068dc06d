package main

import (
	"context"
	"fmt"
	"os"

	"scrinalia/importer"
)

// The budget of an import: so many rows a second, or this share of a bare COPY.
const (
	importRows  = 20_000
	importShare = 1.0 / 3
)

// measureImport reads the same records as JSON Lines and as AtoM's CSV, each into an empty database.
func (b *bench) measureImport(ctx context.Context) error {
	c := b.size.bulk()
	lines, table, err := b.files(c)
	if err != nil {
		return err
	}
	for _, f := range []struct {
		format importer.Format
		path   string
	}{{importer.JSONLines, lines}, {importer.AtoMCSV, table}} {
		if err := b.importFormat(ctx, f.format, f.path, c.records); err != nil {
			return err
		}
	}
	return nil
}

// What an import is held against: a COPY of the rows of staging that it made.
const (
	stagedPlain = "COPY of the same rows into a table without any index"
	stagedAlike = "COPY of the same rows into a table with the same keys and checks"
)

func (b *bench) importFormat(ctx context.Context, format importer.Format, path string, records int) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	b.say("  %s: %.1f MB", format, float64(info.Size())/1e6)
	r := &rounds{rows: records}
	for range b.size.repeats {
		if err := b.importRound(ctx, r, format, path); err != nil {
			return err
		}
	}
	what := fmt.Sprintf("import of %s records, %s", thousands(int64(records)), format)
	b.atLeast(fmt.Sprintf("%s, median of %d", what, b.size.repeats), r.perSecond(r.work), perSecond, importRows)
	b.compare(r, stagedPlain, "import, speed against that COPY", importShare)
	b.compare(r, stagedAlike, "import, speed against that COPY", 0)
	return nil
}

// importRound imports into an empty database and copies what this made.
func (b *bench) importRound(ctx context.Context, r *rounds, format importer.Format, path string) error {
	const name = "bench_import"
	if err := b.make(ctx, name, ""); err != nil {
		return err
	}
	if err := b.exec(ctx, name, "CHECKPOINT"); err != nil {
		return err
	}
	p, err := b.open(ctx, name)
	if err != nil {
		return err
	}
	err = b.importAndCopy(ctx, p, r, format, path)
	p.close()
	if err != nil {
		return err
	}
	return b.forget(ctx, name)
}

func (b *bench) importAndCopy(ctx context.Context, p *program, r *rounds, format importer.Format, path string) error {
	took, err := b.timed(func() error { return p.load(ctx, path, format, r.rows) })
	if err != nil {
		return err
	}
	b.say("  %d records imported in %.1f s, %.1f s of processors", r.rows, took.wall.Seconds(), took.cpu.Seconds())
	r.add(took)
	all, err := take(ctx, p.store.Pool(), "staging_records", "")
	if err != nil {
		return err
	}
	for _, t := range []struct{ name, table string }{{stagedPlain, plain("staging_records")}, {stagedAlike, alike("staging_records")}} {
		took, err := b.copyOnce(ctx, p.store.Pool(), t.table, all)
		if err != nil {
			return err
		}
		r.against(t.name, took)
	}
	return nil
}

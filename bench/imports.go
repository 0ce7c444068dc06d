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

func (b *bench) importFormat(ctx context.Context, format importer.Format, path string, records int) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	b.say("  %s: %.1f MB", format, float64(info.Size())/1e6)
	var took []spent
	var bare, shaped spent
	for i := range b.size.repeats {
		if err := b.make(ctx, "bench_import", ""); err != nil {
			return err
		}
		p, err := b.open(ctx, "bench_import")
		if err != nil {
			return err
		}
		d, err := b.timed(func() error { return p.load(ctx, path, format, records) })
		took = append(took, d)
		if err == nil && i == b.size.repeats-1 {
			bare, shaped, err = b.copyStaged(ctx, p)
		}
		p.close()
		if err != nil {
			return err
		}
		if err := b.forget(ctx, "bench_import"); err != nil {
			return err
		}
	}
	d := best(took)
	b.atLeast(fmt.Sprintf("import of %s records, %s", thousands(int64(records)), format), perSecondOf(records, d), perSecond, importRows)
	b.faster("  or its speed against COPY into a table without index", d, bare, importShare)
	b.faster("  its speed against COPY with the same keys", d, shaped, 0)
	return nil
}

// copyStaged times a COPY of the rows that the import made, without index and with the same keys.
func (b *bench) copyStaged(ctx context.Context, p *program) (bare, shaped spent, err error) {
	all, err := take(ctx, p.store.Pool(), "staging_records", "")
	if err != nil {
		return spent{}, spent{}, err
	}
	if bare, err = b.bareCopy(ctx, p.store.Pool(), []string{plain("staging_records")}, all); err != nil {
		return spent{}, spent{}, err
	}
	shaped, err = b.bareCopy(ctx, p.store.Pool(), []string{alike("staging_records")}, all)
	return bare, shaped, err
}

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"scrinalia/worker"
)

const (
	thumbnailBudget       = 30  // images of 3 megapixels a second
	thumbnailMemoryBudget = 200 // MB, with images of 100 megapixels among them
	imagesASecond         = unit("images/s")
)

// measureThumbnails runs the thumbnail worker of the built program against a server here: photographs of 3 megapixels, then with pictures of
// 100 megapixels among them.
func (b *bench) measureThumbnails(ctx context.Context) error {
	program, err := b.build(ctx)
	if err != nil {
		return err
	}
	var photographs [][]byte
	for seed := range uint64(4) {
		raw, err := photograph(2048, 1536, seed)
		if err != nil {
			return err
		}
		photographs = append(photographs, raw)
	}
	huge, err := hugePictures()
	if err != nil {
		return err
	}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var i int
		if n, err := fmt.Sscanf(r.URL.Path, "/huge/%d.jpg", &i); n == 1 && err == nil {
			_, _ = w.Write(huge[i%len(huge)])
			return
		}
		_, _ = fmt.Sscanf(r.URL.Path, "/%d.jpg", &i)
		_, _ = w.Write(photographs[i%len(photographs)])
	}))
	defer web.Close()
	o, err := b.makeThumbnails(ctx, program, "bench_thumbnails", b.size.pictures, func(i int) string { return fmt.Sprintf("%s/%d.jpg", web.URL, i) })
	if err != nil {
		return err
	}
	b.atLeast(fmt.Sprintf("thumbnails of %d JPEGs of 3 megapixels, %d KB each", b.size.pictures, len(photographs[0])>>10),
		float64(o.run.Processed)/(time.Duration(*o.run.DurationMS)*time.Millisecond).Seconds(), imagesASecond, thumbnailBudget)
	b.also("  time of one processor for an image, start and end included", inMilliseconds(o.processor)/float64(o.run.Processed), milliseconds)
	b.within("  memory at most", o.memory, megabytes, thumbnailMemoryBudget)
	o, err = b.makeThumbnails(ctx, program, "bench_thumbnails_huge", b.size.pictures/2, func(i int) string {
		if i%8 == 0 {
			return fmt.Sprintf("%s/huge/%d.jpg", web.URL, i/8)
		}
		return fmt.Sprintf("%s/%d.jpg", web.URL, i)
	})
	if err != nil {
		return err
	}
	b.within(fmt.Sprintf("  with every eighth of 100 megapixels, of which %d were refused", o.run.Failed), o.memory, megabytes, thumbnailMemoryBudget)
	return nil
}

// photograph is a JPEG with what makes decoding take its time: shades everywhere, and some noise.
func photograph(w, h int, seed uint64) ([]byte, error) {
	r := rand.New(rand.NewPCG(seed, 3))
	m := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			n := uint8(r.UintN(12))
			m.SetRGBA(x, y, color.RGBA{uint8(x*200/w) + n, uint8(y*200/h) + n, uint8((x^y)&63) + n, 255})
		}
	}
	var b bytes.Buffer
	err := jpeg.Encode(&b, m, &jpeg.Options{Quality: 85})
	return b.Bytes(), err
}

// hugePictures are of 100 megapixels, in colour, in grey and in black and white.
func hugePictures() ([][]byte, error) {
	const w, h = 12_500, 8_000
	colours, err := photograph(w, h, 9)
	if err != nil {
		return nil, err
	}
	grey := image.NewGray(image.Rect(0, 0, w, h))
	for i := range grey.Pix {
		grey.Pix[i] = uint8(i / 12_500 / 40)
	}
	var greyJPEG, greyPNG, lines bytes.Buffer
	plan := image.NewPaletted(image.Rect(0, 0, w, h), color.Palette{color.White, color.Black})
	for i := range plan.Pix {
		if i%1000 < 3 {
			plan.Pix[i] = 1
		}
	}
	fast := png.Encoder{CompressionLevel: png.BestSpeed}
	err = errors.Join(jpeg.Encode(&greyJPEG, grey, nil), fast.Encode(&greyPNG, grey), fast.Encode(&lines, plan))
	return [][]byte{colours, greyJPEG.Bytes(), greyPNG.Bytes(), lines.Bytes()}, err
}

// makeThumbnails runs the worker as a process of its own on descriptions with these addresses.
func (b *bench) makeThumbnails(ctx context.Context, program, database string, n int, address func(int) string) (o outcome, err error) {
	if err := b.make(ctx, database, ""); err != nil {
		return o, err
	}
	p, err := b.open(ctx, database)
	if err != nil {
		return o, err
	}
	addresses := make([]string, n)
	for i := range addresses {
		addresses[i] = address(i)
	}
	_, err = p.store.Pool().Exec(ctx, `INSERT INTO staging_records (description_id, title, image_url, content_hash)
		SELECT 'p' || i, 'Fotografia', a, sha256(i::text::bytea) FROM unnest($1::text[]) WITH ORDINALITY AS u (a, i)`, addresses)
	if err == nil {
		_, err = p.work(ctx, worker.Transfer)
	}
	p.close()
	if err != nil {
		return o, err
	}
	cmd := exec.CommandContext(ctx, program, "run", worker.Thumbnails, "--json", "--option", "pause_ms=0", "--option", "per_host=4")
	cmd.Env = append(os.Environ(), "DATABASE_URL="+b.server.URL(database), "SCRINALIA_DATA_DIR="+filepath.Join(b.dir, "data"),
		"SCRINALIA_STORAGE_URL="+filepath.Join(b.dir, "objects-"+database), "SCRINALIA_ALLOW_PRIVATE_IMAGES=127.0.0.1")
	var out, said strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Start(); err != nil {
		return o, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	look := time.NewTicker(10 * time.Millisecond)
	defer look.Stop()
	for {
		select {
		case err := <-ended:
			if err != nil {
				return o, fmt.Errorf("run the worker: %w: %s %s", err, said.String(), out.String())
			}
			o.processor = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
			return o, json.Unmarshal([]byte(out.String()), &o.run)
		case <-look.C: // what the system says of a process that ended counts the memory of the one that started it
			o.memory = max(o.memory, resident(cmd.Process.Pid))
		}
	}
}

// outcome is a run as a process of its own: its memory at most, in MB, and the time of processors that it took.
type outcome struct {
	run       worker.Run
	memory    float64
	processor time.Duration
}

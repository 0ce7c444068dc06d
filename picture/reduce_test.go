package picture_test

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/color/palette"
	"image/draw"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"testing"

	"scrinalia/picture"
	"scrinalia/worker"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"
)

// The corners of every test picture, from the upper left to the lower right.
var corners = [4]color.NRGBA{{200, 30, 40, 255}, {40, 160, 60, 255}, {50, 60, 190, 255}, {220, 200, 60, 255}}

// paint fills the quarters of a picture with the colours of the corners.
func paint(m draw.Image) {
	b := m.Bounds()
	for i, c := range corners {
		x, y := b.Min.X+i%2*b.Dx()/2, b.Min.Y+i/2*b.Dy()/2
		draw.Draw(m, image.Rect(x, y, x+b.Dx()/2, y+b.Dy()/2), image.NewUniform(c), image.Point{}, draw.Src)
	}
}

func painted(m draw.Image) image.Image { paint(m); return m }

// ycbcr is a picture as cameras make it.
func ycbcr(ratio image.YCbCrSubsampleRatio, w, h int) *image.YCbCr {
	m := image.NewYCbCr(image.Rect(0, 0, w, h), ratio)
	src := painted(image.NewNRGBA(m.Rect))
	for y := range h {
		for x := range w {
			c := src.At(x, y).(color.NRGBA)
			m.Y[m.YOffset(x, y)], m.Cb[m.COffset(x, y)], m.Cr[m.COffset(x, y)] = color.RGBToYCbCr(c.R, c.G, c.B)
		}
	}
	return m
}

func file(t testing.TB, raw []byte) *os.File {
	t.Helper()
	f, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	if _, err := f.Write(raw); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Seek(0, 0); err != nil {
		t.Fatal(err)
	}
	return f
}

func encoded(t testing.TB, encode func(*bytes.Buffer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := encode(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

const allowed = 128 << 20

func reduce(t testing.TB, raw []byte, size int) (image.Image, error) {
	t.Helper()
	out, w, h, err := picture.New(picture.Options{}).Reduce(t.Context(), file(t, raw), size, allowed)
	if err != nil {
		return nil, err
	}
	m, err := jpeg.Decode(bytes.NewReader(out))
	if err != nil {
		t.Fatal(err)
	}
	if m.Bounds().Dx() != w || m.Bounds().Dy() != h {
		t.Errorf("said to be %d x %d, is %v", w, h, m.Bounds())
	}
	return m, nil
}

// wantCorners wants these colours in the quarters of a picture.
func wantCorners(t *testing.T, m image.Image, want [4]color.NRGBA) {
	t.Helper()
	b := m.Bounds()
	for i, w := range want {
		x, y := b.Min.X+(1+2*(i%2))*b.Dx()/4, b.Min.Y+(1+2*(i/2))*b.Dy()/4
		r, g, bl, _ := m.At(x, y).RGBA()
		for c, d := range [3]float64{float64(r>>8) - float64(w.R), float64(g>>8) - float64(w.G), float64(bl>>8) - float64(w.B)} {
			if math.Abs(d) > 12 {
				t.Errorf("quarter %d, channel %d is %.0f off: %v, want %v", i, c, d, m.At(x, y), w)
			}
		}
	}
}

func grey(c color.NRGBA) color.NRGBA {
	y := color.GrayModel.Convert(c).(color.Gray).Y
	return color.NRGBA{y, y, y, 255}
}

func each(f func(color.NRGBA) color.NRGBA) [4]color.NRGBA {
	var out [4]color.NRGBA
	for i, c := range corners {
		out[i] = f(c)
	}
	return out
}

// TestFormatsAndColourModes: every format in every colour mode that it is written in here.
func TestFormatsAndColourModes(t *testing.T) {
	t.Parallel()
	r := image.Rect(0, 0, 320, 240)
	rgba, half := painted(image.NewRGBA(r)), image.NewNRGBA(r)
	paint(half)
	for i := range half.Pix {
		if i%4 == 3 {
			half.Pix[i] = 128
		}
	}
	white := each(func(c color.NRGBA) color.NRGBA {
		mix := func(v uint8) uint8 { return uint8((int(v)*128 + 255*127) / 255) }
		return color.NRGBA{mix(c.R), mix(c.G), mix(c.B), 255}
	})
	greys := each(grey)
	deep, deepAlpha := image.NewRGBA64(r), image.NewNRGBA64(r)
	paint(deep)
	draw.Draw(deepAlpha, r, half, image.Point{}, draw.Src)
	colours := append(color.Palette{color.Transparent}, palette.WebSafe[:200]...)
	for _, c := range corners {
		colours = append(colours, c)
	}
	paletted := painted(image.NewPaletted(r, colours)).(*image.Paletted)
	hole := image.NewPaletted(r, colours)
	asPNG := func(m image.Image) func(*bytes.Buffer) error {
		return func(b *bytes.Buffer) error { return png.Encode(b, m) }
	}
	asTIFF := func(m image.Image, c tiff.CompressionType) func(*bytes.Buffer) error {
		return func(b *bytes.Buffer) error { return tiff.Encode(b, m, &tiff.Options{Compression: c}) }
	}
	asBMP := func(m image.Image) func(*bytes.Buffer) error {
		return func(b *bytes.Buffer) error { return bmp.Encode(b, m) }
	}
	asJPEG := func(m image.Image) func(*bytes.Buffer) error {
		return func(b *bytes.Buffer) error { return jpeg.Encode(b, m, &jpeg.Options{Quality: 95}) }
	}
	blank := [4]color.NRGBA{{255, 255, 255, 255}, {255, 255, 255, 255}, {255, 255, 255, 255}, {255, 255, 255, 255}}
	for _, tt := range []struct {
		name   string
		encode func(*bytes.Buffer) error
		want   [4]color.NRGBA
	}{
		{"jpeg 4:2:0", asJPEG(rgba), corners},
		{"jpeg 4:2:0, from planes", asJPEG(ycbcr(image.YCbCrSubsampleRatio420, 320, 240)), corners},
		{"jpeg, grey", asJPEG(painted(image.NewGray(r))), greys},
		{"png, rgb", asPNG(rgba), corners},
		{"png, alpha", asPNG(half), white},
		{"png, 16 bit", asPNG(deep), corners},
		{"png, 16 bit, alpha", asPNG(deepAlpha), white},
		{"png, grey", asPNG(painted(image.NewGray(r))), greys},
		{"png, grey, 16 bit", asPNG(painted(image.NewGray16(r))), greys},
		{"png, palette", asPNG(paletted), corners},
		{"png, palette, transparent", asPNG(hole), blank},
		{"png, black and white", asPNG(image.NewPaletted(r, color.Palette{color.White, color.Black})), blank},
		{"gif", func(b *bytes.Buffer) error { return gif.Encode(b, paletted, nil) }, corners},
		{"gif, transparent", func(b *bytes.Buffer) error { return gif.Encode(b, hole, nil) }, blank},
		{"gif, animated", func(b *bytes.Buffer) error {
			return gif.EncodeAll(b, &gif.GIF{Image: []*image.Paletted{paletted, hole}, Delay: []int{1, 1}})
		}, corners},
		{"tiff", asTIFF(rgba, tiff.Uncompressed), corners},
		{"tiff, deflate", asTIFF(rgba, tiff.Deflate), corners},
		{"tiff, alpha", asTIFF(half, tiff.Deflate), white},
		{"tiff, grey", asTIFF(painted(image.NewGray(r)), tiff.Uncompressed), greys},
		{"tiff, 16 bit", asTIFF(deep, tiff.Uncompressed), corners},
		{"tiff, grey, 16 bit", asTIFF(painted(image.NewGray16(r)), tiff.Deflate), greys},
		{"tiff, palette", asTIFF(paletted, tiff.Uncompressed), corners},
		{"bmp", asBMP(rgba), corners},
		{"bmp, 32 bit", asBMP(half), corners}, // whose fourth byte means nothing
		{"bmp, grey", asBMP(painted(image.NewGray(r))), greys},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			raw := encoded(t, tt.encode)
			for _, size := range []int{100, 300, 1000} {
				m, err := reduce(t, raw, size)
				if err != nil {
					t.Fatal(err)
				}
				want := image.Pt(size, size*3/4)
				if size == 1000 {
					want = r.Max // never made larger
				}
				if m.Bounds().Size() != want {
					t.Errorf("fitted into %d: %v, want %v", size, m.Bounds().Size(), want)
				}
				wantCorners(t, m, tt.want)
			}
		})
	}
}

func testFile(t testing.TB, name string) []byte {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// TestOthersFiles: what is written by nothing here, against the same picture as PNG.
func TestOthersFiles(t *testing.T) {
	t.Parallel()
	for name, same := range map[string]string{
		"video-001.cmyk.jpeg": "video-001.cmyk.png", "video-001.progressive.jpeg": "video-001.png", "video-001.rgb.jpeg": "video-001.png", "video-001.interlaced.gif": "video-001.png",
		"video-001.q50.410.progressive.jpeg": "video-001.png", "video-001.q50.422.jpeg": "video-001.png",
		"blue-purple-pink.lossy.webp": "blue-purple-pink.png", "blue-purple-pink.lossless.webp": "blue-purple-pink.png",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := reduce(t, testFile(t, name), 64)
			if err != nil {
				t.Fatal(err)
			}
			want, err := reduce(t, testFile(t, same), 64)
			if err != nil {
				t.Fatal(err)
			}
			if got.Bounds() != want.Bounds() {
				t.Fatalf("%v, want %v", got.Bounds(), want.Bounds())
			}
			if d := difference(got, want); d > 12 {
				t.Errorf("colours are off by %.1f on average", d)
			}
		})
	}
	m, err := reduce(t, testFile(t, "yellow_rose.lossy-with-alpha.webp"), 64)
	if err != nil {
		t.Fatal(err)
	}
	if r, g, b, _ := m.At(1, 1).RGBA(); r>>8 < 250 || g>>8 < 250 || b>>8 < 250 {
		t.Errorf("what is transparent is %v, want white", m.At(1, 1))
	}
}

func difference(a, b image.Image) float64 {
	sum, n := 0.0, 0.0
	for y := a.Bounds().Min.Y; y < a.Bounds().Max.Y; y++ {
		for x := a.Bounds().Min.X; x < a.Bounds().Max.X; x++ {
			r, g, bl, _ := a.At(x, y).RGBA()
			r2, g2, bl2, _ := b.At(x, y).RGBA()
			for _, d := range []float64{float64(r) - float64(r2), float64(g) - float64(g2), float64(bl) - float64(bl2)} {
				sum, n = sum+math.Abs(d)/257, n+1
			}
		}
	}
	return sum / n
}

// TestSubsampling: whatever the resolution of colours, what is made of the planes is what is made of the pixels.
func TestSubsampling(t *testing.T) {
	t.Parallel()
	for _, ratio := range []image.YCbCrSubsampleRatio{
		image.YCbCrSubsampleRatio444, image.YCbCrSubsampleRatio422, image.YCbCrSubsampleRatio420, image.YCbCrSubsampleRatio440, image.YCbCrSubsampleRatio411, image.YCbCrSubsampleRatio410,
	} {
		for _, size := range []image.Point{{320, 240}, {321, 243}, {130, 98}} {
			m := ycbcr(ratio, size.X, size.Y)
			wantCorners(t, picture.Shrink(m, 96, 72), corners)
		}
	}
}

// TestAverages: the mean of what a pixel covers, against the same in floating point.
func TestAverages(t *testing.T) {
	t.Parallel()
	for _, s := range []struct{ sw, sh, dw, dh int }{{7, 5, 7, 5}, {7, 5, 3, 2}, {10, 10, 5, 5}, {13, 1, 4, 1}, {1, 9, 1, 2}, {64, 3, 51, 2}, {3, 64, 1, 21}, {100, 7, 1, 1}} {
		m := image.NewNRGBA(image.Rect(0, 0, s.sw, s.sh))
		for i := range m.Pix {
			m.Pix[i] = uint8(i * i * 31 / 7)
			if i%4 == 3 {
				m.Pix[i] = 255
			}
		}
		got := picture.Shrink(m, s.dw, s.dh)
		for y := range s.dh {
			for x := range s.dw {
				for c := range 3 {
					want := mean(m, x, y, c, s.dw, s.dh)
					if v := float64(got.Pix[got.PixOffset(x, y)+c]); math.Abs(v-want) > 0.51 {
						t.Fatalf("%v, pixel %d,%d, channel %d: %v, want %.2f", s, x, y, c, v, want)
					}
				}
			}
		}
	}
}

func mean(m *image.NRGBA, x, y, c, dw, dh int) float64 {
	sw, sh := float64(m.Rect.Dx()), float64(m.Rect.Dy())
	left, right := float64(x)*sw/float64(dw), float64(x+1)*sw/float64(dw)
	top, bottom := float64(y)*sh/float64(dh), float64(y+1)*sh/float64(dh)
	sum := 0.0
	for sy := range m.Rect.Dy() {
		for sx := range m.Rect.Dx() {
			w := math.Max(0, math.Min(right, float64(sx+1))-math.Max(left, float64(sx)))
			h := math.Max(0, math.Min(bottom, float64(sy+1))-math.Max(top, float64(sy)))
			sum += w * h * float64(m.Pix[m.PixOffset(sx, sy)+c])
		}
	}
	return sum / ((right - left) * (bottom - top))
}

// exif is a TIFF structure with an orientation.
func exif(order binary.AppendByteOrder, orientation uint16) []byte {
	b := []byte("II*\x00")
	if order.String() == "BigEndian" {
		b = []byte("MM\x00*")
	}
	b = order.AppendUint32(b, 8)
	b = order.AppendUint16(b, 2)
	for _, e := range [][2]uint16{{0x0100, 1}, {0x0112, orientation}} {
		b = order.AppendUint16(order.AppendUint16(b, e[0]), 3)
		b = order.AppendUint32(b, 1)
		b = order.AppendUint16(order.AppendUint16(b, e[1]), 0)
	}
	return order.AppendUint32(b, 0)
}

func jpegWithEXIF(raw, tags []byte) []byte {
	segment := append([]byte("Exif\x00\x00"), tags...)
	out := append([]byte{}, raw[:2]...)
	out = append(out, 0xff, 0xe0, 0, 4, 'x', 'y', 0xff) // another segment first, and filling
	out = append(out, 0xff, 0xe1)
	out = binary.BigEndian.AppendUint16(out, uint16(len(segment)+2))
	return append(append(out, segment...), raw[2:]...)
}

func chunk(name string, data []byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	b = append(append(b, name...), data...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:]))
}

func pngWithEXIF(raw, tags []byte) []byte {
	const afterHeader = 8 + 12 + 13
	return append(append(append([]byte{}, raw[:afterHeader]...), chunk("eXIf", tags)...), raw[afterHeader:]...)
}

// tiffWithOrientation puts another entry into the only directory of a TIFF that the encoder made, which stands at its end.
func tiffWithOrientation(raw []byte, orientation uint16) []byte {
	le := binary.LittleEndian
	at := le.Uint32(raw[4:])
	n := le.Uint16(raw[at:])
	entries := raw[at+2 : at+2+12*uint32(n)]
	out := append([]byte{}, raw...)
	le.PutUint32(out[4:], uint32(len(out)))
	out = le.AppendUint16(out, n+1)
	done := false
	for ; len(entries) > 0; entries = entries[12:] {
		if !done && le.Uint16(entries) > 0x0112 {
			out = le.AppendUint16(le.AppendUint16(out, 0x0112), 3)
			out = le.AppendUint32(le.AppendUint32(out, 1), uint32(orientation))
			done = true
		}
		out = append(out, entries[:12]...)
	}
	return le.AppendUint32(out, 0)
}

// TestOrientation: what EXIF says is done, in every format that has it, in either byte order.
func TestOrientation(t *testing.T) {
	t.Parallel()
	rgba := painted(image.NewRGBA(image.Rect(0, 0, 64, 32)))
	plainJPEG := encoded(t, func(b *bytes.Buffer) error { return jpeg.Encode(b, rgba, &jpeg.Options{Quality: 95}) })
	plainPNG := encoded(t, func(b *bytes.Buffer) error { return png.Encode(b, rgba) })
	plainTIFF := encoded(t, func(b *bytes.Buffer) error { return tiff.Encode(b, rgba, nil) })
	a, b, c, d := corners[0], corners[1], corners[2], corners[3]
	want := map[uint16][4]color.NRGBA{ // the corners of the picture as it is to be seen
		0: {a, b, c, d}, 1: {a, b, c, d}, 2: {b, a, d, c}, 3: {d, c, b, a}, 4: {c, d, a, b}, 5: {a, c, b, d}, 6: {c, a, d, b}, 7: {d, b, c, a}, 8: {b, d, a, c}, 9: {a, b, c, d},
	}
	for orientation, corners := range want {
		for name, raw := range map[string][]byte{
			"jpeg, little": jpegWithEXIF(plainJPEG, exif(binary.LittleEndian, orientation)),
			"jpeg, big":    jpegWithEXIF(plainJPEG, exif(binary.BigEndian, orientation)),
			"png":          pngWithEXIF(plainPNG, exif(binary.BigEndian, orientation)),
			"tiff":         tiffWithOrientation(plainTIFF, orientation),
		} {
			t.Run(fmt.Sprintf("%s %d", name, orientation), func(t *testing.T) {
				t.Parallel()
				m, err := reduce(t, raw, 512)
				if err != nil {
					t.Fatal(err)
				}
				size := image.Pt(64, 32)
				if orientation >= 5 && orientation <= 8 {
					size = image.Pt(32, 64)
				}
				if m.Bounds().Size() != size {
					t.Errorf("%v, want %v", m.Bounds().Size(), size)
				}
				wantCorners(t, m, corners)
			})
		}
	}
}

// bomb is a PNG that says to be huge, with next to nothing in it.
func bomb(w, h uint32, colourType byte) []byte {
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, w), h)
	head = append(head, 8, colourType, 0, 0, 0)
	var data bytes.Buffer
	z := zlib.NewWriter(&data)
	_, _ = z.Write(make([]byte, 1<<20))
	_ = z.Close()
	return append(append(append([]byte("\x89PNG\r\n\x1a\n"), chunk("IHDR", head)...), chunk("IDAT", data.Bytes())...), chunk("IEND", nil)...)
}

func TestRefused(t *testing.T) {
	t.Parallel()
	good := encoded(t, func(b *bytes.Buffer) error {
		return jpeg.Encode(b, painted(image.NewRGBA(image.Rect(0, 0, 300, 300))), nil)
	})
	flat := encoded(t, func(b *bytes.Buffer) error {
		return gif.Encode(b, image.NewPaletted(image.Rect(0, 0, 8, 8), color.Palette{color.Black}), nil)
	})
	copy(flat[6:10], []byte{0xff, 0xff, 0xff, 0xff}) // its size, in pixels
	for _, tt := range []struct {
		name string
		raw  []byte
		want worker.PictureReason
	}{
		{"nothing", nil, worker.PictureUndecodable},
		{"a page", []byte("<!doctype html><title>Log in</title>"), worker.PictureUndecodable},
		{"the beginning of a picture", good[:len(good)/2], worker.PictureUndecodable},
		{"only a head", good[:40], worker.PictureUndecodable},
		{"a bomb", bomb(50_000, 50_000, 2), worker.PictureTooLarge},
		{"a bomb of the largest size", bomb(1<<31-1, 1<<31-1, 6), worker.PictureUndecodable}, // the decoder itself does not believe it
		{"a row without end", bomb(100_000_000, 1, 0), worker.PictureTooLarge},
		{"a flat animation", flat, worker.PictureTooLarge},
		{"no pixels", bomb(0, 10, 2), worker.PictureUndecodable},
		{"a picture without data", bomb(3000, 3000, 2), worker.PictureUndecodable},
		{"a broken TIFF", []byte("II*\x00\xff\xff\xff\x7fxxxx"), worker.PictureUndecodable},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := reduce(t, tt.raw, 512)
			if p, ok := errors.AsType[*worker.PictureError](err); !ok || p.Reason != tt.want || !p.Reason.Permanent() {
				t.Errorf("%v, want %s", err, tt.want)
			}
		})
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if _, _, _, err := picture.New(picture.Options{}).Reduce(stopped, file(t, good), 512, allowed); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestDecodedMemory: what a picture would take is known before it is decoded.
func TestDecodedMemory(t *testing.T) {
	t.Parallel()
	raw := encoded(t, func(b *bytes.Buffer) error {
		return jpeg.Encode(b, ycbcr(image.YCbCrSubsampleRatio420, 400, 300), nil)
	})
	studio := picture.New(picture.Options{})
	for _, tt := range []struct {
		limit   int64
		refused bool
	}{{180_000, false}, {179_999, true}} { // a pixel and a half
		_, _, _, err := studio.Reduce(t.Context(), file(t, raw), 512, tt.limit)
		if p, ok := errors.AsType[*worker.PictureError](err); ok != tt.refused || ok && p.Reason != worker.PictureTooLarge || !ok && err != nil {
			t.Errorf("within %d bytes: %v", tt.limit, err)
		}
	}
}

// FuzzReduce: nothing that is read brings the program down, or leaves the reasons there are.
func FuzzReduce(f *testing.F) {
	f.Add(encoded(f, func(b *bytes.Buffer) error {
		return jpeg.Encode(b, painted(image.NewRGBA(image.Rect(0, 0, 20, 20))), nil)
	}))
	f.Add(pngWithEXIF(encoded(f, func(b *bytes.Buffer) error { return png.Encode(b, painted(image.NewRGBA(image.Rect(0, 0, 20, 20)))) }), exif(binary.BigEndian, 6)))
	f.Add(encoded(f, func(b *bytes.Buffer) error {
		return tiff.Encode(b, painted(image.NewRGBA(image.Rect(0, 0, 20, 20))), nil)
	}))
	f.Add(testFile(f, "blue-purple-pink.lossy.webp"))
	studio := picture.New(picture.Options{})
	f.Fuzz(func(t *testing.T, raw []byte) {
		_, _, _, err := studio.Reduce(t.Context(), file(t, raw), 64, 8<<20)
		if _, ok := errors.AsType[*worker.PictureError](err); err != nil && !ok {
			t.Error(err)
		}
	})
}

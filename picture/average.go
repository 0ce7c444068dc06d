package picture

import (
	"image"
	"image/color"
)

// averager makes a picture smaller: each pixel of the result is the mean of the area that it covers, exactly. It is given the rows one after
// the other. Lengths are whole numbers: a row or column of the picture is as long as the result has of them, and the other way round.
type averager struct {
	channels       int
	sw, sh, dw, dh int // of the picture and of the result, which is not larger
	spans          []span
	sums           []uint32
	areas          []uint64
	out            []uint8
	row, done      int // rows of the picture taken, rows of the result made
}

// span is what a column of the result covers of a row: from a part of the first column to a part of the last one.
type span struct {
	first, last int
	left, right uint32 // how long these parts are
}

func newAverager(sw, sh, dw, dh, channels int) *averager {
	a := &averager{
		channels: channels, sw: sw, sh: sh, dw: dw, dh: dh, spans: make([]span, dw),
		sums: make([]uint32, dw*channels), areas: make([]uint64, dw*channels), out: make([]uint8, 0, dw*dh*channels),
	}
	for j := range a.spans {
		from, to := j*sw, (j+1)*sw
		s := span{first: from / dw, last: (to - 1) / dw}
		s.left, s.right = uint32((s.first+1)*dw-from), uint32(to-s.last*dw)
		if s.first == s.last {
			s.left, s.right = uint32(sw), 0
		}
		a.spans[j] = s
	}
	return a
}

// add takes the next row.
func (a *averager) add(row []uint8) {
	if a.channels == 1 {
		a.sumPlane(row)
	} else {
		a.sumColours(row)
	}
	from, to := a.row*a.dh, (a.row+1)*a.dh
	a.row++
	border := (a.done + 1) * a.sh
	a.weigh(min(to, border) - from)
	if to >= border {
		a.finish()
		if to > border {
			a.weigh(to - border)
		}
	}
}

// sumPlane adds up what each column of the result covers of a row with one channel.
func (a *averager) sumPlane(row []uint8) {
	sums, whole := a.sums[:len(a.spans)], uint32(a.dw)
	for j, s := range a.spans {
		sum := uint32(row[s.first])*s.left + uint32(row[s.last])*s.right
		if s.first+1 < s.last {
			var inner uint32
			for _, v := range row[s.first+1 : s.last] {
				inner += uint32(v)
			}
			sum += inner * whole
		}
		sums[j] = sum
	}
}

// sumColours is sumPlane for red, green and blue.
func (a *averager) sumColours(row []uint8) {
	whole := uint32(a.dw)
	for j, s := range a.spans {
		first, last := row[3*s.first:3*s.first+3:3*s.first+3], row[3*s.last:3*s.last+3:3*s.last+3]
		var red, green, blue uint32
		if s.first+1 < s.last {
			for p := row[3*s.first+3 : 3*s.last]; len(p) >= 3; p = p[3:] {
				red, green, blue = red+uint32(p[0]), green+uint32(p[1]), blue+uint32(p[2])
			}
		}
		sums := a.sums[3*j : 3*j+3 : 3*j+3]
		sums[0] = red*whole + uint32(first[0])*s.left + uint32(last[0])*s.right
		sums[1] = green*whole + uint32(first[1])*s.left + uint32(last[1])*s.right
		sums[2] = blue*whole + uint32(first[2])*s.left + uint32(last[2])*s.right
	}
}

func (a *averager) weigh(length int) {
	for i, s := range a.sums {
		a.areas[i] += uint64(s) * uint64(length)
	}
}

func (a *averager) finish() {
	area := uint64(a.sw) * uint64(a.sh)
	for i, v := range a.areas {
		a.out = append(a.out, uint8((v+area/2)/area))
		a.areas[i] = 0
	}
	a.done++
}

// shrink makes a picture fit, with its transparent parts on white.
func shrink(m image.Image, dw, dh int) *image.RGBA {
	b := m.Bounds()
	if y, ok := m.(*image.YCbCr); ok {
		if chroma := chromaSize(y); chroma.X >= dw && chroma.Y >= dh {
			return shrinkPlanes(y, chroma, dw, dh)
		}
	}
	read := rowReader(m)
	a := newAverager(b.Dx(), b.Dy(), dw, dh, 3)
	row := make([]uint8, 3*b.Dx())
	for y := b.Min.Y; y < b.Max.Y; y++ {
		read(y, row)
		a.add(row)
	}
	out := image.NewRGBA(image.Rect(0, 0, dw, dh))
	for i := range dw * dh {
		copy(out.Pix[4*i:], a.out[3*i:3*i+3])
		out.Pix[4*i+3] = 0xff
	}
	return out
}

func chromaSize(m *image.YCbCr) image.Point {
	return image.Pt(m.CStride, len(m.Cb)/max(1, m.CStride))
}

// shrinkPlanes averages brightness and colours apart, each at its own resolution, which is the same as averaging what they mean.
func shrinkPlanes(m *image.YCbCr, chroma image.Point, dw, dh int) *image.RGBA {
	luma := shrinkPlane(m.Y, m.YStride, m.Rect.Dx(), m.Rect.Dy(), dw, dh)
	across, down := subsampling(m.SubsampleRatio)
	cw, ch := min(chroma.X, (m.Rect.Dx()+across-1)/across), min(chroma.Y, (m.Rect.Dy()+down-1)/down)
	blue, red := shrinkPlane(m.Cb, m.CStride, cw, ch, dw, dh), shrinkPlane(m.Cr, m.CStride, cw, ch, dw, dh)
	out := image.NewRGBA(image.Rect(0, 0, dw, dh))
	for i := range dw * dh {
		p := out.Pix[4*i : 4*i+4 : 4*i+4]
		p[0], p[1], p[2] = color.YCbCrToRGB(luma[i], blue[i], red[i])
		p[3] = 0xff
	}
	return out
}

func subsampling(r image.YCbCrSubsampleRatio) (across, down int) {
	switch r {
	case image.YCbCrSubsampleRatio422:
		return 2, 1
	case image.YCbCrSubsampleRatio420:
		return 2, 2
	case image.YCbCrSubsampleRatio440:
		return 1, 2
	case image.YCbCrSubsampleRatio411:
		return 4, 1
	case image.YCbCrSubsampleRatio410:
		return 4, 2
	case image.YCbCrSubsampleRatio444:
	}
	return 1, 1
}

func shrinkPlane(plane []uint8, stride, sw, sh, dw, dh int) []uint8 {
	a := newAverager(sw, sh, dw, dh, 1)
	for y := range sh {
		a.add(plane[y*stride : y*stride+sw])
	}
	return a.out
}

// onWhite is a colour in front of white; alpha is not multiplied in.
func onWhite(v, alpha uint8) uint8 {
	return uint8((uint32(v)*uint32(alpha) + 255*(255-uint32(alpha)) + 127) / 255)
}

// rowReader returns what reads a row as red, green and blue, in front of white.
func rowReader(m image.Image) func(y int, row []uint8) {
	b := m.Bounds()
	switch m := m.(type) {
	case *image.Gray:
		return func(y int, row []uint8) {
			for x, v := range m.Pix[m.PixOffset(b.Min.X, y):][:b.Dx()] {
				row[3*x], row[3*x+1], row[3*x+2] = v, v, v
			}
		}
	case *image.RGBA:
		return func(y int, row []uint8) {
			for p := m.Pix[m.PixOffset(b.Min.X, y):][:4*b.Dx()]; len(p) >= 4; p, row = p[4:], row[3:] {
				white := 255 - p[3]
				row[0], row[1], row[2] = p[0]+white, p[1]+white, p[2]+white
			}
		}
	case *image.NRGBA:
		return func(y int, row []uint8) {
			for p := m.Pix[m.PixOffset(b.Min.X, y):][:4*b.Dx()]; len(p) >= 4; p, row = p[4:], row[3:] {
				row[0], row[1], row[2] = onWhite(p[0], p[3]), onWhite(p[1], p[3]), onWhite(p[2], p[3])
			}
		}
	case *image.Gray16:
		return func(y int, row []uint8) {
			for p := m.Pix[m.PixOffset(b.Min.X, y):][:2*b.Dx()]; len(p) >= 2; p, row = p[2:], row[3:] {
				row[0], row[1], row[2] = p[0], p[0], p[0]
			}
		}
	case *image.RGBA64: // the first byte of each two is the one that counts
		return func(y int, row []uint8) {
			for p := m.Pix[m.PixOffset(b.Min.X, y):][:8*b.Dx()]; len(p) >= 8; p, row = p[8:], row[3:] {
				white := 255 - p[6]
				row[0], row[1], row[2] = p[0]+white, p[2]+white, p[4]+white
			}
		}
	case *image.NRGBA64:
		return func(y int, row []uint8) {
			for p := m.Pix[m.PixOffset(b.Min.X, y):][:8*b.Dx()]; len(p) >= 8; p, row = p[8:], row[3:] {
				row[0], row[1], row[2] = onWhite(p[0], p[6]), onWhite(p[2], p[6]), onWhite(p[4], p[6])
			}
		}
	case *image.Paletted:
		return palettedReader(m)
	case *image.CMYK:
		return func(y int, row []uint8) {
			for p := m.Pix[m.PixOffset(b.Min.X, y):][:4*b.Dx()]; len(p) >= 4; p, row = p[4:], row[3:] {
				row[0], row[1], row[2] = color.CMYKToRGB(p[0], p[1], p[2], p[3])
			}
		}
	case *image.YCbCr:
		return func(y int, row []uint8) {
			for x := b.Min.X; x < b.Max.X; x, row = x+1, row[3:] {
				c := m.COffset(x, y)
				row[0], row[1], row[2] = color.YCbCrToRGB(m.Y[m.YOffset(x, y)], m.Cb[c], m.Cr[c])
			}
		}
	}
	return func(y int, row []uint8) {
		for x := b.Min.X; x < b.Max.X; x, row = x+1, row[3:] {
			c := color.NRGBA64Model.Convert(m.At(x, y)).(color.NRGBA64)
			alpha := uint8(c.A >> 8)
			row[0], row[1], row[2] = onWhite(uint8(c.R>>8), alpha), onWhite(uint8(c.G>>8), alpha), onWhite(uint8(c.B>>8), alpha)
		}
	}
}

func palettedReader(m *image.Paletted) func(y int, row []uint8) {
	var colours [256][3]uint8 // what the palette lacks is black
	for i, c := range m.Palette {
		n := color.NRGBAModel.Convert(c).(color.NRGBA)
		colours[i] = [3]uint8{onWhite(n.R, n.A), onWhite(n.G, n.A), onWhite(n.B, n.A)}
	}
	return func(y int, row []uint8) {
		for x, v := range m.Pix[m.PixOffset(m.Rect.Min.X, y):][:m.Rect.Dx()] {
			copy(row[3*x:3*x+3], colours[v][:])
		}
	}
}

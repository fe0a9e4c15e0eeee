package svg

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strconv"
)

// drawing is one graph: shapes and texts, in a frame of this size.
type drawing struct {
	width, height float64
	x, y          float64 // offset of the coordinates of shapes
	shapes        []byte
}

// Distances in pixels.
const (
	widest = 800 // maximum width of a row, unless one drawing is wider
	margin = 4
	gap    = 24 // between drawings
)

// picture arranges drawings in rows, and begins a new row when the current one would become too
// wide.
func picture(drawings []drawing) []byte {
	type row struct {
		members       []drawing
		width, height float64
	}
	var rows []row
	for _, d := range drawings {
		last := len(rows) - 1
		if last < 0 || rows[last].width+gap+d.width > widest {
			rows = append(rows, row{[]drawing{d}, d.width, d.height})
			continue
		}
		r := &rows[last]
		r.members = append(r.members, d)
		r.width += gap + d.width
		r.height = max(r.height, d.height)
	}
	var width, height float64
	for i, r := range rows {
		width = max(width, r.width)
		height += r.height
		if i > 0 {
			height += gap
		}
	}
	var b bytes.Buffer
	w, h := number(width+2*margin), number(height+2*margin)
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%s" height="%s" viewBox="0 0 %[1]s %[2]s" font-family="%[3]s" font-size="14" text-anchor="middle">`+"\n", w, h, family)
	fmt.Fprintf(&b, `<rect width="%s" height="%s" rx="6" fill="white"/>`+"\n", w, h)
	y := float64(margin)
	for _, r := range rows {
		x := float64(margin)
		for _, d := range r.members {
			fmt.Fprintf(&b, "<g transform=\"translate(%s %s)\">\n%s</g>\n", number(x+d.x), number(y+(r.height-d.height)/2+d.y), d.shapes)
			x += d.width + gap
		}
		y += r.height + gap
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

func number(x float64) string { return strconv.FormatFloat(x, 'f', -1, 32) }

// shapes are the elements that are kept. Groups, titles and links are invisible and dropped.
var shapes = []string{"path", "polygon", "polyline", "ellipse", "text", "image"}

// family lists the default fonts of texts, in order of preference. All of them have the letter
// widths that the layout assumes.
const family = font + ",Arial,Liberation Sans,sans-serif"

// inherited are the attributes that the picture sets for all elements.
var inherited = map[string]string{"font-family": font + ",sans-Serif", "font-size": "14.00", "text-anchor": "middle"}

// readDrawing reads Graphviz's SVG of one graph, without invisible elements.
func readDrawing(r io.Reader) (drawing, error) {
	var d drawing
	var b bytes.Buffer
	decoder := xml.NewDecoder(r)
	placed, text := false, false
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			d.shapes = b.Bytes()
			return d, nil
		}
		if err != nil {
			return drawing{}, err
		}
		switch t := token.(type) {
		case xml.StartElement:
			switch name := t.Name.Local; {
			case name == "svg":
				var left, top float64
				if _, err := fmt.Sscan(attribute(t, "viewBox"), &left, &top, &d.width, &d.height); err != nil {
					return drawing{}, fmt.Errorf("viewBox %q: %w", attribute(t, "viewBox"), err)
				}
			case name == "g" && !placed:
				placed = true
				if _, err := fmt.Sscanf(attribute(t, "transform"), "scale(1 1) rotate(0) translate(%g %g)", &d.x, &d.y); err != nil {
					return drawing{}, fmt.Errorf("transform %q: %w", attribute(t, "transform"), err)
				}
			case slices.Contains(shapes, name):
				shape(&b, t)
				if text = name == "text"; text {
					b.WriteByte('>')
				} else {
					b.WriteString("/>\n")
				}
			}
		case xml.CharData:
			if text {
				xml.EscapeText(&b, t)
			}
		case xml.EndElement:
			if t.Name.Local == "text" {
				text = false
				b.WriteString("</text>\n")
			}
		}
	}
}

// shape writes the name of an element and its attributes, except inherited ones.
func shape(b *bytes.Buffer, t xml.StartElement) {
	fmt.Fprintf(b, "<%s", t.Name.Local)
	for _, a := range t.Attr {
		if a.Name.Space != "" || inherited[a.Name.Local] == a.Value {
			continue
		}
		fmt.Fprintf(b, ` %s="`, a.Name.Local)
		xml.EscapeText(b, []byte(a.Value))
		b.WriteByte('"')
	}
}

// attribute returns the value of an attribute, "" if the element does not have it.
func attribute(t xml.StartElement, name string) string {
	for _, a := range t.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

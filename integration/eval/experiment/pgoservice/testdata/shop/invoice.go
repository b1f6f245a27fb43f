package main

import (
	"html/template"
	"strings"
)

var functions = template.FuncMap{"money": money, "odd": func(i int) bool { return i%2 == 1 }}

var invoices = template.Must(template.New("invoice").Funcs(functions).Parse(`<!DOCTYPE html>
<html><head><title>Invoice for {{.Order.Customer}}</title></head>
<body><h1>{{.Order.Customer}}</h1>
<p>{{.Order.Address.Street}}, {{.Order.Address.Zip}} {{.Order.Address.City}} ({{.Order.Address.Country}})</p>
<table>{{range $i, $line := .Receipt.Lines}}
<tr class="{{if odd $i}}odd{{else}}even{{end}}"><td><a href="/product?sku={{$line.SKU}}">{{$line.SKU}}</a></td>
<td>{{$line.Text}}</td><td>{{money $line.Cents}}</td></tr>{{end}}
</table>
{{with .Receipt.Discount}}<p>Discount: {{money .}}</p>{{end}}
<p>Tax: {{money .Receipt.Tax}}</p><p><b>{{money .Receipt.Total}}</b></p>
<script>var total = {{.Receipt.Total}}, tags = {{.Receipt.Tags}};</script>
</body></html>
`))

// invoice answers an order with a page.
func invoice(body []byte) (any, error) {
	o, err := decodeOrder(body)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	err = invoices.Execute(&b, map[string]any{"Order": o, "Receipt": receipt(o)})
	return page(b.String()), err
}

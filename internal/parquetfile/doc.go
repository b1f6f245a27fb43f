// Package parquetfile writes Parquet files: https://parquet.apache.org/docs/file-format/ and parquet.thrift of
// github.com/apache/parquet-format.
//
//	type row struct {
//		Service string            `parquet:"service"`
//		Day     int32             `parquet:"day,date"`
//		Count   int64             `parquet:"count"`
//		Low     *int64            `parquet:"low,optional"`
//		Labels  map[string]string `parquet:"labels"`
//		Lines   []int32           `parquet:"lines,list"`
//	}
//	w := parquetfile.New[row](out, "goprofinstr")
//	err := w.Write(row{…}) // for each row
//	err = w.Close()
//
// It does what the tables of this module need, and not more. A column is a string, bool, int32, int64, or a pointer to one of
// these, which may be nil. It may also be a map of strings or a list of numbers. Embedded structs are columns of the row. The
// tags are those of github.com/parquet-go/parquet-go, which reads these files into the same types in tests. That library would
// write them, too, and makes the executable a third larger: see docs/design/sql.md.
//
// Columns are written as dictionaries where there are few different values, then compressed by zstd. A row group has RowGroup
// rows, which is all that is held in memory. Each has the least and the greatest value of each column, by which readers skip it.
// Equal rows are equal bytes.
//
// Not handled are nested types, other encodings, indexes of pages, bloom filters, and reading.
package parquetfile

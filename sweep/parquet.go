package sweep

import (
	"fmt"
	"io"
	"reflect"

	"github.com/parquet-go/parquet-go"
)

// parquetTable writes Apache Parquet. Every column is optional, with the type of its statistic.
type parquetTable struct {
	w    *parquet.GenericWriter[any]
	list []column
	cell []parquet.Value
	rows int // in the present group
}

// groupRows is the number of rows of a row group, which the writer holds in memory.
const groupRows = 8192

func newParquet(w io.Writer, list []column) (tableWriter, error) {
	types := map[columnKind]reflect.Type{
		textColumn: reflect.TypeFor[*string](), wholeColumn: reflect.TypeFor[*int64](),
		fractionColumn: reflect.TypeFor[*float64](), truthColumn: reflect.TypeFor[*bool](),
	}
	fields := make([]reflect.StructField, len(list))
	for i := range list {
		fields[i] = reflect.StructField{
			Name: fmt.Sprint("F", i), Type: types[list[i].kind],
			Tag: reflect.StructTag(fmt.Sprintf(`parquet:"%s,optional"`, list[i].name)),
		}
	}
	schema := parquet.SchemaOf(reflect.New(reflect.StructOf(fields)).Interface())
	return &parquetTable{
		w: parquet.NewGenericWriter[any](w, schema, parquet.Compression(&parquet.Zstd),
			parquet.CreatedBy("divergo", "", "")),
		list: list, cell: make([]parquet.Value, len(list)),
	}, nil
}

func (t *parquetTable) row(cells []any) error {
	for i, v := range cells {
		switch n := v.(type) {
		case uint64:
			v = int64(n)
		case int64, bool:
			if t.list[i].kind == textColumn {
				v = text(v)
			}
		}
		level := 1
		if v == nil {
			level = 0
		}
		t.cell[i] = parquet.ValueOf(v).Level(0, level, i)
	}
	if _, err := t.w.WriteRows([]parquet.Row{t.cell}); err != nil {
		return err
	}
	if t.rows++; t.rows == groupRows {
		t.rows = 0
		return t.w.Flush()
	}
	return nil
}

func (t *parquetTable) close() error { return t.w.Close() }

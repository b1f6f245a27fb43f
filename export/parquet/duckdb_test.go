package parquet

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goprofinstr/goprofinstr/export/profile"
)

var duckdb = flag.String("duckdb", "", "the folder where npm has installed @duckdb/node-api")

// script runs SQL in Node, and prints the rows of each statement as JSON on a line.
const script = `
const { DuckDBInstance } = require(process.argv[1] + '/node_modules/@duckdb/node-api');
(async () => {
	const db = await (await DuckDBInstance.create(':memory:')).connect();
	for (const sql of process.argv.slice(2)) {
		console.log(JSON.stringify((await db.runAndReadAll(sql)).getRowsJson()));
	}
})();
`

// query has DuckDB run statements in a folder. It returns the rows of each.
func query(t *testing.T, dir string, statements ...string) (results [][][]any) {
	t.Helper()
	if *duckdb == "" {
		t.Skip("no DuckDB; npm install @duckdb/node-api, and go test -duckdb FOLDER")
	}
	folder, err := filepath.Abs(*duckdb)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("node", append([]string{"-e", script, folder}, statements...)...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, err.(*exec.ExitError).Stderr)
	}
	for line := range strings.Lines(string(out)) {
		var rows [][]any
		if err := json.Unmarshal([]byte(line), &rows); err != nil {
			t.Fatal(err)
		}
		results = append(results, rows)
	}
	return results
}

// examples returns the statements in docs/guide/sql.md.
func examples(t *testing.T) (statements []string) {
	t.Helper()
	text, err := os.ReadFile("../../docs/guide/sql.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range strings.Split(string(text), "\n```sql\n")[1:] {
		statement, _, _ := strings.Cut(block, "```")
		statements = append(statements, statement)
	}
	if len(statements) != 3 {
		t.Fatalf("%d statements in docs/guide/sql.md: %q", len(statements), statements)
	}
	return statements
}

// TestExamples runs the SQL in docs/guide/sql.md, and holds what comes out against the profiles.
func TestExamples(t *testing.T) {
	statements := examples(t)
	dir := t.TempDir()
	one, _ := counted(t, 30)
	two, _ := counted(t, 7)
	prod, other := *groups[0], *groups[1]
	prod.Labels, prod.Day = map[string]string{"deployment.environment": "prod"}, time.Now().UTC()
	for _, kind := range Kinds {
		f, err := os.Create(filepath.Join(dir, string(kind)+".parquet"))
		if err != nil {
			t.Fatal(err)
		}
		w, err := NewWriter(f, kind)
		if err != nil {
			t.Fatal(err)
		}
		for g, p := range map[*Group]*profile.Profile{&prod: one, &other: two} {
			if err := w.Write(g, p); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	results := query(t, dir, statements...)

	const name = "example.com/m/lex."
	const uncalled = "[[example.com/m/lex %[1]sMust] [example.com/m/lex %[1]sVersion] [example.com/m/lex %[1]sunused]]"
	if got, want := fmt.Sprint(results[0]), fmt.Sprintf(uncalled, name); got != want {
		t.Errorf("not called: %s, want %s", got, want)
	}
	flows, total := make(map[uint64]int64), int64(0)
	for _, p := range []*profile.Profile{one, two} {
		for i := range p.Packages[0].Functions[0].Paths {
			path := &p.Packages[0].Functions[0].Paths[i]
			flows[path.ID] += path.Flow()
			total += path.Flow()
		}
	}
	if len(results[1]) != min(10, len(flows)) {
		t.Errorf("%d hottest paths of %d", len(results[1]), len(flows))
	}
	sorted := slices.SortedFunc(maps.Values(flows), func(a, b int64) int { return int(b - a) })
	for i, row := range results[1] {
		var id uint64
		fmt.Sscan(row[2].(string), &id)
		flow, share := fmt.Sprint(flows[id]), float64(flows[id])/float64(total)
		if row[1] != name+"Words" || row[4] != flow || flow != fmt.Sprint(sorted[i]) || row[5].(float64) != share {
			t.Errorf("hottest path %v, want a flow of %s of %d", row, flow, total)
		}
	}
	want := fmt.Sprintf("strings.Trim %sWords %d", name, 2*one.Packages[0].Functions[0].Blocks[2])
	if !slices.ContainsFunc(results[2], func(row []any) bool { return fmt.Sprint(row[0], " ", row[1], " ", row[3]) == want }) {
		t.Errorf("no row %s in %v", want, results[2])
	}
}

// TestColumns has DuckDB describe all tables: columns that are called otherwise are another format.
func TestColumns(t *testing.T) {
	dir := t.TempDir()
	p, _ := counted(t, 3)
	var statements []string
	for _, kind := range Kinds {
		if err := os.WriteFile(filepath.Join(dir, string(kind)), written(t, kind, p, p), 0o666); err != nil {
			t.Fatal(err)
		}
		statements = append(statements,
			fmt.Sprintf("SELECT column_name || ' ' || column_type FROM (DESCRIBE SELECT * FROM read_parquet('%s'))", kind))
	}
	const common = "service VARCHAR, labels MAP(VARCHAR, VARCHAR), build VARCHAR, day DATE, " +
		"first_start TIMESTAMP WITH TIME ZONE, last_start TIMESTAMP WITH TIME ZONE, " +
		"runs INTEGER, hosts INTEGER, host VARCHAR, run VARCHAR, package VARCHAR, function VARCHAR, file VARCHAR, line INTEGER, estimated BOOLEAN, "
	results := query(t, dir, statements...)
	const values = "at_line INTEGER, value VARCHAR, number BIGINT, count BIGINT, samples BIGINT"
	for i, want := range []string{
		"declined VARCHAR, uncounted VARCHAR, calls BIGINT, low BIGINT, high BIGINT, abandoned BIGINT, " +
			"possible_paths BIGINT, executed_paths INTEGER, branches INTEGER, executed_branches INTEGER, " +
			"statements INTEGER, executed_statements INTEGER, time_ns BIGINT",
		"path BIGINT, count BIGINT, samples BIGINT, low BIGINT, high BIGINT, time_ns BIGINT, branches INTEGER, " +
			"begins_at VARCHAR, ends_at VARCHAR, lines INTEGER[]",
		"edge INTEGER, from_block INTEGER, to_block INTEGER, count BIGINT, low BIGINT, high BIGINT, kind VARCHAR, " +
			"branch BOOLEAN, back BOOLEAN, from_line INTEGER, to_line INTEGER",
		"call_line INTEGER, callee VARCHAR, dynamic BOOLEAN, count BIGINT, samples BIGINT",
		values, values,
	} {
		got := strings.Trim(strings.ReplaceAll(fmt.Sprint(results[i]), "] [", ", "), "[]")
		if strings.TrimSuffix(got, "[") != strings.TrimSuffix(common+want, "[]") {
			t.Errorf("%s: %s\nwant %s", Kinds[i], got, common+want)
		}
	}
}

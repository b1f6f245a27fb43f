// Package parquet writes what runs have counted as Parquet files, for SQL: DuckDB, ClickHouse, Spark and others read them.
//
//	w, err := parquet.NewWriter(out, parquet.Paths)
//	err = w.Write(&parquet.Group{Service: "shop", Build: id, Runs: 3, …}, profile) // for each group of runs
//	err = w.Close()
//
// A file has one table, which is of one kind: functions, paths, edges, calls or values. All kinds begin with the same columns,
// those of a group of runs that were added up. They are what the runs are of, where and when they were. A row has the counts of
// one group. So a sum over rows is right whatever it is grouped by, as long as it is within one kind.
//
// The same groups in the same order are the same bytes, with one version of goprofinstr. Rows are written in the order in which
// groups come, and those of a group by package and place in the source. At most 65,536 rows are held in memory.
//
// Not handled are calling contexts, infeasible paths, and sources: what a line is the reader looks up.
package parquet

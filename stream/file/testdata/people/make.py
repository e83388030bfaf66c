"""Writes the files beside it as common programs write them: 24 hours of cpu and mem.

Needs pandas with pyarrow: python3 make.py
"""
import gzip
import json
import pathlib

import pandas as pd

here = pathlib.Path(__file__).parent
index = pd.date_range("2026-01-05", periods=24, freq="h", name="time")
cpu = [round(1000.5 + 7 * (i % 5), 2) for i in range(24)]
mem = [round(40 + i / 4, 2) for i in range(24)]
frame = pd.DataFrame({"cpu": cpu, "mem": mem}, index=index)


def write(name, text, encoding="utf-8"):
    (here / name).write_bytes(text.encode(encoding))


def german(v, grouped=False):
    return (f"{v:,.2f}" if grouped else f"{v:.2f}").translate(str.maketrans(",.", ".,"))


# pandas
frame.to_csv(here / "pandas-index.csv")
frame.rename_axis(None).to_csv(here / "pandas-unnamed-index.csv")
frame.reset_index().to_csv(here / "pandas-range-index.csv")
frame.to_csv(here / "pandas-tab.tsv", sep="\t")
frame.iloc[::-1].to_csv(here / "pandas-newest-first.csv")
frame.tz_localize("Europe/Berlin").to_csv(here / "pandas-zone.csv")
frame.where(frame["mem"] != 42.5).to_csv(here / "pandas-nan.csv", na_rep="NaN")
frame.assign(host="web1", up=True).to_csv(here / "pandas-text-column.csv")
pd.concat([frame.assign(host=h) for h in ("web1", "web2")]).sort_index(kind="stable").to_csv(here / "pandas-two-hosts.csv")
frame.where(frame["mem"] != 40).astype({"mem": "float32"}).to_parquet(here / "pandas-index.parquet")
frame.reset_index().to_json(here / "pandas-lines.jsonl", orient="records", lines=True, date_format="iso")
frame.reset_index().to_json(here / "pandas-epoch.jsonl", orient="records", lines=True, date_format="epoch")
frame.reset_index().to_json(here / "pandas-records.json", orient="records", date_format="iso")
long = frame.reset_index().melt("time", var_name="unique_id", value_name="y").rename(columns={"time": "ds"})
long[["unique_id", "ds", "y"]].to_csv(here / "nixtla.csv", index=False)

# pandas: the index beside a column of times, and levels
dated = frame.reset_index().rename(columns={"time": "Date"})
dated.to_csv(here / "pandas-date-column.csv")
dated.set_index(pd.RangeIndex(1, 25)).to_csv(here / "pandas-index-from-1.csv")
dated.rename_axis("index").to_csv(here / "pandas-index-named.csv")
dated.rename_axis("id").iloc[::-1].to_csv(here / "pandas-index-newest-first.csv")
pd.read_csv(here / "pandas-date-column.csv").to_csv(here / "pandas-unnamed-0.csv")
dated.assign(Date=dated["Date"].astype("int64") // 10**9).rename(columns={"Date": "epoch"})[["cpu", "epoch", "mem"]].to_csv(here / "pandas-index-epoch.csv")
dated.assign(Date=dated["Date"].dt.strftime("%m/%d/%Y %H:%M")).to_csv(here / "pandas-index-us-dates.csv")
dated[["cpu", "mem"]].to_csv(here / "pandas-no-time.csv", index=False)
dated.iloc[::-1].sort_values("Date").to_parquet(here / "pandas-index.pq")
hosts = pd.concat([dated.assign(host=h) for h in ("web1", "web2")]).set_index(["host", "Date"])
hosts.to_csv(here / "pandas-two-levels.csv")
hosts.rename_axis([None, None]).to_csv(here / "pandas-two-levels-unnamed.csv")
levels = dated.set_index("Date")
levels.columns = pd.MultiIndex.from_tuples([("Close", "A"), ("Volume", "A")], names=["Price", "Ticker"])
levels.to_csv(here / "pandas-column-levels.csv")
days = dated.assign(Date=pd.date_range("2026-01-05", periods=24, freq="D").strftime("%Y%m%d"))
days.to_csv(here / "pandas-compact-dates.csv")

# R: write.csv, write.csv2 and write.table with sep = ","
quoted = [(f'"{i + 1}"', f'"{t}"', a, b) for i, (t, a, b) in enumerate(zip(index, cpu, mem))]
write("r-write-csv.csv", '"","time","cpu","mem"\n' + "".join(f"{i},{t},{a},{b}\n" for i, t, a, b in quoted))
write("r-write-csv2.csv", '"";"time";"cpu";"mem"\n' + "".join(f"{i};{t};{german(a)};{german(b)}\n" for i, t, a, b in quoted))
write("r-write-table.csv", '"time","cpu","mem"\n' + "".join(f"{i},{t},{a},{b}\n" for i, t, a, b in quoted))
write("r-rownames.csv", '"cpu","mem"\n' + "".join(f"{t},{a},{b}\n" for i, t, a, b in quoted))

# polars: with_row_index, then write_csv
write("polars-row-index.csv", "row_nr,time,cpu,mem\n" + "".join(f"{i},{t:%Y-%m-%dT%H:%M:%S}.000000,{a},{b}\n" for i, (t, a, b) in enumerate(zip(index, cpu, mem))))

# spreadsheets
rows = list(zip(index, cpu, mem))
write("excel-german.csv", "Zeit;cpu;mem\r\n" + "".join(f"{t:%Y-%m-%d %H:%M};{german(a)};{german(b)}\r\n" for t, a, b in rows), "utf-8-sig")
write("excel-german-thousands.csv", "time;cpu;mem\n" + "".join(f"{t:%Y-%m-%d %H:%M};{german(a, True)};{german(b)}\n" for t, a, b in rows))
write("excel-german-whole.csv", "time;sales\n" + "".join(f"{t:%Y-%m-%d %H:%M};{250 * (i + 1):,}\n".replace(",", ".") for i, (t, _, _) in enumerate(rows)))
write("excel-tab-whole.tsv", "time\tsales\n" + "".join(f"{t:%Y-%m-%d %H:%M}\t{250 * (i + 1):,}\n" for i, (t, _, _) in enumerate(rows)))
write("excel-german-dates.csv", "Datum;cpu;mem\r\n" + "".join(f"{t:%d.%m.%Y %H:%M};{german(a)};{german(b)}\r\n" for t, a, b in rows))
write("excel-german-days.csv", "Datum;cpu;mem\r\n" + "".join(f"{t:%d.%m.%Y};{german(a)};{german(b)}\r\n" for t, (_, a, b) in zip(pd.date_range("2026-01-05", periods=24), rows)))
write("excel-us-dates.csv", "Date,cpu,mem\r\n" + "".join(f"{t:%m/%d/%Y %I:%M:%S %p},{a},{b}\r\n" for t, a, b in rows))
write("libreoffice-quoted.csv", '"time","cpu","mem"\n' + "".join(f'"{t:%Y-%m-%d %H:%M:%S}","{a:,.2f}","{b:.2f}"\n' for t, a, b in rows))
write("libreoffice-dash.csv", "time,cpu,mem\n" + "".join(f"{t:%Y-%m-%dT%H:%M},{a},{b if b != 42.5 else '-'}\n" for t, a, b in rows))
write("pipe.csv", "time|cpu|mem\n" + "".join(f"{t:%Y-%m-%dT%H:%M:%SZ}|{a}|{b}\n" for t, a, b in rows))
write("no-header.csv", "".join(f"{t:%Y-%m-%dT%H:%M:%SZ},{a},{b}\n" for t, a, b in rows))
write("no-time.csv", "name,cpu,mem\n" + "".join(f"row {i},{a},{b}\n" for i, (_, a, b) in enumerate(rows)))

write("excel-sep.csv", "sep=;\r\ntime;cpu;mem\r\n" + "".join(f"{t:%Y-%m-%d %H:%M};{german(a)};{german(b)}\r\n" for t, a, b in rows))
write("excel-sheet.csv", "Report of January,,,\r\n,,,\r\ntime,cpu,mem,\r\n" + "".join(f"{t:%Y/%m/%d %H:%M},{a},{b},\r\n" for t, a, b in rows) + ",,,\r\n" * 20)
write("excel-windows-1252.csv", "Zeit;Größe;mem\r\n" + "".join(f"{t:%Y-%m-%d %H:%M};{german(a)};{german(b)}\r\n" for t, a, b in rows), "cp1252")
write("excel-month-names.csv", "time,cpu,mem\r\n" + "".join(f"{t:%d-%b-%Y %H:%M},{a},{b}\r\n" for t, a, b in rows))
write("logger-date-and-clock.csv", "Date,Time,cpu,mem\n" + "".join(f"{t:%Y-%m-%d},{t.hour}:{t.minute:02d},{a},{b}\n" for t, a, b in rows))

# PowerShell: Export-Csv of version 5, and the redirection of its output
lines = [f'"{t:%Y-%m-%d %H:%M:%S}","{a}","{b}","True"' for t, a, b in rows]
write("powershell-type.csv", "#TYPE Selected.System.Diagnostics\r\n" + "\r\n".join(['"Timestamp","cpu","mem","up"'] + lines) + "\r\n")
write("powershell-utf16.csv", "\r\n".join(['"Timestamp","cpu","mem","up"'] + lines) + "\r\n", "utf-16")

# Prometheus: the answer of its API, and what jq makes of it
values = [[int(t.timestamp()), str(a)] for t, a, _ in rows]
answer = {"status": "success", "data": {"resultType": "matrix", "result": [{"metric": {"__name__": "cpu"}, "values": values}]}}
write("prometheus.json", json.dumps(answer))
write("jq-prometheus.jsonl", "".join(json.dumps({"time": t, "cpu": float(v)}) + "\n" for t, v in values))

# jq: flat objects, one a line, and pretty-printed
objects = [{"time": f"{t:%Y-%m-%dT%H:%M:%SZ}", "cpu": a, "mem": b, "host": "web1", "up": True} for t, a, b in rows]
write("jq-flat.jsonl", "".join(json.dumps(o, separators=(",", ":")) + "\n" for o in objects))
write("jq-pretty.json", json.dumps(objects[0], indent=2) + "\n")
write("jq-newest-first.jsonl", "".join(json.dumps(o) + "\n" for o in objects[::-1]))

# others
write("epoch-ms.csv", "timestamp,cpu,mem\n" + "".join(f"{int(t.timestamp())}000,{a},{b}\n" for t, a, b in rows))
write("time-last.csv", "cpu,mem,time\n" + "".join(f"{a},{b},{t:%Y-%m-%dT%H:%M:%SZ}\n" for t, a, b in rows))
write("blank-lines.csv", "time,cpu,mem\n\n" + "".join(f"{t:%Y-%m-%dT%H:%M:%SZ}, {a}, {b}\n\n" for t, a, b in rows))
local = pd.date_range("2026-10-24 22:00", periods=24, freq="h", tz="UTC").tz_convert("Europe/Berlin")
write("summer-time-ends.csv", "time,cpu,mem\n" + "".join(f"{t:%Y-%m-%d %H:%M:%S},{a},{b}\n" for t, (_, a, b) in zip(local, rows)))

# exports of programs that measure
write("grafana-panel.csv", '"Time","cpu{host=""web1""}","mem{host=""web1""}"\n' + "".join(f"{t:%Y-%m-%d %H:%M:%S},{a},{b}\n" for t, a, b in rows))
write("grafana-rows.csv", '"Series";"Time";"Value"\n' + "".join(f'"{name}";"{t:%Y-%m-%dT%H:%M:%S}+00:00";{v}\n' for i, name in ((1, "cpu"), (2, "mem")) for t, *v in rows for v in [v[i - 1]]))
annotations = """#group,false,false,true,true,false,false,true,true,true\r
#datatype,string,long,dateTime:RFC3339,dateTime:RFC3339,dateTime:RFC3339,double,string,string,string\r
#default,_result,,,,,,,,\r
,result,table,_start,_stop,_time,_value,_field,_measurement,host\r
"""
fluxed = [f",,{table},2026-01-05T00:00:00Z,2026-01-06T00:00:00Z,{row[0]:%Y-%m-%dT%H:%M:%SZ},{row[1 + table]},{field},system,web1\r\n" for table, field in enumerate(("cpu", "mem")) for row in rows]
write("influx-raw.csv", annotations + "".join(fluxed) + "\r\n")
write("influx-raw-two-tables.csv", annotations + "".join(fluxed[:24]) + "\r\n" + annotations + "".join(fluxed[24:]) + "\r\n")
results = [{"Id": f"m{i}", "Label": name, "Timestamps": [f"{r[0]:%Y-%m-%dT%H:%M:%S}+00:00" for r in rows[::-1]], "Values": [r[1 + i] for r in rows[::-1]], "StatusCode": "Complete"} for i, name in enumerate(("cpu", "mem"))]
write("cloudwatch-data.json", json.dumps({"MetricDataResults": results, "Messages": []}, indent=4) + "\n")
points = [{"Timestamp": f"{t:%Y-%m-%dT%H:%M:%S}+00:00", "Average": a, "Unit": "Percent"} for t, a, _ in rows]
write("cloudwatch-statistics.json", json.dumps({"Label": "cpu", "Datapoints": points[5:] + points[:5]}, indent=4) + "\n")
series = [{"metric": name, "scope": "host:web1", "interval": 3600, "pointlist": [[t.timestamp() * 1000, v[i]] for t, *v in rows]} for i, name in enumerate(("cpu", "mem"))]
write("datadog.json", json.dumps({"status": "ok", "series": series}))
influx1 = {"results": [{"statement_id": 0, "series": [{"name": "system", "tags": {"host": "web1"}, "columns": ["time", "cpu", "mem"], "values": [[f"{t:%Y-%m-%dT%H:%M:%SZ}", a, b] for t, a, b in rows]}]}]}
write("influx-1.json", json.dumps(influx1) + "\n")
hits = [{"_index": "logs", "_source": {"@timestamp": f"{t:%Y-%m-%dT%H:%M:%S}.000Z", "cpu": a, "mem": b}} for t, a, b in rows]
write("elasticsearch.json", json.dumps({"took": 3, "hits": {"total": {"value": 24}, "hits": hits}}, indent=2))
write("open-meteo.json", json.dumps({"latitude": 52.5, "hourly_units": {"time": "iso8601"}, "hourly": {"time": [f"{t:%Y-%m-%dT%H:%M}" for t in index], "cpu": cpu, "mem": mem}}))
write("psql-copy.csv", "time,cpu,mem\n" + "".join(f"{t:%Y-%m-%d %H:%M:%S}+00,{a},{b}\n" for t, a, b in rows))
write("psql-text.tsv", "".join(f"{t:%Y-%m-%d %H:%M:%S}+00\t{a}\t{b}\n" for t, a, b in rows))
write("mysql-batch.tsv", "time\tcpu\tmem\n" + "".join(f"{t:%Y-%m-%d %H:%M:%S}\t{a}\t{b if b != 42.5 else 'NULL'}\n" for t, a, b in rows))
write("home-assistant.csv", "entity_id,state,last_changed\n" + "".join(f"sensor.{name},{r[1 + i] if r[1 + i] != 42.5 else 'unavailable'},{r[0]:%Y-%m-%dT%H:%M:%S}.000Z\n" for i, name in enumerate(("cpu", "mem")) for r in rows))
write("sqlite.csv", "".join(f'"{t:%Y-%m-%d %H:%M:%S}",{a},{b}\n' for t, a, b in rows))
write("collectd-cpu-2026-01-05", "epoch,value\n" + "".join(f"{t.timestamp():.3f},{a}\n" for t, a, _ in rows))
write("sadf.csv", "# hostname;interval;timestamp;CPU;cpu;mem\n" + "".join(f"web1;3600;{t:%Y-%m-%d %H:%M:%S} UTC;-1;{a};{b}\n" for t, a, b in rows))
write("google-trends.csv", "Category: All categories\n\nDay,cpu: (Worldwide),mem: (Worldwide)\n" + "".join(f"{t:%Y-%m-%d},{a},{b if b != 42.5 else '<1'}\n" for t, (_, a, b) in zip(pd.date_range("2026-01-05", periods=24), rows)))
write("excel-unicode.txt", "\r\n".join(["Zeit\tcpu\tmem"] + [f"{t:%d.%m.%Y %H:%M}\t{german(a)}\t{german(b)}" for t, a, b in rows]) + "\r\n", "utf-16")

# what is wrong with files
write("separators-header.csv", "time,cpu,mem\n" + "".join(f"{t:%Y-%m-%d %H:%M};{a};{b}\n" for t, a, b in rows))
write("separators-lines.csv", "time,cpu,mem\n" + "".join(f"{t:%Y-%m-%d %H:%M},{a},{b}\n".replace(",", ",;"[i % 2]) for i, (t, a, b) in enumerate(rows)))
write("nested.jsonl", "".join(json.dumps({"time": o["time"], "cpu": o["cpu"], "memory": {"used": o["mem"], "free": 1}}) + "\n" for o in objects))
write("nested-alone.jsonl", "".join(json.dumps({"time": o["time"], "metrics": {"cpu": o["cpu"], "mem": o["mem"]}}) + "\n" for o in objects))
write("two-hosts.jsonl", "".join(json.dumps({"time": o["time"], "host": host, "cpu": o["cpu"], "mem": o["mem"], "message": f"{host} at {o['time']}"}) + "\n" for o in objects for host in ("web1", "web2")))
write("long.csv", "time,host,metric,value\n" + "".join(f"{t:%Y-%m-%dT%H:%M:%SZ},{host},{name},{v[i]}\n" for t, *v in rows for host in ("web1", "web2") for i, name in enumerate(("cpu", "mem"))))
write("beside-values.jsonl", "".join(json.dumps({"time": o["time"], "n": 7, "values": {"cpu": o["cpu"], "mem": o["mem"]}}) + "\n" for o in objects))
frame.to_json(here / "pandas-columns.json")
(here / "compressed.csv").write_bytes(gzip.compress((here / "pandas-index.csv").read_bytes(), mtime=0))
(here / "not-compressed.csv.gz").write_bytes((here / "pandas-index.csv").read_bytes())
write("utf16-no-mark.csv", (here / "pandas-index.csv").read_text(), "utf-16-le")
(here / "picture.csv").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\b\0\0\0\0:~\x9bU")
(here / "workbook.xlsx").write_bytes(b"PK\x03\x04\x14\0\x06\0\b\0\0\0!\0A7\x82\xcf")
(here / "database.csv").write_bytes(b"SQLite format 3\0\x10\0\1\1\0@  \0\0\0\2")
(here / "noise.csv").write_bytes(bytes((i * i * 7 + 3 * i) % 251 for i in range(600)))
write("login.csv", "<!DOCTYPE html>\n<html><head><title>Sign in</title></head></html>\n")

"""Writes the files beside it as common programs write them: 24 hours of cpu and mem.

Needs pandas with pyarrow: python3 make.py
"""
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

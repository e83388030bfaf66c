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

# spreadsheets
rows = list(zip(index, cpu, mem))
write("excel-german.csv", "Zeit;cpu;mem\r\n" + "".join(f"{t:%Y-%m-%d %H:%M};{german(a)};{german(b)}\r\n" for t, a, b in rows), "utf-8-sig")
write("excel-german-thousands.csv", "time;cpu;mem\n" + "".join(f"{t:%Y-%m-%d %H:%M};{german(a, True)};{german(b)}\n" for t, a, b in rows))
write("excel-german-dates.csv", "Datum;cpu;mem\r\n" + "".join(f"{t:%d.%m.%Y %H:%M};{german(a)};{german(b)}\r\n" for t, a, b in rows))
write("excel-us-dates.csv", "Date,cpu,mem\r\n" + "".join(f"{t:%m/%d/%Y %I:%M:%S %p},{a},{b}\r\n" for t, a, b in rows))
write("libreoffice-quoted.csv", '"time","cpu","mem"\n' + "".join(f'"{t:%Y-%m-%d %H:%M:%S}","{a:,.2f}","{b:.2f}"\n' for t, a, b in rows))
write("libreoffice-dash.csv", "time,cpu,mem\n" + "".join(f"{t:%Y-%m-%dT%H:%M},{a},{b if b != 42.5 else '-'}\n" for t, a, b in rows))
write("pipe.csv", "time|cpu|mem\n" + "".join(f"{t:%Y-%m-%dT%H:%M:%SZ}|{a}|{b}\n" for t, a, b in rows))
write("no-header.csv", "".join(f"{t:%Y-%m-%dT%H:%M:%SZ},{a},{b}\n" for t, a, b in rows))
write("no-time.csv", "name,cpu,mem\n" + "".join(f"row {i},{a},{b}\n" for i, (_, a, b) in enumerate(rows)))

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

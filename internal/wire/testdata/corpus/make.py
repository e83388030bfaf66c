"""Writes the files of the corpus with the programs that people use, and truth.json.gz with every value by its time in microseconds.

    python3 -m venv V && V/bin/pip install pandas polars duckdb fastparquet pyarrow openpyxl xlsxwriter odfpy && V/bin/python make.py

A file that is refused has the text of the error that names the remedy; the test runs remedies that are
settings (--set KEY=VALUE), and compares what is read then.
"""
import csv, datetime as dt, decimal, gzip, io, json, math, os, sqlite3, warnings
import duckdb, numpy as np, openpyxl, xlsxwriter, pandas as pd, polars as pl, pyarrow as pa, pyarrow.csv as pacsv, pyarrow.compute as pc, pyarrow.feather as feather, pyarrow.ipc as ipc, pyarrow.parquet as pq
warnings.simplefilter('ignore')
os.chdir(os.path.dirname(os.path.abspath(__file__)))
N = 40
T0 = dt.datetime(2025, 1, 6)
rng = np.random.default_rng(33)
hours = [T0 + dt.timedelta(hours=i) for i in range(N)]
days = [T0 + dt.timedelta(days=i) for i in range(N)]
months = [dt.datetime(2010 + i // 12, i % 12 + 1, 1) for i in range(N)]
a = [round(20 + 5 * math.sin(i / 4) + float(x), 3) for i, x in enumerate(rng.normal(size=N))]
b = [round(1013.25 + float(x), 2) for x in rng.normal(size=N) * 4]
truth = {}

def ns(t): return int((t - dt.datetime(1970, 1, 1)) / dt.timedelta(microseconds=1)) * 1000

def name_of(path):
    base = os.path.basename(path)
    for e in ('.gz', '.zst', '.zip'):
        base = base.removesuffix(e)
    return os.path.splitext(base)[0]

def rows(times, **columns): return {k: [[ns(t) // 1000, None if v is None or v != v else float(v)] for t, v in zip(times, vs)] for k, vs in columns.items()}

def read(path, says='', series=None, times=hours, settings=(), **columns):
    """The file has these values, after the settings, and something is said."""
    truth[path] = {'says': says, 'settings': list(settings), 'series': series if series is not None else {name_of(path): rows(times, **(columns or dict(temp=a, press=b)))}}

def refused(path, says, series=None, times=hours, **columns):
    """The file is refused with these words; the settings that the error names, the first of two, make it right."""
    read(path, says, series, times, **columns)
    truth[path]['refused'] = True

def df(times=hours, time='time', **columns): return pd.DataFrame({time: times, **(columns or dict(temp=a, press=b))})
def text(path, lines, encoding='utf-8'):
    with open(path, 'w', encoding=encoding, newline='') as f: f.write('\n'.join(lines) + '\n')

# pandas, CSV
d = df()
d.to_csv('pandas.csv', index=False); read('pandas.csv')
d.set_index('time').to_csv('pandas-index.csv'); read('pandas-index.csv')
d.to_csv('pandas-range.csv'); read('pandas-range.csv', 'column without a name left out')
d.to_csv('pandas-semicolon.csv', index=False, sep=';', decimal=','); read('pandas-semicolon.csv', 'decimal comma')
d.to_csv('pandas-tab.tsv', index=False, sep='\t'); read('pandas-tab.tsv')
d.to_csv('pandas-quoted.csv', index=False, quoting=csv.QUOTE_ALL); read('pandas-quoted.csv')
d.to_csv('pandas-crlf.csv', index=False, lineterminator='\r\n'); read('pandas-crlf.csv')
d.to_csv('pandas-gz.csv.gz', index=False); read('pandas-gz.csv.gz')
d.to_csv('pandas-bom.csv', index=False, encoding='utf-8-sig'); read('pandas-bom.csv')
d.to_csv('pandas-utf16.csv', index=False, encoding='utf-16'); read('pandas-utf16.csv')
gaps = [None if i % 7 == 3 else v for i, v in enumerate(a)]
df(temp=gaps, press=b).to_csv('pandas-na.csv', index=False, na_rep='NA'); read('pandas-na.csv', temp=gaps, press=b)
df(temp=gaps, press=b).to_csv('pandas-empty.csv', index=False); read('pandas-empty.csv', temp=gaps, press=b)
df(temp=[-999.0 if v is None else v for v in gaps], press=b).to_csv('pandas-minus999.csv', index=False); read('pandas-minus999.csv', '-999 (6 of the first 40 values of temp)', settings=['input.csv.missing=-999'], temp=gaps, press=b)
df(temp=[v if v is not None else -999.0 for v in gaps], press=b).to_csv('pandas-minus999-2.csv', index=False, float_format='%.2f'); read('pandas-minus999-2.csv', '-999', settings=['input.csv.missing=-999'], temp=[None if v is None else round(v, 2) for v in gaps], press=b)
d.assign(time=pd.to_datetime(d.time).dt.tz_localize('Europe/Berlin')).to_csv('pandas-zone.csv', index=False); read('pandas-zone.csv', times=[t - dt.timedelta(hours=1) for t in hours])
d[::-1].to_csv('pandas-newest-first.csv', index=False); read('pandas-newest-first.csv', 'newest line first')
for unit, n in (('s', 10**9), ('ms', 10**6), ('us', 10**3), ('ns', 1)):
    df([ns(t) // n for t in hours]).to_csv(f'pandas-epoch-{unit}.csv', index=False); read(f'pandas-epoch-{unit}.csv')
for i, (form, times, says) in enumerate((
        ('%Y%m%dT%H%M%SZ', hours, ''), ('%Y%m%d%H%M', hours, '202601311330'), ('%Y%m%d%H%M%S', hours, '20260131133000'), ('%Y%m%d%H', hours, '2026013113'), ('%Y%m%d', days, '20260131'),
        ('%Y-%j', days, ''), ('%Y%j', days, '2026031'), ('%G-W%V-%u', days, ''), ('%d-%b-%Y', days, ''), ('%d %B %Y %H:%M', hours, ''), ('%b %d, %Y', days, ''), ('%d/%m/%Y', days, 'the day is first'),
        ('%m/%d/%Y %I:%M %p', [t + dt.timedelta(days=10) for t in hours], 'the month is first'), ('%d.%m.%Y %H:%M', [t + dt.timedelta(days=10) for t in hours], 'the day is first'), ('%Y/%m/%d %H:%M:%S', hours, ''),
        ('%Y年%m月%d日', days, ''), ('%Y年%m月%d日 %H时%M分', hours, ''), ('%b-%y', months, 'Jan-26'), ('%B %Y', months, ''), ('%m/%Y', months, ''), ('%Y%m', months, '202601'), ('%YM%m', months, ''), ('%Y-%m', months, ''),
        ('%a, %d %b %Y %H:%M:%S GMT', hours, ''), ('%d-%b-%y %I.%M.%S.000000 %p', hours, ''), ('%Y-%m-%d %H:%M:%S.%f', hours, ''), ('%Y-%m-%dT%H:%M:%S+00:00', hours, ''), ('%Y-%m-%d %H:%M:%S UTC', hours, ''))):
    f = f'times-{i:02d}.csv'
    text(f, ['time;temp;press'] + [f'{t.strftime(form)};{x};{y}' for t, x, y in zip(times, a, b)]); read(f, says, times=times)
quarters = [dt.datetime(1990 + i // 4, 1 + 3 * (i % 4), 1) for i in range(N)]
for i, q in enumerate(('Q{q} {y}', '{y}Q{q}', '{y}-Q{q}', '{y} q{q}', '{q}Q{y}')):
    f = f'quarters-{i}.csv'
    text(f, ['period,temp,press'] + [q.format(y=t.year, q=t.month // 3 + 1) + f',{x},{y}' for t, x, y in zip(quarters, a, b)]); read(f, times=quarters)
pd.DataFrame({'temp': a, 'press': b}, index=pd.period_range('1990Q1', periods=N, freq='Q')).to_csv('pandas-period.csv'); read('pandas-period.csv', times=quarters)
text('times-2400.csv', ['time,temp,press'] + [((t - dt.timedelta(hours=1)).strftime('%Y-%m-%d 24:00') if t.hour == 0 else t.strftime('%Y-%m-%d %H:%M')) + f',{x},{y}' for t, x, y in zip(hours, a, b)]); read('times-2400.csv')
text('excel-serial.csv', ['date,temp,press'] + [f'{45663 + i},{x},{y}' for i, (x, y) in enumerate(zip(a, b))]); read('excel-serial.csv', 'Excel', times=days)
text('excel-serial-hours.csv', ['time,temp,press'] + [f'{45663 + i / 24:.9f},{x},{y}' for i, (x, y) in enumerate(zip(a, b))]); read('excel-serial-hours.csv', 'Excel')
text('r-ts.csv', ['time,temp,press'] + [f'{2010 + i / 12:.4f},{x},{y}' for i, (x, y) in enumerate(zip(a, b))]); read('r-ts.csv', 'years with a fraction', times=months)
text('no-year.csv', ['time,temp,press'] + [t.strftime('%m-%d %H:%M') + f',{x},{y}' for t, x, y in zip(hours, a, b)]); refused('no-year.csv', 'dates without a year', series={})
text('order-unknown.csv', ['time,temp,press'] + [t.strftime('%d/%m/%Y %H:%M') + f',{x},{y}' for t, x, y in zip(hours[:20], a, b)]); refused('order-unknown.csv', 'order of day and month is not known', times=hours[:20], temp=a[:20], press=b[:20])
text('filetime.csv', ['time,temp,press'] + [f'{(ns(t) // 100) + 116444736000000000},{x},{y}' for t, x, y in zip(hours, a, b)]); refused('filetime.csv', 'would begin at')
text('ticks.csv', ['time,temp,press'] + [f'{(ns(t) // 100) + 621355968000000000},{x},{y}' for t, x, y in zip(hours, a, b)]); read('ticks.csv', 'ticks of .NET')

# several series
two = {'web1': (a, b), 'web2': (b, a)}
def series(times=hours, names=('web1', 'web2')): return {n: rows(times, temp=two[k][0], press=two[k][1]) for n, k in zip(names, two)}
long = pd.concat([df(temp=x, press=y).assign(host=h) for h, (x, y) in two.items()])
long.sort_values('time', kind='stable').to_csv('hosts.csv', index=False); read('hosts.csv', 'a series for each host', series())
long.set_index(['host', 'time']).to_csv('hosts-index.csv'); read('hosts-index.csv', 'a series for each host', series())
for label, names in (('float', (1.0, 2.0)), ('int', (101, 102)), ('text', ('A', 'B'))):
    p = pd.concat([pd.DataFrame({'unique_id': n, 'ds': days, 'y': two[k][0]}) for n, k in zip(names, two)])
    p.to_csv(f'nixtla-{label}.csv', index=False); read(f'nixtla-{label}.csv', 'a series for each unique_id', {str(n): rows(days, y=two[k][0]) for n, k in zip(names, two)})
    p.to_parquet(f'nixtla-{label}.parquet'); read(f'nixtla-{label}.parquet', 'a series for each unique_id', {str(int(n) if label == 'float' else n): rows(days, y=two[k][0]) for n, k in zip(names, two)})
own = {h: [t + dt.timedelta(milliseconds=int(rng.integers(1, 3_000_000))) for t in hours] for h in two}
for key in ('entity_id', 'host', 'device'):
    r = sorted((t, h, v) for h in two for t, v in zip(own[h], two[h][0]))
    text(f'own-times-{key}.csv', [f'{key},state,last_changed'] + [f'{h},{v},{t.isoformat(timespec="milliseconds")}Z' for t, h, v in r]); read(f'own-times-{key}.csv', f'a series for each {key}', {h: rows(own[h], state=two[h][0]) for h in two})
text('own-times.jsonl', [json.dumps({'time': t.isoformat(timespec='milliseconds') + 'Z', 'host': h, 'v': v}) for t, h, v in r]); read('own-times.jsonl', 'a series for each host', {h: rows(own[h], v=two[h][0]) for h in two})
text('own-times-kind.csv', ['time,kind,v'] + [f'{t.isoformat(timespec="milliseconds")}Z,{h},{v}' for t, h, v in r]); read('own-times-kind.csv', 'a series for each kind', {h: rows(own[h], v=two[h][0]) for h in two})
same = sorted((t, h, v) for h in two for t, v in zip(own[h], a))
text('own-times-unsure.csv', ['time,kind,v'] + [f'{t.isoformat(timespec="milliseconds")}Z,{h},{v}' for t, h, v in same]); refused('own-times-unsure.csv', 'may tell several series apart', {h: rows(own[h], v=a) for h in two})
text('alternate.csv', ['time,host,temp'] + [f'{(T0 + dt.timedelta(minutes=30 * i)).isoformat()},{("web1", "web2")[i % 2]},{(a, b)[i % 2][i // 2]}' for i in range(2 * N)])
read('alternate.csv', 'a series for each host', {h: rows([T0 + dt.timedelta(minutes=30 * (2 * i + k)) for i in range(N)], temp=two[h][0]) for k, h in enumerate(two)})
text('weekdays.csv', ['time,day,temp,press'] + [f'{t.date()},{t.strftime("%A")},{x},{y}' for t, x, y in zip(days, a, b)]); read('weekdays.csv', 'column day left out', times=days)
text('status.csv', ['time,status,temp,press'] + [f'{t.isoformat()},{("ok", "warn")[i * i % 7 % 2]},{x},{y}' for i, (t, x, y) in enumerate(zip(hours, a, b))]); read('status.csv', 'column status left out')
text('panel.csv', ['week,shop,sold,price'] + [f'{t.date()},{s},{v},{w}' for t, v, w, x, y in zip(days, a, b, b, a) for s, v, w in ((1, v, w), (2, x, y))]); read('panel.csv', 'a series for each shop', {str(k + 1): rows(days, sold=two[h][0], price=two[h][1]) for k, h in enumerate(two)})

# InfluxDB
text('influx-two-fields.csv', ['#group,false,false,true,true,false,false,true,true,true', '#datatype,string,long,dateTime:RFC3339,dateTime:RFC3339,dateTime:RFC3339,double,string,string,string', '#default,_result,,,,,,,,', ',result,table,_start,_stop,_time,_value,_field,_measurement,host'] +
     [f',,{2 * hi + fi},2025-01-01T00:00:00Z,2025-02-01T00:00:00Z,{t.isoformat()}Z,{v},{f},env,{h}' for hi, h in enumerate(two) for fi, f in enumerate(('temp', 'press')) for t, v in zip(hours, two[h][fi])])
read('influx-two-fields.csv', 'a series for each _field and host', {f'_field={f},host={h}': rows(hours, _value=two[h][fi]) for h in two for fi, f in enumerate(('temp', 'press'))})
for unit, n in (('s', 10**9), ('ms', 10**6), ('us', 10**3), ('ns', 1)):
    text(f'influx-{unit}.lp', [f'env,host={h} temp={x},press={y} {ns(t) // n}' for t, *v in zip(hours, a, b) for h, x, y in (('web1', v[0], v[1]), ('web2', v[1], v[0]))]); read(f'influx-{unit}.lp', '', series(names=('env,host=web1', 'env,host=web2')))

# units, signs, bytes
text('units.csv', ['time;temp;load;fan'] + [f'{t.isoformat()};{x} °C;{y:.1f}%;{1200 + i} rpm' for i, (t, x, y) in enumerate(zip(hours, a, b))]); read('units.csv', 'temp in °C', temp=a, load=[round(v, 1) for v in b], fan=[1200 + i for i in range(N)])
text('currency.csv', ['time,price,cost'] + [f'{t.isoformat()},"${1000 * y:,.2f}",€{x}' for t, x, y in zip(hours, a, b)]); read('currency.csv', 'price in $', price=[round(1000 * v, 2) for v in b], cost=a)
text('minus.csv', ['time,temp'] + [f'{t.isoformat()},\u2212{x}' for t, x in zip(hours, a)]); read('minus.csv', temp=[-v for v in a])

# pandas and polars, JSON
d.to_json('pandas.jsonl', orient='records', lines=True, date_format='iso'); read('pandas.jsonl')
d.to_json('pandas-epoch.jsonl', orient='records', lines=True, date_unit='ms'); read('pandas-epoch.jsonl')
d.assign(time=[t.strftime('%Y%m%d%H%M') for t in hours]).astype({'time': 'int64'}).to_json('pandas-calendar.jsonl', orient='records', lines=True); read('pandas-calendar.jsonl', '202601311330')
long.sort_values('time', kind='stable').to_json('hosts.jsonl', orient='records', lines=True, date_format='iso'); read('hosts.jsonl', 'a series for each host', series())
p = pl.DataFrame({'time': hours, 'temp': a, 'press': b})
p.write_ndjson('polars.ndjson'); read('polars.ndjson')
p.write_csv('polars.csv'); read('polars.csv')
p.write_csv('polars-semicolon.csv', separator=';', quote_style='always', null_value='null', datetime_format='%d.%m.%Y %H:%M:%S'); read('polars-semicolon.csv', 'the day is first')
pacsv.write_csv(pa.table({'time': hours, 'temp': a, 'press': b}), 'pyarrow.csv'); read('pyarrow.csv')
duckdb.sql("copy (select * from d) to 'duckdb.csv' (header, delimiter '|')"); read('duckdb.csv', 'separator |')
duckdb.sql("copy (select * from d) to 'duckdb.jsonl' (format json)"); read('duckdb.jsonl')
con = sqlite3.connect(':memory:'); d.to_sql('t', con, index=False)
with open('sqlite.csv', 'w', newline='') as f:
    cur = con.execute('select * from t'); w = csv.writer(f, dialect='unix'); w.writerow([c[0] for c in cur.description]); w.writerows(cur)
read('sqlite.csv')

# Parquet
for codec in ('snappy', 'gzip', 'brotli', 'zstd', 'none'):
    d.to_parquet(f'pandas-{codec}.parquet', compression=None if codec == 'none' else codec, index=False); read(f'pandas-{codec}.parquet')
    p.write_parquet(f'polars-{codec}.parquet', compression='uncompressed' if codec == 'none' else codec); read(f'polars-{codec}.parquet')
for codec in ('snappy', 'zstd', 'uncompressed'):
    duckdb.sql(f"copy (select * from d) to 'duckdb-{codec}.parquet' (format parquet, codec {codec})"); read(f'duckdb-{codec}.parquet')
d.set_index('time').to_parquet('pandas-index.parquet'); read('pandas-index.parquet')
table = pa.Table.from_pandas(d, preserve_index=False)
for label, options in {'v1': dict(version='1.0'), 'v24': dict(version='2.4'), 'page2': dict(data_page_version='2.0'), 'plain': dict(use_dictionary=False), 'ms': dict(coerce_timestamps='ms'), 'int96': dict(use_deprecated_int96_timestamps=True), 'groups': dict(row_group_size=7), 'delta': dict(use_dictionary=False, column_encoding={'time': 'DELTA_BINARY_PACKED', 'temp': 'BYTE_STREAM_SPLIT', 'press': 'PLAIN'}), 'crc': dict(write_page_checksum=True)}.items():
    pq.write_table(table, f'pyarrow-{label}.parquet', **options); read(f'pyarrow-{label}.parquet')
d.to_parquet('fastparquet.parquet', engine='fastparquet', index=False); read('fastparquet.parquet')
d.to_parquet('fastparquet-gzip.parquet', engine='fastparquet', compression='gzip', index=False); read('fastparquet-gzip.parquet')
df(temp=gaps, press=b).to_parquet('pandas-nulls.parquet', index=False); read('pandas-nulls.parquet', temp=gaps, press=b)
dec = [decimal.Decimal(str(v)) for v in a]
for label, kind in {'128': pa.decimal128(30, 3), '64': pa.decimal128(15, 3), '32': pa.decimal128(9, 3), '256': pa.decimal256(60, 3)}.items():
    pq.write_table(pa.table({'time': hours, 'temp': pa.array(dec, kind), 'minus': pa.array([-v for v in dec], kind)}), f'decimal{label}.parquet'); read(f'decimal{label}.parquet', temp=a, minus=[-v for v in a])
pq.write_table(pa.table({'time': hours, 'temp': pa.array(dec, pa.decimal128(9, 3)), 'minus': pa.array([-v for v in dec], pa.decimal128(18, 3))}), 'decimal-int.parquet', store_decimal_as_integer=True); read('decimal-int.parquet', temp=a, minus=[-v for v in a])
duckdb.sql("copy (select time, temp::decimal(18,3) temp, press::decimal(38,2) press from d) to 'duckdb-decimal.parquet' (format parquet)"); read('duckdb-decimal.parquet')
pl.DataFrame({'time': hours, 'temp': dec}, schema={'time': pl.Datetime('ms'), 'temp': pl.Decimal(20, 3)}).write_parquet('polars-decimal.parquet'); read('polars-decimal.parquet', temp=a)
whole = [int(v * 10) for v in a]
kinds = {'int8': [v - 200 for v in whole], 'int16': [-v for v in whole], 'int32': [-v * 1000 for v in whole], 'int64': [-v * 10**9 for v in whole], 'uint8': [v % 256 for v in whole], 'uint16': [v + 50000 for v in whole], 'uint32': [v + 2**32 - 10000 for v in whole], 'uint64': [2**63 + v * 2**40 for v in whole], 'float16': [float(np.float16(v)) for v in a], 'float32': [float(str(np.float32(v))) for v in a]}
pq.write_table(pa.table({'time': hours, **{k: pa.array(np.array(v, dtype=k)) for k, v in kinds.items()}}), 'pyarrow-numbers.parquet'); read('pyarrow-numbers.parquet', **kinds)
pl.DataFrame({'time': hours, **{k: pl.Series(v, dtype=getattr(pl, {'int': 'Int', 'uin': 'UInt'}[k[:3]] + k.lstrip('uint'))) for k, v in kinds.items() if 'int' in k}}).write_parquet('polars-numbers.parquet'); read('polars-numbers.parquet', **{k: v for k, v in kinds.items() if 'int' in k})
pq.write_table(pa.table({'time': pa.array([t.replace(tzinfo=dt.timezone.utc) for t in hours], pa.timestamp('us', tz='America/New_York')), 'temp': a}), 'zoned.parquet'); read('zoned.parquet', temp=a)
pq.write_table(pa.table({'time': pa.array(hours, pa.timestamp('ns')), 'temp': a}), 'local.parquet'); read('local.parquet', settings=['input.time_zone=Europe/Berlin'], times=[t - dt.timedelta(hours=1) for t in hours], temp=a)
pq.write_table(pa.table({'date': [t.date() for t in hours], 'clock': pa.array([t.time() for t in hours], pa.time64('us')), 'temp': a}), 'date-clock.parquet'); read('date-clock.parquet', 'time of day in column clock', temp=a)
pq.write_table(pa.table({'day': [t.date() for t in days], 'temp': a}), 'date32.parquet'); read('date32.parquet', times=days, temp=a)
pq.write_table(pa.table({'time': hours, 'temp': a, 'parts': [[1.0, 2.0]] * N, 'wind': [{'speed': v, 'from': 'N'} for v in b]}), 'nested.parquet'); read('nested.parquet', 'parts (several values a row), wind.from left out', **{'temp': a, 'wind.speed': b})
pq.write_table(pa.table({'time': [t for t in hours for _ in two], 'host': pa.array([h for _ in hours for h in two]).dictionary_encode(), 'temp': [v for p in zip(a, b) for v in p], 'press': [v for p in zip(b, a) for v in p]}), 'dictionary.parquet'); read('dictionary.parquet', 'a series for each host', series())
pq.write_table(pa.table({'time': hours, 'up': [v > 20 for v in a], 'temp': a}), 'bool.parquet'); read('bool.parquet', up=[v > 20 for v in a], temp=a)
pq.write_table(pa.table({'time': [t.isoformat() for t in hours], 'temp': [str(v) for v in a]}), 'texts.parquet'); read('texts.parquet', temp=a)
pq.write_table(pa.table({'time': hours, 'temp': a, 'raw': [b'\xff\x00'] * N}), 'binary.parquet'); read('binary.parquet', 'column raw left out', temp=a)

pq.write_table(pa.table({'time': np.zeros(40_000_000, 'int64')}), 'bomb.parquet', row_group_size=40_000_000, compression='zstd') # read by stream/file

# Arrow and Feather
d.to_feather('pandas.feather'); read('pandas.feather')
for codec in ('lz4', 'zstd', 'uncompressed'):
    feather.write_feather(table, f'feather-{codec}.feather', compression=codec, chunksize=17); read(f'feather-{codec}.feather')
    p.write_ipc(f'polars-{codec}.arrow', compression=codec); read(f'polars-{codec}.arrow')
p.write_ipc_stream('polars-stream.arrows'); read('polars-stream.arrows')
feather.write_feather(table, 'version1.feather', version=1); refused('version1.feather', 'Feather of version 1', series={})
def arrow(path, table, stream=False, **options):
    with (ipc.new_stream if stream else ipc.new_file)(path, table.schema, options=ipc.IpcWriteOptions(**options)) as w: w.write_table(table, 13)
arrow('pyarrow-stream.arrows', table, stream=True); read('pyarrow-stream.arrows')
arrow('pyarrow-stream-zstd.arrow', table, stream=True, compression='zstd'); read('pyarrow-stream-zstd.arrow')
arrow('pyarrow-v4.arrow', table, metadata_version=ipc.MetadataVersion.V4, use_legacy_format=True); read('pyarrow-v4.arrow')
empty = pa.Table.from_batches([table.to_batches()[0].slice(0, 0), *table.to_batches()]); arrow('empty-batch.arrow', empty); read('empty-batch.arrow')
arrow('numbers.arrow', pa.table({'time': hours, **{k: pa.array(np.array(v, dtype=k)) for k, v in kinds.items()}})); read('numbers.arrow', **kinds)
pl.DataFrame({'time': hours, **{k: pl.Series(v, dtype=getattr(pl, {'int': 'Int', 'uin': 'UInt'}[k[:3]] + k.lstrip('uint'))) for k, v in kinds.items() if 'int' in k}}).write_ipc('polars-numbers.arrow'); read('polars-numbers.arrow', **{k: v for k, v in kinds.items() if 'int' in k})
arrow('decimals.arrow', pa.table({'time': hours, **{f'd{n}': pa.array([-v for v in dec], k) for n, k in {'256': pa.decimal256(60, 3), '128': pa.decimal128(30, 3), '64': pa.decimal64(15, 3), '32': pa.decimal32(9, 3)}.items()}}), compression='zstd'); read('decimals.arrow', **{f'd{n}': [-v for v in a] for n in (256, 128, 64, 32)})
pl.DataFrame({'time': hours, 'temp': dec}, schema={'time': pl.Datetime('ms'), 'temp': pl.Decimal(20, 3)}).write_ipc('polars-decimal.arrow'); read('polars-decimal.arrow', temp=a)
arrow('nulls.arrow', pa.table({'time': hours, 'temp': gaps, 'press': b}), compression='lz4'); read('nulls.arrow', temp=gaps, press=b)
pl.DataFrame({'time': hours, 'temp': gaps, 'press': b}).write_ipc('polars-nulls.arrow'); read('polars-nulls.arrow', temp=gaps, press=b)
for unit in ('s', 'ms', 'us', 'ns'):
    arrow(f'zoned-{unit}.arrow', pa.table({'time': pa.array([t.replace(tzinfo=dt.timezone.utc) for t in hours], pa.timestamp(unit, tz='America/New_York')), 'temp': a})); read(f'zoned-{unit}.arrow', temp=a)
arrow('local.arrow', pa.table({'time': pa.array(hours, pa.timestamp('ns')), 'temp': a})); read('local.arrow', settings=['input.time_zone=Europe/Berlin'], times=[t - dt.timedelta(hours=1) for t in hours], temp=a)
arrow('date-clock.arrow', pa.table({'date': [t.date() for t in hours], 'clock': pa.array([t.time() for t in hours], pa.time64('us')), 'temp': a})); read('date-clock.arrow', 'time of day in column clock', temp=a)
arrow('date64.arrow', pa.table({'day': pa.array([t.date() for t in days], pa.date64()), 'temp': a})); read('date64.arrow', times=days, temp=a)
arrow('durations.arrow', pa.table({'time': hours, 'took': pa.array([round(v * 1000) for v in a], pa.duration('ms'))})); read('durations.arrow', 'durations of took in seconds', took=a)
arrow('nested.arrow', pa.table({'time': hours, 'temp': a, 'parts': [[1.0, 2.0]] * N, 'pairs': pa.array([[('x', 1)]] * N, pa.map_(pa.string(), pa.int64())), 'wind': [{'speed': v, 'from': 'N'} if v is not None else None for v in gaps]})); read('nested.arrow', 'pairs (several values a row)', **{'temp': a, 'wind.speed': gaps})
hosts = {'time': [t for t in hours for _ in two], 'host': pa.array([h for _ in hours for h in two]).dictionary_encode(), 'temp': [v for p in zip(a, b) for v in p], 'press': [v for p in zip(b, a) for v in p]}
for label, kind in {'large': pa.large_string(), 'view': pa.string_view(), 'int8': pa.dictionary(pa.int8(), pa.string()), 'uint64': pa.dictionary(pa.uint64(), pa.large_string())}.items():
    arrow(f'hosts-{label}.arrow', pa.table({**hosts, 'host': hosts['host'].cast(pa.string()).cast(kind)})); read(f'hosts-{label}.arrow', 'a series for each host', series())
half = N + 1
parts = [pa.record_batch({k: (pa.array(['web1', 'web2', 'more'][:2 + i]).dictionary_encode().take(pa.array([j % 2 for j in range(len(x))])) if k == 'host' else pa.array(x)) for k, v in hosts.items() for x in [v[s].to_pylist() if k == 'host' else v[s]]}) for i, s in enumerate((slice(None, half - 1), slice(half - 1, None)))]
arrow('hosts-delta.arrows', pa.Table.from_batches(parts), stream=True, emit_dictionary_deltas=True); read('hosts-delta.arrows', 'a series for each host', series())
pl.DataFrame({**hosts, 'host': hosts['host'].to_pylist()}).with_columns(pl.col('host').cast(pl.Categorical)).write_ipc('polars-categories.arrow'); read('polars-categories.arrow', 'a series for each host', series())
names_ = {'web1': 'a server with a long name 1', 'web2': 'a server with a long name 2'}
pl.DataFrame({**hosts, 'host': [names_[h] for h in hosts['host'].to_pylist()]}).write_ipc('polars-long-texts.arrow'); read('polars-long-texts.arrow', 'a series for each host', series(names=tuple(names_.values())))
arrow('bool.arrow', pa.table({'time': hours, 'up': [v > 20 for v in a], 'temp': a})); read('bool.arrow', up=[v > 20 for v in a], temp=a)
arrow('texts.arrow', pa.table({'time': [t.isoformat() for t in hours], 'temp': [str(v) for v in a], 'raw': pa.array([b'\xff\x00'] * N, pa.binary(2)), 'none': pa.nulls(N)})); read('texts.arrow', 'raw', temp=a)
arrow('bomb.arrow', pa.table({'time': [t for t in hours for _ in range(8)], 'temp': a * 8, 'text': ['x' * 1_000_000] * 8 * N}), compression='zstd') # read by stream/file
arrow('runs.arrow', pa.table({'time': hours, 'temp': pc.run_end_encode(pa.array(a))})); refused('runs.arrow', 'encoded by runs', series={})

# workbooks
d = df()
d.to_excel('pandas-openpyxl.xlsx', index=False); read('pandas-openpyxl.xlsx')
d.to_excel('pandas-xlsxwriter.xlsx', index=False, engine='xlsxwriter'); read('pandas-xlsxwriter.xlsx')
d.set_index('time').to_excel('pandas-index.xlsx'); read('pandas-index.xlsx')
df(temp=gaps, press=b).to_excel('pandas-na.xlsx', index=False); read('pandas-na.xlsx', temp=gaps, press=b)
df(times=days).to_excel('pandas-days.xlsx', index=False); read('pandas-days.xlsx', times=days)
pl.DataFrame({'time': hours, 'temp': a, 'press': b}).write_excel('polars.xlsx'); read('polars.xlsx')
with pd.ExcelWriter('sheets.xlsx') as w:
    d.to_excel(w, sheet_name='plant', index=False); d.to_excel(w, sheet_name='other', index=False)
refused('sheets.xlsx', 'choose one with')

def sheet(path, write, **options):
    book = xlsxwriter.Workbook(path, options)
    write(book, book.add_worksheet(), book.add_format({'num_format': 'dd/mm/yyyy hh:mm'}))
    book.close()

def table_at(row, ws, date, number=lambda ws, r, c, v: ws.write_number(r, c, v)):
    ws.write_row(row, 0, ['time', 'temp', 'press'])
    for i in range(N):
        ws.write_datetime(row + 1 + i, 0, hours[i], date); number(ws, row + 1 + i, 1, a[i]); number(ws, row + 1 + i, 2, b[i])

def titled(book, ws, date): ws.merge_range('A1:C1', 'Report of the plant'); table_at(2, ws, date)
sheet('titled.xlsx', titled); read('titled.xlsx', '1 line before the header')
sheet('date1904.xlsx', lambda book, ws, date: table_at(0, ws, date), date_1904=True); read('date1904.xlsx')
sheet('formulas.xlsx', lambda book, ws, date: table_at(0, ws, date, lambda ws, r, c, v: ws.write_formula(r, c, f'=1*{v}', None, v))); read('formulas.xlsx')
sheet('number-texts.xlsx', lambda book, ws, date: table_at(0, ws, date, lambda ws, r, c, v: ws.write_string(r, c, str(v)))); read('number-texts.xlsx')
sheet('inline-texts.xlsx', lambda book, ws, date: table_at(0, ws, date), constant_memory=True); read('inline-texts.xlsx')
def percents(book, ws, date):
    share = book.add_format({'num_format': '0.0%'}); table_at(0, ws, date, lambda ws, r, c, v: ws.write_number(r, c, v / 100, share))
sheet('percents.xlsx', percents); read('percents.xlsx', temp=[v / 100 for v in a], press=[v / 100 for v in b])
def took(book, ws, date):
    hours_ = book.add_format({'num_format': '[h]:mm'}); table_at(0, ws, date, lambda ws, r, c, v: ws.write_number(r, c, round(v) / 24 / 60, hours_))
sheet('durations.xlsx', took); read('durations.xlsx', 'durations of column B in seconds', temp=[60 * round(v) for v in a], press=[60 * round(v) for v in b])
def apart(book, ws, date):
    day, clock = book.add_format({'num_format': 'yyyy-mm-dd'}), book.add_format({'num_format': 'h:mm'})
    ws.write_row(0, 0, ['date', 'clock', 'temp'])
    for i in range(N): ws.write_datetime(i + 1, 0, dt.datetime(hours[i].year, hours[i].month, hours[i].day), day); ws.write_datetime(i + 1, 1, hours[i].time(), clock); ws.write_number(i + 1, 2, a[i])
    book.add_worksheet('empty'); hidden = book.add_worksheet('hidden'); hidden.write(0, 0, 'x'); hidden.hide()
sheet('apart.xlsx', apart); read('apart.xlsx', 'time of day in column clock', temp=a)
def errors(book, ws, date):
    table_at(0, ws, date)
    for i in range(3, N, 7): ws.write_formula(i + 1, 1, '=1/0', None, '#DIV/0!')
sheet('errors.xlsx', errors); read('errors.xlsx', temp=gaps, press=b)
book = openpyxl.Workbook(); book.active.append(['time', 'temp', 'sum'])
for i in range(N): book.active.append([hours[i], a[i], f'=B{i + 2}*2'])
book.save('uncomputed.xlsx'); refused('uncomputed.xlsx', 'open the workbook and save it', series={})

# files as strangers bring them
later = [t + dt.timedelta(days=10) for t in hours]
t15 = [T0 + dt.timedelta(minutes=15 * i) for i in range(N)]
def de(v, digits=2): return f'{v:,.{digits}f}'.translate(str.maketrans(',.', '.,'))
big = [round(1000 * v + 234.5, 2) for v in a]
a2, b1 = [round(v, 2) for v in a], [round(v, 1) for v in b]
text('smartd.csv', [f'{t:%Y-%m-%d %H:%M:%S};\t194;{100 - int(x)};{int(x)};\t9;99;{1000 + i};' for i, (t, x) in enumerate(zip(hours, a))]); refused('smartd.csv', 'line 1 begins like data', series={})
text('nvidia-smi.csv', ['timestamp, name, utilization.gpu [%], memory.used [MiB], power.draw [W], clocks_throttle_reasons.active'] + [f'{t:%Y/%m/%d %H:%M:%S}.{i:03d}, NVIDIA A100-SXM4-40GB, {int(x)} %, {1000 + i} MiB, {y:.2f} W, 0x0000000000000001' for i, (t, x, y) in enumerate(zip(hours, a, b))])
read('nvidia-smi.csv', 'left out', times=[t + dt.timedelta(milliseconds=i) for i, t in enumerate(hours)], **{'utilization.gpu [%]': [int(x) for x in a], 'memory.used [MiB]': [1000 + i for i in range(N)], 'power.draw [W]': b})
text('units-row.csv', ['Time;Temp;Press', 'UTC;°C;hPa'] + [f'{t:%d.%m.%Y %H:%M};{de(x, 3)};{de(y)}' for t, x, y in zip(later, a, b)]); read('units-row.csv', 'header joined', times=later, **{'Temp_°C': a, 'Press_hPa': b})
text('totals.csv', ['date,temp,press'] + [f'{t.date()},{x},{y}' for t, x, y in zip(days, a, b)] + [f'Total,{sum(a):.3f},{sum(b):.2f}']); refused('totals.csv', 'Total', series={})
text('mean-row.csv', ['date,temp,press'] + [f'{t.date()},{x},{y}' for t, x, y in zip(days, a, b)] + ['', f'Mean:,{sum(a) / N:.3f},{sum(b) / N:.2f}']); refused('mean-row.csv', 'Mean', series={})
text('split-date.csv', ['Year,Month,Day,Hour,temp,press'] + [f'{t.year},{t.month},{t.day},{t.hour},{x},{y}' for t, x, y in zip(hours, a, b)]); refused('split-date.csv', 'the dates are in 4 columns (Year, Month, Day, Hour): join them in one with  awk', series={})
text('split-date-noaa.txt', ['#YY  MM DD hh mm WDIR WSPD', '#yr  mo dy hr mn degT m/s'] + [f'{t:%Y %m %d %H %M} {200 + i:3d} {x:5.2f}' for i, (t, x) in enumerate(zip(hours, a))]); refused('split-date-noaa.txt', '7 columns stand behind blanks', series={})
text('calendar.csv', ['Year,Jan,Feb,Mar,Apr,May,Jun,Jul,Aug,Sep,Oct,Nov,Dec'] + [f'{1990 + y},' + ','.join(f'{v:.2f}' for v in (a + b + a + b + a)[12 * y:12 * y + 12]) for y in range(14)]); refused('calendar.csv', 'a column for each month', series={})
text('parentheses.csv', ['date,profit'] + [f'{t.date()},' + (f'({v:.2f})' if v > 0 else f'{-v:.2f}') for t, v in zip(days, [x - 20 for x in a])]); refused('parentheses.csv', 'make it one with', series={})
text('swiss.csv', ['Datum;Menge;Preis'] + [f"{t:%d.%m.%Y};{v:,.2f};{x:.2f}".replace(',', "'") for t, v, x in zip(days, big, b)]); read('swiss.csv', '', times=days, Menge=big, Preis=b)
text('thin-space.csv', ['Date;Volume;Prix'] + [f'{t:%d/%m/%Y};{v:,.2f};{x:.2f}'.replace(',', '\u202f').replace('.', ',') for t, v, x in zip(days, big, b)]); read('thin-space.csv', '', times=days, Volume=big, Prix=b)
text('nbsp.csv', ['Date;Volume;Prix'] + [f'{t:%d/%m/%Y};{v:,.2f};{x:.2f}'.replace(',', '\u00a0').replace('.', ',') for t, v, x in zip(days, big, b)], encoding='cp1252'); read('nbsp.csv', 'Windows-1252', times=days, Volume=big, Prix=b)
text('percent.csv', ['date;share;rate'] + [f'{t.date()};{de(x, 1)} %;{de(y)}%' for t, x, y in zip(days, a, b)]); read('percent.csv', 'in %', times=days, share=[round(x, 1) for x in a], rate=b)
text('am-pm.csv', ['Date,Time,temp'] + [f'{t:%m/%d/%Y},{t:%I:%M:%S %p},{x}' for t, x in zip([h + dt.timedelta(days=10) for h in hours], a)]); read('am-pm.csv', 'time of day in column Time', times=[h + dt.timedelta(days=10) for h in hours], temp=a)
text('epoch-float.csv', ['ts,temp'] + [f'{ns(t) / 1e9 + i / 1000:.3f},{x}' for i, (t, x) in enumerate(zip(hours, a))]); read('epoch-float.csv', times=[t + dt.timedelta(milliseconds=i) for i, t in enumerate(hours)], temp=a)
text('epoch-exp.csv', ['ts,temp'] + [f'{ns(t) / 1e9:.9e},{x}' for t, x in zip(hours, a)]); refused('epoch-exp.csv', 'no column has times', series={})
text('julian.csv', ['jd,temp'] + [f'{2440587.5 + ns(t) / 864e11:.6f},{x}' for t, x in zip(days, a)]); read('julian.csv', 'Julian days', times=days, temp=a)
text('modbus.csv', ['Datum;Uhrzeit;Register 40001;Register 40003;'] + [f'{t:%d.%m.%y};{t:%H:%M:%S};{de(x)};{int(y)};' for t, x, y in zip(later, a, b)]); read('modbus.csv', '', settings=['input.csv.date_order=dmy'], times=later, **{'Register 40001': a2, 'Register 40003': [int(y) for y in b]})
text('notes.csv', ['time,temp,note'] + [f'{t.isoformat()},{x},"line 1\nline ""2"", with a comma"' for t, x in zip(hours, a)]); refused('notes.csv', 'have line breaks', series={})
open('nul.csv', 'wb').write(('\n'.join(['time,temp'] + [f'{t.isoformat()},{x}' for t, x in zip(hours, a)]) + '\n').encode() + b'\0' * 5000); read('nul.csv', temp=a)
text('bigquery.csv', ['ts,temp,press'] + [f'{t:%Y-%m-%d %H:%M:%S}.{100000 + i} UTC,{x},{y}' for i, (t, x, y) in enumerate(zip(hours, a, b))]); read('bigquery.csv', times=[t + dt.timedelta(microseconds=100000 + i) for i, t in enumerate(hours)])
text('snowflake.csv', ['TS,TEMP,PRESS'] + [f'"{t:%Y-%m-%d %H:%M:%S.000 -0800}","{x}","{y}"' for t, x, y in zip(hours, a, b)]); read('snowflake.csv', times=[t + dt.timedelta(hours=8) for t in hours], TEMP=a, PRESS=b)
text('mysql-vertical.txt', [l for i, (t, x) in enumerate(zip(hours, a)) for l in (f'*************************** {i + 1}. row ***************************', f'time: {t:%Y-%m-%d %H:%M:%S}', f'temp: {x}')]); refused('mysql-vertical.txt', 'no column has times', series={})
text('mysql-table.txt', ['+---------------------+--------+', '| time                | temp   |', '+---------------------+--------+'] + [f'| {t:%Y-%m-%d %H:%M:%S} | {x:6.3f} |' for t, x in zip(hours, a)] + ['+---------------------+--------+', f'{N} rows in set (0.00 sec)']); refused('mysql-table.txt', 'the table is drawn with lines', series={})
text('vmstat.txt', ['procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----', ' r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st'] + [f' 1  0      0 {8000 + i} 12345 67890    0    0     1     2  100  200 {int(x)}  1 90  0  0' for i, x in enumerate(a)]); refused('vmstat.txt', '17 columns stand behind blanks', series={})
text('sar.txt', ['Linux 6.1.0 (web1) \t01/06/25 \t_x86_64_\t(2 CPU)', '', '00:00:01        CPU     %user     %nice   %system   %iowait    %steal     %idle'] + [f'{t:%H:%M}:01        all     {x:5.2f}      0.00      1.00      0.00      0.00     {99 - x:5.2f}' for t, x in zip(t15, a)]); refused('sar.txt', 'columns stand behind blanks', series={})
text('loki.json', [json.dumps({'status': 'success', 'data': {'resultType': 'matrix', 'result': [{'metric': {'host': h}, 'values': [[ns(t) // 10**9, str(v)] for t, v in zip(hours, two[h][0])]} for h in two]}})]); refused('loki.json', 'jq -c', series={})
text('otel.jsonl', [json.dumps({'resourceMetrics': [{'resource': {}, 'scopeMetrics': [{'metrics': [{'name': 'temp', 'gauge': {'dataPoints': [{'timeUnixNano': str(ns(t)), 'asDouble': x}]}}]}]}]}) for t, x in zip(hours, a)]); refused('otel.jsonl', 'jq -c', series={})
text('openmetrics.txt', ['# TYPE temp gauge'] + [f'temp{{host="web1"}} {x} {ns(t) // 10**9}' for t, x in zip(hours, a)] + ['# EOF']); refused('openmetrics.txt', 'the text format of Prometheus', series={})
text('iso-durations.csv', ['time,took'] + [f'{t.isoformat()},PT{int(x)}M{i}S' for i, (t, x) in enumerate(zip(hours, a))]); refused('iso-durations.csv', 'is not a number', series={})
text('clock-durations.csv', ['time,took,temp'] + [f'{t.isoformat()},{int(y) // 60:02d}:{int(y) % 60:02d}:00,{x}' for t, x, y in zip(hours, a, b)]); read('clock-durations.csv', 'column took left out', temp=a)
text('nested-array.jsonl', [json.dumps({'ts': t.isoformat() + 'Z', 'device': {'id': 'd1'}, 'readings': [{'name': 'temp', 'value': x}, {'name': 'press', 'value': y}]}) for t, x, y in zip(hours, a, b)]); refused('nested-array.jsonl', 'make the lines flat with', series={})
text('two-headers.csv', [',Plant A,,Plant B,', 'time,temp,press,temp,press'] + [f'{t.isoformat()},{x},{y},{y},{x}' for t, x, y in zip(hours, a, b)]); read('two-headers.csv', '2 lines of the header joined', **{'Plant A_temp': a, 'Plant A_press': b, 'Plant B_temp': b, 'Plant B_press': a})
text('comment-middle.csv', ['# exported by logger', 'time,temp'] + [l for i, (t, x) in enumerate(zip(hours, a)) for l in ([f'# restart {i}'] if i == 20 else []) + [f'{t.isoformat()},{x}']]); read('comment-middle.csv', '', temp=a)
text('matlab.csv', ['time,temp,press'] + [f'{t:%d-%b-%Y %H:%M:%S},{x:.6e},{y:.6e}' for t, x, y in zip(hours, a, b)]); read('matlab.csv')
text('datenum.csv', ['time,temp'] + [f'{719529 + ns(t) / 864e11:.9f},{x}' for t, x in zip(hours, a)]); read('datenum.csv', 'datenum', temp=a)
text('fixed-width.txt', ['date                temp    press'] + [f'{t:%Y-%m-%d %H:%M}  {x:7.3f}  {y:7.2f}' for t, x, y in zip(hours, a, b)]); refused('fixed-width.txt', '3 columns stand behind blanks', series={})
text('fits-e-comma.csv', ['Zeit;Wert'] + [f'{t.isoformat()};' + f'{x:.4E}'.replace('.', ',') for t, x in zip(hours, a)]); read('fits-e-comma.csv', '', Wert=a)
text('excel-errors.csv', ['time,temp,press'] + [f'{t.isoformat()},{"#DIV/0!" if v is None else v},{y}' for t, v, y in zip(hours, gaps, b)]); read('excel-errors.csv', '', temp=gaps, press=b)
text('mixed-zone.csv', ['time,temp'] + [f'{t.isoformat()}+0{2 - (i > 19)}:00,{x}' for i, (t, x) in enumerate(zip(hours, a))]); read('mixed-zone.csv', '', times=[t - dt.timedelta(hours=2 - (i > 19)) for i, t in enumerate(hours)], temp=a)
text('grafana-unit.csv', ['"Time","temp","traffic"'] + [f'{t:%Y-%m-%d %H:%M:%S},{x} °C,{y:.2f} MB/s' for t, x, y in zip(hours, a, b)]); read('grafana-unit.csv', 'MB/s', temp=a, traffic=b)
text('grafana-scaled.csv', ['"Time","traffic"'] + [f'{t:%Y-%m-%d %H:%M:%S},' + (f'{y:.2f} MB' if i % 3 else f'{y / 1000:.2f} GB') for i, (t, y) in enumerate(zip(hours, b))]); refused('grafana-scaled.csv', 'in GB and in MB: write them in one unit with  sed', series={})
text('kilo.csv', ['time,views'] + [f'{t.isoformat()},' + (f'{x:.1f}K' if i % 3 else f'{x / 1000:.2f}M') for i, (t, x) in enumerate(zip(hours, a))]); refused('kilo.csv', 'in M and in K: write them in one unit with  sed', series={})
text('dup-names.csv', ['time,temp,temp'] + [f'{t.isoformat()},{x},{y}' for t, x, y in zip(hours, a, b)]); read('dup-names.csv', 'another column temp is temp.1', **{'temp': a, 'temp.1': b})
text('week-numbers.csv', ['year,week,sold'] + [f'{(T0 + dt.timedelta(weeks=i)).isocalendar()[0]},{(T0 + dt.timedelta(weeks=i)).isocalendar()[1]},{x}' for i, x in enumerate(a)]); refused('week-numbers.csv', 'the dates are in 2 columns (year, week)', series={})
text('transposed.csv', ['variable,' + ','.join(str(t.date()) for t in days), 'temp,' + ','.join(map(str, a)), 'press,' + ','.join(map(str, b))]); refused('transposed.csv', 'turn the table with  python3', series={})
d.to_csv('pandas.csv.bz2', index=False); refused('pandas.csv.bz2', 'bzip2 -d', series={})
d.to_csv('pandas.csv.xz', index=False); refused('pandas.csv.xz', 'xz -d', series={})
d.to_csv('pandas.csv.zip', index=False); read('pandas.csv.zip')
d.to_stata('pandas.dta', write_index=False); refused('pandas.dta', 'read_stata', series={})
d.to_orc('pandas.orc', index=False); refused('pandas.orc', 'ORC', series={})
d.to_pickle('pandas.pkl'); refused('pandas.pkl', 'read_pickle', series={})
d.to_html('pandas.html'); refused('pandas.html', 'read_html', series={})
d.to_xml('pandas.xml', parser='etree'); refused('pandas.xml', 'XML', series={})
d.to_excel('pandas.ods', index=False); refused('pandas.ods', 'soffice', series={})
np.savez('numpy.npz', a=a); refused('numpy.npz', 'NumPy', series={})
np.save('numpy.npy', np.array(a)); refused('numpy.npy', 'NumPy', series={})

text('metatrader.csv', ['<DATE>\t<TIME>\t<TEMP>'] + [f'{t:%Y.%m.%d}\t{t:%H:%M:%S}\t{x}' for t, x in zip(hours, a)]); read('metatrader.csv', 'time of day in column <TIME>', **{'<TEMP>': a})
text('typeperf.csv', ['"(PDH-CSV 4.0) (UTC)(0)","\\\\HOST\\Memory\\Available MBytes"'] + [f'"{t + dt.timedelta(days=10):%m/%d/%Y %H:%M:%S}.000","{x if i else " "}"' for i, (t, x) in enumerate(zip(hours, a))]); read('typeperf.csv', 'the month is first', times=[t + dt.timedelta(days=10) for t in hours], **{'\\\\HOST\\Memory\\Available MBytes': [None] + a[1:]})
text('smard.csv', ['Datum von;Datum bis;Netzlast [MWh]'] + [f'{t:%d.%m.%Y %H:%M};{t + dt.timedelta(hours=1):%d.%m.%Y %H:%M};' + ('-' if i == 7 else f'{1000 * y:,.2f}'.translate(str.maketrans(',.', '.,'))) for i, (t, y) in enumerate(zip(hours, b))]); read('smard.csv', 'points between thousands', **{'Netzlast [MWh]': [None if i == 7 else round(1000 * y, 2) for i, y in enumerate(b)]})
text('entsoe.csv', ['"MTU (UTC)","Price"'] + [f'"{t:%d.%m.%Y %H:%M} - {t + dt.timedelta(hours=1):%d.%m.%Y %H:%M}","{x}"' for t, x in zip(hours, a)]); refused('entsoe.csv', 'the beginning and the end of each step', series={})
text('hour-ending.csv', ['Date,Hour Ending,temp'] + [f'{t:%Y-%m-%d},{t.hour + 1},{x}' for t, x in zip(hours, a)]); refused('hour-ending.csv', 'the hours of column Hour Ending belong to', series={})
text('markdown.txt', ['| time | temp |', '|:---|---:|'] + [f'| {t} | {x} |' for t, x in zip(hours, a)]); refused('markdown.txt', 'the table is drawn with lines', series={})
text('psql-aligned.txt', ['        time         | temp', '---------------------+------'] + [f' {t} | {x}' for t, x in zip(hours, a)] + [f'({N} rows)', '']); refused('psql-aligned.txt', 'the table is drawn with lines', series={})
open('mac-cr.csv', 'w', newline='').write(d.to_csv(index=False).replace('\n', '\r')); refused('mac-cr.csv', 'CR alone', series={})
d.to_csv('pandas-utf32.csv', index=False, encoding='utf-32'); refused('pandas-utf32.csv', 'iconv -f UTF-32', series={})
text('decimal-year.csv', ['"Index","temp"'] + [f'{1990 + i / 4:g},{x}' for i, x in enumerate(a)]); refused('decimal-year.csv', 'seem to be years with a fraction', series={})
text('month-names.csv', ['Year,Month,temp'] + [f'{t:%Y,%b},{x}' for t, x in zip(months, a)]); refused('month-names.csv', 'the dates are in 2 columns (Year, Month)', series={})
text('kilo-or-none.csv', ['time,temp,load'] + [f'{t.isoformat()},{x},' + (f'{y / 1000:.2f}k' if y > 1000 else f'{y}') for t, x, y in zip(hours, a, [y - 10 for y in b])]); refused('kilo-or-none.csv', 'numbers in k and such as', series={})
wb = xlsxwriter.Workbook('beside.xlsx'); ws = wb.add_worksheet(); day = wb.add_format({'num_format': 'yyyy-mm-dd hh:mm'})
for at, name, values, late in (0, 'temp', a, 0), (3, 'press', b, 30):
    ws.write_row(0, at, ['time', name])
    for i, (t, x) in enumerate(zip(hours, values)): ws.write_datetime(i + 1, at, t + dt.timedelta(minutes=late), day); ws.write(i + 1, at + 1, x)
wb.close(); refused('beside.xlsx', 'two tables side by side', temp=a)
text('netcdf-fill.csv', ['time,temp'] + [f'{t.isoformat()},{9.969209968386869e36 if i in (3, 30) else x}' for i, (t, x) in enumerate(zip(hours, a))]); read('netcdf-fill.csv', '(2 of the first 40 values of temp)', settings=['input.csv.missing=9.969209968386869e+36'], temp=[None if i in (3, 30) else x for i, x in enumerate(a)])
text('victoriametrics.jsonl', [json.dumps({'metric': {'__name__': n}, 'values': v, 'timestamps': [ns(t) // 10**6 for t in hours]}) for n, v in (('temp', a), ('press', b))]); refused('victoriametrics.jsonl', 'an export of VictoriaMetrics', series={})
text('mongoexport.json', [json.dumps({'_id': {'$oid': f'{i:024x}'}, 'time': {'$date': t.isoformat() + 'Z'}, 'temp': {'$numberDouble': str(x)}}) for i, (t, x) in enumerate(zip(hours, a))]); refused('mongoexport.json', 'an export of MongoDB', series={})
text('dotnet.jsonl', [json.dumps({'time': f'/Date({ns(t) // 10**6})/', 'temp': x}) for t, x in zip(hours, a)]); refused('dotnet.jsonl', 'dates of .NET', series={})
d.to_json('pandas-split.json', orient='split', date_format='iso'); refused('pandas-split.json', 'a table of pandas', series={})
d.to_json('pandas-table.json', orient='table', index=False); refused('pandas-table.json', 'a table of pandas', series={})
text('promtool.txt', [f'{{__name__="{n}", host="a"}} {x} {ns(t) // 10**6}' for n, v in (('temp', a), ('press', b)) for t, x in zip(hours, v)]); refused('promtool.txt', 'a dump of promtool', series={})
text('fortran.csv', ['time,temp'] + [f'{t.isoformat()},{x / 100:.5f}D+02' for t, x in zip(hours, a)]); refused('fortran.csv', 's/([0-9.])[dD]', series={})
text('lakhs.csv', ['time,temp,sold'] + [f'{t.isoformat()},{x},"{int(y)},00,000.50"' for t, x, y in zip(hours, a, [10 + i % 9 for i in range(N)])]); read('lakhs.csv', '', settings=['input.csv.thousands=,'], temp=a, sold=[(10 + i % 9) * 1e5 + .5 for i in range(N)])

with gzip.GzipFile('truth.json.gz', 'w', mtime=0) as f: f.write(json.dumps(truth).encode())
print(len(truth), 'files')

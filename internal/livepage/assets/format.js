// Numbers, names and times as text.

const dash = "–";

const plain = new Intl.NumberFormat("en", {maximumSignificantDigits: 5});
const whole = new Intl.NumberFormat("en", {maximumFractionDigits: 0});

const exponential = (x, places) => x.toExponential(places).replace("e+", "e").replaceAll("-", "−");

/** A value with five digits. */
export function number(x) {
  if (x == null) return dash;
  const size = Math.abs(x);
  if (size !== 0 && (size < 1e-3 || size >= 1e6)) return exponential(x, 2);
  return plain.format(x).replace("-", "−");
}

/** A value among others that spread over height: as many digits as tell them apart. */
export function within(x, height) {
  if (x == null) return dash;
  const digits = Math.ceil(2.7 - Math.log10(height));
  const size = Math.abs(x);
  if (size >= 1e7 || (size !== 0 && size < 1e-3)) { // bytes of memory differ in the fourth digit
    const places = Math.floor(Math.log10(size)) + digits;
    return exponential(x, Number.isFinite(places) ? Math.min(9, Math.max(2, places)) : 2);
  }
  if (!(digits < 7)) return number(x);
  return x.toLocaleString("en", {minimumFractionDigits: Math.max(0, digits), maximumFractionDigits: Math.max(0, digits)}).replace("-", "−");
}

/** A time span, of two digits: 45 s, 12 min, 3.5 h, 2 d. */
export function duration(seconds) {
  const [unit, size] = [["d", 86400], ["h", 3600], ["min", 60], ["s", 1]].find(([, size]) => seconds >= size) ?? ["s", 1];
  return `${plain.format(Number((seconds / size).toPrecision(2)))} ${unit}`;
}

/** A count. */
export const count = (n) => (n == null ? dash : whole.format(n));

/** A share of one, in percent. */
export const percent = (x, digits = 1) => (x == null ? dash : (100 * x).toFixed(digits) + " %");

/** A nominal level in percent, without digits that say nothing. */
export const level = (x) => plain.format(100 * x) + " %";

/** A skill, with its sign. */
export function skill(x) {
  if (x == null) return dash;
  const size = Math.abs(x) < 10 ? Math.abs(x).toFixed(2) : "more than 10";
  return size === "0.00" ? size : (x < 0 ? "−" : "+") + size;
}

/** A name with at most n characters: of a longer one the beginning and the end. */
export function short(name, n = 40) {
  const letters = [...name];
  if (letters.length <= n) return name;
  const tail = Math.floor((n - 1) / 2);
  return letters.slice(0, n - 1 - tail).join("") + "…" + letters.slice(-tail).join("");
}

/**
 * Returns a function that shortens one of many names to n characters: it leaves out what all of them begin and end with.
 */
export function shortener(names, n = 40) {
  const [first, ...others] = names;
  if (!others.length) return (name) => short(name, n);
  const least = Math.min(...names.map((name) => name.length));
  let start = 0;
  while (start < least && others.every((name) => name[start] === first[start])) start++;
  let end = 0;
  while (end < least - start && others.every((name) => name.at(-1 - end) === first.at(-1 - end))) end++;
  return (name) => {
    if (name.length <= n) return name;
    const spare = n - 2 - (name.length - start - end); // for what is left out, but for two marks
    if (spare < 0) return short(name, n);
    const left = Math.min(start, Math.max(Math.ceil(spare / 2), spare - end));
    const right = Math.min(end, spare - left);
    return (start > left ? "…" : "") + name.slice(start - left, name.length - end + right) + (end > right ? "…" : "");
  };
}

/** Writes a name into an element; the whole of a shortened one shows under the pointer. */
export function setName(element, name, n) {
  element.textContent = short(name, n);
  if (element.textContent !== name) element.title = name;
  else element.removeAttribute("title");
}

let local = false;

/** Chooses between the time zone of the browser and UTC. */
export function useLocalTime(yes) {
  local = yes;
}

export const localTime = () => local;

/** The parts of a time in the chosen zone. */
function parts(t) {
  const d = new Date(t * 1000);
  return local
    ? {year: d.getFullYear(), month: d.getMonth(), day: d.getDate(), hour: d.getHours(), minute: d.getMinutes(), second: d.getSeconds(), ms: d.getMilliseconds()}
    : {year: d.getUTCFullYear(), month: d.getUTCMonth(), day: d.getUTCDate(), hour: d.getUTCHours(), minute: d.getUTCMinutes(), second: d.getUTCSeconds(), ms: d.getUTCMilliseconds()};
}

const two = (n) => String(n).padStart(2, "0");
const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const day = 86400;

/** A time; the spacing of the samples, in seconds, says how finely. */
export function time(t, spacing = 1) {
  if (t == null) return dash;
  const d = parts(t);
  const date = `${d.year}-${two(d.month + 1)}-${two(d.day)}`;
  if (spacing >= day) return date;
  let clock = `${two(d.hour)}:${two(d.minute)}:${two(d.second)}`;
  if (spacing < 1) clock += "." + String(d.ms).padStart(3, "0");
  return `${date} ${clock}`;
}

/** The labels of a time axis whose ticks are increment seconds apart. */
export function timeTicks(ticks, increment) {
  let lastDate = "";
  return ticks.map((t) => {
    const d = parts(t);
    if (increment >= 360 * day) return String(d.year);
    if (increment >= 27 * day) {
      const year = String(d.year);
      const label = months[d.month] + (year === lastDate ? "" : "\n" + year);
      lastDate = year;
      return label;
    }
    const date = `${d.day} ${months[d.month]}`;
    if (increment >= day) return date;
    let clock = `${two(d.hour)}:${two(d.minute)}`;
    if (increment < 60) clock += `:${two(d.second)}`;
    if (increment < 1) clock += "." + String(d.ms).padStart(3, "0");
    const label = date === lastDate ? clock : `${clock}\n${date}`;
    lastDate = date;
    return label;
  });
}

/** The labels of an axis of values. */
export function valueTicks(ticks, increment) {
  const largest = Math.max(...ticks.map(Math.abs));
  if (largest >= 1e6 || (largest > 0 && largest < 1e-3)) {
    const digits = Math.min(6, Math.max(0, Math.ceil(Math.log10(largest / increment))));
    return ticks.map((x) => (x === 0 ? "0" : exponential(x, digits)));
  }
  let digits = Math.max(0, -Math.floor(Math.log10(increment) + 1e-9));
  if (Math.abs(increment * 10 ** digits - Math.round(increment * 10 ** digits)) > 1e-6) digits++; // 2.5
  return ticks.map((x) => x.toFixed(digits).replace("-", "−"));
}

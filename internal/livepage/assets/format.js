// Numbers and times as text.

const dash = "–";

const plain = new Intl.NumberFormat("en", {maximumSignificantDigits: 5});
const whole = new Intl.NumberFormat("en", {maximumFractionDigits: 0});

/** A value with five digits. */
export function number(x) {
  if (x == null) return dash;
  const size = Math.abs(x);
  if (size !== 0 && (size < 1e-3 || size >= 1e6)) return x.toExponential(2).replace("e+", "e").replace("-", "−");
  return plain.format(x).replace("-", "−");
}

/** A value among others that spread over height: as many digits as tell them apart. */
export function within(x, height) {
  if (x == null) return dash;
  const digits = Math.ceil(2.7 - Math.log10(height));
  if (!(digits < 7) || Math.abs(x) >= 1e7) return number(x);
  return x.toLocaleString("en", {minimumFractionDigits: Math.max(0, digits), maximumFractionDigits: Math.max(0, digits)}).replace("-", "−");
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

const two = (n) => String(n).padStart(2, "0");
const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const day = 86400;

/** A time in UTC; the spacing of the samples, in seconds, says how finely. */
export function time(t, spacing = 1) {
  if (t == null) return dash;
  const d = new Date(t * 1000);
  const date = `${d.getUTCFullYear()}-${two(d.getUTCMonth() + 1)}-${two(d.getUTCDate())}`;
  if (spacing >= day) return date;
  let clock = `${two(d.getUTCHours())}:${two(d.getUTCMinutes())}:${two(d.getUTCSeconds())}`;
  if (spacing < 1) clock += "." + String(d.getUTCMilliseconds()).padStart(3, "0");
  return `${date} ${clock}`;
}

/** The labels of a time axis whose ticks are increment seconds apart. */
export function timeTicks(ticks, increment) {
  let lastDate = "";
  return ticks.map((t) => {
    const d = new Date(t * 1000);
    if (increment >= 360 * day) return String(d.getUTCFullYear());
    if (increment >= 27 * day) {
      const year = String(d.getUTCFullYear());
      const label = months[d.getUTCMonth()] + (year === lastDate ? "" : "\n" + year);
      lastDate = year;
      return label;
    }
    const date = `${d.getUTCDate()} ${months[d.getUTCMonth()]}`;
    if (increment >= day) return date;
    let clock = `${two(d.getUTCHours())}:${two(d.getUTCMinutes())}`;
    if (increment < 60) clock += `:${two(d.getUTCSeconds())}`;
    if (increment < 1) clock += "." + String(d.getUTCMilliseconds()).padStart(3, "0");
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
    return ticks.map((x) => (x === 0 ? "0" : x.toExponential(digits).replace("e+", "e").replaceAll("-", "−")));
  }
  let digits = Math.max(0, -Math.floor(Math.log10(increment) + 1e-9));
  if (Math.abs(increment * 10 ** digits - Math.round(increment * 10 ** digits)) > 1e-6) digits++; // 2.5
  return ticks.map((x) => x.toFixed(digits).replace("-", "−"));
}

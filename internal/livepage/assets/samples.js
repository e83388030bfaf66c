// What the page has received of one series, as far as it can be drawn.

export class Samples {
  constructor(limit) {
    this.limit = limit;
    this.clear();
  }

  clear() {
    this.time = [];
    this.state = []; // how far from normal
    this.score = []; // anomaly scores
    this.variables = new Map();
    this.forecast = null;
    this.horizon = 0;
  }

  /** Adds a message "data". */
  add(message) {
    if (message.reset) this.clear();
    this.horizon = message.horizon;
    this.forecast = message.forecast;
    this.time = extend(this.time, message.time, this.limit);
    this.state = extend(this.state, message.state_score ?? message.time.map(() => null), this.limit);
    this.score = extend(this.score, message.anomaly_score, this.limit);
    for (const v of message.variables) {
      const have = this.variables.get(v.name) ?? {};
      const next = {name: v.name};
      for (const key of ["y", "yhat", "yhat_lower", "yhat_upper", "anomaly_score", "share"]) {
        next[key] = extend(have[key] ?? [], v[key] ?? message.time.map(() => null), this.limit);
      }
      next.forecast = message.forecast?.variables.find((f) => f.name === v.name);
      this.variables.set(v.name, next);
    }
  }

  /** The seconds between the last two samples; 1 when unknown. */
  get spacing() {
    const n = this.time.length;
    return n > 1 ? this.time[n - 1] - this.time[n - 2] : 1;
  }
}

function extend(old, more, limit) {
  const all = old.concat(more);
  return all.length > limit ? all.slice(all.length - limit) : all;
}

// The stream of server-sent events, opened again whenever it breaks.

const retryAfter = 2000; // ms
const silence = 5000; // ms: the status comes every second

export class Feed {
  /** handlers: a function for each event, and connected(yes). */
  constructor(handlers) {
    this.handlers = handlers;
    this.parameters = "";
    this.heard = 0;
    setInterval(() => this.watch(), 1000);
  }

  /** Asks for something else from now on. */
  open(parameters) {
    this.parameters = parameters;
    this.connect();
  }

  connect() {
    clearTimeout(this.timer);
    this.source?.close();
    this.heard = Date.now();
    const source = new EventSource("/api/v1/stream?" + this.parameters);
    this.source = source;
    for (const name of ["status", "series", "ranking", "data", "metrics", "insight", "events"]) {
      source.addEventListener(name, (event) => {
        if (source !== this.source) return; // what was asked for before
        this.heard = Date.now();
        this.handlers.connected(true);
        this.handlers[name](JSON.parse(event.data));
      });
    }
    source.addEventListener("error", () => {
      if (source !== this.source) return;
      this.handlers.connected(false);
      if (source.readyState === EventSource.CLOSED) {
        this.timer = setTimeout(() => this.handlers.refused(), retryAfter);
      }
    });
  }

  watch() {
    if (this.source && Date.now() - this.heard > silence) {
      this.handlers.connected(false);
      this.connect();
    }
  }

  close() {
    clearTimeout(this.timer);
    this.source?.close();
    this.source = undefined;
  }
}

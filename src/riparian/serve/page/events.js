// Server-sent events. The browser reconnects by itself and sends the last id that it has seen; after an
// answer that is not a stream (a restart behind a proxy, an expired session) a new source is opened.

const AGAIN = 1000; // milliseconds
const KINDS = ["frame", "split", "change", "checkpoint", "dead"];

/** `on(kind, data)` for each event, `state(name)` for "live", "lost" and "locked". */
export function listen(on, state) {
  let timer = null;
  let source = null;
  const begin = () => {
    source?.close();
    source = new EventSource("v1/events");
    for (const kind of KINDS) source.addEventListener(kind, (event) => on(kind, JSON.parse(event.data)));
    source.addEventListener("open", () => state("live"));
    source.addEventListener("error", () => {
      state("lost");
      if (source.readyState === EventSource.CLOSED) retry();
    });
  };
  const retry = () => {
    clearTimeout(timer);
    timer = setTimeout(async () => {
      const status = await fetch("v1/frame").then((answer) => answer.status, () => 0);
      if (status === 401 || status === 403) state("locked");
      else if (status === 0 || status >= 500) retry();
      else begin();
    }, AGAIN);
  };
  begin();
  return begin;
}

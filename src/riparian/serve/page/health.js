// The stream: how fast rows come, what waits, what was refused, and the state on disk.

import { byId, element, keyed, setText } from "./dom.js";
import { bytes, compact, count, name, percent, seconds } from "./format.js";

export function drawHealth({ stream, labels, model }) {
  const tiles = [
    ["rows per second", compact(stream.rows_per_second)],
    ["behind the source", stream.lag === null ? "not known" : `${compact(stream.lag)} rows`],
    ["waiting in the journal", `${compact(stream.journal_rows)} rows`],
    ["waiting for a label", labels ? `${compact(labels.pending)} rows` : "none"],
    ["refused rows", count(stream.dead_letters), stream.dead_letters > 0 ? "warn" : ""],
    ["last checkpoint", stream.checkpoint_age === null ? "none yet" : `${seconds(stream.checkpoint_age)} ago`],
    ["pause for it", stream.checkpoint_pause === null ? "none yet" : seconds(stream.checkpoint_pause)],
    model.max_bytes
      ? ["memory", `${percent(model.bytes / model.max_bytes, 0)} of ${bytes(model.max_bytes)}`, "", model.bytes / model.max_bytes]
      : ["memory", bytes(model.bytes)],
  ];
  const make = () => element("div", {}, element("dt"), element("dd"));
  keyed(byId("stream-tiles"), tiles, ([key]) => key, make, (node, [key, text, state = "", share]) => {
    setText(node.children[0], key);
    setText(node.children[1], text);
    node.dataset.state = state;
    node.classList.toggle("meter", share !== undefined);
    node.style.setProperty("--share", `${100 * Math.min(share ?? 0, 1)}%`);
  });
  const dead = stream.last_dead.slice(-3).reverse();
  keyed(byId("stream-dead"), dead.map((each, i) => ({ ...each, i })), ({ i }) => i, () => element("p", { class: "name" }), (node, each) => {
    setText(node, `Refused (${name(each.at, 60)}): ${name(each.reason, 200)}`);
  });
}

// The live page: one frame a second from the server, shown top to bottom.

import { makeAccuracy } from "./accuracy.js";
import { makeDetail } from "./detail.js";
import { byId, setText } from "./dom.js";
import { listen } from "./events.js";
import { makeFeatures } from "./features.js";
import { count, name, plural } from "./format.js";
import { drawHealth } from "./health.js";
import { makeRace } from "./race.js";
import { makeSignIn } from "./sign_in.js";
import { makeTree } from "./tree.js";

const detail = makeDetail();
const race = makeRace();
const parts = [race, makeAccuracy(), makeTree(detail), makeFeatures(detail), { update: drawHealth }, detail];
let waiting = null; // a frame that came while the page was hidden
let live = false; // whether a frame came since the connection was made: events before it are old

function draw(frame) {
  const { model } = frame;
  setText(byId("model-name"), name(model.name, 60));
  setText(byId("model-facts"), `${name(model.recipe, 40)}, ${plural(model.rows, "row")} learned, generation ${count(model.generation)}`);
  document.title = `${name(model.name, 40)}: ${count(model.rows)} rows · riparian`;
  // Each part draws in a task of its own, so that none of them is long.
  parts.forEach((part) => setTimeout(() => part.update(frame)));
}

const handlers = {
  frame(frame) {
    live = true;
    if (document.hidden) waiting = frame;
    else draw(frame);
  },
  split(event) {
    if (!live) return;
    setText(byId("announce"), name(event.text, 200));
    setTimeout(() => race.split(event));
  },
  change: (event) => live && setText(byId("announce"), `${name(event.kind, 20)} at row ${count(event.rows)}: ${name(event.text, 200)}`),
};

const TEXTS = { live: "live", lost: "connection lost, trying again", locked: "needs a token" };

function showState(state) {
  const node = byId("connection");
  if (state !== "live") live = false;
  if (node.dataset.state === state) return;
  node.dataset.state = state;
  setText(node, TEXTS[state]);
  if (state !== "locked") setText(byId("announce"), TEXTS[state]);
  else signIn.open();
}

const signIn = makeSignIn(() => begin());
const begin = listen((kind, data) => handlers[kind]?.(data), showState);

document.addEventListener("visibilitychange", () => {
  if (document.hidden || !waiting) return;
  draw(waiting);
  waiting = null;
});

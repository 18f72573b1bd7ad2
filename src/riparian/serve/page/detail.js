// One dialog for whatever the reader opened; it follows the frames until it is closed.

import { byId, setText } from "./dom.js";

export function makeDetail() {
  const dialog = byId("detail");
  let make = null;
  const draw = () => {
    const { title, body } = make();
    setText(byId("detail-title"), title);
    byId("detail-body").replaceChildren(...body);
  };
  dialog.addEventListener("close", () => (make = null));
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  return {
    open(content) {
      make = content;
      draw();
      dialog.showModal();
    },
    update() {
      if (make) draw();
    },
  };
}

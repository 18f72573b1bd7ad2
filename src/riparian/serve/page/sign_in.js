// The form for a token. The server keeps the session in a cookie that scripts cannot read.

import { byId, setText } from "./dom.js";

export function makeSignIn(done) {
  const dialog = byId("sign-in");
  byId("sign-in-form").addEventListener("submit", async (event) => {
    event.preventDefault();
    const token = byId("sign-in-token").value.trim();
    const status = await fetch("session", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ token }),
    }).then((answer) => answer.status, () => 0);
    byId("sign-in-token").value = "";
    if (status >= 200 && status < 300) {
      setText(byId("sign-in-error"), "");
      dialog.close();
      done();
    } else setText(byId("sign-in-error"), status === 0 ? "The server does not answer." : "The server refused this token.");
  });
  return { open: () => dialog.open || dialog.showModal() };
}

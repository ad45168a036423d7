// The page's dialogs: guide, keys, skip with a reason, stop, withdraw. Native <dialog> elements.

import { words } from "./words.js";

const KEYS_OFF = "jurybox-keys-off";

export function wireDialogs({ fetchGuide, tell, onSkip, onStop, onWithdraw }) {
  const dialogs = Object.fromEntries(
    [...document.querySelectorAll("dialog")].map((one) => [one.id.replace("dialog-", ""), one]),
  );

  async function open(name) {
    const dialog = dialogs[name];
    if (!dialog || dialog.open) return;
    if (name === "guide" && !dialog.dataset.filled) {
      try {
        dialog.querySelector(".fill").innerHTML = await fetchGuide();
      } catch (error) {
        return tell(error.message);
      }
      dialog.dataset.filled = "yes";
    }
    dialog.querySelector("form[data-does]")?.reset();
    dialog.querySelector(".problem")?.setAttribute("hidden", "");
    dialog.showModal();
    dialog.querySelector("input[type=radio]")?.focus();
    dialog.scrollTop = 0;
  }

  for (const dialog of Object.values(dialogs)) {
    dialog.addEventListener("click", (event) => {
      if (event.target === dialog || event.target.closest("[data-close]")) dialog.close();
    });
  }
  for (const button of document.querySelectorAll("[data-open]")) {
    button.addEventListener("click", () => open(button.dataset.open));
  }

  function does(name, action) {
    dialogs[name]?.querySelector("form[data-does]").addEventListener("submit", async (event) => {
      event.preventDefault();
      const data = new FormData(event.target);
      if (name === "skip" && !data.get("reason")) {
        const problem = dialogs.skip.querySelector(".problem");
        problem.textContent = words.chooseReason;
        problem.hidden = false;
        dialogs.skip.querySelector("input").focus();
        return;
      }
      dialogs[name].close();
      await action(data);
    });
  }
  does("skip", (data) => onSkip(data.get("reason"), data.get("comment") || ""));
  does("stop", onStop);
  does("withdraw", onWithdraw);

  // In the skip dialog a digit chooses the reason printed beside it.
  dialogs.skip?.addEventListener("keydown", (event) => {
    const digit = /^(?:Digit|Numpad)(\d)$/.exec(event.code)?.[1];
    if (event.target.tagName === "TEXTAREA" || !digit) return;
    const choice = dialogs.skip.querySelector(`input[data-key="${digit}"]`);
    if (choice) { choice.checked = true; choice.focus(); }
  });

  const toggle = document.querySelector("#keys-on");
  if (toggle) {
    toggle.checked = localStorage.getItem(KEYS_OFF) === null;
    toggle.addEventListener("change", () => {
      if (toggle.checked) localStorage.removeItem(KEYS_OFF);
      else localStorage.setItem(KEYS_OFF, "yes");
      document.documentElement.classList.toggle("keys-off", !toggle.checked);
    });
    document.documentElement.classList.toggle("keys-off", !toggle.checked);
  }

  // Single-letter and digit keys can be switched off (WCAG 2.1.4); Enter and Ctrl+Enter stay.
  const keysOff = (event) =>
    localStorage.getItem(KEYS_OFF) !== null && event.key !== "Enter";
  return { open, keysOff };
}

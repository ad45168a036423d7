// The page's dialogs: guide, keys, skip with a reason, report, jump, stop, withdraw. Native <dialog>
// elements.

import { printKeys } from "./bindings.js";
import { digitOf } from "./keys.js";
import { words } from "./words.js";

export function wireDialogs({ fetchGuide, tell, onSkip, onStop, onWithdraw, onProblem, onJump, drawJump }) {
  const dialogs = Object.fromEntries(
    [...document.querySelectorAll("dialog")].map((one) => [one.id.replace("dialog-", ""), one]),
  );

  async function open(name) {
    const dialog = dialogs[name];
    if (!dialog || dialog.open) return;
    if (name === "guide" && !dialog.dataset.filled) {
      try {
        const place = dialog.querySelector(".fill");
        place.innerHTML = await fetchGuide();
        printKeys(place);
      } catch (error) {
        return tell(error.message);
      }
      dialog.dataset.filled = "yes";
    }
    for (const other of Object.values(dialogs)) if (other.open) other.close();
    if (name === "jump") drawJump(dialog.querySelector(".jump-list"), (number) => act("jump", { number }));
    dialog.querySelector("form[data-does]")?.reset();
    dialog.querySelector(".problem")?.setAttribute("hidden", "");
    dialog.showModal();
    dialog.querySelector("input[type=radio], input[type=text], form[data-does] > textarea")?.focus();
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

  // What each dialog does; a sentence that it gives stays in the dialog as what is wrong.
  const actions = {
    async skip({ reason, comment }) {
      if (!reason) return words.chooseReason;
      dialogs.skip.close();
      await onSkip(reason, comment || "");
    },
    async problem({ words: said }) {
      if (!said.trim()) return words.sayWhat;
      try {
        await onProblem(said);
      } catch (error) {
        return error.message;
      }
      dialogs.problem.close();
    },
    async jump({ number }) {
      if (!(await onJump(Number(number)))) return words.noSuchTrial;
      dialogs.jump.close();
    },
    async stop() {
      dialogs.stop.close();
      await onStop();
    },
    async withdraw() {
      dialogs.withdraw.close();
      await onWithdraw();
    },
  };

  async function act(name, given) {
    const wrong = await actions[name](given);
    if (!wrong) return;
    const problem = dialogs[name].querySelector(".problem");
    problem.textContent = wrong;
    problem.hidden = false;
    dialogs[name].querySelector("form[data-does] :is(input, textarea)").focus();
  }

  for (const [name, dialog] of Object.entries(dialogs)) {
    dialog.querySelector("form[data-does]")?.addEventListener("submit", (event) => {
      event.preventDefault();
      act(name, Object.fromEntries(new FormData(event.target)));
    });
  }

  // In the skip dialog a digit chooses the reason printed beside it.
  dialogs.skip?.addEventListener("keydown", (event) => {
    const digit = digitOf(event);
    if (event.target.tagName === "TEXTAREA" || !digit) return;
    const choice = dialogs.skip.querySelector(`input[data-key="${digit}"]`);
    if (choice) { choice.checked = true; choice.focus(); }
  });

  return { open };
}

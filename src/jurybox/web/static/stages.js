// The stages before, between and after the trials: what their buttons do.
//
// `desk` is the page's own: `main`, `link`, `who()`, `take(next)`, `go()`, `enter(token)`, `open(dialog)`.

import { Unreachable } from "./api.js";
import { printKeys } from "./bindings.js";
import { copy, tell } from "./frame.js";
import { bindHeadphones } from "./headphones.js";

function onSubmit(desk, handler) {
  const form = desk.main.querySelector("form");
  form?.addEventListener("submit", async (event) => {
    event.preventDefault();
    const pressed = event.submitter?.value;
    try {
      await handler(new FormData(form), pressed);
    } catch (error) {
      tell(error.message);
    }
  });
}

function welcome(desk) {
  const uninvited = desk.main.querySelector("[data-uninvited]");
  if (uninvited && (desk.preview || desk.link.brought().invite)) uninvited.remove();
  else if (uninvited) return desk.main.querySelector("form").remove(); // an id alone would open nothing
  const field = desk.main.querySelector("[name=rater]");
  if (field && desk.link.rater) { // the link lets in under this id alone
    const label = desk.main.querySelector("label[data-told]");
    field.value = desk.link.rater;
    field.readOnly = true;
    label.textContent = label.dataset.told;
  }
  onSubmit(desk, async (data) => {
    const body = { rater: data.get("rater"), key: desk.link.key(), query: desk.link.brought() };
    const { token, ...next } = await desk.who().api.post("enroll", body);
    if (desk.preview) return desk.take(next);
    if (!token) throw new Unreachable();
    await desk.enter(token);
  });
}

function consent(desk) {
  onSubmit(desk, async (_, pressed) =>
    desk.take(await desk.who().api.post("consent", { agree: pressed === "yes" })));
}

function survey(desk) {
  onSubmit(desk, async (data) =>
    desk.take(await desk.who().api.post("survey", { answers: Object.fromEntries(data) })));
}

function guide(desk) {
  printKeys(desk.main);
  const own = desk.main.querySelector("#own-link");
  if (own) {
    own.value = desk.link.personal(desk.who().token);
    desk.main.querySelector("[data-copy-link]").addEventListener("click", (event) => {
      own.select();
      copy(own.value, event.target);
    });
  }
  onSubmit(desk, async () => desk.take(await desk.who().api.post("guide")));
}

function headphones(desk) {
  bindHeadphones(desk.main, async (right, rounds) => {
    try {
      desk.take(await desk.who().api.post("headphones", { right, rounds }));
    } catch (error) {
      tell(error.message);
    }
  });
}

function pause(desk) {
  onSubmit(desk, () => desk.go());
}

function more(desk) {
  onSubmit(desk, async (_, pressed) =>
    desk.take(await desk.who().api.post(pressed === "more" ? "more" : "stop")));
}

function ended(desk) {
  desk.main.querySelector("[data-copy]")?.addEventListener("click", (event) => {
    const code = desk.main.querySelector(".code-shown");
    getSelection().selectAllChildren(code);
    copy(code.textContent, event.target);
  });
  const form = desk.main.querySelector("form[data-mturk]");
  const back = form && desk.link.mturk();
  if (back) {
    form.action = back.action;
    form.elements.assignmentId.value = back.assignment;
    form.hidden = false;
    desk.main.querySelector("[data-by-hand]").remove(); // the button takes the code along
  }
  desk.main.querySelector("[data-withdraw]")?.addEventListener("click", () => desk.open("withdraw"));
}

const BIND = { welcome, consent, survey, guide, headphones, break: pause, calibrated: pause, paused: pause, more };

// Stages that one can leave by stopping; what comes before has its own way out.
const BEGUN = new Set(["survey", "guide", "headphones", "break", "calibrated", "practice", "trial", "paused"]);

export const isBegun = (stage) => BEGUN.has(stage);

export function bindStage(stage, desk) {
  (BIND[stage] || ended)(desk);
}

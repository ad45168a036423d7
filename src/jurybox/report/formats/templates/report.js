// Tables that sort, copy and filter, and charts that tell their values. Without it all is there to read.
(() => {
  "use strict";
  const FILTERED = ["category", "group", "rater_kind", "judge", "criterion"];
  const MISSING = "–";
  const ALL = "all";
  const make = (name, attributes, text) => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    if (text) element.textContent = text;
    return element;
  };
  const words = (cell) => cell.textContent.trim();
  const number = (text) => {
    const found = text.replaceAll(",", "").replaceAll("−", "-").match(/-?(?:\d+(?:\.\d+)?|∞)/);
    if (!found) return NaN;
    return Number(found[0].replace("∞", "Infinity"));
  };

  const compare = (one, two, isNumeric) => {
    if (isNumeric) return number(one) - number(two) || 0;
    return one.localeCompare(two, undefined, { numeric: true });
  };

  const sort = (table, column, way) => {
    const body = table.tBodies[0];
    const isNumeric = table.tHead.rows[0].cells[column].classList.contains("n");
    const cell = (row) => words(row.cells[column]);
    const rows = [...body.rows].sort((one, two) => {
      // What is missing comes last, whichever way.
      const last = (cell(one) === MISSING) - (cell(two) === MISSING);
      return last || way * compare(cell(one), cell(two), isNumeric) || one.dataset.row - two.dataset.row;
    });
    body.append(...rows);
  };

  const sortable = (table) => {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      const button = make("button", { type: "button" }, words(head));
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        const way = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
        heads.forEach((each) => each.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", way > 0 ? "ascending" : "descending");
        sort(table, column, way);
      });
    });
  };

  const asText = (table) =>
    [table.tHead.rows[0], ...table.tBodies[0].rows]
      .filter((row) => !row.hidden)
      .map((row) => [...row.cells].map((cell) => words(cell).replace(/\s+/g, " ")).join("\t"))
      .join("\n");

  const write = async (text) => {
    try {
      return await navigator.clipboard.writeText(text);
    } catch {
      // A page in a frame may not; selecting the text still works.
    }
    const area = document.body.appendChild(make("textarea", { class: "spoken" }, text));
    area.select();
    document.execCommand("copy");
    area.remove();
  };

  const copier = (what, text) => {
    const button = make("button", { type: "button", "aria-label": `Copy: ${what}` }, "Copy");
    const said = make("span", { role: "status" });
    button.addEventListener("click", async () => {
      await write(text());
      said.textContent = "Copied";
    });
    return [button, said];
  };

  const filter = (table, marks) => {
    const heads = [...table.tHead.rows[0].cells];
    const column = heads.findIndex((head) => FILTERED.includes(head.dataset.name));
    if (column < 0) return [];
    const rows = [...table.tBodies[0].rows];
    const value = (row) => words(row.cells[column]);
    // What holds for all criteria holds for each of them.
    const always = heads[column].dataset.name === "criterion" ? ALL : null;
    const values = [...new Set(rows.map(value))].filter((each) => each !== always);
    if (values.length < 2 || values.length === rows.length) return [];
    const label = make("label", {}, `${words(heads[column])} `);
    const select = label.appendChild(make("select", {}));
    for (const each of ["", ...values]) select.append(make("option", { value: each }, each || ALL));
    select.addEventListener("change", () => {
      for (const row of rows) {
        row.hidden = Boolean(select.value) && ![select.value, always].includes(value(row));
        for (const mark of marks(row.dataset.row)) mark.classList.toggle("away", row.hidden);
      }
    });
    return [label];
  };

  document.querySelectorAll("figure:has(.plot)").forEach((figure) => {
    figure.tabIndex = 0;
    figure.append(make("p", { class: "readout", role: "status" }));
  });
  tellValues(document); // of told.js, which stands before this in the page
  document.querySelectorAll("table").forEach((table) => {
    const rows = [...table.tBodies[0].rows];
    if (table.querySelector(".none")) return; // nothing to sort, filter or copy
    rows.forEach((row, index) => { row.dataset.row = index; });
    const box = table.parentElement;
    const fold = box.closest("details");
    const drawn = box.dataset.drawn !== undefined ? (fold ?? box).previousElementSibling : null;
    const marks = (row) => drawn?.querySelectorAll(`.mark[data-row="${row}"]`) ?? [];
    const isTitled = !table.caption.classList.contains("spoken");
    const tools = make("div", { class: isTitled ? "tools beside" : "tools" });
    const filters = filter(table, marks);
    tools.append(...(drawn && fold ? [] : filters), ...copier(words(table.caption), () => asText(table)));
    box.before(tools);
    if (drawn && fold && filters.length) {
      // It is also the chart's: it must not be folded with the table.
      fold.before(make("div", { class: "tools" }));
      fold.previousElementSibling.append(...filters);
    }
    if (rows.length > 1) sortable(table);
  });
  const methods = document.getElementById("methods");
  if (methods) {
    const lines = [...methods.parentElement.querySelectorAll("p, h3, li")];
    const tools = make("div", { class: "tools" });
    tools.append(...copier(words(methods), () => lines.map(words).join("\n")));
    methods.after(tools);
  }
})();

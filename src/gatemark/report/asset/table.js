// Tables that sort by their heads and, where they are long, filter by words; all by keyboard too.
(() => {
  "use strict";
  // What a cell sorts by: its first number where the whole column has numbers, else its words.
  function keyOf(text) {
    const number = /^[≥≤<>+\s]*([-−]?\d[\d.]*(e[+-]?\d+)?)/.exec(text);
    return number ? Number(number[1].replace("−", "-")) : null;
  }

  function sort(table, place) {
    const head = table.tHead.rows[0].cells[place];
    const next = { ascending: "descending", descending: "none" }[head.ariaSort] || "ascending";
    for (const cell of table.tHead.rows[0].cells) cell.removeAttribute("aria-sort");
    if (next !== "none") head.setAttribute("aria-sort", next);
    const rows = [...table.tBodies[0].rows].map((row) => {
      const text = row.cells[place].textContent.trim();
      return { row, text, key: keyOf(text), at: Number(row.dataset.at), isNone: text === "–" };
    });
    const numeric = rows.every((one) => one.isNone || one.key !== null);
    const sign = next === "descending" ? -1 : 1;
    rows.sort((a, b) => {
      if (next === "none") return a.at - b.at;
      if (a.isNone !== b.isNone) return a.isNone ? 1 : -1;
      const order = numeric ? a.key - b.key : a.text.localeCompare(b.text, undefined, { numeric: true });
      return sign * order || a.at - b.at;
    });
    table.tBodies[0].append(...rows.map((one) => one.row));
  }

  // Heads become buttons that sort; a long table gets a filter. Both work from the keyboard.
  const LONG = 12;
  function enrich(table) {
    const rows = [...table.tBodies[0].rows];
    rows.forEach((row, at) => { row.dataset.at = at; });
    [...table.tHead.rows[0].cells].forEach((head, place) => {
      if (!head.textContent || rows.length < 2) return;
      const button = document.createElement("button");
      button.type = "button";
      button.className = "sort";
      button.append(...head.childNodes);
      button.addEventListener("click", () => sort(table, place));
      head.append(button);
    });
    if (rows.length < LONG) return;
    const label = document.createElement("label");
    const field = document.createElement("input");
    const count = document.createElement("span");
    label.className = "filter";
    field.type = "search";
    count.setAttribute("role", "status");
    label.append("Filter rows", field, count);
    field.addEventListener("input", () => {
      const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
      for (const row of rows) {
        const text = row.textContent.toLowerCase();
        row.hidden = !words.every((word) => text.includes(word));
      }
      const left = rows.filter((row) => !row.hidden).length;
      count.textContent = words.length ? `${left} of ${rows.length}` : "";
    });
    table.before(label);
  }

  window.gatemark = { ...window.gatemark, enrich };
  document.querySelectorAll("table.sortable").forEach(enrich);
})();

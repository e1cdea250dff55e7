// Tables that sort by their heads and, where they are long, filter by words; all by keyboard too.
(() => {
  "use strict";
  // A number at the beginning of a cell. A date, a version or a run's name goes on at its digits.
  const NUMBER = /^[≥≤<>~+\s]*([-−]?\d+(?:\.\d+)?(?:e[+-]?\d+)?)(?=$|[\s,;(%])/;
  const INTERVAL = /^\s*(?:±\s*[\d.]+)?\s*(?:\([^)]*\))?\s*/;
  const UNIT = /^([KMG]i|[nµmkMG])?\s?(?:(?:packets|bit|connections)\/s|s|B)(?![\w/])/;
  const FACTORS = {
    n: 1e-9, µ: 1e-6, m: 1e-3, k: 1e3, M: 1e6, G: 1e9, Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30,
  };

  // What a cell sorts by in a column of numbers: 900 k packets/s before 1.2 M packets/s.
  function keyOf(text) {
    const number = NUMBER.exec(text);
    if (!number) return null;
    const unit = UNIT.exec(text.slice(number[0].length).replace(INTERVAL, ""));
    return Number(number[1].replace("−", "-")) * (FACTORS[unit && unit[1]] || 1);
  }

  function sort(table, place) {
    const head = table.tHead.rows[0].cells[place];
    const next = { ascending: "descending", descending: "none" }[head.ariaSort] || "ascending";
    for (const cell of table.tHead.rows[0].cells) cell.removeAttribute("aria-sort");
    if (next !== "none") head.setAttribute("aria-sort", next);
    const rows = [...table.tBodies[0].rows].map((row) => {
      const text = row.cells[place].textContent.trim();
      const isNone = !text || text === "–";
      return { row, text, key: keyOf(text), at: Number(row.dataset.at), isNone };
    });
    const filled = rows.filter((one) => !one.isNone);
    const numeric = filled.filter((one) => one.key !== null).length * 2 > filled.length;
    // Nothing stands last, and so do words among numbers: "not measured".
    const isLast = (one) => (numeric ? one.key === null : one.isNone);
    const sign = next === "descending" ? -1 : 1;
    rows.sort((a, b) => {
      if (next === "none") return a.at - b.at;
      if (isLast(a) !== isLast(b)) return isLast(a) ? 1 : -1;
      if (isLast(a)) return a.at - b.at;
      const byWords = () => a.text.localeCompare(b.text, undefined, { numeric: true });
      return sign * (numeric ? a.key - b.key : byWords()) || a.at - b.at;
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
      const named = [...head.childNodes].filter((node) => node.className !== "ask");
      button.append(...named);
      button.addEventListener("click", () => sort(table, place));
      head.prepend(button);
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

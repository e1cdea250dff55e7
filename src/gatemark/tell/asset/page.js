// Draws the figures when they come into view, and makes table twins and CSV files from their rows.
(() => {
  "use strict";
  const page = JSON.parse(document.getElementById("data").textContent);
  const plots = [...document.querySelectorAll(".plot")];

  // Vega marks the rows that it reads, so each view gets rows of its own.
  function datasetsOf(spec) {
    const wanted = new Set();
    JSON.stringify(spec, (key, value) => {
      if (key === "data" && value && value.name) wanted.add(value.name);
      return value;
    });
    return Object.fromEntries([...wanted].map((name) => [name, structuredClone(page.datasets[name])]));
  }

  function draw(plot) {
    if (plot.dataset.drawn) return;
    plot.dataset.drawn = "yes";
    const spec = page.figures[plot.dataset.figure].panels[plot.dataset.panel];
    const options = {
      mode: "vega-lite", renderer: "svg", actions: false, config: page.config,
      // Expressions are interpreted, and no styles are brought in: the page's policy forbids both.
      ast: true, defaultStyle: false, tooltip: { disableDefaultStyle: true },
    };
    window.vegaEmbed(plot, { ...spec, datasets: datasetsOf(spec) }, options).then(() => {
      const drawing = plot.querySelector("svg");
      drawing.setAttribute("role", "img");
      drawing.setAttribute("aria-label", spec.description);
    }).catch((error) => {
      plot.textContent = `This figure could not be drawn: ${error.message}`;
    });
  }

  // A figure is drawn shortly before it is seen; the others when the browser is idle, so that
  // paper and search find all of them.
  const watcher = new IntersectionObserver((entries) => {
    for (const entry of entries) if (entry.isIntersecting) draw(entry.target);
  }, { rootMargin: "200px" });
  plots.forEach((plot) => watcher.observe(plot));
  const idle = window.requestIdleCallback || ((call) => setTimeout(call, 200));
  function drawNext() {
    const next = plots.find((plot) => !plot.dataset.drawn);
    if (!next) return;
    draw(next);
    idle(drawNext);
  }
  addEventListener("load", () => idle(drawNext));
  addEventListener("beforeprint", () => plots.forEach(draw));

  window.vega.expressionFunction("quantity", window.gatemark.number.quantity);

  // A cell of a row: an end of an interval has the digits of its value, a number alone three figures.
  function shown(row, key) {
    const value = row[key];
    if (value === null || value === undefined) return "–";
    if (typeof value !== "number") return value;
    const { decimals, digits, plain } = window.gatemark.number;
    const base = key.replace(/_(lo|hi)$/, "");
    const ends = [row[base], row[`${base}_lo`], row[`${base}_hi`]];
    if (ends.every(Number.isFinite) && ends[1] < ends[2]) return digits(value, ends);
    if (Math.abs(value) < 1) return String(Number(value.toPrecision(3)));
    return plain(value, decimals(value, 0));
  }

  function twin(figure) {
    const table = document.createElement("table");
    table.createCaption().textContent = figure.title;
    const head = table.createTHead().insertRow();
    for (const title of Object.values(figure.columns)) {
      const cell = document.createElement("th");
      cell.scope = "col";
      cell.textContent = title;
      head.append(cell);
    }
    table.className = "sortable";
    const body = table.createTBody();
    for (const row of page.datasets[figure.name]) {
      const line = body.insertRow();
      for (const key of Object.keys(figure.columns)) {
        const cell = line.insertCell();
        cell.textContent = shown(row, key);
        if (typeof row[key] === "number") cell.className = "n";
      }
    }
    const frame = document.createElement("div");
    frame.className = "scroll";
    frame.tabIndex = 0;
    frame.setAttribute("role", "region");
    frame.setAttribute("aria-label", figure.title);
    frame.append(table);
    window.gatemark.enrich(table);
    return frame;
  }

  for (const fold of document.querySelectorAll("[data-twin]")) {
    fold.addEventListener("toggle", () => {
      if (fold.open && fold.childElementCount === 1) fold.append(twin(page.figures[fold.dataset.twin]));
    });
  }

  // Text that a spreadsheet would take for a formula is given as text.
  function field(value) {
    if (value === null || value === undefined) return "";
    if (typeof value === "number") return String(value);
    const text = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(value) ? `'${value}` : value;
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  }

  function csv(figure) {
    const lines = [Object.values(figure.columns)];
    for (const row of page.datasets[figure.name]) {
      lines.push(Object.keys(figure.columns).map((key) => row[key]));
    }
    return lines.map((line) => line.map(field).join(",")).join("\r\n") + "\r\n";
  }

  for (const button of document.querySelectorAll("[data-csv]")) {
    button.addEventListener("click", () => {
      const figure = page.figures[button.dataset.csv];
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([csv(figure)], { type: "text/csv" }));
      link.download = `${figure.name}.csv`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    });
  }

  // A link into a fold opens it.
  function unfold() {
    const target = location.hash && document.getElementById(location.hash.slice(1));
    const fold = target && target.closest("details");
    if (fold && !fold.open) {
      fold.open = true;
      target.scrollIntoView();
    }
  }
  addEventListener("hashchange", unfold);
  unfold();
})();

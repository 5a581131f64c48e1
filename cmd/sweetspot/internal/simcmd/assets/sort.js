"use strict";
// A click on a heading sorts its table by that column; another turns it round.
// Figures that do not exist come last either way, and equals stay in order.
document.querySelectorAll("table.sortable").forEach(function (table) {
  const heads = Array.from(table.tHead.rows[0].cells);
  const body = table.tBodies[0];

  function value(row, column) {
    const text = row.cells[column].textContent.trim();
    if (text === "never") return Infinity;
    if (text === "-") return NaN;
    return /^-?[\d.,]+$/.test(text) ? Number(text.replace(/,/g, "")) : text;
  }

  function order(a, b) {
    if (typeof a === "string" || typeof b === "string") return String(a).localeCompare(String(b), "en", { numeric: true });
    return a === b ? 0 : a - b;
  }

  heads.forEach(function (head, column) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", function () {
      const down = head.getAttribute("aria-sort") === "ascending";
      heads.forEach(function (h) { h.removeAttribute("aria-sort"); });
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const rows = Array.from(body.rows).map(function (row) { return { row: row, value: value(row, column) }; });
      rows.sort(function (a, b) {
        const missing = Number(Number.isNaN(a.value)) - Number(Number.isNaN(b.value));
        return missing || (down ? -1 : 1) * order(a.value, b.value);
      });
      body.append(...rows.map(function (r) { return r.row; }));
    });
  });
});

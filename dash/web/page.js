"use strict";

(() => {
  const $ = id => document.getElementById(id);
  const SPACE = 1.5;       // times a step between points: more than that is a gap
  const STEP = 1000;       // ms
  const KEPT = 3600;       // points
  const ROWS = 60;         // of a table beside a plot
  const CHANGES = 256;
  const LEAST = 60000;     // ms that a plot shows

  // What is known. Columns are those of history.json.
  const columns = ["time", "limit", "in_flight", "waiting", "rate", "own_cpu", "machine_cpu"];
  let states = [];         // of all Limiters
  let wanted = fromHash();
  let shown = "";          // the id whose history is here
  let data = null;
  let changes = [];        // newest first
  let range = 600;
  let now = 0;
  let mayControl = false;
  let edited = false;      // somebody has written into the field of the limit
  let source = null;
  let stale = 0;

  // The plots. A series names a column, or a function of a state.
  const plots = [
    { title: "Limit", unit: "units, doubling scale", log: true, series: [
      { column: "limit", label: "limit", role: "first", stepped: true },
      { column: "in_flight", label: "in flight", role: "second" }] },
    { title: "Waiting", unit: "units", series: [
      { column: "waiting", label: "waiting for a permit", role: "first" }] },
    { title: "Throughput", unit: "done per second", series: [
      { column: "rate", label: "done", role: "first" }] },
    { title: "CPU usage", unit: "CPUs", series: [
      { column: "machine_cpu", label: "everybody", role: "second" },
      { column: "own_cpu", label: "this work", role: "first" },
      { column: "cpus", label: "available", role: "third" }] },
  ];

  function fromHash() {
    try {
      return decodeURIComponent(location.hash.slice(1));
    } catch {
      return ""; // somebody wrote it by hand
    }
  }

  // Figures in words.
  const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
  const digits = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });
  const small = new Intl.NumberFormat("en", { maximumSignificantDigits: 2 });
  function figure(x) {
    if (x === null || x === undefined) return "–";
    return (Math.abs(x) >= 1000 ? whole : Math.abs(x) >= 1 ? digits : small).format(x);
  }
  function clock(ms) {
    return new Date(ms).toLocaleTimeString("en-GB");
  }
  function seconds(s) {
    if (s < 60) return s.toFixed(2) + " s";
    const m = Math.floor(s / 60);
    return m < 60 ? m + " m " + String(Math.floor(s % 60)).padStart(2, "0") + " s"
                  : Math.floor(m / 60) + " h " + String(m % 60).padStart(2, "0") + " m";
  }
  function setText(e, text) {
    if (e.textContent !== text) e.textContent = text;
  }
  function make(name, text, kind) {
    const e = document.createElement(name);
    if (text !== undefined) e.textContent = text;
    if (kind) e.className = kind;
    return e;
  }

  // The link to the program. The browser comes back by itself when a connection
  // breaks; not after an answer that is not a stream, such as a proxy's.
  function connect() {
    if (source) source.close();
    clearTimeout(stale);
    source = new EventSource("events?limiter=" + encodeURIComponent(wanted));
    source.addEventListener("limiters", e => onLimiters(JSON.parse(e.data)));
    source.addEventListener("history", e => onHistory(JSON.parse(e.data)));
    source.addEventListener("changes", e => onChanges(JSON.parse(e.data)));
    source.onerror = () => {
      link("lost", "connection lost, trying again");
      if (source.readyState === EventSource.CLOSED) again();
    };
    // A machine that is gone says nothing; look after silence.
    stale = setTimeout(again, 15000);
  }
  function again() {
    link("lost", "connection lost, trying again");
    clearTimeout(stale);
    stale = setTimeout(connect, 2000);
  }
  function link(kind, words) {
    const e = $("link");
    e.dataset.link = kind;
    setText(e, words);
  }

  function onLimiters(m) {
    clearTimeout(stale);
    stale = setTimeout(again, 15000);
    link("live", "live");
    states = m.limiters;
    now = m.time;
    mayControl = m.control;
    setText($("clock"), clock(now));
    setText($("program"), m.program);
    document.title = m.program + " – sweetspot";
    $("none").hidden = states.length > 0;
    $("overview").hidden = states.length === 0;
    const s = states.find(s => s.id === shown);
    if (s && data && now > (data.time.at(-1) ?? 0)) {
      for (const c of columns) {
        data[c].push(c === "time" ? now : s[c]);
        if (data[c].length > KEPT) data[c].shift();
      }
    }
    if (states.length && wanted && !shown && !states.some(s => s.id === wanted)) choose(states[0].id);
    overview();
    detail();
  }

  function onHistory(h) {
    if (wanted && h.limiter !== wanted) {
      // The browser came back with the address from before it was known which Limiter is
      // shown, to a program whose first is another one: nothing else would come of ours.
      connect();
      return;
    }
    if (shown !== h.limiter) {
      $("answer").textContent = "";
      edited = false;
    }
    shown = wanted = h.limiter;
    data = h;
    changes = h.changes.reverse();
    $("history").href = "history.json?limiter=" + encodeURIComponent(shown);
    setText($("name"), shown);
    $("detail").hidden = false;
    listChanges();
    overview();
    detail();
  }

  function onChanges(m) {
    if (m.limiter !== shown) return;
    const newest = changes.length ? changes[0].seq : 0;
    const fresh = m.changes.filter(c => c.seq > newest).reverse();
    changes = fresh.concat(changes).slice(0, CHANGES);
    listChanges();
  }

  function choose(id) {
    if (id === wanted && source && shown === id) return;
    wanted = id;
    history.replaceState(null, "", "#" + encodeURIComponent(id));
    connect();
  }

  // The table of all Limiters. Rows stay the same elements, so that focus and
  // selection survive each second.
  function overview() {
    const body = $("limiters");
    while (body.rows.length > states.length) body.deleteRow(-1);
    states.forEach((s, i) => {
      let row = body.rows[i];
      if (!row) {
        row = body.insertRow();
        const th = make("th");
        th.scope = "row";
        const b = make("button");
        b.type = "button";
        b.addEventListener("click", () => choose(row.dataset.id));
        th.append(b);
        row.append(th);
        for (const kind of ["n", "n", "n", "n", "n", "", "words"]) row.append(make("td", "", kind));
      }
      row.dataset.id = s.id;
      const chosen = s.id === shown;
      row.classList.toggle("chosen", chosen);
      const b = row.cells[0].firstChild;
      setText(b, s.id);
      if (chosen) b.setAttribute("aria-current", "true"); else b.removeAttribute("aria-current");
      const of = s.cpus === null ? "" : " of " + figure(s.cpus);
      [figure(s.limit), figure(s.in_flight), figure(s.waiting), figure(s.rate),
       s.own_cpu === null ? "–" : figure(s.own_cpu) + of, s.manual ? "manual" : "law", s.why || "–"]
        .forEach((text, j) => setText(row.cells[j + 1], text));
    });
  }

  // The chosen Limiter.
  function detail() {
    if (!data) return;
    const s = states.find(s => s.id === shown);
    $("control").hidden = !mayControl || !s;
    if (s) {
      if (!edited && document.activeElement !== $("number")) $("number").value = s.limit;
      $("freeze").disabled = s.manual;
      $("auto").disabled = !s.manual;
      setText($("why"), (s.manual ? "Set manually at " + s.limit + ". " : "") + (s.why ? "Newest decision: " + s.why : "No decision yet."));
    } else {
      setText($("why"), "This Limiter is gone. Below is what was measured.");
    }
    if (!document.hidden) draw(s);
  }

  function listChanges() {
    const rows = changes.map(c => {
      const tr = make("tr");
      tr.append(make("td", c.time === null ? "earlier" : clock(c.time)), make("td", seconds(c.active), "n"),
        make("td", c.from === c.to ? figure(c.to) : figure(c.from) + " → " + figure(c.to), "n"), make("td", c.why, "words"));
      return tr;
    });
    if (!rows.length) {
      const tr = make("tr");
      const td = make("td", "None yet.");
      td.colSpan = 4;
      tr.append(td);
      rows.push(tr);
    }
    $("changes").replaceChildren(...rows);
  }

  // Drawing.
  const media = matchMedia("(prefers-color-scheme: dark)");
  const colour = name => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();

  function buildPlots() {
    $("plots").replaceChildren();
    plots.forEach((p, i) => {
      const f = make("figure");
      const cap = make("figcaption");
      cap.id = "plot-" + i;
      cap.append(make("span", p.title), make("span", p.unit, "unit"));
      p.key = make("ul", undefined, "key");
      for (const s of p.series) {
        const li = make("li", s.label + " ", s.role);
        s.value = make("b", "–");
        li.append(s.value);
        p.key.append(li);
      }
      p.box = make("div", undefined, "plot");
      p.box.setAttribute("role", "img");
      p.table = make("details");
      const sum = make("summary", "Table");
      sum.id = "table-" + i;
      const scroll = make("div", undefined, "scroll");
      scroll.tabIndex = 0;
      scroll.setAttribute("role", "region");
      scroll.setAttribute("aria-label", p.title + ": table");
      const table = make("table");
      const head = table.createTHead().insertRow();
      for (const text of ["Time", ...p.series.map(s => s.label)]) {
        const th = make("th", text, text === "Time" ? "" : "n");
        th.scope = "col";
        head.append(th);
      }
      p.body = table.createTBody();
      scroll.append(table);
      p.table.append(sum, scroll);
      p.table.addEventListener("toggle", () => detail());
      f.append(cap, p.key, p.box, p.table);
      f.setAttribute("aria-labelledby", cap.id);
      $("plots").append(f);
    });
    buildCanvases();
  }

  function buildCanvases() {
    const line = { stroke: colour("dim"), grid: { stroke: colour("line"), width: 1 }, ticks: { stroke: colour("line"), width: 1, size: 4 } };
    for (const p of plots) {
      if (p.u) p.u.destroy();
      p.u = new uPlot({
        ...size(p),
        ms: 1, legend: { show: false }, padding: [8, 28, 0, 0],
        cursor: { y: false, drag: { setScale: false, x: false, y: false }, points: { size: 7 }, sync: { key: "sweetspot" } },
        hooks: { setCursor: [u => values(p, u.cursor.idx)] },
        scales: {
          x: { time: true, range: () => [beginning(), now] },
          y: p.log ? { distr: 3, log: 2, range: (u, min, max) => [0.5, 2 ** Math.ceil(Math.log2(Math.max(max || 1, 2)) + 0.1)] }
                   : { range: (u, min, max) => [0, max > 0 ? max * 1.08 : 1] },
        },
        axes: [
          { ...line, space: 70, size: 28, values: [
            [3600e3, "{HH}:{mm}", null, null, null, null, null, null, 1],
            [60e3, "{HH}:{mm}", null, null, null, null, null, null, 1],
            [1e3, "{HH}:{mm}:{ss}", null, null, null, null, null, null, 1]] },
          { ...line, size: 58, space: p.log ? 18 : 32,
            ...(p.log ? { splits: powers, filter: (u, splits) => splits } : {}),
            values: (u, ticks) => ticks.map(t => t === null ? "" : p.log && t < 1 ? "0" : figure(t)) },
        ],
        series: [{}, ...p.series.map(s => ({
          label: s.label, stroke: colour(s.role), width: s.role === "first" ? 2 : 1.5, dash: s.role === "third" ? [6, 4] : undefined,
          paths: s.stepped ? uPlot.paths.stepped({ align: -1 }) : undefined, points: { show: false },
        }))],
      }, [[], ...p.series.map(() => [])], p.box);
    }
  }

  // beginning is where plots start: no earlier than there is something to see.
  function beginning() {
    const first = data && data.time.length ? data.time[0] : now;
    return Math.max(now - range * 1000, Math.min(first, now - LEAST));
  }

  // powers are the lines of a doubling axis. Nothing is in flight at 0, which has
  // no place on it and is drawn where 1/2 would be.
  function powers(u, axis, min, max) {
    const all = [];
    for (let t = 0.5; t <= max; t *= 2) all.push(t);
    const skip = Math.ceil(all.length * 18 / Math.max(u.bbox.height / devicePixelRatio, 1));
    return all.filter((t, i) => i % skip === 0);
  }

  function draw(state) {
    const first = data.time.findIndex(t => t >= beginning() - STEP);
    const from = first < 0 ? data.time.length : first;
    const time = [];
    const index = [];     // into data; -1 for a gap
    for (let i = from; i < data.time.length; i++) {
      if (time.length && data.time[i] - time.at(-1) > STEP * (1 + SPACE)) {
        time.push(time.at(-1) + STEP);
        index.push(-1);
      }
      time.push(data.time[i]);
      index.push(i);
    }
    const cpus = state ? state.cpus : null;
    for (const p of plots) {
      p.index = index;
      p.cpus = cpus;
      const ys = p.series.map(s => index.map(i => {
        const y = i < 0 ? null : s.column === "cpus" ? cpus : data[s.column][i];
        return p.log && y !== null ? Math.max(y, 0.5) : y;
      }));
      p.u.setData([time, ...ys]);
      values(p, p.u.cursor.idx);
      const words = p.series.map(s => s.label + " " + figure(at(p, s, data.time.length - 1))).join(", ");
      p.box.setAttribute("aria-label", p.title + " over time, now: " + words);
      if (p.table.open) tabulate(p, index);
    }
  }

  function at(p, s, i) {
    if (i < 0) return null;
    return s.column === "cpus" ? p.cpus : data[s.column][i] ?? null;
  }

  // values shows the figures under the pointer, or the newest.
  function values(p, idx) {
    if (!data || !p.index) return;
    const i = idx === null || idx === undefined ? data.time.length - 1 : p.index[idx] ?? -1;
    for (const s of p.series) setText(s.value, figure(at(p, s, i)));
  }

  // tabulate shows what the plot does, thinned to a readable number of rows.
  function tabulate(p, index) {
    const points = index.filter(i => i >= 0);
    const every = Math.ceil(points.length / ROWS);
    const rows = [];
    for (let k = points.length - 1; k >= 0; k -= every) {
      const tr = make("tr");
      const th = make("th", clock(data.time[points[k]]));
      th.scope = "row";
      tr.append(th, ...p.series.map(s => make("td", figure(at(p, s, points[k])), "n")));
      rows.push(tr);
    }
    p.body.replaceChildren(...rows);
  }

  // Control.
  async function order(o) {
    const answer = $("answer");
    answer.className = "";
    try {
      const r = await fetch("limit", {
        method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ limiter: shown, ...o }),
      });
      const text = await r.text();
      if (!r.ok) throw new Error(text.trim());
      const a = JSON.parse(text);
      edited = false;
      answer.textContent = a.manual ? "Set to " + a.limit + "." : "The law decides again, from " + a.limit + ".";
      const s = states.find(s => s.id === shown);
      if (s) {
        s.limit = a.limit;
        s.manual = a.manual;
        overview();
        detail();
      }
    } catch (e) {
      answer.className = "bad";
      answer.textContent = e.message;
    }
  }
  $("control").addEventListener("submit", e => {
    e.preventDefault();
    order({ action: "set", limit: Number($("number").value) });
  });
  $("number").addEventListener("input", () => { edited = true; });
  $("freeze").addEventListener("click", () => order({ action: "freeze" }));
  $("auto").addEventListener("click", () => order({ action: "auto" }));

  $("range").addEventListener("change", e => {
    range = Number(e.target.value);
    detail();
  });
  addEventListener("hashchange", () => {
    const id = fromHash();
    if (id && id !== wanted) choose(id);
  });
  document.addEventListener("visibilitychange", () => detail());
  media.addEventListener("change", () => { buildCanvases(); detail(); });

  // Plots have no size before they are shown.
  const size = p => ({ width: Math.max(p.box.clientWidth, 100), height: Math.max(p.box.clientHeight, 100) });
  new ResizeObserver(() => {
    for (const p of plots) {
      const s = size(p);
      if (s.width !== p.u.width || s.height !== p.u.height) p.u.setSize(s);
    }
  }).observe($("plots"));

  buildPlots();
  connect();
})();

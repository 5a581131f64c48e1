"use strict";
// Two plots for each scenario: the limit on a log2 axis, and the throughput
// that it sustains. They are drawn when they come into view.
(function () {
  const colours = ["#0b6bcb", "#c2410c", "#15803d", "#a21caf", "#b58900", "#64748b", "#0f766e", "#be123c"];
  const ink = getComputedStyle(document.body).color;
  const grid = getComputedStyle(document.documentElement).getPropertyValue("--line").trim();

  // series returns uPlot's description of the reference and the controllers;
  // the first controller is shown, and the others at a click.
  function series(reference) {
    const all = [{ label: "at" }, { label: reference, stroke: ink, width: 1.5, dash: [6, 4] }];
    sweetspot.controllers.forEach(function (name, i) {
      all.push({ label: name, stroke: colours[i % colours.length], width: i === 0 ? 2 : 1, show: i === 0 });
    });
    return all;
  }

  function draw(box, title, reference, data, log) {
    const div = document.createElement("div");
    box.appendChild(div);
    const axis = { stroke: ink, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid, width: 1 } };
    const y = Object.assign({ size: 64 }, axis);
    const plot = new uPlot({
      title: title,
      width: Math.max(280, div.clientWidth),
      height: 260,
      scales: { x: { time: false }, y: log ? { distr: 3, log: 2 } : { range: function (u, lo, hi) { return [0, hi > 0 ? hi * 1.05 : 1]; } } },
      axes: [Object.assign({ values: function (u, at) { return at.map(function (v) { return v + " s"; }); } }, axis), y],
      series: series(reference),
    }, data, div);
    new ResizeObserver(function () {
      plot.setSize({ width: Math.max(280, div.clientWidth), height: 260 });
    }).observe(box);
  }

  function show(box) {
    const p = sweetspot.plots[Number(box.dataset.plot)];
    draw(box, "limit and N* (log2)", "N*", [p.at, p.nstar].concat(p.limit), true);
    draw(box, "X(limit) and X(N*), units/s", "X(N*)", [p.at, p.best].concat(p.x), false);
  }

  const seen = new IntersectionObserver(function (entries) {
    entries.forEach(function (e) {
      if (e.isIntersecting) {
        seen.unobserve(e.target);
        show(e.target);
      }
    });
  }, { rootMargin: "400px" });
  document.querySelectorAll(".plots").forEach(function (box) { seen.observe(box); });
})();

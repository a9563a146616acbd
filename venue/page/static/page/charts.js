/* Draws every [data-chart]: lines by day from the JSON that the page carries. The same figures stand in a table. */
(function () {
  "use strict";
  const charts = [];
  const style = getComputedStyle(document.documentElement);
  const ink = () => getComputedStyle(document.body).color;
  const colours = ["#0072b2", "#d55e00", "#009e73", "#b58900", "#8a5fbf"];
  const dashes = [[], [6, 3], [2, 2], [8, 3, 2, 3], [4, 4]];
  const locale = document.documentElement.lang;

  function draw(place) {
    const data = JSON.parse(document.getElementById(place.dataset.chart).textContent);
    const number = new Intl.NumberFormat(locale, { maximumFractionDigits: data.digits || 0 });
    const day = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short" });
    const hour = new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
    const first = data.x[0], last = data.x[data.x.length - 1], short = last - first < 2 * 86400;
    const faint = style.getPropertyValue("--line");
    const axis = { stroke: ink, grid: { stroke: "rgba(128,128,128,0.25)", width: 1 }, ticks: { stroke: faint } };
    const options = {
      width: place.clientWidth, height: 220,
      scales: { x: { time: true, range: (u, low, high) => first === last ? [first - 43200, last + 43200] : [low, high] }, y: { range: (u, low, high) => low === high ? [low - 1, high + 1] : [Math.min(low, data.from ?? low), high + (high - low) * 0.08] } },
      axes: [
        { ...axis, values: (u, ticks) => ticks.map((at) => (short ? hour : day).format(at * 1000)) },
        { ...axis, size: 76, values: (u, ticks) => ticks.map((at) => number.format(at)) },
      ],
      series: [
        { label: data.time, value: (u, at) => at == null ? "" : day.format(at * 1000) + (data.hours ? ", " + hour.format(at * 1000) : "") },
        ...data.series.map((one, index) => ({
          label: one.label, stroke: colours[index % 5], width: 2, dash: dashes[index % 5], points: { show: data.x.length < 40 },
          value: (u, at) => at == null ? "" : number.format(at),
        })),
      ],
    };
    const chart = new uPlot(options, [data.x, ...data.series.map((one) => one.values)], place);
    charts.push([place, chart]);
  }

  document.querySelectorAll("[data-chart]").forEach(draw);
  addEventListener("resize", () => charts.forEach(([place, chart]) => chart.setSize({ width: place.clientWidth, height: 220 })));
})();

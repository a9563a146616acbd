/* The wall counts up from one reading to the next, shows a jump down (a hit) at once, and no value of a pool that recovers. */
(function () {
  "use strict";
  const list = document.querySelector("[data-values]");
  const locale = document.documentElement.lang;
  const money = new Intl.NumberFormat(locale, { style: "currency", currency: list.dataset.currency });
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const shown = new Map();
  const state = document.getElementById("state");

  /* All pools at once, as large as fits: the number of columns with the largest letters. A phone scrolls instead. */
  const ROOM = { amount: 0.64, title: 0.54, line: 1.7, titleOfAmount: 0.36 };
  function fit() {
    const items = list.querySelectorAll("li .amount");
    if (!items.length) return;
    const fits = innerWidth >= 700;
    list.classList.toggle("fitted", fits);
    if (!fits) return;
    let letters = 1, words = 1;
    for (const one of items) letters = Math.max(letters, one.textContent.length);
    for (const one of list.querySelectorAll(".title")) words = Math.max(words, one.textContent.length);
    const gap = Math.min(innerWidth, innerHeight) * 0.02;
    const style = getComputedStyle(list.parentElement);
    const width = list.clientWidth;
    const height = innerHeight - parseFloat(style.paddingTop) - parseFloat(style.paddingBottom) - state.offsetHeight;
    let best = { size: 0, columns: 1 };
    for (let columns = 1; columns <= items.length; columns++) {
      const rows = Math.ceil(items.length / columns);
      const wide = (width - gap * (columns - 1)) / columns, high = (height - gap * (rows - 1)) / rows;
      const size = Math.min(wide / (letters * ROOM.amount), high / ROOM.line, wide / (words * ROOM.title * ROOM.titleOfAmount));
      if (size > best.size) best = { size, columns };
    }
    list.style.setProperty("--columns", best.columns);
    list.style.setProperty("--gap", gap + "px");
    list.style.setProperty("--amount", best.size + "px");
    list.style.setProperty("--title", best.size * ROOM.titleOfAmount + "px");
  }

  function step(now) {
    for (const one of shown.values()) {
      const part = still ? 1 : Math.min(1, (now - one.since) / 3000);
      const cents = one.to === null ? null : Math.floor(one.from + (one.to - one.from) * part);
      if (cents !== one.drawn) {
        one.drawn = cents;
        const text = cents === null ? list.dataset.away : money.format(cents / 100), grown = text.length !== one.place.textContent.length;
        one.place.textContent = text;
        if (grown) fit();
      }
    }
    requestAnimationFrame(step);
  }

  async function read() {
    try {
      const answer = await fetch(list.dataset.values, { cache: "no-store" });
      if (!answer.ok) throw new Error(answer.status);
      const { pools } = await answer.json();
      if (pools.length !== shown.size && shown.size) location.reload();
      for (const pool of pools) {
        const place = document.getElementById("pool-" + pool.pool);
        if (!place) continue;
        const old = shown.get(pool.pool);
        const from = !old || old.to === null || pool.cents < old.to ? pool.cents : old.drawn ?? pool.cents;
        shown.set(pool.pool, { place, from, to: pool.cents, since: performance.now(), drawn: old?.drawn });
      }
      state.textContent = "";
    } catch {
      state.textContent = state.dataset.lost;
      fit();
    }
  }

  fit();
  addEventListener("resize", fit);
  read();
  setInterval(read, 3000);
  requestAnimationFrame(step);
})();

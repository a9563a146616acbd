/* What every page does by itself: names of columns for phones, a keyboard's way into what scrolls, the current entry. */
(function () {
  "use strict";
  const sizes = new ResizeObserver((entries) => entries.forEach((entry) => reach(entry.target)));

  /* What is wider than its place can be scrolled by keyboard, and only that is a stop on the way. */
  function reach(place) {
    if (place.scrollWidth > place.clientWidth) {
      place.tabIndex = 0;
      place.setAttribute("role", "region");
      const heading = place.closest(".card, main").querySelector("h2, h1") || document.querySelector("h1");
      place.setAttribute("aria-label", heading.textContent.trim());
    } else {
      ["tabindex", "role", "aria-label"].forEach((name) => place.removeAttribute(name));
    }
  }

  /* On a phone a row is a card, in which each cell has its column's name. */
  function name(table) {
    const names = [...table.querySelectorAll("thead th")].map((one) => one.querySelector(".hidden") ? "" : one.textContent.trim());
    for (const row of table.tBodies[0]?.rows ?? []) {
      for (const cell of row.cells) {
        const named = names[cell.cellIndex] && cell.colSpan === 1 && !cell.querySelector("form");
        if (named) cell.dataset.label = names[cell.cellIndex];
      }
    }
  }

  function prepare() {
    document.querySelectorAll(".scroll table").forEach(name);
    document.querySelectorAll("div.scroll, section.scroll").forEach((place) => {
      reach(place);
      sizes.observe(place);
    });
  }

  prepare();
  document.body.addEventListener("htmx:afterSwap", prepare);
  document.querySelector(".rail [aria-current]")?.scrollIntoView({ inline: "center", block: "nearest" });
})();

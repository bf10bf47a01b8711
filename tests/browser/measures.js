// What a reader's eye and finger meet, measured in the page. Each function returns the faults it found.
({
  // U17, U20: text in charts has 4.5:1 and 9.5 px as shown, marks have 3:1, on the page's true background.
  chartFaults() {
    const numbers = (text) => (text.match(/[\d.]+/g) || []).map(Number);
    const background = numbers(getComputedStyle(document.body).backgroundColor).slice(0, 3);
    const light = (colour) => {
      const [r, g, b] = colour.map((v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const contrast = (paint) => {
      const [r, g, b, alpha = 1] = numbers(paint);
      const shown = [r, g, b].map((v, i) => v * alpha + background[i] * (1 - alpha));
      const [low, high] = [light(shown), light(background)].sort((x, y) => x - y);
      return (high + 0.05) / (low + 0.05);
    };
    const faults = [];
    for (const svg of document.querySelectorAll("figure[data-chart] svg")) {
      if (!svg.getClientRects().length) continue;
      const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
      for (const text of svg.querySelectorAll("text")) {
        const style = getComputedStyle(text);
        if (!text.textContent.trim()) continue;
        if (contrast(style.fill) < 4.5) faults.push(`contrast of “${text.textContent}”`);
        if (parseFloat(style.fontSize) * scale < 9.5) faults.push(`size of “${text.textContent}”`);
      }
      for (const mark of svg.querySelectorAll("[aria-roledescription][aria-label]")) {
        const style = getComputedStyle(mark);
        const paints = [style.fill, style.stroke].filter((paint) => paint !== "none");
        if (paints.length && Math.max(...paints.map(contrast)) < 3) faults.push(`mark ${mark.getAttribute("aria-label")}`);
      }
    }
    return faults;
  },
  // U19: a finger needs 24 px.
  smallTargets() {
    return [...document.querySelectorAll("a, button, input, select, summary")]
      .filter((element) => element.getClientRects().length && !element.classList.contains("skip"))
      .filter((element) => element.type !== "hidden")
      .map((element) => [element, element.getBoundingClientRect()])
      .filter(([, box]) => box.width < 24 || box.height < 24)
      .map(([element, box]) => `${element.outerHTML.slice(0, 80)} ${box.width}×${box.height}`);
  },
  // U20
  sidewaysScroll() {
    return document.documentElement.scrollWidth > innerWidth ? [`${document.documentElement.scrollWidth} px wide`] : [];
  },
  // U03
  emptyNames() {
    return [...document.querySelectorAll("a, button, th[scope=row], [aria-roledescription=point]")]
      .filter((element) => !(element.getAttribute("aria-label") || element.textContent || element.value || "").trim())
      .filter((element) => !element.querySelector("[aria-label]"))
      .map((element) => element.outerHTML.slice(0, 80));
  },
  // Labels of one chart that stand on each other, as the browser drew them.
  overlappingLabels() {
    const faults = [];
    for (const svg of document.querySelectorAll("figure[data-chart=tradeoff] svg")) {
      if (!svg.getClientRects().length) continue;
      const boxes = [...svg.querySelectorAll('[class*="labels_"] text')].map((t) => [t.textContent, t.getBoundingClientRect()]);
      boxes.forEach(([name, a], i) => boxes.slice(i + 1).forEach(([other, b]) => {
        if (a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom) faults.push(`${name} on ${other}`);
      }));
    }
    return faults;
  },
})

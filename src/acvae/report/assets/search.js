// The search box: a combobox with completion, for keyboard and mouse alike.

const MOST_OPTIONS = 12;

// Names that match: the whole name first, then beginnings, then parts, each with more neighbours first.
function matches(run, typed) {
  const wanted = typed.trim().toLowerCase();
  if (!wanted) return [];
  run.lower ??= run.names.map((name) => name.toLowerCase());
  const found = [];
  for (let v = 0; v < run.n; v++) {
    const at = run.lower[v].indexOf(wanted);
    if (at >= 0) found.push({ v, order: run.lower[v] === wanted ? 0 : at === 0 ? 1 : 2 });
  }
  const list = found.length ? found : similar(run, wanted);
  return list.sort((a, b) => a.order - b.order || degree(run, b.v) - degree(run, a.v) || a.v - b.v);
}

// Names that share most pairs of letters with what was typed, for when nothing matches.
function similar(run, wanted) {
  const pairs = (text) => new Set(Array.from({ length: Math.max(text.length - 1, 0) }, (_, i) => text.slice(i, i + 2)));
  const own = pairs(wanted);
  const found = [];
  for (let v = 0; v < run.n; v++) {
    const other = pairs(run.lower[v]);
    let shared = 0;
    for (const pair of other) if (own.has(pair)) shared++;
    const share = (2 * shared) / (own.size + other.size || 1);
    if (share > 0.5) found.push({ v, order: 1 - share, guess: true });
  }
  return found;
}

// `clear` takes away what an earlier search has shown.
function setUpSearch(state, choose, clear) {
  const input = byId("search");
  const list = byId("options");
  let shown = [];
  let active = -1;

  function close() {
    list.hidden = true;
    shown = [];
    setActive(-1);
    input.setAttribute("aria-expanded", "false");
  }

  function setActive(index) {
    active = index;
    [...list.children].forEach((option, k) => option.setAttribute("aria-selected", String(k === index)));
    if (index >= 0) {
      input.setAttribute("aria-activedescendant", `option-${index}`);
      list.children[index].scrollIntoView({ block: "nearest" });
    } else input.removeAttribute("aria-activedescendant");
  }

  function open() {
    const { run } = state;
    const all = matches(run, input.value);
    shown = all.slice(0, MOST_OPTIONS).map((match) => match.v);
    list.replaceChildren(...shown.map((v, k) =>
      element("li", { id: `option-${k}`, role: "option", "aria-selected": "false" },
        element("span", {}, run.names[v]), element("span", {}, many(degree(run, v), "link")))));
    list.hidden = shown.length === 0;
    input.setAttribute("aria-expanded", String(shown.length > 0));
    setActive(-1);
    const typed = input.value.trim();
    if (state.chosen && (!typed || !all.length)) clear();
    if (!typed) say("");
    else if (!all.length) say(`No name is like “${shorten(typed, 40)}”.`);
    else if (all[0].guess) say(`No name has “${shorten(typed, 40)}” in it; similar ones are listed.`);
    else say(`${many(all.length, "name")}${all.length > MOST_OPTIONS ? `, the first ${MOST_OPTIONS} are listed` : ""}.`);
  }

  function pick(index) {
    const v = shown[index];
    input.value = state.run.names[v];
    close();
    choose(v);
  }

  input.addEventListener("input", open);
  input.addEventListener("focus", () => input.select());
  input.addEventListener("blur", () => setTimeout(close, 150));
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (list.hidden) open();
      if (!shown.length) return;
      const step = event.key === "ArrowDown" ? 1 : -1;
      setActive(active < 0 && step < 0 ? shown.length - 1 : (active + step + shown.length) % shown.length);
    } else if (event.key === "Enter") {
      event.preventDefault();
      if (list.hidden) open();
      if (shown.length) pick(Math.max(active, 0));
    } else if (event.key === "Escape") {
      if (list.hidden) {
        input.value = "";
        open();
      }
      close();
    }
  });
  list.addEventListener("mousedown", (event) => {
    const option = event.target.closest("li");
    event.preventDefault(); // the input keeps the focus until the choice is made
    if (option) pick([...list.children].indexOf(option));
  });
}

const say = (text) => { byId("status").textContent = text; };

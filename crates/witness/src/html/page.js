// Draws the run: lanes of threads, the source beside it, and what a step means. All text of
// the program gets in by textContent; nothing is ever read as HTML.
"use strict";
(() => {
  const run = JSON.parse(document.getElementById("run").textContent);
  if (!run.steps) return;
  const { threads, steps, locations, files, stacks } = run;
  const SVG = "http://www.w3.org/2000/svg";
  const $ = (selector) => document.querySelector(selector);
  const make = (tag, cls, text) => {
    const node = document.createElement(tag);
    if (cls) node.className = cls;
    if (text !== undefined) node.textContent = text;
    return node;
  };
  const draw = (tag, attributes, parent) => {
    const node = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    parent.append(node);
    return node;
  };
  const hue = (lane) => [212, 24, 152, 318, 48, 262, 182, 0, 96, 232][lane % 10];
  const lanes = new Map(threads.map((thread, lane) => [thread.id, lane]));
  const tint = (node, thread) => (node.style.setProperty("--hue", hue(lanes.get(thread) ?? 0)), node);
  const name = (thread) => `T${thread}`;
  const last = steps.length - 1;
  const STORES = new Set(["write", "reaches memory", "update", "swap"]);

  // Who is seen by whom, and what comes before what.
  const seenBy = steps.map(() => []);
  const before = steps.map(() => []);
  const crosses = steps.map(() => false);
  const latest = new Map();
  steps.forEach((step, at) => {
    const own = latest.get(step.t);
    if (own !== undefined) before[at].push(own);
    latest.set(step.t, at);
    const join = (from) => {
      before[at].push(from);
      if (steps[from].t !== step.t) crosses[from] = crosses[at] = true;
    };
    (step.rf || []).forEach((from) => (seenBy[from].push(at), join(from)));
    (step.after || []).forEach(([from]) => join(from));
    if (step.made !== undefined) join(step.made);
  });
  const reach = (from, next) => {
    const seen = new Set(), todo = [from];
    while (todo.length) for (const other of next[todo.pop()]) if (!seen.has(other)) (seen.add(other), todo.push(other));
    return seen;
  };
  const after = steps.map(() => []);
  before.forEach((list, at) => list.forEach((from) => after[from].push(at)));

  const state = { now: last, hidden: new Set(), text: "", variable: "", fold: steps.length > 60, open: new Set(), arrows: false, order: false };

  const show = (step) => {
    const value = step.o !== undefined ? ` = ${step.o} → ${step.x}` : step.x === undefined ? "" : step.p !== undefined && step.v !== "create" ? ` = ${step.x}` : ` ${step.x}`;
    return [step.v, step.p === undefined ? "" : ` ${step.p}`, value];
  };
  // With one file the line is enough.
  const place = (step) => (step.l ? (files.length > 1 ? `${files[step.f].name}:${step.l}` : `line ${step.l}`) : "");

  // Which rows there are: filtered, with runs that no other thread has to do with folded.
  const matches = (step) => {
    if (state.hidden.has(step.t)) return false;
    if (state.variable !== "" && step.loc !== Number(state.variable) && step.v !== "fails") return false;
    return !state.text || (show(step).join("") + " " + place(step)).toLowerCase().includes(state.text);
  };
  const dull = (at) => !crosses[at] && !run.key.includes(at) && at !== last && !/lock|wait|wake|signal|broadcast|create|join/.test(steps[at].v);
  const rows = () => {
    const wanted = steps.map((_, at) => at).filter((at) => matches(steps[at]));
    if (!state.fold) return wanted.map((at) => ({ at }));
    const out = [];
    for (let i = 0; i < wanted.length; ) {
      let end = i;
      while (end < wanted.length && dull(wanted[end]) && steps[wanted[end]].t === steps[wanted[i]].t) end++;
      if (end - i >= 4 && !state.open.has(wanted[i + 1])) {
        out.push({ at: wanted[i] }, { fold: wanted.slice(i + 1, end - 1) }, { at: wanted[end - 1] });
        i = end;
      } else {
        const stop = Math.max(end, i + 1);
        while (i < stop) out.push({ at: wanted[i++] });
      }
    }
    return out;
  };

  const weave = $("#weave"), side = $("#side");
  const board = make("div", "lanes");
  let dots = new Map();

  const build = () => {
    board.replaceChildren();
    const heads = make("div", "heads");
    heads.append(make("span"), make("span"));
    threads.forEach((thread) => heads.append(tint(make("span", "head", `${name(thread.id)} ${thread.name}`), thread.id)));
    const svg = draw("svg", { class: "threads", "aria-hidden": "true" }, board);
    board.append(heads);
    dots = new Map();
    let previous;
    for (const row of rows()) {
      const first = row.fold ? row.fold[0] : row.at;
      const step = steps[first];
      const line = tint(make("div", "row"), step.t);
      if (previous !== undefined && previous !== step.t) line.classList.add("switch");
      previous = step.t;
      const cell = make("button", "step");
      cell.type = "button";
      cell.style.gridColumn = 3 + lanes.get(step.t);
      if (row.fold) {
        line.classList.add("fold");
        line.append(make("span", "n", "⋮"), make("span", "at"));
        cell.textContent = `${row.fold.length} steps that no other thread sees`;
        cell.addEventListener("click", () => (state.open.add(row.fold[0]), refresh()));
      } else {
        line.dataset.step = first;
        line.append(make("span", "n", step.v === "fails" ? "" : String(first + 1)), make("span", "at", place(step)));
        const [verb, what, value] = show(step);
        cell.append(make("span", "verb", verb), document.createTextNode(what), make("span", "value", value));
        if (step.v === "fails") line.classList.add("fails");
        if (run.key.includes(first)) line.classList.add("key");
        cell.tabIndex = -1;
        cell.addEventListener("click", () => select(first));
        dots.set(first, line);
      }
      line.append(cell);
      board.append(line);
    }
    if (!dots.size) board.append(make("p", "muted", "no step fits the filter"));
    board.prepend(svg);
  };

  // The warp is the threads, the weft runs through their steps in the order of the run.
  const thread = () => {
    const svg = board.querySelector("svg.threads");
    svg.replaceChildren();
    const box = board.getBoundingClientRect();
    const heads = [...board.querySelectorAll(".head")];
    const x = (lane) => heads[lane].getBoundingClientRect().left - box.left + 10;
    const y = (line) => { const r = line.getBoundingClientRect(); return r.top - box.top + r.height / 2; };
    const top = heads[0].getBoundingClientRect().height + 8;
    threads.forEach((t, lane) => tint(draw("line", { class: "warp", x1: x(lane), x2: x(lane), y1: top, y2: box.height - 8 }, svg), t.id));
    const at = (index) => { const line = dots.get(index); return line && [x(lanes.get(steps[index].t)), y(line)]; };
    let path = "", old;
    for (const index of dots.keys()) {
      const [px, py] = at(index);
      path += !old ? `M${px} ${py}` : old[0] === px ? `L${px} ${py}` : `C${old[0]} ${(old[1] + py) / 2} ${px} ${(old[1] + py) / 2} ${px} ${py}`;
      old = [px, py];
    }
    draw("path", { class: "weft", d: path }, svg);
    const arrow = (from, to, kind, faint) => {
      const a = at(from), b = at(to);
      if (!a || !b) return;
      const bend = a[0] === b[0] ? 26 : 0;
      const d = bend ? `M${a[0] - 6} ${a[1]}C${a[0] - bend} ${a[1]} ${b[0] - bend} ${b[1]} ${b[0] - 7} ${b[1]}`
        : `M${a[0] + (b[0] > a[0] ? 6 : -6)} ${a[1]}C${(a[0] + b[0]) / 2} ${a[1]} ${(a[0] + b[0]) / 2} ${b[1]} ${b[0] + (b[0] > a[0] ? -8 : 8)} ${b[1]}`;
      const curve = draw("path", { class: `arrow ${kind}${faint ? " faint" : ""}`, d }, svg);
      curve.setAttribute("marker-end", `url(#tip-${kind})`);
    };
    const defs = draw("defs", {}, svg);
    for (const [kind, colour] of [["rf", "--accent"], ["sync", "--good"], ["flush", "--fair"]]) {
      const marker = draw("marker", { id: `tip-${kind}`, viewBox: "0 0 10 10", refX: 8, refY: 5, markerWidth: 6, markerHeight: 6, orient: "auto" }, defs);
      draw("path", { d: "M0 0L10 5L0 10z", style: `fill: var(${colour})` }, marker);
    }
    const into = (to, faint) => {
      const step = steps[to];
      (step.rf || []).forEach((from) => (!faint || steps[from].t !== step.t) && arrow(from, to, "rf", faint));
      (step.after || []).forEach(([from]) => arrow(from, to, "sync", faint));
      if (step.made !== undefined) arrow(step.made, to, "flush", faint);
    };
    if (state.arrows) steps.forEach((_, to) => into(to, true));
    into(state.now, false);
    seenBy[state.now].forEach((to) => arrow(state.now, to, "rf", false));
    for (const index of dots.keys()) {
      const [cx, cy] = at(index);
      const bad = steps[index].v === "fails" || run.key.includes(index);
      const dot = draw("circle", { cx, cy, r: index === state.now ? 6 : 4, class: bad ? "bad" : STORES.has(steps[index].v) || index === state.now ? "full" : "" }, svg);
      tint(dot, steps[index].t);
    }
  };

  // What memory, queues and locks are like after a step.
  const stateAt = (until) => {
    const values = new Map(), queues = new Map(), locks = new Map(), lines = new Map();
    for (let at = 0; at <= until; at++) {
      const step = steps[at];
      lines.set(step.t, step);
      if (step.held) locks.set(step.t, step.held);
      if (step.v === "buffered") queues.set(step.t, [...(queues.get(step.t) || []), at]);
      if (step.v === "reaches memory") queues.set(step.t, (queues.get(step.t) || []).filter((one) => one !== step.made));
      if (step.loc === undefined || step.x === undefined) continue;
      if (STORES.has(step.v)) locations[step.loc].o?.forEach((other) => values.delete(other));
      if (STORES.has(step.v)) values.set(step.loc, { value: step.x, at });
      else if (step.v === "read" && step.initial && !values.has(step.loc)) values.set(step.loc, { value: step.x });
    }
    return { values, queues, locks, lines };
  };

  const link = (at) => {
    const button = make("button", "to", steps[at].v === "fails" ? "the failure" : `step ${at + 1}`);
    button.type = "button";
    button.addEventListener("click", () => select(at));
    return button;
  };
  const whose = (at) => tint(make("span", "chip t", name(steps[at].t)), steps[at].t);
  const paragraph = (...parts) => { const p = make("p"); p.append(...parts); return p; };
  const WHY = { created: "is the first of a thread that was created in", ended: "waited for the end of the thread in", unlocked: "takes a lock that was given back in", posted: "takes what was posted in", signalled: "was woken by the signal in", arrived: "waited for the arrival in" };

  const about = () => {
    const panel = $("#about"), step = steps[state.now];
    panel.replaceChildren();
    panel.append(make("h2", "", step.v === "fails" ? "the failure" : `step ${state.now + 1} of ${run.shown}`));
    const say = make("p", "say");
    say.append(tint(make("span", "chip t", `${name(step.t)} ${threads[lanes.get(step.t)].name}`), step.t), make("code", "", show(step).join("")));
    panel.append(say);
    const calls = stacks[step.k] || [];
    if (calls.length) panel.append(make("p", "muted", "in " + calls.map((c) => c.fn + (c.l ? ` (${files[c.f].name}:${c.l})` : "")).join(", called by ")));
    for (const from of step.rf || []) {
      const own = steps[from].v === "buffered";
      panel.append(paragraph("sees what ", whose(from), own ? "has in its own store buffer since " : "wrote in ", link(from), document.createTextNode(own ? ", which nobody else can see yet" : "")));
    }
    if (step.initial) panel.append(make("p", "", step.rf ? "and, in part, what was there from the start" : "sees what was there from the start"));
    if (step.v === "buffered") {
      const flush = steps.findIndex((other) => other.made === state.now);
      panel.append(flush < 0 ? make("p", "", "never reaches memory in this run: only this thread sees it") : paragraph("waits in the store buffer until ", link(flush)));
    }
    if (step.made !== undefined) panel.append(paragraph("is the store of ", link(step.made)));
    (step.after || []).forEach(([from, why]) => panel.append(paragraph((WHY[why] || "comes after") + " ", link(from), " by ", whose(from))));
    if (seenBy[state.now].length) {
      const p = make("p");
      p.append("is seen in ");
      seenBy[state.now].forEach((to, i) => p.append(i ? ", " : "", link(to), " by ", whose(to)));
      panel.append(p);
    } else if (STORES.has(step.v) || step.v === "buffered") {
      const next = step.v === "buffered" ? -1 : steps.findIndex((other, at) => at > state.now && other.loc === step.loc && STORES.has(other.v));
      panel.append(next < 0 ? make("p", "", "is read by nobody") : paragraph("is read by nobody: overwritten in ", link(next), " by ", whose(next)));
    }
    const past = reach(state.now, before).size, future = reach(state.now, after).size;
    const free = steps.length - 1 - past - future;
    panel.append(make("p", "muted", `happens-before: ${past} before it, ${future} after it, ${free} in any order with it`));
    const { values, queues, locks } = stateAt(state.now);
    const cols = make("div", "cols");
    const memory = make("div", "memory");
    memory.append(make("h2", "", "memory"));
    if (values.size) {
      const table = make("table");
      for (const [loc, { value, at }] of [...values].sort((a, b) => a[0] - b[0])) {
        const tr = make("tr", at === state.now ? "new" : "");
        const from = make("td", "from");
        if (at !== undefined) from.append(whose(at), link(at));
        tr.append(make("td", "", locations[loc].n), make("td", "is", value), from);
        table.append(tr);
      }
      memory.append(table);
    } else memory.append(make("span", "muted", "nothing is known yet"));
    cols.append(memory);
    const group = (title, map, chip) => {
      const box = make("div");
      box.append(make("h2", "", title));
      let any = false;
      for (const t of threads) {
        const items = map.get(t.id) || [];
        if (!items.length) continue;
        any = true;
        const line = make("div");
        line.append(tint(make("span", "chip t", name(t.id)), t.id), ...items.map((item) => make("span", "chip", chip(item))));
        box.append(line);
      }
      if (!any) box.append(make("span", "muted", "none"));
      cols.append(box);
    };
    group("locks held", locks, ([loc, how]) => locations[loc].n + (how === "locked" ? "" : ` (${how})`));
    if (steps.some((s) => s.v === "buffered")) group("store buffers, oldest first", queues, (at) => `${steps[at].p} = ${steps[at].x}`);
    panel.append(cols);
  };

  // The source, with a flag where each thread stands.
  const KEYWORDS = new Set("alignas alignof atomic auto bool break case catch char class const constexpr continue default delete do double else enum extern false float for goto if inline int long mutable namespace new noexcept nullptr operator private protected public register return short signed sizeof static static_assert struct switch template this thread_local throw true try typedef typename union unsigned using virtual void volatile while _Atomic _Bool _Thread_local NULL".split(" "));
  const TOKEN = /(\/\/.*|\/\*.*?(?:\*\/|$))|("(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?)|(^\s*#\s*\w+)|(\b\d[\w.]*)|([A-Za-z_]\w*)/g;
  let comment = false;
  const colour = (text, node) => {
    let from = 0;
    if (comment) {
      const end = text.indexOf("*/");
      from = end < 0 ? text.length : end + 2;
      node.append(make("span", "tok-c", text.slice(0, from)));
      comment = end < 0;
    }
    TOKEN.lastIndex = from;
    for (let m; (m = TOKEN.exec(text)); from = TOKEN.lastIndex) {
      node.append(text.slice(from, m.index));
      const cls = m[1] ? "tok-c" : m[2] ? "tok-s" : m[3] ? "tok-p" : m[4] ? "tok-n" : KEYWORDS.has(m[5]) ? "tok-k" : "";
      node.append(cls ? make("span", cls, m[0]) : m[0]);
      if (m[1] && m[1].startsWith("/*") && !m[1].endsWith("*/")) comment = true;
    }
    node.append(text.slice(from));
  };
  let open = -1, lineNodes = new Map();
  const source = () => {
    const step = steps[state.now];
    const file = step.l ? step.f : open < 0 ? 0 : open;
    const box = $("#lines");
    if (file !== open) {
      open = file;
      box.replaceChildren();
      lineNodes = new Map();
      $("#file").textContent = files[file]?.path ?? "no source";
      for (const [start, text] of files[file]?.parts ?? []) {
        comment = false;
        if (start > 1) box.append(make("div", "l gap", " ⋮"));
        text.split("\n").forEach((code, i) => {
          const line = make("div", "l"), body = make("span", "code");
          colour(code, body);
          line.append(make("span", "who"), make("span", "num", String(start + i)), body);
          lineNodes.set(start + i, line);
          box.append(line);
        });
      }
      if (!lineNodes.size) box.append(make("p", "muted", "the text of this file is not here"));
    }
    for (const line of lineNodes.values()) (line.classList.remove("here"), line.firstChild.childElementCount && line.firstChild.replaceChildren());
    for (const [t, at] of stateAt(state.now).lines) {
      if (at.f !== file) continue;
      lineNodes.get(at.l)?.firstChild.append(tint(make("span", "", name(t)), t));
    }
    const here = lineNodes.get(step.l);
    if (!here) return;
    here.classList.add("here");
    const top = here.offsetTop - box.offsetTop;
    if (top < box.scrollTop + 30 || top > box.scrollTop + box.clientHeight - 50) box.scrollTop = Math.max(0, top - box.clientHeight / 2.4);
  };

  const mark = () => {
    board.classList.toggle("order", state.order);
    const past = state.order ? reach(state.now, before) : null, future = state.order ? reach(state.now, after) : null;
    for (const [at, line] of dots) {
      line.classList.toggle("now", at === state.now);
      line.lastChild.tabIndex = at === state.now ? 0 : -1;
      line.classList.toggle("free", state.order && at !== state.now && !past.has(at) && !future.has(at));
    }
  };
  const select = (at, scroll = true) => {
    state.now = at;
    if (!dots.has(at)) {
      const fold = rows().find((row) => row.fold?.includes(at));
      if (fold) (state.open.add(fold.fold[0]), build());
    }
    mark(); thread(); about(); source();
    document.body.dataset.step = at;
    if (scroll) dots.get(at)?.scrollIntoView({ block: "nearest" });
  };
  const refresh = () => (build(), mark(), thread());

  const tools = make("div", "tools");
  threads.forEach((t) => {
    const chip = tint(make("button", "", `${name(t.id)} ${t.name}`), t.id);
    chip.type = "button";
    chip.setAttribute("aria-pressed", "true");
    chip.title = "show or hide this thread";
    chip.addEventListener("click", () => {
      const off = !state.hidden.delete(t.id);
      if (off) state.hidden.add(t.id);
      chip.classList.toggle("off", off);
      chip.setAttribute("aria-pressed", String(!off));
      refresh();
    });
    tools.append(chip);
  });
  const pick = make("select");
  pick.id = "variable";
  pick.setAttribute("aria-label", "only steps on this variable");
  pick.append(new Option("all variables", ""), ...locations.map((l, at) => new Option(l.n, at)));
  pick.addEventListener("change", () => ((state.variable = pick.value), refresh()));
  const search = make("input");
  search.type = "search"; search.id = "search"; search.placeholder = "filter  /";
  search.setAttribute("aria-label", "only steps with this text");
  search.addEventListener("input", () => ((state.text = search.value.toLowerCase()), refresh()));
  const toggle = (label, field, title) => {
    const button = make("button", "", label);
    button.type = "button"; button.title = title; button.id = field;
    const paint = () => button.setAttribute("aria-pressed", String(state[field]));
    button.addEventListener("click", () => { state[field] = !state[field]; state.open.clear(); paint(); refresh(); });
    paint();
    return button;
  };
  tools.append(make("span", "gap"), pick, search, toggle("fold", "fold", "fold runs of steps that no other thread sees (f)"), toggle("arrows", "arrows", "all arrows between threads (a)"), toggle("order", "order", "dim what is not ordered with the step (o)"));
  weave.append(tools, board);
  // Lanes are as wide as what is in them, within reason.
  const most = (texts) => texts.reduce((widest, text) => Math.max(widest, text.length), 0);
  const widths = threads.map((t) => most([t.name, ...steps.filter((s) => s.t === t.id).map((s) => show(s).join(""))]));
  const columns = widths.map((w) => `minmax(${Math.min(Math.max(w, 10), threads.length > 2 ? 21 : 30) * 0.51 + 2.6}rem, ${Math.min(w, 40) + 8}fr)`);
  board.style.setProperty("--columns", `2.6rem ${Math.min(most(steps.map(place)), 26) * 0.48 + 0.8}rem ${columns.join(" ")}`);

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (/INPUT|SELECT/.test(event.target.tagName)) { if (event.key === "Escape") event.target.blur(); return; }
    const order = [...dots.keys()], here = order.indexOf(state.now);
    const near = (forward, fits) => (forward ? order.filter((at) => at > state.now) : order.filter((at) => at < state.now).reverse()).find(fits);
    const any = () => true, own = (at) => steps[at].t === steps[state.now].t;
    const turn = (at) => { const i = order.indexOf(at); return i === 0 || steps[order[i - 1]].t !== steps[at].t; };
    const to = { ArrowDown: () => near(true, any), j: () => near(true, any), ArrowUp: () => near(false, any), k: () => near(false, any), ArrowRight: () => near(true, own), ArrowLeft: () => near(false, own), n: () => near(true, turn), p: () => near(false, turn), Home: () => order[0], End: () => order[order.length - 1] }[event.key];
    if (to) {
      const at = here < 0 && !["Home", "End"].includes(event.key) ? order[0] : to();
      if (at !== undefined) (select(at), dots.get(at)?.lastChild.focus({ preventScroll: true }));
    } else if (event.key === "f") $("#fold").click();
    else if (event.key === "a") $("#arrows").click();
    else if (event.key === "o") $("#order").click();
    else if (event.key === "/") search.focus();
    else return;
    event.preventDefault();
  });
  new ResizeObserver(() => thread()).observe(board);
  window.addEventListener("beforeprint", () => (build(), thread()));
  side.hidden = false;
  build();
  select(run.start ?? last, false);
  document.body.dataset.ready = "yes";
})();

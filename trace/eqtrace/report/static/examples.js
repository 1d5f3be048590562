"use strict";
// Makes examples live: reads the inputs of a page's examples, works their steps out with engine.js, and shows them.
(function () {
  const { run, array, StepError, text } = eqtraceEngine;
  const NUMBER = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i;
  const MOST_ROWS = 16, MOST_COLUMNS = 16, MOST_BLOCKS = 8, DIGITS = 6;

  function element(tag, attributes, ...children) {
    const made = document.createElement(tag);
    Object.entries(attributes).forEach(([name, value]) => made.setAttribute(name, value));
    made.append(...children);
    return made;
  }
  const range = (n) => Array.from({ length: n }, (_, i) => i);
  const size = (shape) => shape.reduce((product, n) => product * n, 1);
  const strides = (shape) => shape.map((_, axis) => size(shape.slice(axis + 1)));
  const offset = (shape, index) => strides(shape).reduce((total, step, axis) => total + step * index[axis], 0);

  // Numbers and arrays as eqtrace/report/numbers.py shows them

  function number(x, truth, digits = DIGITS) {
    if (truth) return x ? "True" : "False";
    if (!Number.isFinite(x)) return Number.isNaN(x) ? "nan" : x > 0 ? "inf" : "-inf";
    if (Number.isInteger(x) && Math.abs(x) < 1e15) return String(x + 0);
    const [mantissa, power] = x.toExponential(digits - 1).split("e"), exponent = Number(power);
    const trimmed = (shown) => shown.includes(".") ? shown.replace(/\.?0+$/, "") : shown;
    if (exponent >= -4 && exponent < digits) return trimmed(x.toFixed(digits - 1 - exponent));
    return trimmed(mantissa) + "e" + (exponent < 0 ? "-" : "+") + String(Math.abs(exponent)).padStart(2, "0");
  }

  function lines(entries, shape, truth) {
    if (!shape.length) return [number(entries[0], truth)];
    const [rows, columns] = shape.length === 2 ? shape : [1, shape[0]];
    if (!rows * columns) return ["empty"];
    const shown = range(Math.min(rows, MOST_ROWS)).map((row) => range(Math.min(columns, MOST_COLUMNS)).map(
      (column) => number(entries[row * columns + column], truth).split(/(?=\.)/)));
    const widths = (side) => shown[0].map((_, column) => Math.max(...shown.map((row) => (row[column][side] || "").length)));
    const before = widths(0), after = widths(1);
    const found = shown.map((row) => row.map(([left, right = ""], column) =>
      left.padStart(before[column]) + right.padEnd(after[column])).join(" ") + (columns > MOST_COLUMNS ? " …" : ""));
    return rows > MOST_ROWS ? [...found, "…"] : found;
  }

  function indices(shape) {
    return shape.reduce((found, n) => found.flatMap((index) => range(n).map((i) => [...index, i])), [[]]);
  }

  function show(value, place) {
    const leading = value.shape.slice(0, -2), last = value.shape.slice(-2), length = size(last);
    place.replaceChildren(...indices(leading).slice(0, MOST_BLOCKS).map((index, position) => {
      const entries = value.data.slice(position * length, (position + 1) * length);
      const content = element("span", { class: last.length ? "matrix" : "entry-value" }, lines(entries, last, value.truth).join("\n"));
      const label = index.length ? [element("span", { class: "small" }, "[" + index.join(", ") + "]"), " "] : [];
      return element("span", { class: "block" }, ...label, content);
    }));
  }

  // One entry written out, as eqtrace/report/engine/written.py does it

  const LEVELS = { "+": 1, "-": 1, "*": 2, "/": 2, "//": 2, "%": 2, "**": 4, "<": 0, "<=": 0, ">": 0, ">=": 0, "==": 0, "!=": 0 };
  const SIGNS = { "*": "·", "**": "**" }, MINUS = 3, ATOM = 5;
  const OF_ONE = "exp expm1 log log1p log2 log10 sqrt sign floor ceil trunc round sin cos tan tanh".split(" ");
  const OF_TWO = { maximum: "max", minimum: "min" };
  const within = (shown, brackets) => brackets ? "(" + shown + ")" : shown;

  function writer(values) {
    const stretched = (a, index) => a.shape.map((n, axis) => n === 1 ? 0 : index[index.length - a.shape.length + axis]);
    const at = (a, index) => plain(a.data[offset(a.shape, index)], a.truth);
    function plain(x, truth) {
      const shown = number(x, truth, 4);
      return [shown, shown.startsWith("-") ? MINUS : ATOM];
    }

    function entry(node, index) {
      const [word, , , ...parts] = Array.isArray(node) ? node : [""];
      if (word === "negative" && typeof parts[0] !== "number") {
        const [shown, level] = entry(parts[0], index);
        return ["-" + within(shown, level <= MINUS), MINUS];
      }
      if (word === "@") return product(run(parts[0], values), run(parts[1], values), index);
      if (word in LEVELS) return binary(word, part(parts[0], index), part(parts[1], index));
      if (["sum", "mean", "max", "min"].includes(word)) return reduced(word, parts[0], parts[1], index);
      if (word === "where") {
        const condition = run(parts[0], values);
        return part(condition.data[offset(condition.shape, stretched(condition, index))] ? parts[1] : parts[2], index);
      }
      if (OF_ONE.includes(word)) return [word + "(" + part(parts[0], index)[0] + ")", ATOM];
      if (word === "abs") return ["|" + part(parts[0], index)[0] + "|", ATOM];
      if (word in OF_TWO) return [OF_TWO[word] + "(" + parts.map((each) => part(each, index)[0]).join(", ") + ")", ATOM];
      return at(run(node, values), index);
    }

    function part(node, index) {
      const value = run(node, values);
      return Array.isArray(node) ? entry(node, stretched(value, index)) : at(value, stretched(value, index));
    }

    function binary(op, left, right) {
      const level = LEVELS[op];
      const one = within(left[0], left[1] < level || (left[1] === MINUS && level > 1) || (op === "**" && left[1] === level));
      const other = within(right[0], right[1] < level || (right[1] === level && op !== "+" && op !== "*") || right[0].startsWith("-"));
      return [one + (SIGNS[op] || " " + op + " ") + other, level];
    }

    function product(left, right, index) {
      const a = left.shape.length > 1 ? left.shape : [1, ...left.shape], b = right.shape.length > 1 ? right.shape : [...right.shape, 1];
      const rest = [...index], column = right.shape.length > 1 ? rest.pop() : 0, row = left.shape.length > 1 ? rest.pop() : 0;
      const lead = (shape) => stretched({ shape: shape.slice(0, -2) }, rest);
      return sum(range(b[b.length - 2]).map((k) => binary("*",
        plain(left.data[offset(a, [...lead(a), row, k])]), plain(right.data[offset(b, [...lead(b), k, column])]))));
    }

    function reduced(word, operand, options, index) {
      const { shape } = run(operand, values), left = [...index];
      const axes = options.axis == null ? range(shape.length) : [].concat(options.axis).map((i) => (i + shape.length) % shape.length);
      const ranges = shape.map((n, axis) => {
        const place = !axes.includes(axis) || options.keepdims ? left.shift() : 0;
        return axes.includes(axis) ? range(n) : [place];
      });
      const terms = ranges.reduce((found, list) => found.flatMap((so_far) => list.map((i) => [...so_far, i])), [[]])
        .map((each) => part(operand, each));
      if (word === "max" || word === "min") return [word + "(" + cut(terms).map(([shown]) => shown).join(", ") + ")", ATOM];
      const total = sum(terms);
      return word === "sum" ? total : [within(total[0], total[1] < LEVELS["/"]) + " / " + terms.length, LEVELS["/"]];
    }

    function sum(terms) {
      if (!terms.length) return ["0", ATOM];
      if (terms.length === 1) return terms[0];
      const [first, ...rest] = cut(terms);
      const term = ([shown, level]) => within(shown, level < LEVELS["+"] || shown.startsWith("-"));
      return [[within(first[0], first[1] < LEVELS["+"]), ...rest.map(term)].join(" + "), LEVELS["+"]];
    }
    const cut = (terms) => terms.length > 6 ? [...terms.slice(0, 4), ["…", ATOM], terms[terms.length - 1]] : terms;

    return (label, node, value) => {
      if (!value.data.length) return "";
      const index = value.shape.map((n, axis) => axis < value.shape.length - 1 ? n - 1 : 0);
      const shown = at(value, index)[0], written = entry(node, index)[0];
      const found = label + (index.length ? "[" + index.join(", ") + "]" : "") + " = " + written + " = " + shown;
      return written !== shown && found.length <= 120 ? found : "";
    };
  }

  // One example

  const AXES = [[], ["entry"], ["row", "column"], ["block", "row", "column"]];
  const PLURALS = { entry: "entries" };
  const counted = (n, word) => n + " " + (n === 1 ? word : PLURALS[word] || word + "s");

  function start(section) {
    const program = JSON.parse(section.querySelector("script").textContent);
    const inputs = new Map(), reset = section.querySelector("[data-reset]"), state = section.querySelector("[data-state]");
    const steps = program.steps.map(([label, tree], at) => {
      const row = section.querySelector('[data-step="' + at + '"]');
      const find = (name) => row.querySelector("[data-" + name + "]");
      return { label, tree, row, shape: find("shape"), code: find("code"), words: find("code").textContent,
        written: find("written"), value: find("value") };
    });

    program.inputs.forEach(([name, shape], at) => {
      const place = section.querySelector('[data-input="' + at + '"]');
      const cells = Array.from(place.querySelectorAll("input"), (cell) => cell.value);
      inputs.set(name, { name, shape, cells, first: { shape, cells }, place, shown: place.querySelector("[data-shape]"),
        matrix: place.querySelector("[data-cells]"), why: place.querySelector("[data-why]") });
    });

    // Inputs

    function cell(input, at, index) {
      const label = input.name + (index.length ? "[" + index.join(", ") + "]" : "");
      const made = element("input", { type: "text", inputmode: "decimal", autocomplete: "off", "aria-label": label });
      made.value = input.cells[at];
      return made;
    }

    function rebuild(input) {
      const leading = input.shape.slice(0, -2), last = input.shape.slice(-2);
      const made = indices(input.shape).map((index, at) => cell(input, at, index));
      const columns = last.length ? last[last.length - 1] : 1, rows = last.length > 1 ? last[0] : 1;
      input.matrix.replaceChildren(...indices(leading).map((index, block) => {
        const content = element("span", { class: last.length ? "matrix cells" : "cells" }, ...range(rows).map((row) =>
          element("span", { class: "row" }, ...made.slice((block * rows + row) * columns, (block * rows + row + 1) * columns))));
        const label = index.length ? [element("span", { class: "small" }, "[" + index.join(", ") + "]"), " "] : [];
        return element("span", { class: "block" }, ...label, content);
      }));
      fit(input);
    }

    function fit(input) {
      const columns = input.shape[input.shape.length - 1] || 1;
      const widths = range(columns).map((column) =>
        Math.max(2, ...input.cells.filter((_, at) => at % columns === column).map((words) => words.length)));
      input.matrix.querySelectorAll("input").forEach((each, at) => {
        each.size = widths[at % columns];
        each.dataset.at = at;
      });
    }

    function resize(input, axis, by) {
      const old = input.shape, shape = old.map((n, i) => i === axis ? n + by : n);
      input.cells = indices(shape).map((index) =>
        input.cells[offset(old, index.map((i, each) => each === axis ? Math.min(i, old[axis] - 1) : i))]);
      input.shape = shape;
      rebuild(input);
    }

    // What is wrong with them

    function complain(input, words, bad = []) {
      if (words && input.why.textContent) return;  // the first complaint stands
      input.why.textContent = words;
      input.why.hidden = !words;
      Array.from(input.matrix.querySelectorAll("input"), (each, at) => {
        if (bad.includes(at)) each.setAttribute("aria-invalid", "true");
        else each.removeAttribute("aria-invalid");
      });
    }

    function read() {
      const values = new Map(), wrong = new Set();
      inputs.forEach((input) => {
        const bad = range(input.cells.length).filter((at) =>
          !NUMBER.test(input.cells[at].trim()) || !Number.isFinite(Number(input.cells[at])));
        const names = bad.map((at) => "“" + input.cells[at] + "”");
        complain(input, "");
        complain(input, bad.length ? input.name + ": " + names.join(", ") + (bad.length > 1 ? " are no numbers." : " is no number.") : "", bad);
        if (bad.length) wrong.add(input.name);
        else values.set(input.name, array(input.shape, input.cells.map(Number)));
      });
      return { values, wrong };
    }

    function sizes(wrong) {
      program.sizes.forEach(([letter, axes]) => {
        const size_of = ([name, axis]) => inputs.get(name).shape[axis];
        const words = ([name, axis]) => name + " has " + counted(size_of([name, axis]), AXES[inputs.get(name).shape.length][axis]);
        const odd = axes.find((axis) => size_of(axis) !== size_of(axes[0]));
        if (!odd) return;
        const both = letter ? "both are the size " + letter : "they go together";
        const told = words(axes[0]) + ", " + words(odd) + ": " + both + ", so they must be equal.";
        [axes[0], odd].forEach(([name]) => complain(inputs.get(name), told));
        wrong.add(axes[0][0]).add(odd[0]);
      });
    }

    function limits(values, wrong) {
      program.limits.forEach(([name, words, tree]) => {
        let kept;
        try {
          kept = run(tree, values);
        } catch (error) {
          if (!(error instanceof StepError)) throw error;
          return;  // it is about an input that is wrong already
        }
        const bad = kept.data.flatMap((x, at) => x ? [] : [at]);
        if (!bad.length) return;
        const input = inputs.get(name || mentioned(tree)), same = kept.data.length === input.cells.length;
        complain(input, (name ? name + ": " : "") + "the equation is stated for " + words + ".", same ? bad : []);
        wrong.add(input.name);
      });
    }
    const mentioned = (node) => Array.isArray(node) ? node.slice(3).map(mentioned).find(Boolean) : inputs.has(node) ? node : undefined;

    // Results

    function wait(step, words, error) {
      step.shape.textContent = "";
      step.written.textContent = "";
      step.row.classList.add("waiting");
      step.value.replaceChildren(element("span", { class: error ? "why" : "small" }, words));
      delete step.value.dataset.exact;
      const from = error ? error.offset : 0, to = error ? from + error.length : 0;
      step.code.replaceChildren(step.words.slice(0, from), ...(error ? [element("mark", {}, step.words.slice(from, to))] : []),
        step.words.slice(to));
    }

    function done(step, value, values) {
      step.row.classList.remove("waiting");
      step.shape.textContent = value.shape.length ? text(value.shape) : "scalar";
      step.code.textContent = step.words;
      step.written.textContent = writer(values)(step.label, step.tree, value);
      step.value.dataset.exact = JSON.stringify({ shape: value.shape, entries: value.data.map(String) });
      show(value, step.value);
    }

    function names(node) {
      if (typeof node === "string") return [node];
      return Array.isArray(node) && node[0] !== "constant" ? node.slice(3).flatMap(names) : [];
    }

    function work() {
      const { values, wrong } = read();
      sizes(wrong);
      limits(values, wrong);
      let failed = 0;
      steps.forEach((step) => {
        const missing = names(step.tree).find((name) => !values.has(name));
        if (missing !== undefined) {
          values.delete(step.label);
          wait(step, "waits for " + missing);
          return;
        }
        try {
          const value = run(step.tree, values);
          done(step, value, values);
          values.set(step.label, value);
        } catch (error) {
          if (!(error instanceof StepError)) throw error;
          failed += 1;
          values.delete(step.label);
          wait(step, error.message[0].toUpperCase() + error.message.slice(1) + ".", error);
        }
      });
      const changed = Array.from(inputs.values()).some((input) =>
        input.cells.join() !== input.first.cells.join() || input.shape.join() !== input.first.shape.join());
      tell(changed, wrong, failed);
    }

    function tell(changed, wrong, failed) {
      inputs.forEach((input) => {
        input.shown.textContent = input.shape.length ? text(input.shape) : "";
        input.place.querySelectorAll("[data-axis]").forEach((button) => {
          const n = input.shape[button.dataset.axis], more = button.dataset.by > 0;
          button.disabled = more ? n >= program.longest || input.cells.length / n * (n + 1) > 400 : n <= 1;
        });
      });
      reset.disabled = !changed;
      section.classList.toggle("edited", changed);
      const troubles = [...new Set([...wrong].map((name) => inputs.get(name).why.textContent))];
      if (failed) troubles.push("A step cannot be worked out.");
      state.textContent = troubles.length ? troubles.join(" ") : changed ? "Worked out anew." : "";
    }

    section.addEventListener("input", (event) => {
      const place = event.target.closest("[data-input]");
      if (!place) return;
      const input = inputs.get(program.inputs[place.dataset.input][0]);
      input.cells = Array.from(input.matrix.querySelectorAll("input"), (each) => each.value);
      fit(input);
      work();
    });
    section.addEventListener("click", (event) => {
      const button = event.target.closest("button[data-axis]");
      if (!button) return;
      const input = inputs.get(program.inputs[button.closest("[data-input]").dataset.input][0]);
      resize(input, Number(button.dataset.axis), Number(button.dataset.by));
      work();
    });
    section.addEventListener("keydown", (event) => {
      const by = { ArrowUp: -1, ArrowDown: 1 }[event.key], place = event.target.closest("[data-input]");
      if (!by || !place || event.target.tagName !== "INPUT") return;
      const { shape } = inputs.get(program.inputs[place.dataset.input][0]);
      const to = place.querySelectorAll("input")[Number(event.target.dataset.at) + by * (shape[shape.length - 1] || 1)];
      if (to) { to.focus(); to.select(); event.preventDefault(); }
    });
    reset.addEventListener("click", () => {
      inputs.forEach((input) => {
        input.shape = input.first.shape;
        input.cells = [...input.first.cells];
        rebuild(input);
      });
      const focused = document.activeElement === reset;  // which is to be disabled
      work();
      if (focused) inputs.values().next().value.matrix.querySelector("input").focus();
    });

    inputs.forEach((input) => {
      input.cells = [...input.cells];
      input.matrix.querySelectorAll("input").forEach((each) => { each.readOnly = false; });
      fit(input);
    });
    work();
  }

  document.querySelectorAll("[data-live]").forEach(start);
})();

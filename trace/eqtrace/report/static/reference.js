"use strict";
// Search, filters and sorting of the equation reference, kept in the address.
(function () {
  var form = document.getElementById("filters");
  var list = document.getElementById("reference");
  var found = document.getElementById("found");
  var none = document.getElementById("none");

  // What is searched beside what the page shows is read when it is first asked for: [[id of an element, words], ...]
  var index = null;
  var missing = false;
  var loading = false;
  function load() {
    if (loading) return;
    loading = true;
    var script = document.createElement("script");
    script.src = form.dataset.index;
    script.onerror = function () {
      missing = true;
      none.textContent = "The index of the search could not be read: only titles, labels and LaTeX are searched.";
      window.eqtraceSearch([]);
    };
    window.eqtraceSearch = function (pairs) { index = new Map(pairs); apply(); };
    document.head.append(script);
  }

  function squeezed(text) { return text.replace(/\s+/g, ""); }
  function texts(element, shown) {
    return [index.get(element.id) || "", element.dataset.latex || "", shown ? shown.textContent : ""].join(" ").toLowerCase();
  }

  var entries = Array.from(list.children).map(function (element, order) {
    return {
      element: element,
      order: order,
      title: element.querySelector("h2").textContent,
      equations: Array.from(element.querySelectorAll(".entry-equation")).map(function (figure) {
        return { element: figure, files: figure.dataset.files.split("\n") };
      })
    };
  });
  var total = entries.reduce(function (sum, each) { return sum + each.equations.length; }, 0);

  function read() {
    entries.forEach(function (entry) {
      if (entry.text !== undefined) return;
      entry.text = texts(entry.element, entry.element.querySelector("h2"));
      entry.code = squeezed(entry.text);
      entry.equations.forEach(function (each) {
        each.text = texts(each.element, each.element.querySelector("math")) +
          " " + each.element.querySelector(".label").textContent.toLowerCase();
        each.code = squeezed(each.text);
      });
    });
  }

  // Code and LaTeX are looked for as they are typed, but for spaces; words may come in any order.
  function byPhrase(text) {
    var phrase = squeezed(text);
    return function (entry, equation) { return entry.code.includes(phrase) || equation.code.includes(phrase); };
  }
  function byWords(text) {
    var words = text.split(/\s+/).filter(Boolean);
    return function (entry, equation) {
      return words.every(function (word) { return entry.text.includes(word) || equation.text.includes(word); });
    };
  }

  function select(fits) {
    var chosen = form.elements;
    return entries.map(function (entry) {
      var data = entry.element.dataset;
      var whole = ["direction", "status", "page"].every(function (name) {
        return !chosen[name].value || data[name] === chosen[name].value;
      });
      return whole ? entry.equations.filter(function (equation) {
        return fits(entry, equation) &&
          (!chosen.verdict.value || equation.element.dataset.verdict === chosen.verdict.value) &&
          (!chosen.file.value || equation.files.includes(chosen.file.value));
      }) : [];
    });
  }

  function show(selection) {
    var topics = 0;
    var equations = 0;
    entries.forEach(function (entry, at) {
      entry.element.hidden = !selection[at].length;
      if (selection[at].length) topics += 1;
      equations += selection[at].length;
      entry.equations.forEach(function (each) { each.element.hidden = !selection[at].includes(each); });
    });
    none.hidden = topics > 0 && !missing;
    found.textContent = equations === total
      ? topics + " topics, " + equations + " equations"
      : topics + " of " + entries.length + " topics, " + equations + " of " + total + " equations";
  }

  var keys = {
    title: function (entry) { return entry.title.toLowerCase(); },
    verdict: function (entry) { return -entry.element.dataset.rank; },
    error: function (entry) { return -entry.element.dataset.error; },
    file: function (entry) { return entry.element.dataset.files; }
  };
  var sorted = "";
  function sort() {
    var by = form.elements.sort.value;
    if (by === sorted) return;
    sorted = by;
    var key = keys[by] || function (entry) { return entry.order; };
    var order = entries.slice().sort(function (one, other) {
      var a = key(one);
      var b = key(other);
      return a < b ? -1 : a > b ? 1 : one.order - other.order;
    });
    list.append.apply(list, order.map(function (entry) { return entry.element; }));
  }

  function apply() {
    var text = form.elements.text.value.toLowerCase().trim();
    if (text && !index) return load();
    if (text) read();
    var coded = /[^\w\s.:-]/.test(text);
    var selection = select(coded ? byPhrase(text) : byWords(text));
    if (coded && !selection.some(function (each) { return each.length; })) selection = select(byWords(text));
    show(selection);
    sort();
  }

  function fields() { return Array.from(form.elements).filter(function (each) { return each.name; }); }

  function restore() {
    var query = new URLSearchParams(location.search);
    fields().forEach(function (field) {
      field.value = query.get(field.name) || "";
      if (field.selectedIndex === -1) field.value = "";
    });
  }

  function keep() {
    var query = new URLSearchParams();
    fields().forEach(function (field) { if (field.value) query.set(field.name, field.value); });
    var text = query.toString();
    try {
      history.replaceState(null, "", location.pathname + (text ? "?" + text : "") + location.hash);
    } catch (error) { return; } // some browsers allow no such address for a file
  }

  form.elements.text.addEventListener("focus", load);
  form.addEventListener("input", function () { apply(); keep(); });
  form.addEventListener("reset", function () { setTimeout(function () { apply(); keep(); }, 0); });
  form.addEventListener("submit", function (event) { event.preventDefault(); });
  restore();
  if (fields().some(function (field) { return field.value; })) apply();
})();

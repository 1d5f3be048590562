"use strict";
// Pages work without this script. It adds the switch of colours, keys, copying, and symbols that light up together.
(function () {
  var root = document.documentElement;
  var EQUATION = ".equation, .entry-equation";

  function all(selector, within) { return Array.from((within || document).querySelectorAll(selector)); }
  function visible(element) { return element.getClientRects().length > 0; }
  function make(tag, className, text) {
    var element = document.createElement(tag);
    if (className) element.className = className;
    if (text) element.textContent = text;
    return element;
  }

  // Where storage is denied, choices hold for the page alone.
  function stored(name) { try { return localStorage.getItem("eqtrace." + name); } catch (error) { return null; } }
  function store(name, value) { try { localStorage.setItem("eqtrace." + name, value); } catch (error) { return; } }

  var status = document.getElementById("status");
  var silence;
  function say(text) {
    status.textContent = text;
    clearTimeout(silence);
    silence = setTimeout(function () { status.textContent = ""; }, 4000);
  }

  // Colours
  var theme = document.getElementById("theme");
  theme.value = root.dataset.theme;
  theme.addEventListener("change", function () {
    root.dataset.theme = theme.value;
    store("theme", theme.value);
  });

  // What a link leads to is opened
  function open() {
    var target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (var at = target; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
  }
  addEventListener("hashchange", open);
  open();

  // Search from any page leads to the reference
  var find = document.getElementById("find");
  if (find) {
    find.addEventListener("submit", function (event) {
      event.preventDefault();
      location.href = find.dataset.to + "?text=" + encodeURIComponent(find.elements.text.value);
    });
  }

  // Keys
  var help = document.getElementById("help");
  var single = document.getElementById("single-keys");
  single.checked = stored("keys") !== "off";
  single.addEventListener("change", function () { store("keys", single.checked ? "on" : "off"); });
  document.getElementById("help-open").addEventListener("click", function () { help.showModal(); });
  document.getElementById("help-close").addEventListener("click", function () { help.close(); });

  function step(by) {
    var list = all(EQUATION).filter(visible);
    var at = list.indexOf(document.activeElement && document.activeElement.closest(EQUATION));
    if (at < 0) {
      var below = list.findIndex(function (each) { return each.getBoundingClientRect().top > 0; });
      at = (below < 0 ? list.length : below) - (by > 0 ? 1 : 0);
    }
    var next = list[at + by];
    if (!next) return say(by > 0 ? "No equation follows on this page." : "No equation stands before this one.");
    next.focus({ preventScroll: true });
    next.scrollIntoView({ block: "center" });
  }

  var keys = {
    n: function () { step(1); },
    p: function () { step(-1); },
    "/": function () { var field = document.querySelector("input[type=search]"); field.focus(); field.select(); },
    "?": function () { help.showModal(); }
  };
  document.addEventListener("keydown", function (event) {
    if (event.key === "Escape") return leave(event);
    var typing = event.target.closest("input:not([type=checkbox]), select, textarea, [contenteditable]");
    if (typing || help.open || !single.checked || event.ctrlKey || event.metaKey || event.altKey) return;
    if (Object.hasOwn(keys, event.key)) {
      event.preventDefault();
      keys[event.key]();
    }
  });
  function leave(event) {
    if (menu) return closeMenu(true);
    if (event.target.type === "search") event.target.blur();
  }

  // Copying
  var menu = null;
  var opener = null;

  function kinds(figure) {
    var link = figure.querySelector(".permalink");
    var name = figure.getAttribute("aria-label");
    var works = figure.closest("article").dataset.bibtex;
    var math = figure.querySelector("math");
    return [
      ["LaTeX", figure.dataset.latex],
      ["MathML", math && mathml(math)],
      ["NumPy", figure.dataset.numpy],
      ["Markdown link", "[" + name.replace(/[\\[\]]/g, "\\$&") + "](" + link.href + ")"],
      ["BibTeX", bibtex(link, name) + (works ? "\n\n" + works : "")]
    ].filter(function (kind) { return kind[1]; });
  }

  function mathml(math) {
    var copy = math.cloneNode(true);
    [copy].concat(all("*", copy)).forEach(function (each) {
      each.removeAttribute("data-s");
      each.removeAttribute("class");
    });
    return new XMLSerializer().serializeToString(copy);
  }

  function bibtex(link, name) {
    function field(text) { return "{" + text.replace(/[\\~^]/g, "").replace(/[&%$#_{}]/g, "\\$&") + "}"; }
    return "@misc{" + link.textContent + ",\n  title = " + field(name) + ",\n  howpublished = " +
      field(document.querySelector(".top .name").textContent) + ",\n  url = {" + link.href + "},\n}";
  }

  function copy(text) {
    if (navigator.clipboard && navigator.clipboard.writeText) {
      return navigator.clipboard.writeText(text).catch(function () { return copyBySelection(text); });
    }
    return new Promise(function (done) { done(copyBySelection(text)); });
  }

  function copyBySelection(text) {
    var field = make("textarea", "visually-hidden");
    field.value = text;
    document.body.append(field);
    field.select();
    var done = document.execCommand("copy");
    field.remove();
    if (!done) throw new Error("copying is not allowed here");
  }

  function openMenu(button) {
    closeMenu(false);
    var figure = button.closest(EQUATION);
    opener = button;
    menu = make("span", "copies");
    menu.setAttribute("role", "group");
    menu.setAttribute("aria-label", "Copy as");
    kinds(figure).forEach(function (kind) {
      var choice = make("button", "", kind[0]);
      choice.type = "button";
      choice.addEventListener("click", function () {
        closeMenu(true);
        copy(kind[1]).then(
          function () { say(kind[0] + " copied."); },
          function () { say("The browser does not allow copying here."); }
        );
      });
      menu.append(choice);
    });
    button.after(menu);
    button.setAttribute("aria-expanded", "true");
    menu.firstChild.focus();
  }

  function closeMenu(back) {
    if (!menu) return;
    menu.remove();
    menu = null;
    opener.setAttribute("aria-expanded", "false");
    if (back) opener.focus();
  }

  document.addEventListener("click", function (event) {
    var button = event.target.closest("button.copy");
    if (button && button !== opener) openMenu(button);
    else if (button) menu ? closeMenu(true) : openMenu(button);
    else if (!event.target.closest(".copies")) closeMenu(false);
  });

  // A symbol in a formula, its name in code and its row light up together
  var legend = document.getElementById("legend");
  var lit = [];
  var source = null;

  function light(from) {
    if (from === source) return;
    lit.forEach(function (each) { each.classList.remove("lit"); });
    legend.replaceChildren();
    source = from;
    lit = from ? (from.matches(".formula") ? rows(from) : same(from)) : [];
    lit.forEach(function (each) { each.classList.add("lit"); });
  }

  function symbols(within) { return all("[data-s]", within); }

  function same(from) {
    var name = from.getAttribute("data-s");
    var found = symbols(from.closest("article")).filter(function (each) { return each.getAttribute("data-s") === name; });
    var row = found.find(function (each) { return each.matches(".symbol"); });
    if (row) {
      legend.append.apply(legend, Array.from(row.cloneNode(true).childNodes));
      if (row.dataset.told) legend.append(make("span", "", row.dataset.told));
    }
    return found;
  }

  function rows(formula) {
    var names = new Set(symbols(formula).map(function (each) { return each.getAttribute("data-s"); }));
    return all(".symbol", formula.closest("article")).filter(function (each) { return names.has(each.dataset.s); });
  }

  function follow(event) { light(event.target.closest ? event.target.closest("[data-s]") : null); }
  document.addEventListener("mouseover", follow);
  document.addEventListener("focusin", function (event) {
    light(event.target.closest("[data-s]") || event.target.closest(".formula"));
  });
})();

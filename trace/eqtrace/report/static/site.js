"use strict";
// Pages work without this script; it adds the reference's search and filters, and opens what a link leads to.
(function () {
  function filters() {
    var form = document.getElementById("filters");
    if (!form) return;
    var entries = Array.from(document.querySelectorAll("#reference .entry"));
    var found = document.getElementById("found");
    var none = document.getElementById("none");
    var names = ["direction", "status", "page", "verdict"];

    function fits(entry, words) {
      var chosen = names.every(function (name) {
        var value = form.elements[name].value;
        return !value || entry.dataset[name] === value;
      });
      return chosen && words.every(function (word) { return entry.dataset.search.includes(word); });
    }

    function phrase(text) {
      // Code is looked for as it is typed; words may come in any order.
      return /[^\w\s.-]/.test(text) ? [text] : text.split(" ");
    }

    function apply() {
      var text = form.elements.text.value.toLowerCase().trim().replace(/\s+/g, " ");
      var words = text ? phrase(text) : [];
      var count = 0;
      entries.forEach(function (entry) {
        entry.hidden = !fits(entry, words);
        if (!entry.hidden) count += 1;
      });
      found.textContent = count === entries.length ? count + " topics" : count + " of " + entries.length + " topics";
      none.hidden = count > 0;
    }

    form.hidden = false;
    form.addEventListener("input", apply);
    form.addEventListener("reset", function () { setTimeout(apply, 0); });
    form.addEventListener("submit", function (event) { event.preventDefault(); });
    apply();
  }

  function open() {
    var target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (var at = target; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
  }

  filters();
  open();
  addEventListener("hashchange", open);
})();

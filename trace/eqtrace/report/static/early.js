"use strict";
// Runs before anything is drawn, so that neither the colours nor the controls of scripts change under a reader's eyes.
(function (root) {
  root.classList.add("js");
  if (document.fonts) document.fonts.load('1em "STIX Two Math Site"'); // before the first formula is laid out
  try {
    var theme = localStorage.getItem("eqtrace.theme");
    if (/^(auto|light|dark)$/.test(theme)) root.dataset.theme = theme;
  } catch (error) { /* no storage here: the site's own theme stays */ }
})(document.documentElement);

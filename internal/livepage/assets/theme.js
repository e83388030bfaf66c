"use strict";
// Sets the colours before anything is drawn: those chosen here before, or the system's.
{
  const root = document.documentElement;
  const themes = ["system", "light", "dark"];
  const names = {system: "as the system says", light: "light", dark: "dark"};
  let theme = "system";
  try {
    theme = localStorage.getItem("theme") ?? theme;
  } catch {
    // Storage is not allowed here: the choice lasts as long as the page.
  }
  if (!themes.includes(theme)) theme = "system";

  const apply = () => {
    root.dataset.theme = theme;
    const label = "Colours: " + names[theme];
    const button = document.getElementById("theme");
    if (button) {
      button.setAttribute("aria-label", label);
      button.title = label;
    }
    dispatchEvent(new Event("themechange"));
  };
  apply();
  addEventListener("DOMContentLoaded", () => {
    apply();
    document.getElementById("theme").addEventListener("click", () => {
      theme = themes[(themes.indexOf(theme) + 1) % themes.length];
      try {
        localStorage.setItem("theme", theme);
      } catch {
        // as above
      }
      apply();
    });
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", apply);
}

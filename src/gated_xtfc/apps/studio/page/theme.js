// Light or dark, before anything is drawn: no flash. The choice is kept in this browser.
{
  const kept = () => { try { return localStorage.getItem("studio-theme"); } catch { return null; } };
  window.setTheme = (choice) => {
    if (choice === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = choice;
    try { localStorage.setItem("studio-theme", choice); } catch { /* a private window keeps nothing */ }
  };
  window.chosenTheme = () => kept() ?? "auto";
  window.setTheme(window.chosenTheme());
}

// Single keys, where nothing is being typed; they can be turned off for those whom they disturb.
const kept = () => { try { return localStorage.getItem("studio-keys") !== "off"; } catch { return true; } };

export function listen(actions) {
  const on = document.getElementById("keys-on");
  on.checked = kept();
  on.onchange = () => { try { localStorage.setItem("studio-keys", on.checked ? "on" : "off"); } catch { /* not kept */ } };
  document.addEventListener("keydown", (event) => {
    const { target, key } = event;
    const typing = target.matches?.("textarea, select, input:not([type=range], [type=radio], [type=checkbox])");
    if (!on.checked || typing || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    const action = actions[key];
    if (!action) return;
    event.preventDefault();
    action();
  });
}

import { signal } from "@preact/signals";

// now is the time, once a second: for what says how long something has waited.
export const now = signal(Date.now());
setInterval(() => (now.value = Date.now()), 1000);

// visible reports whether somebody can see the page.
export const visible = signal(!document.hidden);
addEventListener("visibilitychange", () => (visible.value = !document.hidden));

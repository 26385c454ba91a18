import { effect, signal } from "@preact/signals";

const dark = matchMedia("(prefers-color-scheme: dark)");

const kept = () => {
  try {
    return localStorage.getItem("theme");
  } catch {
    return null;
  }
};

export const theme = signal<"light" | "dark">(kept() === "dark" || kept() === "light" ? (kept() as "dark") : dark.matches ? "dark" : "light");

dark.addEventListener("change", () => kept() || (theme.value = dark.matches ? "dark" : "light"));

effect(() => void (document.documentElement.dataset.theme = theme.value));

export function turn() {
  theme.value = theme.peek() === "dark" ? "light" : "dark";
  try {
    localStorage.setItem("theme", theme.peek());
  } catch {
    // Without a store the choice lasts as long as the page.
  }
}

import { signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";

// A Binding is a key of a screen with what it does. Keys are written as "j", "Shift+ArrowLeft",
// "Mod+k" (Command or Control), "Alt+1", or as a sequence: "g s".
export interface Binding {
  keys: string;
  does: string;
  run: (e: KeyboardEvent) => void;
  typing?: boolean; // also while something is typed
}

export interface Scope {
  name: string;
  bindings: Binding[];
}

export const scopes = signal<Scope[]>([]);

// useKeys binds keys as soon as a component is shown, and as long as it is. What was bound last counts first.
export function useKeys(name: string, bindings: Binding[]) {
  const scope = useRef<Scope>({ name, bindings });
  scope.current.bindings = bindings;
  useLayoutEffect(() => {
    scopes.value = [...scopes.peek(), scope.current];
    return () => void (scopes.value = scopes.peek().filter((s) => s !== scope.current));
  }, []);
}

let prefix = "";
let forget = 0;

export function listen() {
  addEventListener("keydown", (e) => {
    if (e.isComposing || e.defaultPrevented || ["Shift", "Meta", "Control", "Alt"].includes(e.key)) return;
    const name = (prefix ? prefix + " " : "") + spell(e);
    prefix = "";
    const typing = isField(e.target);
    const found = all().find((b) => b.keys === name && (!typing || b.typing));
    if (found) {
      e.preventDefault();
      return found.run(e);
    }
    if (!typing && all().some((b) => b.keys.startsWith(name + " "))) {
      prefix = name;
      clearTimeout(forget);
      forget = window.setTimeout(() => (prefix = ""), 1200);
    }
  });
}

const all = () => [...scopes.peek()].reverse().flatMap((s) => s.bindings);

function spell(e: KeyboardEvent): string {
  const named = e.key.length > 1;
  const key = e.altKey && e.code.startsWith("Digit") ? e.code.slice(5) : e.key;
  return [(e.metaKey || e.ctrlKey) && "Mod", e.altKey && "Alt", named && e.shiftKey && "Shift", key].filter(Boolean).join("+");
}

function isField(target: EventTarget | null): boolean {
  const el = target as HTMLElement;
  if (el instanceof HTMLInputElement) return !["range", "checkbox", "radio", "button"].includes(el.type);
  return el instanceof HTMLTextAreaElement || el instanceof HTMLSelectElement;
}

const mac = /Mac|iPhone|iPad/.test(navigator.platform);
const signs: Record<string, string> = {
  Mod: mac ? "⌘" : "Ctrl", Alt: mac ? "⌥" : "Alt", Shift: "⇧", Enter: "↵", Escape: "Esc",
  ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓",
};

// show writes a key as people read it.
export const show = (keys: string) =>
  keys.split(" ").map((k) => k.split("+").map((p) => signs[p] ?? (p.length === 1 && k.includes("+") ? p.toUpperCase() : p)).join(mac ? "" : " "));

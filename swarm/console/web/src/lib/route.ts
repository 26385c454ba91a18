import { signal } from "@preact/signals";
import { options } from "preact";
import { base } from "./api";

export interface Route {
  screen: string;
  id: string;
  query: URLSearchParams;
  hash: string;
}

export const route = signal<Route>(read());

function read(): Route {
  const [screen = "", id = ""] = location.pathname.slice(base.length).split("/");
  return { screen: screen || "solves", id: decode(id), query: new URLSearchParams(location.search), hash: location.hash.slice(1) };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

// below returns where the server has a path of the page.
export const below = (path: string) => (path.startsWith("/") ? base + path.slice(1) : path);

// Links of the page name its paths.
const vnode = options.vnode;
options.vnode = (v) => {
  const props = v.props as { href?: string };
  if (v.type === "a" && props.href) props.href = below(props.href);
  vnode?.(v);
};

export function go(path: string, replace = false) {
  history[replace ? "replaceState" : "pushState"](null, "", below(path));
  const before = route.value;
  route.value = read();
  if (!replace && (before.screen !== route.value.screen || before.id !== route.value.id)) scrollTo(0, 0);
}

// note changes parts of the query without a step in the history: "" removes one. Browsers
// allow few changes a second, so quick ones are written together.
let noted: Record<string, string> = {};
let timer = 0;
export function note(parts: Record<string, string>) {
  noted = { ...noted, ...parts };
  clearTimeout(timer);
  const here = location.pathname;
  timer = window.setTimeout(() => {
    const query = new URLSearchParams(location.search);
    for (const [k, v] of Object.entries(noted)) v ? query.set(k, v) : query.delete(k);
    noted = {};
    if (location.pathname !== here) return;
    const text = query.toString();
    history.replaceState(null, "", here + (text ? "?" + text : "") + location.hash);
  }, 250);
}

// listen makes links of the page change the route instead of loading it again.
export function listen() {
  addEventListener("popstate", () => (route.value = read()));
  addEventListener("hashchange", () => (route.value = read()));
  addEventListener("click", (e) => {
    const a = (e.target as Element).closest?.("a");
    if (!a || e.defaultPrevented || e.button || e.metaKey || e.ctrlKey || e.shiftKey || a.target) return;
    const href = a.getAttribute("href") || "";
    if (!href.startsWith(base) || href.startsWith("//") || href.startsWith(base + "api/")) return;
    e.preventDefault();
    go("/" + href.slice(base.length));
  });
}

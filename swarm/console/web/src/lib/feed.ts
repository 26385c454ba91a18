import { signal } from "@preact/signals";
import { base } from "./api";
import type { Frame } from "./types";

export interface Link {
  state: "connecting" | "live" | "silent" | "reconnecting" | "refused";
  at: number; // when the newest frame came
}

export const link = signal<Link>({ state: "connecting", at: Date.now() });

// epoch grows whenever what is shown may have gaps: after a lost connection, and when the server
// asks to read again. What is on the screen is then loaded again.
export const epoch = signal(0);

// resynced says, for a moment, why the server asked to read again.
export const resynced = signal("");

type Reader = (f: Frame) => void;
const readers = new Set<Reader>();

export function read(r: Reader): () => void {
  readers.add(r);
  return () => void readers.delete(r);
}

const cursor = new Map<string, number>();
let socket: WebSocket | undefined;
let boot = "";
let tries = 0;
let timer = 0;
let opening = 0; // when the connection was begun

// open follows the feed from the last position of each log. It takes a WebSocket, because a
// browser has only six other connections to a server, which several pages would use up.
export function open() {
  close();
  opening = Date.now();
  const query = new URLSearchParams([...cursor].slice(0, 200).map(([log, seq]) => ["after", `${log}:${seq}`]));
  const s = (socket = new WebSocket(base + "api/feed/socket" + (cursor.size ? "?" + query : "")));
  s.onmessage = (e) => take(JSON.parse(e.data as string));
  s.onclose = () => s === socket && lost();
}

// A page that the browser keeps for the way back has no connection meanwhile.
addEventListener("pagehide", close);
addEventListener("pageshow", (e) => e.persisted && link.peek().state !== "refused" && open());

function close() {
  clearTimeout(timer);
  const old = socket;
  socket = undefined;
  old?.close();
}

function take(f: Frame) {
  if (f.type === "hello") return opened(f);
  if (f.type === "resync") return resync(f);
  if (f.type === "alive") {
    move(f.cursor);
    return void (link.value = { state: "live", at: Date.now() });
  }
  if (f.seq && f.log) {
    if (f.seq <= (cursor.get(f.log) ?? 0)) return;
    cursor.set(f.log, f.seq);
  }
  for (const r of readers) r(f);
  link.value = { state: "live", at: Date.now() };
}

function opened(f: Frame) {
  const again = tries > 0 || (boot !== "" && boot !== f.boot);
  tries = 0;
  if (boot !== f.boot) move(f.cursor);
  boot = f.boot ?? "";
  link.value = { state: "live", at: Date.now() };
  if (again) epoch.value++;
}

// resync continues at the cursor that the frame has.
function resync(f: Frame) {
  move(f.cursor);
  resynced.value = f.reason || "the page was too slow";
  setTimeout(() => (resynced.value = ""), 4000);
  epoch.value++;
}

function move(to: Record<string, number> = {}) {
  for (const [log, seq] of Object.entries(to)) cursor.set(log, seq);
}

// A server says each 5 s that it is there. One that says nothing for two beats hangs, or the connection
// leads nowhere, which the browser is not told: then it is opened again.
const beats = 2 * 5000;
setInterval(() => {
  const { state, at } = link.peek();
  if (!socket || state === "refused" || Date.now() - Math.max(at, opening) <= beats) return;
  tries++;
  link.value = { state: "silent", at };
  open();
}, 1000);

// lost tries again, later each time.
function lost() {
  if (link.peek().state === "refused") return;
  link.value = { ...link.peek(), state: "reconnecting" };
  clearTimeout(timer);
  timer = window.setTimeout(open, Math.min(4000, 300 * 1.5 ** tries++));
}

// refuse ends the feed, because the session is over.
export function refuse() {
  close();
  link.value = { ...link.peek(), state: "refused" };
}

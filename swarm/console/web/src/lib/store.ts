import { computed, effect, signal } from "@preact/signals";
import { get, Problem } from "./api";
import { epoch, read, refuse } from "./feed";
import type { Frame, Item, Room, Session, Solve } from "./types";

// What several screens show: the session, and the lists of solves, of the inbox and of rooms,
// kept up by the feed.
export const session = signal<Session | undefined>(undefined);
export const solves = signal<Solve[] | undefined>(undefined);
export const inbox = signal<Item[] | undefined>(undefined);
export const rooms = signal<Room[] | undefined>(undefined);
export const broken = signal<Problem | undefined>(undefined);

export const saying = signal<Record<string, Record<string, string>>>({}); // by solve, by agent: of answers that are not complete

export const running = computed(() => (solves.value ?? []).filter((s) => s.state === "running").length);
export const waiting = computed(() => (inbox.value ?? []).filter((i) => i.open));
export const urgent = computed(() => (rooms.value ?? []).filter((r) => r.mark === "!").length);
export const user = computed(() => session.value?.user ?? "");

// name is how a source is called: the visitor is "you".
export const name = (source: string) => (source && source === user.value ? "you" : source);

// load reads the lists, each of which is shown when it is there: rooms may take long, as the
// server has to read their journal first.
export async function load() {
  try {
    await Promise.all([
      get<Solve[]>("solves?limit=500").then((all) => {
        const newer = new Map((solves.peek() ?? []).map((x) => [x.id, x]));
        solves.value = all.map((x) => later(newer.get(x.id), x));
      }),
      readInbox(),
      get<Room[]>("rooms").then((all) => (rooms.value = all)),
    ]);
    broken.value = undefined;
  } catch (e) {
    broken.value = e as Problem;
    if ((e as Problem).status === 401) refuse();
  }
}

// follow keeps the lists up to date.
export function follow() {
  effect(() => {
    epoch.value;
    void load();
  });
  read((f) => {
    if (f.solve) {
      putSolve(f.solve);
      saying.value = { ...saying.peek(), [f.solve.id]: says(f) };
    }
    if (f.item) putItem(f.item);
    else if (f.solve && asks(f.solve)) askedAgain();
    if (f.type === "room") again();
  });
}

// says is what the agents of a frame's solve are saying after it.
function says(f: Frame): Record<string, string> {
  if (f.type === "saying") return f.solve!.saying ?? {};
  if (f.solve!.state !== "running") return {};
  const { [f.said?.by ?? ""]: _, ...others } = saying.peek()[f.solve!.id] ?? {};
  return others;
}

// asks reports whether a solve waits for a person, or waited when it was last heard of. Frames
// have no item for the call of a tool.
const asks = (s: Solve) => s.state === "waiting" || s.waits > 0 || waiting.peek().some((i) => i.solve === s.id);

let asked = 0;
function askedAgain() {
  clearTimeout(asked);
  asked = window.setTimeout(() => readInbox().catch(() => {}), 200);
}

// readInbox reads the list of questions. What frames say of them meanwhile is newer than the list.
async function readInbox() {
  const before = new Set((inbox.peek() ?? []).map((i) => i.id));
  const all = await get<Item[]>("inbox?all=true");
  const now = new Map((inbox.peek() ?? []).map((i) => [i.id, i]));
  const listed = all.map((i) => (now.get(i.id)?.open === false ? now.get(i.id)! : i));
  for (const i of all) now.delete(i.id);
  inbox.value = [...listed, ...[...now.values()].filter((i) => !before.has(i.id))];
}

const later = (old: Solve | undefined, s: Solve) => (old && old.seq > s.seq ? old : s);

// putSolve puts a row into the list at its place: the newest first.
export function putSolve(s: Solve) {
  const all = solves.peek() ?? [];
  const at = all.findIndex((x) => x.id === s.id);
  solves.value = at < 0 ? [s, ...all] : all.map((x, i) => (i === at ? later(x, s) : x));
}

export function putItem(item: Item) {
  const all = inbox.peek() ?? [];
  inbox.value = all.some((x) => x.id === item.id) ? all.map((x) => (x.id === item.id ? item : x)) : [...all, item];
}

// again reads the list of rooms soon: events of rooms change unread counts and queues.
let timer = 0;
function again() {
  if (timer) return;
  timer = window.setTimeout(async () => {
    timer = 0;
    await readRooms();
  }, 300);
}

export async function readRooms() {
  await get<Room[]>("rooms").then((r) => (rooms.value = r), () => {});
}

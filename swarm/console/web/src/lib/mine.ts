import { signal } from "@preact/signals";

// mine are the messages that were written in this browser, each as its room and text: in the demo
// its script talks in the rooms, too, and what it says is not what the visitor said.
const key = "said";
const mine = signal<ReadonlySet<string>>(new Set(JSON.parse(sessionStorage.getItem(key) ?? "[]") as string[]));

export const wrote = (room: string, text: string) => mine.value.has(room + "\n" + text);

export function write(room: string, text: string) {
  mine.value = new Set([...mine.peek(), room + "\n" + text].slice(-200));
  sessionStorage.setItem(key, JSON.stringify([...mine.peek()]));
}

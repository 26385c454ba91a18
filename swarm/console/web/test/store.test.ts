import { expect, test, vi } from "vitest";
import type { Item } from "../src/lib/types";

const lists = vi.hoisted(() => {
  globalThis.addEventListener ??= () => {};
  return new Map<string, (list: unknown) => void>();
});
vi.mock("../src/lib/api", () => ({ get: (path: string) => new Promise((resolve) => lists.set(path.split("?")[0], resolve)) }));

const { inbox, load, putItem } = await import("../src/lib/store");

// The server made its list before a question came, and it arrives after the frame of that question.
test("a question that comes while the list is read is kept, and one that was answered stays so", async () => {
  const item = (id: string, open: boolean) => ({ id, open }) as Item;
  inbox.value = [item("gone", true)];
  const loaded = load();
  putItem(item("answered", false));
  putItem(item("new", true));
  lists.get("inbox")!([item("listed", true), item("answered", true)]);
  lists.get("solves")!([]);
  lists.get("rooms")!([]);
  await loaded;
  expect(inbox.value.map((i) => `${i.id} ${i.open}`)).toEqual(["listed true", "answered false", "new true"]);
});

import { signal } from "@preact/signals";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { scopes, useKeys } from "../lib/keys";
import { go } from "../lib/route";
import { rooms, solves } from "../lib/store";
import { clean } from "../lib/text";
import { turn } from "../lib/theme";
import { Dialog } from "./dialog";
import { Glyph } from "./glyph";
import { places } from "./shell";
import { Key } from "./small";
import { NewSolve } from "./start";

const open = signal<"" | "help" | "palette" | "start">("");

export const showHelp = () => (open.value = "help");
export const showPalette = () => (open.value = "palette");
export const showStart = () => (open.value = "start");
const close = () => (open.value = "");

export function Overlays() {
  useKeys("Everywhere", [
    { keys: "?", does: "keys", run: showHelp },
    { keys: "Mod+k", does: "commands", run: showPalette, typing: true },
    { keys: "c", does: "new solve", run: showStart },
    { keys: "t", does: "light or dark", run: turn },
    ...places.flatMap((p) => (p ? [{ keys: "g " + (p.to === "runs" ? "u" : p.to === "reports" ? "p" : p.to[0]), does: p.name, run: () => go("/" + p.to) }] : [])),
  ]);
  if (open.value === "help") return <Help />;
  if (open.value === "palette") return <Palette />;
  if (open.value === "start") return <NewSolve close={close} />;
  return null;
}

function Help() {
  return (
    <Dialog label="Keys" close={close}>
      <div class="sheet">
        <header><h2>Keys</h2><button class="ib" onClick={close} aria-label="Close"><Glyph name="close" /></button></header>
        <div class="keylist">
          {[...scopes.value].reverse().filter((s) => s.bindings.length).map((s, i) => (
            <section key={s.name + i}>
              <h3>{s.name}</h3>
              {s.bindings.filter((b) => b.does).map((b) => <div key={b.keys}><span>{b.does}</span><span><Key of={b.keys} /></span></div>)}
            </section>
          ))}
        </div>
      </div>
    </Dialog>
  );
}

interface Command { glyph: string; text: string; keys?: string; run: () => void }

function commands(): Command[] {
  const all = scopes.value.flatMap((s) => s.bindings).filter((b) => b.does && !b.keys.startsWith("g ") && !["?", "Mod+k"].includes(b.keys));
  return [
    ...places.flatMap((p) => (p ? [{ glyph: p.glyph, text: "Go to " + p.name, run: () => go("/" + p.to) }] : [])),
    ...all.map((b) => ({ glyph: "arrow", text: b.does[0].toUpperCase() + b.does.slice(1), keys: b.keys, run: () => b.run(new KeyboardEvent("keydown")) })),
    ...(rooms.value ?? []).map((r) => ({ glyph: "room", text: "Room " + r.room, run: () => go("/rooms/" + encodeURIComponent(r.room)) })),
    ...(solves.value ?? []).map((s) => ({ glyph: "list", text: clean(s.task), run: () => go("/solves/" + encodeURIComponent(s.id)) })),
  ];
}

function Palette() {
  const [text, type] = useState("");
  const [at, move] = useState(0);
  const list = useRef<HTMLUListElement>(null);
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = useMemo(() => commands().filter((c) => words.every((w) => c.text.toLowerCase().includes(w))).slice(0, 60), [text]);
  useEffect(() => list.current?.children[at]?.scrollIntoView({ block: "nearest" }), [at]);
  const run = (c: Command | undefined) => c && (close(), c.run());
  const press = (e: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[e.key];
    if (step) return e.preventDefault(), move((n) => Math.max(0, Math.min(found.length - 1, n + step)));
    if (e.key === "Enter" && !e.isComposing) return e.preventDefault(), run(found[at]);
  };
  return (
    <Dialog label="Commands" cls="palette" close={close}>
      <input autofocus role="combobox" aria-expanded="true" aria-controls="commands" aria-activedescendant={found[at] ? "cmd-" + at : undefined} aria-label="Command"
        placeholder="Where to, or what to do" value={text} onInput={(e) => { type(e.currentTarget.value); move(0); }} onKeyDown={press} />
      {found.length ? (
        <ul id="commands" role="listbox" ref={list} aria-label="Commands">
          {found.map((c, i) => (
            <li key={c.text + i} id={"cmd-" + i} role="option" aria-selected={i === at} onPointerMove={() => move(i)} onClick={() => run(c)}>
              <Glyph name={c.glyph} /><span>{c.text}</span>{c.keys ? <Key of={c.keys} /> : <span />}
            </li>
          ))}
        </ul>
      ) : <p class="none">Nothing is called that.</p>}
    </Dialog>
  );
}

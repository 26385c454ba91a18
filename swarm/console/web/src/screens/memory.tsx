import { useEffect, useRef, useState } from "preact/hooks";
import { post, type Problem } from "../lib/api";
import { useKeys } from "../lib/keys";
import { useLoad } from "../lib/load";
import { note, route } from "../lib/route";
import { clean, count, two, when } from "../lib/text";
import type { Fact } from "../lib/types";
import { Glyph } from "../parts/glyph";
import { Strip } from "../parts/shell";
import { Top } from "../parts/small";
import { Empty, Ready } from "../parts/state";

// MemoryScreen searches what teams know, and revokes what a source said.
export function MemoryScreen() {
  const [text, type] = useState(route.peek().query.get("q") ?? "");
  const [asked, ask] = useState(text);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const timer = setTimeout(() => (ask(text.trim()), note({ q: text.trim() })), 200);
    return () => clearTimeout(timer);
  }, [text]);
  useKeys("Memory", [{ keys: "/", does: "search", run: () => field.current?.focus() }]);
  const loaded = useLoad<Fact[]>(asked ? `memory?quarantined=true&limit=50&q=${encodeURIComponent(asked)}` : undefined);
  return (
    <>
      <Top title="Memory" />
      <Strip />
      <div class="page">
        <div class="find"><input ref={field} class="ta" type="search" aria-label="Search the memory" placeholder="What do the teams know about …" autofocus value={text} onInput={(e) => type(e.currentTarget.value)} /></div>
        {!asked ? <p class="ink2">Teams keep what they found out, and begin the next solve with the facts most similar to its task. Search by meaning; the most similar come first.</p> : (
          <Ready of={loaded}>{(all) => all.length ? <>{all.map((f) => <Row key={f.team + f.id} f={f} again={loaded.again} />)}</> : <Empty title={`Nothing is known about “${asked}”`} />}</Ready>
        )}
      </div>
    </>
  );
}

function Row({ f, again }: { f: Fact; again: () => void }) {
  const [state, set] = useState<{ sure?: string; said?: string }>({});
  const revoke = async (source: string) => {
    if (state.sure !== source) return set({ sure: source });
    try {
      const r = await post<{ facts: string[]; note: string }>("memory/revocations", { team: f.team, source });
      set({ said: `${count(r.facts.length, "fact")} of ${source} ${r.facts.length === 1 ? "is" : "are"} no longer recalled.` });
      setTimeout(again, 1200);
    } catch (e) {
      set({ said: (e as Problem).message });
    }
  };
  const sources = [...new Set(f.said.map((s) => s.source))];
  return (
    <article class="fact-row">
      <div>
        <p>{clean(f.content)}</p>
        <p class="sub">{clean(f.category)} · importance {two(f.importance)} · like it {two(f.score)} · {f.said.map((s) => `${clean(s.source)} in ${clean(s.thread)}`).join(", ")} · {when(f.time)}</p>
        {state.said && <p class="small" role="status">{state.said}</p>}
      </div>
      <div class="row wrapped">
        <span class={"st " + (f.state === "confirmed" ? "ye" : f.state === "revoked" ? "no" : "ink2")}><Glyph name={f.state === "confirmed" ? "check" : f.state === "revoked" ? "disagree" : "doubt"} /> {clean(f.state)}</span>
        {f.state !== "revoked" && sources.map((s) => <button key={s} class="btn d" onClick={() => revoke(s)}>{state.sure === s ? `Revoke all that ${clean(s)} said?` : `Revoke ${clean(s)}`}</button>)}
      </div>
    </article>
  );
}

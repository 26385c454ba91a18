import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { useKeys } from "../../lib/keys";
import { note, route } from "../../lib/route";
import { name, saying } from "../../lib/store";
import { clean, count, group, lasting } from "../../lib/text";
import { counts, items, type Filter, type Item } from "../../play/items";
import { find, type Play } from "../../play/play";
import { Glyph } from "../../parts/glyph";
import { DebateRow, Row } from "./row";
import type { View } from "./state";

const names: [Filter, string][] = [["all", "All"], ["argument", "Arguments"], ["vote", "Votes"], ["person", "People"]];
const whole = 400; // a text of so many items is drawn at once
const page = 30; // of a longer one: so few that to draw them takes a fraction of a frame that is felt

// Log is what was said, as a text. Of a long one it shows the part around the position, and more
// where the reader comes to its edge.
export function Log({ view }: { view: View }) {
  const { play } = view;
  const [filter, setFilter] = useState<Filter>((route.peek().query.get("f") as Filter) || "all");
  const all = useMemo(() => items(play, filter), [play, filter]);
  const n = useMemo(() => counts(play), [play]);
  const box = useRef<HTMLDivElement>(null);
  const index = useSettled(view, all.length > whole);
  const at = place(all, index);
  const [range, setRange] = useState({ from: 0, to: all.length > whole ? page : whole });
  const shown = fit(range, at, all.length);
  useEffect(() => void (shown !== range && setRange(shown)));
  useEffect(() => note({ f: filter === "all" ? "" : filter }), [filter]);
  useMarks(box, view);
  useScroll(box, view, index);
  useKeys("What was said", names.map(([f, name], i) => ({ keys: "Alt+" + (i + 1), does: name.toLowerCase(), run: () => setFilter(f) })));
  return (
    <section class="log" aria-label="What was said">
      <div class="loghead"><h2>What was said</h2>
        {names.map(([f, name]) => <button key={f} class="chip" aria-pressed={f === filter} onClick={() => setFilter(f)}>{name} {group(n[f])}</button>)}
      </div>
      <div ref={box}>
        {shown.from > 0 && <More text={`${group(shown.from)} earlier`} above more={() => setRange({ ...shown, from: Math.max(0, shown.from - page) })} />}
        {all.slice(shown.from, shown.to).map((item) => <One key={item.key} item={item} view={view} />)}
        {shown.to < all.length && <More text={`${group(all.length - shown.to)} later`} more={() => setRange({ ...shown, to: shown.to + page })} />}
        {shown.to >= all.length && <Saying id={play.detail.id} />}
        {!all.length && <p class="mut">{filter === "all" ? "Nothing has been said yet." : "Nothing of that kind was said."}</p>}
      </div>
    </section>
  );
}

// useSettled is the position; of a long text that at which it rests for a moment, because each
// place that is passed would be drawn.
function useSettled(view: View, long: boolean): number {
  const [index, set] = useState(view.index.peek());
  useEffect(() => {
    let timer = 0;
    const off = view.index.subscribe((i) => {
      clearTimeout(timer);
      if (long) timer = window.setTimeout(() => set(i), 200);
      else set(i);
    });
    return () => (clearTimeout(timer), off());
  }, [view.index, long]);
  return index;
}

interface Range { from: number; to: number }

// fit moves the range that is shown so that it has the position.
function fit(r: Range, at: number, length: number): Range {
  if (at >= r.from && at < r.to) return r.to >= length || r.to - r.from >= page ? r : { ...r, to: Math.min(length, r.from + page) };
  const from = Math.max(0, Math.min(at - page / 2, length - page));
  return { from, to: from + page };
}

// place is where in the items the position is.
const place = (all: Item[], index: number) => Math.max(0, find(all.length, (i) => all[i].i <= index) - 1);

function One({ item, view }: { item: Item; view: View }) {
  if (item.type === "round") return <RoundHead play={view.play} item={item} />;
  if (item.type === "debate") return <DebateRow i={item.i} debate={item.debate} view={view} play={view.play} />;
  return <Row i={item.i} said={item.said} view={view} play={view.play} />;
}

// Saying is what agents are saying, until it is a signal.
function Saying({ id }: { id: string }) {
  return <>{Object.entries(saying.value[id] ?? {}).map(([agent, words]) => (
    <div key={agent} class="e saying"><span class="s" /><Glyph name="note" /><span class="who" title={clean(agent)}>{clean(name(agent))}</span><div class="t"><p>{clean(words)}</p></div></div>
  ))}</>;
}

// useMarks dims what comes after the position and marks the row that is there. It changes classes
// of rows that are drawn, and draws none again, so that a step costs the same in any text.
function useMarks(box: { current: HTMLDivElement | null }, view: View) {
  useLayoutEffect(() => {
    const mark = (index: number) => {
      const seq = view.play.seqAt(index), on = view.end.peek() ? 0 : view.play.debate(seq)?.seq ?? seq;
      for (const row of box.current!.querySelectorAll<HTMLElement>("[data-i]")) {
        row.classList.toggle("fut", Number(row.dataset.i) > index);
        row.classList.toggle("on", Number(row.dataset.seq) === on);
      }
    };
    return view.index.subscribe(mark);
  });
}

function RoundHead({ play, item }: { play: Play; item: Item & { type: "round" } }) {
  const { round } = item.span;
  const k = play.rounds.indexOf(item.span), next = play.rounds[k + 1];
  const ends = Date.parse(next?.round.time ?? play.detail.ended ?? play.said[play.length - 1]?.time ?? round.time);
  const trouble = [round.late?.length && count(round.late.length, "is late", "are late"), round.failed?.length && count(round.failed.length, "failed", "failed"), round.passed?.length && count(round.passed.length, "passed", "passed")].filter(Boolean);
  return (
    <div class="rd" data-i={item.i}>
      <b>Round {round.round}</b>
      <span class="nw">{count(round.turns.length, "turn")} · {lasting(Math.max(0, ends - Date.parse(round.time)))}{trouble.length > 0 && " · " + trouble.join(", ")}</span>
      {round.debate && <span class="r">{clean(round.debate)}</span>}
    </div>
  );
}

// More shows more of a long text when it comes into view, or is pressed. Above the text it has to
// come into view from outside: what it adds there would leave it where it is.
function More({ text, more, above }: { text: string; more: () => void; above?: boolean }) {
  const button = useRef<HTMLButtonElement>(null);
  const latest = useRef(more);
  latest.current = more;
  useEffect(() => {
    let outside = !above;
    const watch = new IntersectionObserver(([e]) => (e.isIntersecting ? outside && latest.current() : (outside = true)), { rootMargin: "400px" });
    const timer = setTimeout(() => button.current && watch.observe(button.current), 100); // a jump has scrolled by then
    return () => (clearTimeout(timer), watch.disconnect());
  }, [text]);
  return <button ref={button} class="more" onClick={more}>{text}</button>;
}

// useScroll brings the row of the position into view: in the middle after a jump, and while the
// reader steps only if the text is being read.
function useScroll(box: { current: HTMLDivElement | null }, view: View, index: number) {
  const jumped = useRef(view.jumps.peek());
  const jumps = view.jumps.value;
  useEffect(() => {
    const jump = jumps !== jumped.current;
    jumped.current = jumps;
    if (!box.current || (!jump && box.current.getBoundingClientRect().top > innerHeight * 0.5)) return;
    box.current.querySelector(".e.on")?.scrollIntoView({ block: jump ? "center" : "nearest" });
  }, [index, jumps]);
}

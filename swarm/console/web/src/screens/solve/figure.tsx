import { useSignalEffect, type Signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { moments, place, type Moment, type Placed } from "../../play/moments";
import { coarse, lanes, thin, type Lane } from "../../play/lanes";
import type { Play } from "../../play/play";
import { path } from "../../play/series";
import { name, user } from "../../lib/store";
import { clean, two } from "../../lib/text";
import type { Said, Step } from "../../lib/types";
import { glyphOf, shape } from "../../parts/glyph";
import { sentence } from "./sentence";

export interface FigureProps {
  play: Play;
  steps: Step[]; // of the strategy that is shown
  threshold: number;
  leader: string;
  at: Signal<number>; // index of an entry
}

// Figure is the score of a deliberation: support as steps against the threshold, and a lane for
// each agent and person. The picture is drawn once for a play; the cursor and the veil over what
// comes later are moved without drawing it again, so that scrubbing costs little.
export function Figure(p: FigureProps) {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const g = useMemo(() => geometry(p.play, width), [p.play, width]);
  const picture = useMemo(() => width > 0 && <Picture {...p} g={g} />, [p.play, p.steps, p.threshold, p.leader, g]);
  return (
    <div class="figbox" ref={box}>
      {width > 0 && (
        <svg class="score" height={g.height} aria-hidden="true">
          {picture}
        </svg>
      )}
      {width > 0 && <Cursor at={p.at} g={g} />}
      {width > 0 && <Scrub play={p.play} at={p.at} g={g} />}
    </div>
  );
}

function useWidth(box: { current: HTMLElement | null }): number {
  const [width, set] = useState(0);
  useLayoutEffect(() => {
    const measure = () => set(box.current!.clientWidth);
    measure();
    const watch = new ResizeObserver(measure);
    watch.observe(box.current!);
    return () => watch.disconnect();
  }, []);
  return width;
}

type Geometry = ReturnType<typeof geometry>;

function geometry(play: Play, width: number) {
  const narrow = width < 560, n = Math.max(1, play.length);
  const shown = lanes(play);
  const longest = Math.max(7, ...shown.map((l) => name(l.name).length));
  const left = narrow ? 66 : Math.min(132, Math.max(74, 16 + longest * 6.6)), right = narrow ? 42 : 56;
  const step = (width - left - right) / n;
  const top = 46, chart = narrow ? 104 : 124, row = narrow ? 16 : shown.length > 9 ? 17 : 19;
  const lane0 = top + chart + 20;
  return {
    narrow, n, left, step, top, chart, row, lane0, lanes: shown, width,
    end: left + n * step,
    height: lane0 + shown.length * row + 22,
    x: (i: number) => left + (i + 0.5) * step,
    y: (v: number) => top + chart * (1 - v),
    laneY: (k: number) => lane0 + k * row + row / 2,
  };
}

function Picture({ play, steps, threshold, leader, g, at }: FigureProps & { g: Geometry }) {
  const ms = useMemo(() => moments(play, user.value), [play]);
  return (
    <>
      <defs>
        <pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect class="hatch-back" width="6" height="6" />
          <line class="hatch-line" y2="6" />
        </pattern>
      </defs>
      <Rounds play={play} g={g} />
      <Holds play={play} g={g} />
      <Axis g={g} threshold={threshold} />
      <Moments all={ms} play={play} g={g} at={at} />
      <Support play={play} steps={steps} leader={leader} g={g} />
      {g.lanes.map((l, k) => <LaneView key={l.name} lane={l} y={g.laneY(k)} play={play} leader={leader} g={g} />)}
    </>
  );
}

function Rounds({ play, g }: { play: Play; g: Geometry }) {
  const every = Math.ceil((play.rounds.length * (g.narrow ? 18 : 60)) / Math.max(1, g.end - g.left));
  return (
    <>
      {play.rounds.map((r, k) => {
        const a = g.x(r.from) - g.step / 2, b = g.x(r.to) + g.step / 2;
        if (b <= a) return null;
        return (
          <g key={r.round.seq}>
            {k % 2 === 0 && <rect class="band" x={a} y={g.top - 6} width={b - a} height={g.height - g.top - 12} />}
            {k % every === 0 && <text x={(a + b) / 2} y={g.height - 6} text-anchor="middle">{g.narrow || b - a < 52 ? r.round.round : "round " + r.round.round}</text>}
          </g>
        );
      })}
    </>
  );
}

function Holds({ play, g }: { play: Play; g: Geometry }) {
  return (
    <>
      {play.holds.map((h) => {
        const a = g.x(h.from), b = h.open ? g.end : g.x(h.to);
        return (
          <g key={h.key}>
            <rect class="hold" x={a} y={g.top - 6} width={Math.max(h.open ? 14 : 3, b - a)} height={g.chart + 6} />
            {!g.narrow && b - a > 70 && <text class="hu" x={(a + b) / 2} y={g.y(0) + 13} text-anchor="middle">held for you</text>}
          </g>
        );
      })}
    </>
  );
}

function Axis({ g, threshold }: { g: Geometry; threshold: number }) {
  const clear = (v: number) => Math.abs(v - threshold) > 0.09;
  return (
    <>
      <line class="axis" x1={g.left} x2={g.end} y1={g.y(0)} y2={g.y(0)} />
      <line class="thr" x1={g.left} x2={g.end} y1={g.y(threshold)} y2={g.y(threshold)} />
      {threshold > 0.01 && <text class="i" x={g.left - 6} y={g.y(threshold) + 4} text-anchor="end">{two(threshold)}</text>}
      <text x={g.left - 6} y={g.y(0) + 4} text-anchor="end">0</text>
      {clear(1) && <text x={g.left - 6} y={g.y(1) + 4} text-anchor="end">1</text>}
      {!g.narrow && <>{threshold > 0.01 && <text class="i" x={g.left + 6} y={g.y(threshold) - 5}>threshold</text>}<text x="0" y={g.y(0.5) + 4}>support</text></>}
    </>
  );
}

function Support({ play, steps, leader, g }: { play: Play; steps: Step[]; leader: string; g: Geometry }) {
  const quorum = steps.find((s) => s.voters >= play.detail.quorum);
  const from = quorum?.seq ?? Infinity;
  const x = (seq: number) => g.x(play.index(seq));
  const last = steps[steps.length - 1];
  const shown = [...play.detail.proposals].sort((a, b) => (last?.support[b.id] ?? 0) - (last?.support[a.id] ?? 0)).slice(0, 5);
  const ends: { letter: string; win: boolean; v: number; y: number; out: boolean }[] = [];
  const lines = play.detail.proposals.map((p, k) => {
    if (!shown.includes(p) && p.id !== leader) return null;
    const cls = p.id === leader ? "w" : "d" + (k % 5), out = play.out(p), until = steps.filter((s) => !out || s.seq < out);
    const end = out ? x(out) : g.end - g.step / 2;
    const early = path(until.filter((s) => s.seq < from), p.id, p.seq, x, g.y, Math.min(end, quorum ? x(from) : end));
    const d = path(until, p.id, Math.max(from, p.seq), x, g.y, end);
    if (!d && !early) return null;
    ends.push({ letter: p.letter, win: p.id === leader, v: last.support[p.id] ?? 0, y: 0, out: !!out });
    return <g key={p.id}>{early && <path class={"up early " + cls} d={early} />}{d && <path class={"up " + cls} d={d} />}</g>;
  });
  ends.sort((a, b) => b.v - a.v);
  let above = -99;
  for (const e of ends) above = e.y = Math.max(g.y(e.v), above + 13);
  const hidden = play.detail.proposals.length - ends.length;
  return (
    <>
      {!g.narrow && (!quorum || x(from) - g.left > 96) && <text x={quorum ? x(from) - 8 : g.left + 8} y={g.y(0.5) + 4} text-anchor={quorum ? "end" : "start"}>no quorum yet</text>}
      {lines}
      {ends.map((e) => <text key={e.letter} class={e.win ? "w" : ""} x={g.end - g.step / 2 + 6} y={e.y + 4}><tspan class="p">{e.letter}</tspan> {e.out ? "out" : two(e.v)}</text>)}
      {lines.length > 0 && hidden > 0 && <text x={g.end - g.step / 2 + 6} y={above + 17}>{hidden} others</text>}
    </>
  );
}

function Moments({ all, play, g, at }: { all: Moment[]; play: Play; g: Geometry; at: Signal<number> }) {
  const x = (m: Moment) => g.x(play.index(m.seq));
  const placed = place(all, x, (m) => (g.narrow ? 8 : m.text.length * 6.1), g.narrow ? g.end + 20 : g.width, g.narrow ? 7 : 9);
  const height = (m: Placed) => (m.row ? 30 : 12);
  return (
    <>
      {placed.map((m) => <line key={-m.seq} class="guide" x1={x(m)} x2={x(m)} y1={height(m) + (g.narrow ? 8 : 5)} y2={g.y(0)} />)}
      {placed.map((m, k) => {
        const y = height(m), go = () => (at.value = play.index(m.seq));
        return (
          <g key={m.seq} class="hit" onClick={go}>
            {g.narrow ? <><circle class="num" cx={m.x} cy={y + 1} r="7.500" /><text class="nm" x={m.x} y={y + 5} text-anchor="middle">{k + 1}</text></> : <text class="km" x={m.x} y={y} text-anchor="middle">{m.text}</text>}
          </g>
        );
      })}
    </>
  );
}

function LaneView({ lane, y, play, leader, g }: { lane: Lane; y: number; play: Play; leader: string; g: Geometry }) {
  const index = (id: string) => play.detail.proposals.findIndex((p) => p === play.proposal(id));
  const marks = lane.marks.length * 13 > g.end - g.left || play.length > 300 ? thin(lane.marks, g.x, 14) : lane.marks;
  return (
    <>
      <text class="ln" x={g.left - 10} y={y + 4} text-anchor="end">{clip(clean(name(lane.name)), g.narrow ? 9 : 18)}</text>
      <line class="lane" x1={g.left} x2={g.end} y1={y} y2={y} />
      {coarse(lane.backs, g.x, 4).map((b) => {
        const win = play.proposal(b.proposal)?.id === leader;
        const to = b.to >= play.length - 1 ? g.end - g.step / 2 : g.x(b.to);
        return <line key={b.from} class={"back " + (win ? "w" : "d" + (index(b.proposal) % 5))} x1={g.x(b.from)} x2={to} y1={y} y2={y} />;
      })}
      {marks.map(({ i, said }) => <Mark key={i} said={said} x={g.x(i)} y={y} play={play} leader={leader} />)}
    </>
  );
}

const clip = (text: string, n: number) => (text.length > n ? text.slice(0, n - 1) + "…" : text);

function Mark({ said, x, y, play, leader }: { said: Said; x: number; y: number; play: Play; leader: string }) {
  const letter = play.letter(said.proposal);
  if (said.form === "vote") return <Ballot said={said} x={x} y={y} letter={letter} person={play.people.has(said.by)} />;
  if (said.form === "proposal" && letter) {
    const win = play.proposal(said.proposal)?.id === leader;
    return <g><rect class={"prop" + (win ? " w" : "")} x={x - 6.5} y={y - 6.5} width="13" height="13" rx="3" /><text class="vt on" x={x} y={y + 3} text-anchor="middle">{letter}</text></g>;
  }
  const person = said.form === "escalation" || play.people.has(said.by);
  const glyph = play.people.has(said.by) ? "person" : play.debate(said.seq) ? "argument" : glyphOf[said.form] ?? "note";
  return (
    <g>
      <circle class="halo" cx={x} cy={y} r="7" />
      <g class={"mk " + (person ? "hu" : said.error ? "no" : "")} transform={`translate(${x - 6} ${y - 6}) scale(.75)`}>{shape(glyph)}</g>
    </g>
  );
}

function Ballot({ said, x, y, letter, person }: { said: Said; x: number; y: number; letter: string; person: boolean }) {
  const [disc, ink] = { agree: ["yes", "on"], disagree: ["nay", "no"], abstain: ["abs", "mut"] }[said.stance ?? "abstain"];
  const mark: ComponentChildren = <><circle class={disc} cx={x} cy={y} r={disc === "yes" ? 7 : 6.3} /><text class={"vt " + ink} x={x} y={y + 3} text-anchor="middle">{letter}</text></>;
  return person ? <g><circle class="halo" cx={x} cy={y} r="9" />{mark}</g> : <g>{mark}</g>;
}

// Cursor follows the position. It lies upon the picture, so that this is not painted again.
function Cursor({ at, g }: { at: Signal<number>; g: Geometry }) {
  const line = useRef<HTMLDivElement>(null);
  const veil = useRef<HTMLDivElement>(null);
  const move = () => {
    const x = g.x(Math.min(at.value, g.n - 1)), rest = at.value >= g.n - 1 ? 0 : g.end - x;
    line.current!.style.transform = `translateX(${x.toFixed(1)}px)`;
    veil.current!.style.transform = `translateX(${x.toFixed(1)}px) scaleX(${rest.toFixed(1)})`;
  };
  useLayoutEffect(() => {
    const box = { top: g.top - 7 + "px", height: g.height - g.top - 12 + "px" };
    Object.assign(line.current!.style, box);
    Object.assign(veil.current!.style, box);
    move();
  }, [g]);
  useSignalEffect(move);
  return <><div ref={veil} class="veil" /><div ref={line} class="cursor" /></>;
}

// Scrub is a native slider over the figure, so that it works by mouse, touch and keyboard alike,
// and speaks.
function Scrub({ play, at, g }: { play: Play; at: Signal<number>; g: Geometry }) {
  const box = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    Object.assign(box.current!.style, { left: g.left - 8 + "px", width: g.end - g.left + 16 + "px", top: g.top - 8 + "px", height: g.height - g.top - 10 + "px" });
  }, [g]);
  useSignalEffect(() => {
    if (!box.current) return;
    box.current.value = String(at.value);
    const said = play.said[at.value];
    box.current.setAttribute("aria-valuetext", said ? `${said.seq}: ${sentence(play, said)}` : "the beginning");
  });
  return (
    <input ref={box} class="scrub" type="range" aria-label="Position in the deliberation" min={0} max={g.n - 1} step={1}
      onInput={(e) => (at.value = Number(e.currentTarget.value))} />
  );
}

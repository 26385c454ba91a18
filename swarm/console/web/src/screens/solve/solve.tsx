import { useState } from "preact/hooks";
import { at, post, type Problem } from "../../lib/api";
import { now } from "../../lib/clock";
import { useKeys } from "../../lib/keys";
import { go } from "../../lib/route";
import { putSolve, user } from "../../lib/store";
import { group, lasting, money, when } from "../../lib/text";
import type { Detail, Solve } from "../../lib/types";
import { moments } from "../../play/moments";
import { merge } from "../../play/play";
import { Glyph } from "../../parts/glyph";
import { showStart } from "../../parts/overlays";
import { Seats } from "../../parts/seats";
import { Strip } from "../../parts/shell";
import { Key, Top } from "../../parts/small";
import { Ready } from "../../parts/state";
import { took } from "../../lib/words";
import { limit } from "../solves";
import { Answer, Fields, Outcome } from "./answer";
import { Figure } from "./figure";
import { Log } from "./log";
import { Rail } from "./rail";
import { Retract } from "./retract";
import { useDetail, useView, type View } from "./state";
import { situation, Verdict } from "./verdict";

export function SolveScreen({ id }: { id: string }) {
  const loaded = useDetail(id);
  return loaded.data ? <Loaded detail={loaded.data} again={loaded.again} put={(d) => loaded.put((old) => (old.seq > d.seq ? merge(d, old) : d))} /> : <><Head title="Solve" /><Strip /><Ready of={loaded}>{() => null}</Ready></>;
}

function Loaded({ detail, again, put }: { detail: Detail; again: () => void; put: (d: Detail) => void }) {
  const view = useView(detail);
  useSolveKeys(view);
  return (
    <>
      <Head title={detail.thread} detail={detail} again={again} />
      <Strip />
      <div class="solve">
        <div class="col">
          <Verdict view={view} />
          <HowItWent view={view} />
          <Fields view={view} />
          <Answer view={view} />
          <Outcome view={view} />
          <Log view={view} />
        </div>
        <Rail view={view} />
      </div>
      <Retract view={view} done={put} />
    </>
  );
}

function Head({ title, detail: d, again }: { title: string; detail?: Detail; again?: () => void }) {
  const [wrong, setWrong] = useState("");
  const [seats, showSeats] = useState(false);
  const act = async (what: "cancel" | "resume") => {
    try {
      putSolve(await post<Solve>(`solves/${at(d!.id)}/${what}`));
      setWrong("");
      again?.();
    } catch (e) {
      setWrong((e as Problem).message);
    }
  };
  const live = d && (d.state === "running" || d.state === "waiting");
  return (
    <Top title={title} crumb={<a class="crumb" href="/solves"><span class="onlyn"><Glyph name="prev" /> </span>Solves<span class="onlyw"> /</span></a>}>
      {d && <>
        {wrong && <span class="no" role="alert">{wrong}</span>}
        <span class="mut onlyw facts-line">{when(d.began)} · {lasting(took(d, d.ended ? 0 : now.value))}{d.cost.dollars ? ` · ${money(d.cost.dollars)}${d.budget ? ` of ${limit(d.budget.limit)}` : ""}` : ""}</span>
        <CopyLink />
        {d.trace?.url && <a class="btn onlyw" href={d.trace.url} target="_blank" rel="noopener noreferrer">Trace</a>}
        {live && d.team && <button class="btn onlyw" onClick={() => showSeats(true)}>Agents</button>}
        {seats && <Seats path={`solves/${at(d.id)}`} of={(a) => a.team === d.team} done={() => again?.()} close={() => showSeats(false)} />}
        {live && <button class="btn d" onClick={() => act("cancel")}>Cancel</button>}
        {d.state === "interrupted" && <button class="btn p" onClick={() => act("resume")}>Resume</button>}
        {!live && d.state !== "interrupted" && <button class="btn" onClick={showStart}>New solve</button>}
      </>}
    </Top>
  );
}

function CopyLink() {
  const [done, set] = useState(false);
  const copy = () => navigator.clipboard?.writeText(location.href).then(() => (set(true), setTimeout(() => set(false), 1500)));
  return <button class="btn onlyw" onClick={copy}>{done ? "Copied" : "Copy link"}</button>;
}

function HowItWent({ view }: { view: View }) {
  const { play } = view, s = situation(view);
  const step = (by: number) => (view.index.value = clamp(view.index.value + by, play.length));
  if (!play.length) return null;
  return (
    <section class="fig" aria-label="How it went">
      <div class="fighead">
        <h2>How it went {s.whatIf && <span>as the run itself counted, by {play.detail.terms.strategy}</span>}</h2>
        <div class="r">
          <span class="mut small onlyw">{group(play.length)} signals, in order</span>
          <button class="ib" aria-label="First signal" onClick={() => step(-Infinity)}><Glyph name="first" /></button>
          <button class="ib" aria-label="Signal before" onClick={() => step(-1)}><Glyph name="prev" /></button>
          <button class="ib" aria-label="Signal after" onClick={() => step(1)}><Glyph name="next" /></button>
          <button class="ib" aria-label="Last signal" onClick={() => step(Infinity)}><Glyph name="last" /></button>
          <span class="onlyw"><Key of="ArrowLeft" /><Key of="ArrowRight" /></span>
        </div>
      </div>
      <Figure play={play} steps={play.detail.steps} threshold={play.detail.threshold} leader={play.leader?.id ?? ""} at={view.index} />
      <MomentList view={view} />
      <Legend letter={s.letter || "A"} />
    </section>
  );
}

const clamp = (i: number, n: number) => Math.max(0, Math.min(n - 1, i));

function MomentList({ view }: { view: View }) {
  const all = moments(view.play, user.value).sort((a, b) => b.weight - a.weight).slice(0, 7).sort((a, b) => a.seq - b.seq);
  return <div class="moments">{all.map((m, i) => <button key={m.seq} onClick={() => view.go(m.seq)}><b>{i + 1}</b><span>{m.text}</span><span class="ref">#{m.seq}</span></button>)}</div>;
}

const Legend = ({ letter }: { letter: string }) => (
  <div class="lg">
    <span><Glyph name="finding" /> finding</span><span><Glyph name="doubt" /> doubt</span><span><Glyph name="challenge" /> challenge</span>
    <span><Glyph name="tool" /> tool</span><span><Glyph name="escalation" tone="hu" /> escalation</span><span><Glyph name="person" tone="hu" /> a person</span>
    <span><b class="disc">{letter}</b> votes for {letter}</span><span><b class="disc ring">{letter}</b> against {letter}</span>
    <span><svg class="swatch" viewBox="0 0 16 10" aria-hidden="true"><rect class="hatch-back" width="16" height="10" /><path class="hatch-line" d="M2 10 12 0M-4 10 6 0M8 10 18 0" /></svg> held for an answer</span>
  </div>
);

function useSolveKeys(view: View) {
  const { play, index } = view;
  const to = (i: number) => (index.value = clamp(i, play.length));
  const round = (by: number) => {
    const starts = play.rounds.map((r) => r.from);
    const next = by > 0 ? starts.find((s) => s > index.peek()) : starts.filter((s) => s < index.peek()).pop();
    to(next ?? (by > 0 ? play.length - 1 : 0));
  };
  const moment = (by: number) => {
    const all = moments(play, user.value).map((m) => play.index(m.seq));
    to((by > 0 ? all.find((i) => i > index.peek()) : all.filter((i) => i < index.peek()).pop()) ?? (by > 0 ? play.length - 1 : 0));
  };
  useKeys("This solve", [
    { keys: "ArrowLeft", does: "signal before", run: () => to(index.peek() - 1) },
    { keys: "ArrowRight", does: "signal after", run: () => to(index.peek() + 1) },
    { keys: "Shift+ArrowLeft", does: "round before", run: () => round(-1) },
    { keys: "Shift+ArrowRight", does: "round after", run: () => round(1) },
    { keys: "p", does: "moment before", run: () => moment(-1) },
    { keys: "n", does: "moment after", run: () => moment(1) },
    { keys: "Home", does: "the beginning", run: () => to(0) },
    { keys: "End", does: "the end", run: () => to(play.length - 1) },
    { keys: "w", does: "what if", run: () => document.querySelector<HTMLElement>(".wi")?.focus() },
    { keys: "o", does: "answer what it asks", run: () => {
      const item = play.asks()[0]?.item;
      if (item) go("/inbox/" + encodeURIComponent(item));
    } },
    { keys: "x", does: "back to the run's own count", run: () => {
      view.strategy.value = "";
      view.threshold.value = 0;
    } },
  ]);
}

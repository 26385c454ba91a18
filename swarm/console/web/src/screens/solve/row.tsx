import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { memo } from "../../lib/memo";
import { name } from "../../lib/store";
import { clean, count, group, lasting, two } from "../../lib/text";
import type { Debate, Said } from "../../lib/types";
import type { Play } from "../../play/play";
import { Glyph, glyphOf } from "../../parts/glyph";
import { Letter } from "../../parts/small";
import { Ref } from "./ref";
import type { View } from "./state";

interface RowProps { i: number; said: Said; view: View; play: Play }

// Row is one signal in words: glyph, colour and word say what it is.
export const Row = memo(({ i, said: s, view, play }: RowProps) => {
  const key = ["proposal", "challenge", "consensus", "escalation"].includes(s.form) || (s.form === "tool" && !s.error) || s.about === "person";
  const cls = ["e", key && "key", s.about === "system" && s.form !== "consensus" && "sys"].filter(Boolean).join(" ");
  return (
    <div class={cls} data-i={i} data-seq={s.seq} onClick={(e) => (e.target as Element).closest("a,button,summary") || getSelection()?.toString() || view.go(s.seq, false)}>
      <span class="s">{s.seq}</span>
      <Icon s={s} play={play} />
      <span class="who" title={clean(s.by)}>{clean(name(s.by))}</span>
      <div class="t">{body(s, play, view)}<TakenBack s={s} view={view} play={play} /></div>
    </div>
  );
});

// TakenBack says that a signal was taken back, or lets a person take it back.
function TakenBack({ s, view, play }: { s: Said; view: View; play: Play }) {
  if (!retractable.has(s.form) || !play.detail.team) return null;
  const back = play.back(s.seq);
  if (back) return <p class="no taken">Taken back <Ref seq={back.seq} view={view} /></p>;
  return <button class="fold back" onClick={() => (view.back.value = s.seq)}>Take back</button>;
}

const retractable = new Set(["finding", "memory", "tool", "proposal", "vote", "doubt", "challenge"]);

function Icon({ s, play }: { s: Said; play: Play }) {
  if (s.form === "proposal") return <L id={s.proposal} play={play} />;
  if (s.form === "vote") return <Glyph name={s.stance ?? "abstain"} tone={{ agree: "ye", disagree: "no", abstain: "mut" }[s.stance ?? "abstain"]} />;
  if (play.people.has(s.by)) return <Glyph name="person" tone="hu" />;
  return <Glyph name={glyphOf[s.form] ?? "note"} tone={s.form === "escalation" ? "hu" : s.form === "consensus" ? "ye" : s.error || s.form === "failed" ? "no" : ""} />;
}

const L = ({ id, play }: { id?: string; play: Play }) => {
  const letter = play.letter(id), choice = play.leader?.id;
  return letter ? <Letter of={letter} win={play.proposal(id)?.id === choice} /> : null;
};

function body(s: Said, play: Play, view: View): ComponentChildren {
  const target = s.target ? play.at(s.target) : undefined;
  const about = target && <>{target.proposal && target.form === "proposal" ? <L id={target.proposal} play={play} /> : <Ref seq={target.seq} view={view} />} </>;
  switch (s.form) {
    case "vote": return <Ballot s={s} play={play} view={view} />;
    case "proposal": return <><Words text={s.text} /><p class="why">{clean(s.reason ?? "")} <span class="mut">· confidence {two(s.sure)}</span></p></>;
    case "doubt": return <p><span class="sev">{s.severity} doubt about</span> {about}{clean(s.text)}</p>;
    case "challenge": return <><p>{about}{clean(s.text)}</p>{s.reason && <p class="why">Offers instead: {clean(s.reason)}</p>}</>;
    case "finding": return <><Words text={s.text} /><p class="mut">{s.reason && clean(s.reason) + " · "}confidence {two(s.sure)}</p></>;
    case "tool": return <><Words text={s.text || "(nothing)"} /><p class="mut">{clean(s.reason ?? "a tool")}{s.millis ? ", " + lasting(s.millis) : ""}{s.error && <span class="no"> · failed</span>}</p></>;
    case "conflict": return <p>{play.detail.terms.reason && play.detail.conflicts.length > 1 ? `${count(play.detail.conflicts.length, "conflict")} between answers` : <>Conflict: {pair(s, play) ?? clean(s.text)}</>}</p>;
    case "settled": return <p>Settled{s.text && ` by ${how[s.text] ?? s.text}`}{s.proposal && <>: <L id={s.proposal} play={play} /> stands</>}{s.reason && <> <span class="mut">{clean(s.reason)}</span></>}</p>;
    case "consensus": return <><p class="ye">Consensus on <L id={s.proposal} play={play} /></p><p class="why">{clean(play.detail.decision?.reason ?? s.text)}</p></>;
    case "escalation": return <Question s={s} play={play} view={view} />;
    case "same": return <p>The same as <L id={s.proposal} play={play} /> <span class="mut">{clean(s.text)}</span></p>;
    case "memory": return <><Words text={s.text} /><p class="mut">{s.by === "system" ? "recalled" : "shared"}{s.reason && " · " + clean(s.reason)}</p></>;
    case "note": return <><p>{s.severity && <span class="sev">{clean(s.severity)} </span>}{clean(s.text)}</p>{s.reason && <p class="why">{clean(s.reason)}</p>}</>;
  }
  return <><Words text={s.text} />{s.reason && <p class="why">{clean(s.reason)}</p>}</>;
}

const how: Record<string, string> = { same: "being the same", majority: "the majority", debate: "the debate", escalate: "a person" };

function pair(s: Said, play: Play): ComponentChildren {
  const c = play.detail.conflicts.find((c) => c.seq === s.target);
  return c && <><L id={c.a} play={play} /> and <L id={c.b} play={play} /> cannot both be done</>;
}

function Ballot({ s, play, view }: { s: Said; play: Play; view: View }) {
  const tone = { agree: "ye", disagree: "no", abstain: "mut" }[s.stance ?? "abstain"];
  const word = { agree: "for", disagree: "against", abstain: "abstains on" }[s.stance ?? "abstain"];
  const was = s.was, moved = was && was.proposal !== s.proposal;
  return (
    <p>
      <span class={"st " + tone}>{word} <L id={s.proposal} play={play} /> {two(s.weight ?? 0)}</span> <span class="why">{clean(s.text)}</span>{" "}
      {moved && <span class="turn">was for {play.letter(was.proposal)} <Ref seq={was.seq} view={view} /></span>}
      {was && !moved && (was.stance !== s.stance ? <span class="turn">was {was.stance === "agree" ? "for" : was.stance === "disagree" ? "against" : "abstaining"} <Ref seq={was.seq} view={view} /></span> : was.weight !== s.weight && <span class="turn weak">was {two(was.weight)}</span>)}
    </p>
  );
}

function Question({ s, play, view }: { s: Said; play: Play; view: View }) {
  const e = play.detail.escalations.find((e) => e.seq === s.seq);
  const open = !e?.answer;
  return (
    <div class={"box wide" + (open && e?.item ? " h" : "")}>
      <div class="hd"><b class="b">Asks you: {clean(s.text)}</b>{e?.answer && <span class="r">waited {lasting(Date.parse(e.answer.time) - Date.parse(e.time))}</span>}</div>
      {s.reason && <p class="ink2">{clean(s.reason)}</p>}
      {e?.answer && <p><Glyph name="person" tone="hu" /> <b class="b">{name(e.answer.by) === "you" ? "You" : clean(e.answer.by)}</b> {e.answer.vote && <>{{ agree: "for", disagree: "against", abstain: "abstains on" }[e.answer.stance ?? "agree"]} <L id={e.answer.vote} play={play} /> </>}{clean(e.answer.text ?? "")} {e.answer.seq && <Ref seq={e.answer.seq} view={view} />}</p>}
      {e?.item && <p><a class="ac" href={"/inbox/" + encodeURIComponent(e.item)}>Answer in the inbox</a></p>}
    </div>
  );
}

interface DebateProps { i: number; debate: Debate; view: View; play: Play }

// DebateRow shows the sides of a debate in columns.
export const DebateRow = memo(({ i, debate: d, view, play }: DebateProps) => {
  const sides: [string, string][] = [[d.a, d.forA], [d.b, d.forB]];
  return (
    <div class="e" data-i={i} data-seq={d.seq}>
      <span class="s">{d.arguments[0]?.seq ?? d.seq}</span><Glyph name="debate" /><span class="who">debate</span>
      <div class="t wide">
        <p><L id={d.a} play={play} /> against <L id={d.b} play={play} /> <span class="mut">{group(d.arguments.length)} arguments</span></p>
        <div class="box deb">
          {sides.map(([id, who]) => (
            <div key={id}>
              <h3>{clean(name(who))} <span class="ink2">for</span> <L id={id} play={play} /></h3>
              {d.arguments.filter((a) => a.for === id).map((a) => <p key={a.seq}><Ref seq={a.seq} view={view} />{clean(a.text)}</p>)}
            </div>
          ))}
        </div>
        {d.ended && <p class="mut">{d.winner ? <><L id={d.winner} play={play} /> stands. </> : "Both stand. "}{clean(d.reason ?? "")} <Ref seq={d.ended} view={view} /></p>}
      </div>
    </div>
  );
});

const most = 700;

// Words is a text of any length: a long one is opened on demand.
function Words({ text }: { text: string }) {
  const [open, set] = useState(false);
  const said = clean(text);
  if (said.length <= most || open) return <p>{said}</p>;
  return <p>{said.slice(0, most)}… <button class="fold" onClick={() => set(true)}>all {group(said.length)} characters</button></p>;
}

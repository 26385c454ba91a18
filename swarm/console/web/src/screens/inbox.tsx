import { signal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { at, post, Problem } from "../lib/api";
import { now } from "../lib/clock";
import { link } from "../lib/feed";
import { useKeys } from "../lib/keys";
import { go } from "../lib/route";
import { inbox, name, putItem, waiting } from "../lib/store";
import { ago, clean, clock, needed, two } from "../lib/text";
import type { Answered, Item, Stance, Verdict } from "../lib/types";
import { Glyph } from "../parts/glyph";
import { Strip } from "../parts/shell";
import { Gauge, Key, Letter, Segments, Top } from "../parts/small";
import { Empty, Loading } from "../parts/state";
import { solves } from "../lib/store";

// late says, by item, what became of an answer that was not the first.
const late = signal<Record<string, string>>({});
const who = (a: Answered) => (name(a.by) === "you" ? "another person" : clean(a.by)); // the user is in several windows
const tooLate = (item: Item, text: string) => void (late.value = { ...late.peek(), [item.id]: text });

const path = (i: Item) => "/inbox/" + encodeURIComponent(i.id);

export function Inbox({ id }: { id: string }) {
  const all = inbox.value;
  const open = [...waiting.value].sort((a, b) => a.since.localeCompare(b.since));
  const done = (all ?? []).filter((i) => !i.open).sort((a, b) => (b.answer?.time ?? b.since).localeCompare(a.answer?.time ?? a.since));
  const wide = innerWidth > 640;
  // A question that is shown stays when it is answered or when another one comes, so that no
  // form changes under the hands of a person.
  const shown = useRef("");
  const item = (all ?? []).find((i) => i.id === (id || (wide && shown.current))) ?? (id || !wide ? undefined : open[0] ?? done[0]);
  shown.current = item && (item.open || item.id === shown.current) ? item.id : "";
  const order = [...open, ...done];
  const step = (by: number) => {
    const next = order[Math.max(0, Math.min(order.length - 1, order.findIndex((i) => i.id === item?.id) + by))];
    if (next) go(path(next), true);
  };
  useKeys("Inbox", [
    { keys: "j", does: "next", run: () => step(1) },
    { keys: "k", does: "previous", run: () => step(-1) },
    { keys: "o", does: "open the solve", run: () => item && go(`/solves/${encodeURIComponent(item.solve)}?at=${item.seq}`) },
  ]);
  return (
    <>
      <Top title="Inbox" crumb={id && <a class="crumb onlyn" href="/inbox" aria-label="All questions"><Glyph name="prev" /></a>}>
        <span class="mut">{open.length ? `${open.length} ${open.length === 1 ? "waits" : "wait"}, oldest ${ago(now.value - Date.parse(open[0].since))}` : "nothing waits"}</span>
      </Top>
      <Strip />
      {!all ? <Loading /> : !all.length ? <Empty title="Nobody asks for you"><p>When an agent cannot decide without a person, or wants to use a tool that needs a permission, it waits here.</p></Empty> : (
        <div class={"inbox" + (item ? " has" : "")}>
          <div class="list" role="region" aria-label="Questions" tabIndex={0}>
            <div class="grp">Waiting <span>{open.length}</span></div>
            {!open.length && <p class="mut it">Nothing waits for you.</p>}
            {open.map((i) => <Line key={i.id} i={i} on={i === item} />)}
            {done.length > 0 && <div class="grp">Answered <span>{done.length}</span></div>}
            {done.map((i) => <Line key={i.id} i={i} on={i === item} />)}
          </div>
          <div class="det">{item ? <Detail key={item.id} item={item} /> : id ? <Empty title="This question is not here"><p>It may belong to another server. <a class="ac" href="/inbox">All questions</a></p></Empty> : null}</div>
        </div>
      )}
    </>
  );
}

function Line({ i, on }: { i: Item; on: boolean }) {
  const title = i.tool ? `Use ${i.tool.tool}` : i.reason;
  return (
    <a class="it fresh" href={path(i)} aria-current={on ? "true" : undefined}>
      <Glyph name={i.open ? (i.tool ? "tool" : "escalation") : "person"} tone={i.open ? "hu" : "mut"} label={i.open ? "waits" : "answered"} />
      <span class="tt">{clean(title).slice(0, 140)}</span>
      <span class="w">{i.open ? ago(now.value - Date.parse(i.since)) : clock(i.answer?.time ?? i.since)}</span>
      <span class="x">{clean(i.asks)} · {clean(i.task)}</span>
      {i.answer && <span class="x">{said(i.answer, i)}</span>}
    </a>
  );
}

const words: Record<string, string> = { agree: "for ", disagree: "against ", abstain: "abstains on " };

const verdicts: Partial<Record<Verdict, string>> = { deny: "Denied by ", edit: "Approved with changed arguments by ", respond: "Answered instead of the tool by " };

function said(a: Answered, i: Item): string {
  const who = (name(a.by) === "you" ? "you" : clean(a.by)) + (a.from && a.from !== "person" ? ` (${a.from === "agent" ? "an agent" : "a program"})` : "");
  if (i.tool) return (verdicts[a.verdict as Verdict] ?? "Approved by ") + who + (a.text ? `: “${clean(a.text)}”` : "");
  const letter = i.options.find((o) => o.proposal === a.vote)?.letter;
  return `Answered by ${who}: ` + [letter && words[a.stance ?? "agree"] + letter, a.text && `“${clean(a.text)}”`].filter(Boolean).join(", ");
}

function Detail({ item }: { item: Item }) {
  return (
    <>
      <div class="in">
        <p class="ink2">
          <span class={"st " + (item.open ? "hu" : "")}><Glyph name={item.tool ? "tool" : "escalation"} /> {item.tool ? "Tool approval" : "Escalation"}</span> {item.tool ? "for" : "by"} <b class="b ink">{clean(item.tool?.agent ?? item.asks)}</b> in{" "}
          <a class="ac" href={`/solves/${encodeURIComponent(item.solve)}?at=${item.seq}`}>{clean(item.solve)}</a> <span class="ref">#{item.seq}</span>
          {item.open && <> · <span class="nw">waits {ago(now.value - Date.parse(item.since))}</span></>}
        </p>
        {item.tool ? <ToolFacts item={item} /> : <Question item={item} />}
      </div>
      {late.value[item.id] && <p class="said no" role="alert">{late.value[item.id]}</p>}
      {item.answer ? <Answer item={item} a={item.answer} /> : !item.open ? <p class="said mut">The solve went on without an answer.</p> : item.tool ? <VerdictForm item={item} /> : <AnswerForm item={item} />}
    </>
  );
}

function Question({ item }: { item: Item }) {
  const options = [...item.options].sort((a, b) => b.support - a.support), first = options[0];
  const solve = (solves.value ?? []).find((s) => s.id === item.solve);
  return (
    <>
      <h2 class="T">{clean(item.reason)}</h2>
      {item.context && <p class="lead">{clean(item.context)}</p>}
      <p class="ink2 lead">The question of the solve: {clean(item.task)}</p>
      {first && (
        <>
          <h3>{item.open ? "Where it stands" : "Where it stands now"}</h3>
          <div class="two">
            {options.map((o) => (
              <div key={o.proposal}>
                <p><Letter of={o.letter} win={o === first && o.support > 0} /> <b class="b">{clean(o.content)}</b></p>
                <p><span class="st ye"><Glyph name="agree" label="for" /> {o.for.length}</span> {o.for.map((v) => clean(name(v))).join(", ") || "nobody"}</p>
                {o.against.length > 0 && <p><span class="st no"><Glyph name="disagree" label="against" /> {o.against.length}</span> {o.against.map((v) => clean(name(v))).join(", ")}</p>}
              </div>
            ))}
          </div>
          {solve && <div class="standing"><Gauge support={first.support} threshold={solve.threshold} /></div>}
          <p class="ink2">{first.letter} has <b class="b ink">{two(first.support)}</b>{solve && `, needs ${needed(solve.threshold)}`}.{item.open && " The solve goes on as soon as you answer; the first answer counts. Until then nothing is decided."}</p>
        </>
      )}
    </>
  );
}

function ToolFacts({ item }: { item: Item }) {
  const t = item.tool!;
  return (
    <>
      <h2 class="T">May {clean(t.agent)} use {clean(t.tool)}?</h2>
      <pre class="cmd" aria-label="The call, as it is sent">{t.detail}</pre>
      <dl class="kv open">
        <dt>Asks</dt><dd><b class="b">{clean(t.agent)}</b>, in “{clean(item.task)}”</dd>
        {t.changed && <><dt>Careful</dt><dd class="no">The tool is not what it was when it was offered: both definitions are above.</dd></>}
      </dl>
    </>
  );
}

const Answer = ({ item, a }: { item: Item; a: Answered }) => (
  <div class="said">
    <p><Glyph name="person" tone="hu" /> <b class="b">{name(a.by) === "you" ? "You" : clean(a.by)}</b> <span class="mut">{clock(a.time)}</span></p>
    <p>{said(a, item)}</p>
    {a.seq && <p><a class="ac" href={`/solves/${encodeURIComponent(item.solve)}?at=${a.seq}`}>What followed</a></p>}
  </div>
);

// useSend sends an answer once. The second of two answers gets that of the first.
function useSend(item: Item, written: string) {
  const [state, set] = useState<{ busy?: boolean; wrong?: string }>({});
  const unsent = useRef("");
  unsent.current = state.busy ? "" : written.trim();
  useEffect(() => () => {
    const now = inbox.peek()?.find((i) => i.id === item.id);
    if (unsent.current && now && !now.open) tooLate(item, `What you wrote was not sent: ${now.answer ? who(now.answer) + " has answered first" : "the solve went on"}.`);
  }, []);
  const send = async (path: string, body: object) => {
    if (state.busy) return;
    set({ busy: true });
    try {
      putItem(await post<Item>(`inbox/${at(item.id)}/${path}`, body));
    } catch (e) {
      const p = e as Problem, first = p.body.answered as Answered | undefined;
      if (first) {
        tooLate(item, `Yours was not taken: ${who(first)} has answered first.`);
        return putItem({ ...item, open: false, answer: first });
      }
      set({ wrong: p.message });
    }
  };
  return { ...state, wrong: state.wrong ?? (["reconnecting", "silent"].includes(link.value.state) ? "The server is away: an answer can be sent when it is back." : ""), send };
}

function AnswerForm({ item }: { item: Item }) {
  const options = [...item.options].sort((a, b) => b.support - a.support);
  // What a person chose stays chosen, by its id, however the list moves; "" is their own words.
  const [choice, choose] = useState(options[0]?.proposal ?? "");
  const [text, type] = useState("");
  const [stance, take] = useState<Stance>("agree");
  const field = useRef<HTMLTextAreaElement>(null);
  const { busy, wrong, send } = useSend(item, text);
  const chosen = options.find((o) => o.proposal === choice), own = !choice;
  const gone = !own && !chosen;
  const needs = own || stance !== "agree"; // a text
  const answer = () => (gone ? undefined : needs && !text.trim() ? field.current?.focus() : void send("answer", { ...(!own && { vote: choice, stance }), ...(text.trim() && { text: text.trim() }) }));
  const pick = (id: string) => {
    choose(id);
    if (!id) field.current?.focus();
  };
  useKeys("Answer", [
    ...[...options, null].slice(0, 9).map((o, i) => ({ keys: String(i + 1), does: o ? "for " + o.letter : "own words", run: () => pick(o?.proposal ?? "") })),
    { keys: "Mod+Enter", does: "send", run: () => void answer(), typing: true },
  ]);
  return (
    <div class="act">
      <div role="radiogroup" aria-label="Answer">
        {options.map((o, i) => (
          <button key={o.proposal} class="opt" role="radio" aria-checked={choice === o.proposal} onClick={() => pick(o.proposal)}>
            <kbd>{i + 1}</kbd><span><b class="b">{o.letter}</b> {clean(o.content)}</span><span class="mut">{o.for.length ? "for it: " + o.for.map(clean).join(", ") : ""}</span>
          </button>
        ))}
        <button class="opt" role="radio" aria-checked={own} onClick={() => pick("")}><kbd>{options.length + 1}</kbd><span>Answer in your own words</span><span /></button>
      </div>
      {gone && <p class="wrong" role="alert">What you chose is not an option any more: choose again.</p>}
      {chosen && <p class="ink2">Your vote on {chosen.letter}: <Segments label="Stance" value={stance} set={take} options={[["agree", "for"], ["disagree", "against"], ["abstain", "abstain"]]} /></p>}
      <textarea ref={field} class="ta" rows={2} aria-label={own ? "Your answer" : "A condition or a reason"} placeholder={own ? "Your answer (the agents read it)" : needs ? "Reason (needed; the agents read it)" : "Add a condition or a reason (the agents read it)"} value={text} onInput={(e) => type(e.currentTarget.value)} />
      {wrong && <p class="wrong" role="alert">{wrong}</p>}
      <div class="row wrapped"><button class="btn p" disabled={busy || gone || (needs && !text.trim())} onClick={answer}>Send answer <Key of="Mod+Enter" /></button><Hints /></div>
    </div>
  );
}

const Hints = () => <span class="hint"><span><Key of="j" /><Key of="k" />next, previous</span><span><Key of="o" />open the solve</span></span>;

function VerdictForm({ item }: { item: Item }) {
  const t = item.tool!;
  const [reason, type] = useState("");
  const [asked, ask] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const { busy, wrong, send } = useSend(item, reason);
  const decide = (verdict: Verdict, more: object = {}) => send("verdict", { verdict, shown: t.shown, ...(reason.trim() && { reason: reason.trim() }), ...more });
  const allow = (verdict: "once" | "solve") => decide(verdict);
  const deny = () => {
    if (reason.trim()) return void decide("deny");
    ask(true);
    field.current?.focus();
  };
  useKeys("Tool approval", [
    { keys: "a", does: "approve once", run: () => void allow("once") },
    { keys: "s", does: t.solve ? "approve for this solve" : "", run: () => t.solve && void allow("solve") },
    { keys: "d", does: "deny (needs a reason)", run: deny },
    { keys: "Mod+Enter", does: "", run: () => (asked ? deny() : void allow("once")), typing: true },
  ]);
  useEffect(() => void (asked && !reason && field.current?.focus()), [asked]);
  return (
    <div class="act">
      <textarea ref={field} class="ta" rows={2} aria-label="Reason" placeholder="Reason (needed to deny; the agent reads it)" value={reason} onInput={(e) => type(e.currentTarget.value)} />
      {(wrong || (asked && !reason.trim())) && <p class="wrong" role="alert">{wrong || "Say why, so that the agent can do something else."}</p>}
      <div class="row wrapped">
        <button class="btn p" disabled={busy} onClick={() => allow("once")}>Approve once <Key of="a" /></button>
        {t.solve && <button class="btn" disabled={busy} onClick={() => allow("solve")}>For this solve <Key of="s" /></button>}
        <button class="btn d" disabled={busy} onClick={deny}>Deny <Key of="d" /></button>
        <Hints />
      </div>
    </div>
  );
}

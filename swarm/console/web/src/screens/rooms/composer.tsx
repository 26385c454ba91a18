import { useRef, useState } from "preact/hooks";
import { at, post, type Problem } from "../../lib/api";
import { useKeys } from "../../lib/keys";
import { link } from "../../lib/feed";
import { write } from "../../lib/mine";
import { clean } from "../../lib/text";
import type { Receipt, Room } from "../../lib/types";
import { Key, Segments } from "../../parts/small";
import type { Talk } from "./talk";

type Priority = "urgent" | "normal" | "background";
type Message = { content: string; priority?: Priority }; // without a priority: by its words

// Composer sends messages to a room. Those that were written while the server was away are sent
// when it is back.
export function Composer({ room, talk, sent }: { room: Room; talk: Talk; sent: () => void }) {
  const [text, type] = useState("");
  const [priority, set] = useState<Priority | "">("");
  const [said, say] = useState<{ wrong?: string; note?: string }>({});
  const [queue, setQueue] = useState<Message[]>([]);
  const field = useRef<HTMLTextAreaElement>(null);
  const busy = useRef(false);
  const away = link.value.state !== "live";
  const deliver = async (m: Message) => {
    write(room.room, m.content);
    const r = await post<Receipt>(`rooms/${at(room.room)}/messages`, m);
    say({ note: r.full?.length ? `${r.full.map(clean).join(", ")} cannot take it: too much waits there.` : r.priority !== (m.priority ?? "urgent") ? `It counts as ${r.priority}: ${clean(r.why)}.` : "" });
    sent();
  };
  const send = async () => {
    const m = read(text.trim(), priority);
    if (!text.trim() || busy.current) return;
    if (typeof m === "string") return say({ wrong: m });
    type("");
    if (away) return setQueue((q) => [...q, m]);
    busy.current = true;
    try {
      await deliver(m);
    } catch (e) {
      type(text);
      say({ wrong: (e as Problem).message });
    }
    busy.current = false;
  };
  if (!away && queue.length && !busy.current) {
    busy.current = true;
    const [first, ...rest] = queue;
    deliver(first).then(() => setQueue(rest), (e: Problem) => say({ wrong: e.message })).finally(() => (busy.current = false));
  }
  useKeys("This room", [
    { keys: "Alt+0", does: "by its words", run: () => set(""), typing: true },
    { keys: "Alt+1", does: "urgent", run: () => set("urgent"), typing: true },
    { keys: "Alt+2", does: "normal", run: () => set("normal"), typing: true },
    { keys: "Alt+3", does: "background", run: () => set("background"), typing: true },
    { keys: "Mod+Enter", does: "send", run: () => void send(), typing: true },
    { keys: "m", does: "write", run: () => field.current?.focus() },
  ]);
  return (
    <div class="comp">
      <Now room={room} talk={talk} />
      {queue.map((m, i) => <p class="queued small" key={i}>Sent when the server is back: {m.content}</p>)}
      {said.wrong && <p class="wrong" role="alert">{said.wrong}</p>}
      {said.note && <p class="mut small" role="status">{said.note}</p>}
      <form class="bx" onSubmit={(e) => { e.preventDefault(); void send(); }}>
        <textarea ref={field} aria-label={"Message to " + room.room} placeholder={"Write to " + room.room} rows={1} value={text} onInput={(e) => type(e.currentTarget.value)} />
        <div class="ft">
          <Segments label="Priority" value={priority} set={set} options={[["", "by its words"], ["urgent", <><b class="no">!</b> urgent</>], ["normal", "normal"], ["background", "· background"]]} />
          <div class="r"><span class="hint onlyw"><span><Key of="Alt+0" />–<Key of="3" />priority</span></span><button class="btn p" disabled={!text.trim()}>Send <Key of="Mod+Enter" /></button></div>
        </div>
      </form>
    </div>
  );
}

// read returns the message of a text, or why it is none. A text that begins with a slash is a
// command, as in the terminal.
function read(text: string, priority: Priority | ""): Message | string {
  const [, command, rest] = text.match(/^(\/\S*)\s*([^]*)$/) ?? [];
  if (command === undefined) return priority ? { content: text, priority } : { content: text };
  const own = command.slice(1) as Priority;
  if (["urgent", "normal", "background"].includes(own)) return rest ? { content: rest, priority: own } : `${command} TEXT: say what.`;
  if (command === "/decide") return "/decide is a command of swarmbus rooms. Here “@NAME decide: QUESTION” to the chair has the members decide, if the office has one.";
  return `${command} is no command of this page, which has /urgent, /normal and /background; others are those of swarmbus rooms. Nothing was sent.`;
}

// Now says who writes, who passed and who is next. A pass fades, at the place of the agent that
// was asked.
function Now({ room, talk }: { room: Room; talk: Talk }) {
  const writing = new Set([...talk.writing.values()].map((w) => w.from));
  const thinking = room.members.filter((m) => m.running && !writing.has(m.name));
  const next = room.members.filter((m) => !m.running && m.urgent + m.normal + m.background + m.mail > 0);
  return (
    <div class="ln" aria-live="polite">
      {[...writing].map((w) => <span key={w}><b class="b ink2">{clean(w)}</b> is writing</span>)}
      {thinking.map((m) => <span key={m.name}><b class="b ink2">{clean(m.name)}</b> is thinking</span>)}
      {[...talk.passed].map(([who, when]) => <span key={who + when} class="passed">{clean(who)} passed</span>)}
      {next.slice(0, 2).map((m) => <span key={m.name}>{clean(m.name)} is next</span>)}
      {!writing.size && !thinking.length && !next.length && !talk.passed.size && <span>Everybody is idle. {room.members.length > 0 ? `@${room.members[0].name} asks one, a plain message asks all.` : ""}</span>}
    </div>
  );
}

import { useMemo } from "preact/hooks";
import { html } from "../../lib/markdown";
import { memo } from "../../lib/memo";
import { wrote } from "../../lib/mine";
import { session } from "../../lib/store";
import { clean, clock, lasting } from "../../lib/text";
import type { RoomEvent } from "../../lib/types";
import { Glyph } from "../../parts/glyph";

interface Props { e: RoomEvent; known: (ix: number) => boolean; writing?: boolean; joined?: boolean }

// Event is one event of a room, as the specification of rooms says it looks.
export const Event = memo(({ e, known, writing, joined }: Props) => {
  switch (e.type) {
    case "tool": return <Tool e={e} />;
    case "mailbox": return <Mail e={e} known={known} />;
    case "signal": return <p class="sx">§{e.ix} · {clean(e.by ?? "")}: {clean(e.kind ?? "")}</p>;
    case "system": return <p class="sx">{clean(e.content ?? "")} · {clock(e.ts)}</p>;
  }
  return <Message e={e} known={known} writing={writing} joined={joined} />;
});

export const initials = (name: string) => clean(name).slice(0, 2).replace(/^./, (c) => c.toUpperCase());

function Message({ e, known, writing }: Props) {
  const me = e.type === "user" && (!session.value?.demo || wrote(e.room, e.content ?? ""));
  const who = me ? "You" : e.type === "user" ? "The demo" : clean(e.from);
  return (
    <article class={"msg fresh" + (me ? " me" : "")} data-id={e.id}>
      <span class={"av" + (me ? " me" : "")} aria-hidden="true">{me ? "You" : initials(e.type === "user" ? "demo" : e.from)}</span>
      <div>
        <div class="h"><b>{who}</b><span title={clean(e.why ?? "")}>{writing ? "now" : clock(e.ts)}{e.turn > 0 && ` · turn ${e.turn}`}{(e.type === "user" || e.priority === "urgent") && ` · ${e.priority}`}</span></div>
        <Words text={e.content ?? ""} known={known} writing={writing} />
      </div>
    </article>
  );
}

export function Words({ text, known, writing }: { text: string; known: (ix: number) => boolean; writing?: boolean }) {
  const safe = useMemo(() => html(text, known), [text, known]);
  return <div class={"bub" + (writing ? " writing" : "")} dangerouslySetInnerHTML={{ __html: safe }} />;
}

function Tool({ e }: { e: RoomEvent }) {
  const busy = e.status === "pending" || e.status === "running";
  const time = e.duration_ms != null ? lasting(e.duration_ms) : "";
  return (
    <details class={"ex fresh" + (e.status === "error" ? " err" : "")} id={"§" + e.ix} data-ix={e.ix}>
      <summary>
        <span class="ix">§{e.ix}</span><Glyph name={e.tool_name === "Agent" ? "spawn" : "tool"} /><span class="lb">{clean(e.label || e.tool_name || "")}</span>
        <span class="stub">{busy ? <><i class="spin" /> {e.status}</> : clean(e.stub ?? "")}</span>
        <span class="du">{e.status === "error" ? "failed" + (time && ", " + time) : time}</span>
      </summary>
      <div class="bd">
        <p class="mut small">{clean(e.from)} called {clean(e.tool_name ?? "")} at {clock(e.ts)}</p>
        <div class="cmd">{clean(JSON.stringify(e.args, null, 1))}</div>
        {e.result != null ? <div class="cmd">{clean(e.result)}</div> : !busy && <p class="mut">It returned nothing.</p>}
        {e.stub != null && !busy && <p class="mut small">The agent keeps only the line above.</p>}
      </div>
    </details>
  );
}

function Mail({ e, known }: Props) {
  return (
    <details class="ex mail fresh" id={"§" + e.ix} data-ix={e.ix}>
      <summary>
        <span class="ix">§{e.ix}</span><Glyph name="mail" label="mail" /><span class="lb">{clean(e.from)}</span>
        <span class="stub">{clean(e.subject ?? "")}</span><span class="du">{clock(e.ts)}</span>
      </summary>
      <div class="bd"><Words text={e.body ?? ""} known={known} /><p class="mut small">mail {e.mailbox_id}{typeof e.to === "string" && e.to ? ` to ${clean(e.to)}` : ""}</p></div>
    </details>
  );
}

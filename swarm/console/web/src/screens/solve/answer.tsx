import { useState } from "preact/hooks";
import { at, put, type Problem } from "../../lib/api";
import { clean } from "../../lib/text";
import { Glyph } from "../../parts/glyph";
import { Letter } from "../../parts/small";
import { Ref } from "./ref";
import type { View } from "./state";

// Revised says whether the votes decide otherwise without what was taken back after the decision.
export function Revised({ view }: { view: View }) {
  const { play } = view, d = play.detail, r = d.revision;
  if (!r || !view.end.value) return null;
  if (view.strategy.value || view.threshold.value) return null; // the banner of what if says what is shown
  const now = `${r.strategy}: ${clean(r.reason)}`;
  const was = d.decision ? `${d.decision.outcome}${d.decision.choice ? " " + play.letter(d.decision.choice) : ""}` : "nothing";
  return (
    <div class={"then revised" + (r.changed ? " hold" : "")} role="status"><Glyph name="back" />
      <span>
        {r.changed ? "Without what was taken back after it, the decision changes: " : "The decision stays without what was taken back after it: "}{now}{r.changed && ` (it was ${was})`}.
        {!r.changed && r.said.map((seq) => <span key={seq}> <Ref seq={seq} view={view} /> {clean(play.at(seq)?.reason ?? "")}</span>)}
      </span>
    </div>
  );
}

// Answer is the answer as a text, whose citations lead to the signals.
export function Answer({ view }: { view: View }) {
  const a = view.play.detail.synthesis;
  if (!a || !view.end.value || view.strategy.value || view.threshold.value) return null; // it is the answer of the run itself, at its end
  return (
    <section class="written" aria-label="The answer in a text">
      <h2>In a text <span>{a.by ? `by ${clean(a.by)}` : a.why ? `from the log: ${clean(a.why)}` : "from the log"}</span></h2>
      {clean(a.text).split("\n").filter((line) => line.trim()).map((line, i) => <p key={i}>{cited(line, view)}</p>)}
    </section>
  );
}

// Outcome takes what turned out to be right, by which the team weighs its agents from then on.
export function Outcome({ view }: { view: View }) {
  const [said, say] = useState("");
  const { play } = view, d = play.detail, all = play.proposals(view.seq.value);
  if (!all.length || !view.end.value || view.strategy.value || view.threshold.value || d.state === "running" || d.state === "waiting") return null;
  const tell = (right: string, what: string) => put(`solves/${at(d.id)}/outcome`, { right }).then(() => say(`${what}: the team weighs its agents by it`), (e: Problem) => say(e.message));
  return (
    <section class="written" aria-label="What was right">
      <h2>What turned out to be right? <span>the last word counts</span></h2>
      <p>
        {all.map((p) => <span key={p.id}><button class="btn" aria-label={`${p.letter} was right`} onClick={() => tell(p.id, `${p.letter} was right`)}><Letter of={p.letter} /></button> </span>)}
        <button class="btn" onClick={() => tell("", "None of them was right")}>None of them</button> {said && <span role="status">{clean(said)}</span>}
      </p>
    </section>
  );
}

// Fields is a value as a table: how many agree on each field, and who has what else.
export function Fields({ view }: { view: View }) {
  const fields = view.play.detail.fields;
  if (!fields?.length || !view.end.value || view.strategy.value || view.threshold.value) return null;
  return (
    <section class="written" aria-label="The answer field by field">
      <h2>Field by field</h2>
      <table>
        <thead><tr><th scope="col">Field</th><th scope="col">Value</th><th scope="col">Agree</th><th scope="col">Instead</th></tr></thead>
        <tbody>{fields.map((f) => (
          <tr key={f.path}>
            <th scope="row">{clean(f.path || "value")}</th><td>{clean(f.value ?? "absent")}</td><td>{f.agree} of {f.of}</td>
            <td>{(f.other ?? []).map((o) => `${clean(o.value ?? "absent")}: ${o.by.map(clean).join(", ")}`).join("; ")}</td>
          </tr>
        ))}</tbody>
      </table>
    </section>
  );
}

// cited is a line with its citations, such as [12] or [12, 14], as links to signals that there are.
function cited(line: string, view: View) {
  return line.split(/(\[\d+(?:\s*,\s*\d+)*\])/).map((part, i) => {
    if (i % 2 === 0) return part;
    const seqs = part.slice(1, -1).split(",").map(Number);
    if (!seqs.every((seq) => view.play.at(seq))) return part;
    return seqs.map((seq, k) => <span key={seq}>{k > 0 && " "}<Ref seq={seq} view={view} /></span>);
  });
}

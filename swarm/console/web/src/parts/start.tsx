import { useState } from "preact/hooks";
import { post, type Problem } from "../lib/api";
import { useLoad } from "../lib/load";
import { go } from "../lib/route";
import { putSolve } from "../lib/store";
import { clean, count } from "../lib/text";
import type { Solve, Team } from "../lib/types";
import { Dialog } from "./dialog";
import { Glyph } from "./glyph";
import { Key } from "./small";
import { Ready } from "./state";

// NewSolve starts a solve from a team.
export function NewSolve({ close }: { close: () => void }) {
  const teams = useLoad<Team[]>("teams");
  return (
    <Dialog label="New solve" close={close}>
      <div class="sheet">
        <header><h2>New solve</h2><button class="ib" onClick={close} aria-label="Close"><Glyph name="close" /></button></header>
        <Ready of={teams}>{(all) => all.length ? <Form teams={all} close={close} /> : <p class="ink2">This server has no team. Name a team file in its configuration.</p>}</Ready>
      </div>
    </Dialog>
  );
}

function Form({ teams, close }: { teams: Team[]; close: () => void }) {
  const [task, setTask] = useState("");
  const [context, setContext] = useState("");
  const [team, setTeam] = useState((teams.find((t) => !t.problem) ?? teams[0]).name);
  const [state, set] = useState<{ busy?: boolean; wrong?: string }>({});
  const send = async () => {
    if (!task.trim() || state.busy) return;
    set({ busy: true });
    try {
      const solve = await post<Solve>("solves", { team, task, ...(context.trim() && { context }) });
      putSolve(solve);
      close();
      go("/solves/" + encodeURIComponent(solve.id));
    } catch (e) {
      set({ wrong: (e as Problem).message });
    }
  };
  const press = (e: KeyboardEvent) => e.key === "Enter" && (e.metaKey || e.ctrlKey) && (e.preventDefault(), void send());
  return (
    <form class="form" onKeyDown={press} onSubmit={(e) => { e.preventDefault(); void send(); }}>
      <label>What should be decided?<textarea class="ta" name="task" rows={3} autofocus required value={task} onInput={(e) => setTask(e.currentTarget.value)} /></label>
      <label>What they should know <span class="mut">(optional)</span><textarea class="ta" name="context" rows={2} value={context} onInput={(e) => setContext(e.currentTarget.value)} /></label>
      <div class="teams" role="radiogroup" aria-label="Team">
        {teams.map((t) => (
          <button key={t.name} type="button" role="radio" aria-checked={t.name === team} disabled={!!t.problem} onClick={() => setTeam(t.name)}>
            <Glyph name={t.name === team ? "live" : "task"} tone={t.name === team ? "ac" : "mut"} />
            <span>
              <b class="b">{clean(t.name)}</b> <span class="mut">{count(t.agents.length, "agent")}{t.budget ? ` · at most ${t.budget}` : ""} · {t.strategy}</span>
              <span class="sub tt">{clean(t.problem || t.description || t.agents.join(", "))}</span>
            </span>
          </button>
        ))}
      </div>
      {state.wrong && <p class="wrong" role="alert">{state.wrong}</p>}
      <div class="row"><button type="button" class="btn" onClick={close}>Cancel</button><button class="btn p" disabled={!task.trim() || state.busy}>Start <Key of="Mod+Enter" /></button></div>
    </form>
  );
}

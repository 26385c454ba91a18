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

// NewSolve starts a solve from a team. Its fields are there at once, so that nothing that is typed
// is lost while the teams are read.
export function NewSolve({ close }: { close: () => void }) {
  const teams = useLoad<Team[]>("teams");
  const [task, setTask] = useState("");
  const [context, setContext] = useState("");
  const [chosen, choose] = useState("");
  const [state, set] = useState<{ busy?: boolean; wrong?: string }>({});
  const team = teams.data?.find((t) => t.name === chosen) ?? teams.data?.find((t) => !t.problem) ?? teams.data?.[0];
  const strange = !!team?.tasks && !!task.trim() && !team.tasks.includes(task.trim());
  const ready = !!team && !!task.trim() && !strange && !state.busy;
  const send = async () => {
    if (!ready) return;
    set({ busy: true });
    try {
      const solve = await post<Solve>("solves", { team: team.name, task: team.tasks ? task.trim() : task, ...(context.trim() && { context }) });
      putSolve(solve);
      close();
      go("/solves/" + encodeURIComponent(solve.id));
    } catch (e) {
      set({ wrong: (e as Problem).message });
    }
  };
  const press = (e: KeyboardEvent) => e.key === "Enter" && (e.metaKey || e.ctrlKey) && (e.preventDefault(), void send());
  return (
    <Dialog label="New solve" close={close}>
      <div class="sheet" onKeyDown={press}>
        <header><h2>New solve</h2><button class="ib" onClick={close} aria-label="Close"><Glyph name="close" /></button></header>
        <form class="form" onSubmit={(e) => { e.preventDefault(); void send(); }}>
          <label>What should be decided?<textarea class="ta" name="task" rows={3} autofocus required value={task} onInput={(e) => setTask(e.currentTarget.value)} /></label>
          {team?.tasks && <Known tasks={team.tasks} strange={strange} task={task.trim()} take={setTask} />}
          <label>What they should know <span class="mut">(optional)</span><textarea class="ta" name="context" rows={2} value={context} onInput={(e) => setContext(e.currentTarget.value)} /></label>
          <Ready of={teams}>{(all) => all.length ? <Teams all={all} chosen={team?.name} choose={choose} /> : <p class="ink2">This server has no team. Name a team file in its configuration.</p>}</Ready>
          {state.wrong && <p class="wrong" role="alert">{state.wrong}</p>}
          <div class="row"><button type="button" class="btn" onClick={close}>Cancel</button><button class="btn p" disabled={!ready}>Start <Key of="Mod+Enter" /></button></div>
        </form>
      </div>
    </Dialog>
  );
}

// Known offers the only tasks that the agents of a team know.
function Known({ tasks, strange, task, take }: { tasks: string[]; strange: boolean; task: string; take: (task: string) => void }) {
  return (
    <div class="known">
      <p class={strange ? "wrong" : "mut"} role={strange ? "alert" : undefined}>These agents are scripted: they know {count(tasks.length, "question")} and no other. Choose one.</p>
      {tasks.map((t) => <button key={t} type="button" class="chip" aria-pressed={t === task} onClick={() => take(t)}>{clean(t)}</button>)}
    </div>
  );
}

function Teams({ all, chosen, choose }: { all: Team[]; chosen?: string; choose: (team: string) => void }) {
  return (
    <div class="teams" role="radiogroup" aria-label="Team">
      {all.map((t) => (
        <button key={t.name} type="button" role="radio" aria-checked={t.name === chosen} disabled={!!t.problem} onClick={() => choose(t.name)}>
          <Glyph name={t.name === chosen ? "live" : "task"} tone={t.name === chosen ? "ac" : "mut"} />
          <span>
            <b class="b">{clean(t.name)}</b> <span class="mut">{count(t.agents.length, "agent")}{t.budget ? ` · at most ${t.budget}` : ""} · {t.strategy}</span>
            <span class="sub tt">{clean(t.problem || t.description || t.agents.join(", "))}</span>
          </span>
        </button>
      ))}
    </div>
  );
}

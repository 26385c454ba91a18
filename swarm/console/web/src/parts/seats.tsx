import { useState } from "preact/hooks";
import { at, put, remove, type Problem } from "../lib/api";
import { useLoad } from "../lib/load";
import { clean } from "../lib/text";
import type { Agent } from "../lib/types";
import { Dialog } from "./dialog";
import { Glyph } from "./glyph";
import { Ready } from "./state";

// Seats lets agents join what a path of the API names, a solve or a room, or leave it. The server knows who
// may; done is called after each change.
export function Seats({ path, of, done, close }: { path: string; of: (a: Agent) => boolean; done: () => void; close: () => void }) {
  const loaded = useLoad<Agent[]>("agents");
  const [said, say] = useState<{ text: string; wrong?: boolean }>();
  const seat = async (ask: typeof remove, name: string, does: string) => {
    try {
      await ask(`${path}/agents/${at(name)}`);
      say({ text: `${clean(name)} ${does}.` });
      done();
    } catch (e) {
      say({ text: (e as Problem).message, wrong: true });
    }
  };
  return (
    <Dialog label="Who takes part" close={close}>
      <div class="sheet">
        <header><h2>Who takes part</h2><button class="ib" onClick={close} aria-label="Close"><Glyph name="close" /></button></header>
        <div class="form">
          <Ready of={loaded}>{(all) => <>{all.filter(of).map((a) => (
            <div class="row" key={a.id}>
              <b class="b">{clean(a.name)}</b>
              <button class="btn" aria-label={a.name + " joins"} onClick={() => seat(put, a.name, "joins")}>Joins</button>
              <button class="btn" aria-label={a.name + " leaves"} onClick={() => seat(remove, a.name, "leaves")}>Leaves</button>
            </div>
          ))}</>}</Ready>
          {said && <p class={said.wrong ? "wrong" : "ink2"} role={said.wrong ? "alert" : "status"}>{said.text}</p>}
        </div>
      </div>
    </Dialog>
  );
}

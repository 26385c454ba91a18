import { useState } from "preact/hooks";
import { at, post, type Problem } from "../../lib/api";
import { clean } from "../../lib/text";
import type { Detail } from "../../lib/types";
import { Dialog } from "../../parts/dialog";
import { Glyph } from "../../parts/glyph";
import { Key } from "../../parts/small";
import { brief } from "./brief";
import type { View } from "./state";

// Retract asks whether a signal should be taken back, and why.
export function Retract({ view, done }: { view: View; done: (d: Detail) => void }) {
  const said = view.play.at(view.back.value);
  const [reason, type] = useState("");
  const [state, set] = useState<{ busy?: boolean; wrong?: string }>({});
  if (!said) return null;
  const close = () => {
    view.back.value = 0;
    type("");
    set({});
  };
  const send = async () => {
    if (!reason.trim() || state.busy) return;
    set({ busy: true });
    try {
      done(await post<Detail>(`solves/${at(view.play.detail.id)}/retractions`, { seq: said.seq, reason: reason.trim() }));
      close();
    } catch (e) {
      set({ wrong: (e as Problem).message });
    }
  };
  const press = (e: KeyboardEvent) => e.key === "Enter" && (e.metaKey || e.ctrlKey) && (e.preventDefault(), void send());
  return (
    <Dialog label="Take back" close={close}>
      <div class="sheet">
        <header><h2>Take back <span class="mono">#{said.seq}</span></h2><button class="ib" onClick={close} aria-label="Close"><Glyph name="close" /></button></header>
        <form class="form" onKeyDown={press} onSubmit={(e) => { e.preventDefault(); void send(); }}>
          <p><b class="b">{clean(said.by)}</b>: {brief(said.text)}</p>
          <p class="ink2">It stays on record, and no longer counts; nor do claims that rest on it alone. A decision that was made stays, and the page says whether it still stands. This cannot be undone.</p>
          <label>Why does it not hold?<textarea class="ta" name="reason" rows={2} autofocus required value={reason} onInput={(e) => type(e.currentTarget.value)} /></label>
          {state.wrong && <p class="wrong" role="alert">{state.wrong}</p>}
          <div class="row"><button type="button" class="btn" onClick={close}>Cancel</button><button class="btn p" disabled={!reason.trim() || state.busy}>Take back <Key of="Mod+Enter" /></button></div>
        </form>
      </div>
    </Dialog>
  );
}

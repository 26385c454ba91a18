import { useEffect } from "preact/hooks";
import { now } from "../lib/clock";
import { useLoad } from "../lib/load";
import { ago, clean, count, group, lasting } from "../lib/text";
import type { Account, Health, LogHealth } from "../lib/types";
import { Glyph } from "../parts/glyph";
import { Strip } from "../parts/shell";
import { Top } from "../parts/small";
import { Ready } from "../parts/state";

// HealthScreen says how the server is: account, readers and clients, and who is slow.
export function HealthScreen() {
  const loaded = useLoad<Health>("health");
  useEffect(() => {
    const timer = setInterval(() => document.hidden || loaded.again(), 2000);
    return () => clearInterval(timer);
  }, []);
  return <><Top title="Health">{loaded.data && <span class="mut">{loaded.data.version || "devel"}{loaded.data.demo && " · demo"} · up {lasting(now.value - Date.parse(loaded.data.started))}</span>}</Top><Strip /><Ready of={loaded}>{(h) => <View h={h} />}</Ready></>;
}

function View({ h }: { h: Health }) {
  const readers = h.logs.flatMap((l) => l.readers.map((r) => ({ ...r, run: l.run }))).sort((a, b) => Number(b.slow) - Number(a.slow) || b.pending - a.pending);
  const clients = [...h.feed.clients].sort((a, b) => Number(b.slow) - Number(a.slow) || b.queue - a.queue);
  const slow = [...readers.filter((r) => r.slow).map((r) => r.name), ...clients.filter((c) => c.slow).map((c) => c.id)];
  return (
    <div class="page">
      <p class="big"><span class={"st " + (h.ok && !slow.length ? "ye" : "hu")}><Glyph name={h.ok && !slow.length ? "consensus" : "challenge"} /> {h.ok ? (slow.length ? "Slow: " + slow.map(clean).join(", ") : "Everything keeps up") : "Something is wrong"}</span></p>
      <div class="cards">
        {h.logs.map((l) => <Log key={l.run} l={l} />)}
        <section><h2>Feed</h2><dl class="kv"><dt>clients</dt><dd>{group(h.feed.clients.length)}</dd><dt>frames</dt><dd>{group(h.feed.frames)} sent</dd><dt>resyncs</dt><dd>{group(h.feed.resyncs)}</dd></dl></section>
        <section><h2>Process</h2><dl class="kv"><dt>memory</dt><dd>{(h.memory / (1 << 20)).toFixed(1)} MB of heap</dd><dt>goroutines</dt><dd>{group(h.goroutines)}</dd><dt>traces</dt><dd>{h.jaeger ? <a class="ac" href={h.jaeger} target="_blank" rel="noopener noreferrer">Jaeger</a> : "no address is configured"}</dd></dl></section>
      </div>
      {readers.length > 0 && <><div class="grp">Readers <span>{readers.length}</span></div>
        <table class="tb rn"><colgroup><col /><col class="c1" /><col class="c2" /><col class="c3" /><col class="c4" /></colgroup><thead><tr><th>Reader</th><th>Run</th><th>Backlog</th><th>Lag</th><th>Account</th></tr></thead>
          <tbody>{readers.map((r, i) => <tr key={r.run + r.name + i} class="r"><td><span class="tt">{clean(r.name)}</span><div class="sub mono">{clean(r.site)}</div></td><td class="ink2" data-h="Run">{clean(r.run)}</td><td data-h="Backlog" class={r.slow ? "hu b" : "ink2"}>{group(r.pending)}{r.slow && " slow"}</td><td class="ink2" data-h="Lag">{clean(r.lag ?? "none")}</td><td class="ink2 small">{account(r.account)}</td></tr>)}</tbody></table></>}
      {clients.length > 0 && <><div class="grp">Clients <span>{clients.length}</span></div>
        <table class="tb rn"><colgroup><col /><col class="c1" /><col class="c2" /><col class="c3" /><col class="c4" /></colgroup><thead><tr><th>Client</th><th>Watches</th><th>Queue</th><th>Sent</th><th>Since</th></tr></thead>
          <tbody>{clients.map((c) => <tr key={c.id} class="r"><td><span class="tt">{clean(c.id)}</span><div class="sub">{c.type}</div></td><td class="ink2" data-h="Watches">{clean(c.filter) || "everything"}</td><td data-h="Queue" class={c.slow ? "hu b" : "ink2"}>{group(c.queue)}{c.slow && " slow"}</td><td class="ink2" data-h="Sent">{group(c.sent)}{c.resyncs > 0 && `, ${count(c.resyncs, "resync")}`}</td><td class="ink2">{ago(now.value - Date.parse(c.since))}</td></tr>)}</tbody></table></>}
    </div>
  );
}

const Log = ({ l }: { l: LogHealth }) => (
  <section>
    <h2>{clean(l.run)} <span class="mut mono small">#{group(l.seq)}</span></h2>
    {l.problem && <p class="no">{clean(l.problem)}</p>}
    <dl class="kv"><dt>published</dt><dd>{group(l.published)}, {group(l.held)} held</dd><dt>account</dt><dd>{account(l.account)} <Glyph name={l.account.balanced ? "check" : "disagree"} tone={l.account.balanced ? "ye" : "no"} label={l.account.balanced ? "balanced" : "not balanced"} /></dd></dl>
  </section>
);

const account = (b: Account) => [`${group(b.intended)} = ${group(b.delivered)} delivered`, `${group(b.filtered)} filtered`, b.pending && `${group(b.pending)} pending`, b.dead && `${group(b.dead)} dead`].filter(Boolean).join(" + ");

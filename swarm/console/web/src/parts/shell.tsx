import type { ComponentChildren } from "preact";
import { now } from "../lib/clock";
import { epoch, link, open, resynced } from "../lib/feed";
import { route } from "../lib/route";
import { broken, load, running, session, urgent, waiting } from "../lib/store";
import { ago } from "../lib/text";
import type { Reading } from "../lib/types";
import { theme, turn } from "../lib/theme";
import { Glyph } from "./glyph";
import { showHelp, showPalette } from "./overlays";
import { Key } from "./small";

interface Place { to: string; name: string; glyph: string; badge?: () => ComponentChildren; tone?: string }

export const places: (Place | null)[] = [
  { to: "solves", name: "Solves", glyph: "list", badge: () => running.value > 0 && `${running.value} live` },
  { to: "inbox", name: "Inbox", glyph: "inbox", badge: () => waiting.value.length || null, tone: "hu" },
  { to: "rooms", name: "Rooms", glyph: "room", badge: () => urgent.value > 0 && `! ${urgent.value}` },
  { to: "agents", name: "Agents", glyph: "agent" },
  null,
  { to: "reports", name: "Reports", glyph: "report" },
  { to: "memory", name: "Memory", glyph: "finding" },
  { to: "runs", name: "Runs", glyph: "run" },
  { to: "health", name: "Health", glyph: "health" },
];

export const Shell = ({ children }: { children: ComponentChildren }) => (
  <div class="shell">
    <a class="skip" href="#main">Skip to the content</a>
    <Nav />
    <main id="main" tabIndex={-1}>
      {children}
    </main>
    <Tabs />
  </div>
);

const here = (p: Place) => (route.value.screen === p.to ? "page" : undefined);

function Nav() {
  return (
    <nav class="nav" aria-label="Main">
      <div class="brand"><Glyph name="logo" /><span>swarmbus</span></div>
      {places.map((p) => p ? (
        <a key={p.to} class="go" href={"/" + p.to} title={p.name} aria-current={here(p)}>
          <Glyph name={p.glyph} /><span>{p.name}</span>
          {p.badge?.() && <span class={"n " + (p.tone ?? "")}>{p.badge()}</span>}
        </a>
      ) : <hr key="rule" />)}
      <div class="foot">
        <LinkState />
        <button class="keys" onClick={showPalette}><Key of="Mod+k" />commands</button>
        <div class="between">
          <button class="keys" onClick={showHelp}><Key of="?" />keys</button>
          <button class="btn" onClick={turn}>{theme.value === "dark" ? "Light" : "Dark"}</button>
        </div>
      </div>
    </nav>
  );
}

function LinkState() {
  const { state, at } = link.value;
  if (state === "silent") return <span class="hu"><i class="dot off" />No answer since {ago(now.value - at)}</span>;
  if (state === "live") return <span><i class="dot" />Live</span>;
  return <span class="hu"><i class="dot off" />{state === "connecting" ? "Connecting" : "Reconnecting"}</span>;
}

function Tabs() {
  return (
    <nav class="tabs" aria-label="Screens">
      {places.slice(0, 4).map((p) => p && (
        <a key={p.to} href={"/" + p.to} aria-current={here(p)}>
          <Glyph name={p.glyph} />{p.name}
          {p.to === "inbox" && waiting.value.length > 0 && <i>{waiting.value.length}</i>}
        </a>
      ))}
      <button onClick={showPalette}><Glyph name="more" />More</button>
    </nav>
  );
}

// missing says what is not shown because the server still reads journals.
function missing(all: Reading[]): string {
  const of = (type: Reading["type"]) => all.filter((r) => r.type === type).map((r) => `${r.run} (${Math.floor(r.share * 100)} %)`).join(", ");
  const parts = [of("solves") && `Older solves are still missing here: the server reads ${of("solves")}.`, of("rooms") && `Rooms open when the server has read ${of("rooms")}.`];
  return parts.filter(Boolean).join(" ");
}

// Strip says, below the head of a screen, that what is shown may be behind.
export function Strip() {
  const { state, at } = link.value;
  if (state === "reconnecting" || state === "silent") {
    return (
      <div class="note" role="status">
        <i class="spin" />
        <span>{state === "silent" ? "The server does not answer." : "Reconnecting."} Shown is the state of {ago(now.value - at)} ago; nothing is lost, the feed goes on from there.</span>
        <button onClick={open}>Try now</button>
      </div>
    );
  }
  const reading = session.value?.reading;
  if (reading?.length) return <div class="note soft" role="status"><i class="spin" /><span>{missing(reading)}</span></div>;
  if (resynced.value) return <div class="note soft" role="status"><Glyph name="back" /><span>Read again, because {resynced.value}.</span></div>;
  if (broken.value && broken.value.status !== 401 && state === "live") {
    return (
      <div class="note" role="status"><Glyph name="challenge" /><span>The lists could not be read: {broken.value.message}</span><button onClick={() => { epoch.value++; void load(); }}>Try again</button></div>
    );
  }
  return null;
}

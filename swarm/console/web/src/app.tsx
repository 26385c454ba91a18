import { useEffect, useState } from "preact/hooks";
import { get, post, type Problem } from "./lib/api";
import { link, open } from "./lib/feed";
import { route } from "./lib/route";
import { follow, session, waiting } from "./lib/store";
import type { Session } from "./lib/types";
import { Glyph } from "./parts/glyph";
import { Overlays } from "./parts/overlays";
import { Shell } from "./parts/shell";
import { Empty } from "./parts/state";
import { Agents } from "./screens/agents";
import { HealthScreen } from "./screens/health";
import { Inbox } from "./screens/inbox";
import { MemoryScreen } from "./screens/memory";
import { Reports } from "./screens/reports";
import { Rooms } from "./screens/rooms/rooms";
import { Runs } from "./screens/runs";
import { SolveScreen } from "./screens/solve/solve";
import { Solves } from "./screens/solves";

export function App() {
  const [wrong, setWrong] = useState<Problem>();
  const enter = async (token?: string) => {
    try {
      if (token) await post("session", { token });
      session.value = await get<Session>("session");
      setWrong(undefined);
      awaitReading();
      follow();
      open();
    } catch (e) {
      setWrong(e as Problem);
    }
  };
  useEffect(() => void enter(takeToken()), []);
  useEffect(() => void (document.title = title()), [route.value, waiting.value.length]);
  if (wrong || link.value.state === "refused") return <Door problem={wrong} enter={enter} />;
  if (!session.value) return null;
  return (
    <>
      <Shell><Screen /></Shell>
      <Overlays />
    </>
  );
}

// awaitReading asks how far the server is that still reads journals.
function awaitReading() {
  if (!session.peek()?.reading?.length) return;
  setTimeout(() => get<Session>("session").then((s) => (session.value = s), () => {}).then(awaitReading), 500);
}

// takeToken takes the token out of the address, so that it stays neither there nor in the history.
function takeToken(): string | undefined {
  const token = new URLSearchParams(location.hash.slice(1)).get("token") ?? undefined;
  if (token) history.replaceState(null, "", location.pathname + location.search);
  return token;
}

function title(): string {
  const { screen } = route.value, n = waiting.value.length;
  return (n ? `(${n}) ` : "") + screen[0].toUpperCase() + screen.slice(1) + " · swarmbus";
}

function Screen() {
  const { screen, id } = route.value;
  switch (screen) {
    case "solves": return id ? <SolveScreen key={id} id={id} /> : <Solves />;
    case "inbox": return <Inbox id={id} />;
    case "rooms": return <Rooms id={id} />;
    case "agents": return <Agents id={id} />;
    case "reports": return <Reports />;
    case "memory": return <MemoryScreen />;
    case "runs": return <Runs id={id} />;
    case "health": return <HealthScreen />;
  }
  return <Empty title="There is no such page"><p>The address may be from another version. <a class="ac" href="/solves">All solves</a></p></Empty>;
}

// Door is what somebody without a session sees.
function Door({ problem, enter }: { problem?: Problem; enter: (token: string) => void }) {
  const [token, type] = useState("");
  const gone = problem?.status === 0;
  return (
    <main class="door">
      <div>
        <h1><Glyph name="logo" />swarmbus</h1>
        {gone ? <><p role="alert">The server does not answer. What it recorded is kept; start it again with <code class="mono">swarmbus serve</code>.</p><button class="btn p" onClick={() => location.reload()}>Try again</button></> : (
          <>
            <p role={problem ? "alert" : undefined}>{problem && problem.status !== 401 ? problem.message : "This address needs the token that the server printed when it started. Open the whole link, or enter the token."}</p>
            <form onSubmit={(e) => { e.preventDefault(); if (token.trim()) enter(token.trim()); }}>
              <input class="ta" type="password" aria-label="Token" autocomplete="off" value={token} onInput={(e) => type(e.currentTarget.value)} />
              <button class="btn p">Open</button>
            </form>
          </>
        )}
      </div>
    </main>
  );
}

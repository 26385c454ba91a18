import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { at, get, put, type Problem } from "../../lib/api";
import { visible } from "../../lib/clock";
import { epoch, read } from "../../lib/feed";
import { useKeys } from "../../lib/keys";
import { go, route } from "../../lib/route";
import { readRooms, rooms } from "../../lib/store";
import { clean, count, day, group, lasting } from "../../lib/text";
import type { Member, Room, RoomEvent } from "../../lib/types";
import { Glyph } from "../../parts/glyph";
import { Seats } from "../../parts/seats";
import { Strip } from "../../parts/shell";
import { Top } from "../../parts/small";
import { Empty, Failed, Loading } from "../../parts/state";
import { Composer } from "./composer";
import { Event, initials } from "./event";
import { earlier, empty, page, take, type Talk } from "./talk";

const path = (name: string) => "/rooms/" + encodeURIComponent(name);
const unread = (r: Room) => r.unread.urgent + r.unread.normal + r.unread.background;

export function Rooms({ id }: { id: string }) {
  const all = rooms.value;
  const wide = innerWidth > 640;
  const room = (all ?? []).find((r) => r.room === id) ?? (id || !wide ? undefined : all?.[0]);
  const step = (by: number) => {
    const next = all?.[Math.max(0, Math.min(all.length - 1, all.findIndex((r) => r.room === room?.room) + by))];
    if (next) go(path(next.room), true);
  };
  useKeys("Rooms", [{ keys: "j", does: "next room", run: () => step(1) }, { keys: "k", does: "previous room", run: () => step(-1) }]);
  return (
    <>
      <Top title={room ? clean(room.room) : "Rooms"} crumb={id && <a class="crumb onlyn" href="/rooms" aria-label="All rooms"><Glyph name="prev" /></a>}>
        {room && <span class="mut onlyw">{count(room.members.length, "agent")} · at <span class="mono">#{group(room.seq)}</span> · <a class="ac" href={"/runs/" + encodeURIComponent(room.log)}>verify</a></span>}
      </Top>
      <Strip />
      {!all ? <Loading /> : !all.length ? <Empty title="There are no rooms"><p>Name a file of rooms and standing agents when you start the server: <code class="mono">swarmbus serve --config FILE</code></p></Empty> : (
        <div class={"rooms" + (room ? " has" : "")}>
          <nav class="rl" aria-label="Rooms">{all.map((r) => <Line key={r.room} r={r} on={r === room} />)}</nav>
          {room ? <Conversation key={room.room} room={room} /> : id ? <Empty title="There is no such room"><a class="ac" href="/rooms">All rooms</a></Empty> : null}
        </div>
      )}
    </>
  );
}

function Line({ r, on }: { r: Room; on: boolean }) {
  const n = on ? 0 : unread(r); // what is shown is being read
  const mark = { "!": ["bang", "urgent"], "·": ["", "background only"] }[r.mark];
  return (
    <a class={"rm" + (n ? " u" : "")} href={path(r.room)} aria-current={on ? "page" : undefined} title={clean(r.last ?? "")}>
      <span class={"m " + (mark?.[0] ?? "")} title={mark?.[1]}>{r.mark}{mark && <span class="sr">{mark[1]}</span>}</span>
      <span class="nm">{clean(r.room)}</span>
      <span class="n">{n > 0 && <>{n}<span class="sr"> unread</span></>}</span>
    </a>
  );
}

interface Page { events: RoomEvent[]; more: boolean; seq: number }

function useTalk(room: string) {
  const [state, set] = useState<{ talk: Talk; loaded?: boolean; problem?: Problem }>({ talk: empty });
  const [turn, again] = useState(0);
  useEffect(() => {
    let gone = false, held: RoomEvent[] = [], ready = false;
    const off = read((f) => {
      if (f.room !== room || !f.event) return;
      if (!ready) return void held.push(f.event);
      set((s) => ({ ...s, talk: take(s.talk, f.event!, Date.now()) }));
    });
    get<Page>(`rooms/${at(room)}/events?limit=200`).then((p) => {
      if (gone) return;
      ready = true;
      const talk = held.reduce((t, e) => take(t, e, Date.now()), page(p.events, p.more, p.seq, Date.now()));
      set({ talk, loaded: true });
    }, (problem) => gone || set((s) => ({ ...s, problem })));
    return () => ((gone = true), off());
  }, [room, turn, epoch.value]);
  const older = async () => {
    const first = state.talk.events[0]?.seq;
    if (!first) return;
    const p = await get<Page>(`rooms/${at(room)}/events?limit=200&before=${first}`);
    set((s) => ({ ...s, talk: earlier(s.talk, p.events, p.more) }));
  };
  return { ...state, older, again: () => again((n) => n + 1) };
}

function Conversation({ room }: { room: Room }) {
  const { talk, loaded, problem, older, again } = useTalk(room.room);
  const wrap = useRef<HTMLDivElement>(null);
  const [fresh, setFresh] = useState(0);
  const end = useRef(true);
  const seen = useRef(0);
  const known = useKnown(talk);
  useRead(room, talk, loaded, end, fresh);
  const down = () => ((wrap.current!.scrollTop = wrap.current!.scrollHeight), setFresh(0));
  useLayoutEffect(() => {
    const n = talk.events.length;
    if (end.current) down();
    else if (seen.current && n > seen.current) setFresh((f) => f + n - seen.current);
    seen.current = n;
  }, [talk, loaded]);
  useTarget(wrap, loaded);
  const scrolled = () => {
    const w = wrap.current!;
    end.current = w.scrollHeight - w.scrollTop - w.clientHeight < 40;
    if (end.current) setFresh(0);
  };
  const follow = (e: MouseEvent) => {
    const href = (e.target as Element).closest("a.ref")?.getAttribute("href");
    if (!href?.startsWith("#§")) return;
    e.preventDefault();
    history.replaceState(null, "", href);
    aim(wrap.current!, href.slice(1));
  };
  return (
    <>
      <section class="conv" aria-label={"Conversation in " + room.room}>
        <div class="wrap" ref={wrap} onScroll={scrolled} onClick={follow} tabIndex={0} role="log" aria-label="Messages">
          <div class="scroll">
            {!loaded ? problem ? <Failed problem={problem} again={again} /> : <Loading /> : (
              <>
                {talk.more && <button class="more" onClick={older}>Earlier messages</button>}
                {!talk.events.length && <p class="sx">Nothing has been said in this room yet.</p>}
                {talk.events.map((e, i) => <WithDay key={e.type === "tool" ? "§" + e.ix : e.id} e={e} before={talk.events[i - 1]} known={known} />)}
                {[...talk.writing.values()].map((w) => <Event key={w.stream} e={w} known={known} writing />)}
              </>
            )}
          </div>
        </div>
        {fresh > 0 && <button class="pill" onClick={() => { end.current = true; down(); }}>{fresh} new</button>}
        <Composer room={room} talk={talk} sent={() => (end.current = true)} />
      </section>
      <Aside room={room} talk={talk} />
    </>
  );
}

function WithDay({ e, before, known }: { e: RoomEvent; before?: RoomEvent; known: (ix: number) => boolean }) {
  const today = day(e.ts);
  return <>{(!before || day(before.ts) !== today) && <p class="dayline">{today}</p>}<Event e={e} known={known} /></>;
}

// useKnown returns which sections there are: the same function as long as these do not change.
function useKnown(talk: Talk) {
  const newest = talk.events.reduce((n, e) => Math.max(n, e.ix ?? 0), 0);
  return useCallback((ix: number) => ix >= 1 && ix <= newest, [newest]);
}

// useRead tells the server how far the reader has read, while the page is looked at and shows the end.
function useRead(room: Room, talk: Talk, loaded: boolean | undefined, end: { current: boolean }, fresh: number) {
  useEffect(() => {
    if (!loaded || !end.current || talk.after <= room.readTo || !visible.value) return;
    const timer = setTimeout(() => {
      put(`rooms/${at(room.room)}/read`, { through: talk.after }).then(readRooms, () => {});
    }, 700);
    return () => clearTimeout(timer);
  }, [talk.after, room.readTo, loaded, fresh, visible.value]);
}

// useTarget opens the section that the address names.
function useTarget(wrap: { current: HTMLDivElement | null }, loaded: boolean | undefined) {
  const hash = decodeURIComponent(route.value.hash);
  useEffect(() => {
    if (loaded && hash.startsWith("§")) aim(wrap.current!, hash);
  }, [hash, loaded]);
}

function aim(wrap: HTMLElement, id: string) {
  const section = wrap.querySelector<HTMLDetailsElement>(`[data-ix="${CSS.escape(id.slice(1))}"]`);
  if (!section) return;
  section.open = true;
  section.scrollIntoView({ block: "center" });
  section.classList.add("aim");
  section.querySelector("summary")?.focus({ preventScroll: true });
  setTimeout(() => section.classList.remove("aim"), 1600);
}

function Aside({ room, talk }: { room: Room; talk: Talk }) {
  const [seats, showSeats] = useState(false);
  const sections = talk.events.filter((e) => e.ix && e.type !== "signal").reverse().slice(0, 30);
  return (
    <aside class="mem" aria-label="Agents here" tabIndex={0}>
      <h2>Agents here</h2>
      {room.members.map((m) => <Person key={m.name} m={m} talk={talk} />)}
      {!room.members.length && <p class="mut small">Nobody is in this room.</p>}
      <button class="fold" onClick={() => showSeats(true)}>Who takes part</button>
      {seats && <Seats path={`rooms/${at(room.room)}`} of={(a) => !a.team} done={readRooms} close={() => showSeats(false)} />}
      {sections.length > 0 && <div class="sections"><h2>Sections</h2>
        {sections.map((e) => (
          <a key={e.ix} href={path(room.room) + "#§" + e.ix}>
            <b class="ref">§{e.ix}</b><span class={e.type === "mailbox" ? "te" : "ink2"}>{clean(e.type === "mailbox" ? e.from : e.label ?? "")}</span>
            <span class={e.status === "error" ? "no" : "mut"}>{e.type === "mailbox" ? "mail" : e.status === "error" ? "failed" : e.status === "done" ? lasting(e.duration_ms ?? 0) : e.status}</span>
          </a>
        ))}
      </div>}
    </aside>
  );
}

function Person({ m, talk }: { m: Member; talk: Talk }) {
  const writing = [...talk.writing.values()].some((w) => w.from === m.name);
  const waits = [[m.urgent, "urgent"], [m.normal, "normal"], [m.background, "background"], [m.mail, "mail"]].filter(([n]) => n).map(([n, w]) => `${n} ${w}`).join(", ");
  const paused = m.paused && Date.parse(m.paused) > Date.now();
  const passed = talk.passed.get(m.name);
  return (
    <div class="p">
      <span class="av" aria-hidden="true">{initials(m.name)}</span><b class="b">{clean(m.name)}</b>
      <span class="s" title={clean(m.next ?? "")}>{writing ? "writing" : m.running ? "thinking" : paused ? "left alone after a failure" : waits ? waits + " waiting" : "idle"}{passed && <span key={passed} class="passed"> · passed</span>}</span>
    </div>
  );
}

import { computed, signal, useSignal, type ReadonlySignal, type Signal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { get, at as join } from "../../lib/api";
import { epoch, read } from "../../lib/feed";
import { note, route } from "../../lib/route";
import { useLoad } from "../../lib/load";
import { join as rows, merge, Play } from "../../play/play";
import type { Detail, Frame, WhatIf } from "../../lib/types";

// useDetail loads a solve and keeps it up to date by the feed: rows are appended, the rest is
// fetched again when a frame says that it changed.
export function useDetail(id: string) {
  const loaded = useLoad<Detail>("solves/" + join(id));
  const busy = useRef(false);
  const again = useRef(false);
  useEffect(() => {
    const fetchNews = async () => {
      if (busy.current) return void (again.current = true);
      busy.current = true;
      try {
        const d = await get<Detail>("solves/" + join(id));
        loaded.put((old) => (old.seq > d.seq ? merge(d, old) : d));
      } catch {
        // The strip says when the server is away; the next frame or connection brings the rest.
      }
      busy.current = false;
      if (again.current) {
        again.current = false;
        setTimeout(fetchNews, 150);
      }
    };
    return read((f) => {
      if (f.solve?.id !== id || f.type === "saying") return;
      loaded.put((d) => append(d, f));
      if (f.changes?.length || f.solve.state !== "running") void fetchNews();
    });
  }, [id]);
  return loaded;
}

function append(d: Detail, f: Frame): Detail {
  const one = <T,>(x: T | undefined) => (x ? [x] : []);
  return { ...d, ...f.solve, said: rows(d.said, one(f.said)), votes: rows(d.votes, one(f.vote)), steps: rows(d.steps, one(f.step)) };
}

// A View is what the reader of a solve has chosen: the position, and another way to count.
export interface View {
  play: Play;
  index: Signal<number>; // of the entry at the position
  seq: ReadonlySignal<number>;
  end: ReadonlySignal<boolean>;
  strategy: Signal<string>; // "": that of the solve
  threshold: Signal<number>; // 0: that of the solve
  what: ReadonlySignal<WhatIf | undefined>;
  back: Signal<number>; // of the signal that is about to be taken back; 0: none
  jumps: Signal<number>; // grows with each jump
  go: (seq: number, jump?: boolean) => void;
}

export function useView(detail: Detail): View {
  const play = useMemo(() => new Play(detail), [detail]);
  const query = route.peek().query;
  const index = useSignal(query.has("at") ? play.index(Number(query.get("at"))) : play.length - 1);
  const strategy = useSignal(query.get("s") ?? "");
  const threshold = useSignal(Number(query.get("t")) || 0);
  const before = useRef(play.length);
  if (play.length !== before.current) {
    if (index.peek() >= before.current - 1) index.value = play.length - 1;
    before.current = play.length;
  }
  const now = useRef(play);
  now.current = play;
  const fixed = useMemo(() => {
    const seq = computed(() => now.current.seqAt(index.value));
    const end = computed(() => index.value >= now.current.length - 1);
    const jumps = signal(0), back = signal(0);
    const go = (s: number, jump = true) => {
      if (jump) jumps.value++;
      index.value = now.current.index(s);
    };
    return { seq, end, what: signal<WhatIf>(), back, jumps, go };
  }, []);
  useEffect(() => fixed.seq.subscribe((s) => note({ at: fixed.end.peek() ? "" : String(s) })), []);
  useEffect(() => strategy.subscribe((s) => note({ s })), []);
  useEffect(() => threshold.subscribe((t) => note({ t: t ? String(t) : "" })), []);
  useWhatIf(detail, index, fixed.seq, fixed.end, threshold, fixed.what);
  return { play, index, strategy, threshold, ...fixed };
}

// useWhatIf asks how other strategies would decide, at most one question at a time.
function useWhatIf(d: Detail, index: Signal<number>, seq: ReadonlySignal<number>, end: ReadonlySignal<boolean>, threshold: Signal<number>, out: Signal<WhatIf | undefined>) {
  useEffect(() => {
    let busy = false, stale = false, gone = false, timer = 0;
    const ask = async () => {
      if (busy) return void (stale = true);
      busy = true;
      stale = false;
      const query = new URLSearchParams({ threshold: String(threshold.peek() || d.threshold) });
      if (!end.peek()) query.set("at", String(seq.peek()));
      try {
        const w = await get<WhatIf>(`solves/${join(d.id)}/whatif?${query}`);
        if (!gone) out.value = w;
      } catch {
        // What was there stays: the rail says so if there is nothing.
      }
      busy = false;
      if (stale && !gone) soon();
    };
    const soon = () => {
      clearTimeout(timer);
      timer = window.setTimeout(ask, 60);
    };
    const offs = [index.subscribe(soon), threshold.subscribe(soon)];
    return () => {
      gone = true;
      clearTimeout(timer);
      offs.forEach((off) => off());
    };
  }, [d.id, d.seq, epoch.value]);
}

import { useEffect, useRef, useState } from "preact/hooks";
import { get, Problem } from "./api";
import { epoch } from "./feed";

export interface Loaded<T> {
  data?: T;
  problem?: Problem;
  again: () => void;
  put: (change: (data: T) => T) => void;
}

// useLoad gets a path of the API when it changes and when the feed asks to read again. What was
// there stays while it is loaded again, and stays if that fails.
export function useLoad<T>(path: string | undefined): Loaded<T> {
  const [state, set] = useState<{ path?: string; data?: T; problem?: Problem }>({});
  const [turn, again] = useState(0);
  const shown = useRef(path);
  shown.current = path;
  useEffect(() => {
    if (!path) return;
    const abort = new AbortController();
    get<T>(path, abort.signal).then(
      (data) => set({ path, data }),
      (e) => abort.signal.aborted || set((s) => ({ path, data: s.path === path ? s.data : undefined, problem: e as Problem })),
    );
    return () => abort.abort();
  }, [path, turn, epoch.value]);
  const mine = state.path === path ? state : {};
  return {
    data: mine.data,
    problem: mine.problem,
    again: () => again((n) => n + 1),
    put: (change) => set((s) => (s.path === shown.current && s.data !== undefined ? { ...s, data: change(s.data) } : s)),
  };
}

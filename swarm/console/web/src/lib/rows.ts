import { useState } from "preact/hooks";
import { useKeys } from "./keys";

// useRows moves a selection through rows with j and k, and opens one with Enter.
export function useRows(name: string, n: number, open: (i: number) => void): number {
  const [at, set] = useState(-1);
  const step = (by: number) => {
    const next = Math.max(0, Math.min(n - 1, at + by));
    set(next);
    requestAnimationFrame(() => document.querySelector(`[data-row="${next}"]`)?.scrollIntoView({ block: "nearest" }));
  };
  useKeys(name, [
    { keys: "j", does: "next row", run: () => step(1) },
    { keys: "k", does: "previous row", run: () => step(-1) },
    { keys: "Enter", does: "open", run: () => at >= 0 && at < n && open(at) },
  ]);
  return at;
}

import type { Step } from "../lib/types";
import { upTo } from "./play";

// path draws the support of a proposal as steps. Where many steps share a column of one pixel, it
// draws their range and ends at the last one, so that its length is bounded by the width.
export function path(steps: Step[], proposal: string, from: number, x: (seq: number) => number, y: (v: number) => number, end: number): string {
  const first = upTo(steps.map((s) => s.seq), from - 1);
  let d = "", column = NaN, low = 0, high = 0, last = 0;
  const flush = () => {
    if (Number.isNaN(column)) return;
    const at = column.toFixed(1);
    d += d ? `H${at}` : `M${at} ${y(last).toFixed(1)}`;
    if (high > low && !(last === high && low === high)) d += `V${y(high).toFixed(1)}V${y(low).toFixed(1)}`;
    d += `V${y(last).toFixed(1)}`;
  };
  for (let i = first; i < steps.length; i++) {
    const at = Math.round(x(steps[i].seq) * 2) / 2, v = steps[i].support[proposal] ?? 0;
    if (at !== column) {
      flush();
      column = at;
      low = high = v;
    }
    low = Math.min(low, v);
    high = Math.max(high, v);
    last = v;
  }
  flush();
  return d && d + `H${end.toFixed(1)}`;
}

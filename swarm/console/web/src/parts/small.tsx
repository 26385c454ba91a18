import type { ComponentChildren } from "preact";
import { show } from "../lib/keys";
import { needed, two } from "../lib/text";

export const Key = ({ of }: { of: string }) => <>{show(of).map((k) => <><kbd key={k}>{k}</kbd>{" "}</>)}</>;

export const Letter = ({ of, win }: { of: string; win?: boolean }) => (
  <b class={"L" + (win ? " w" : "")} role="img" aria-label={"proposal " + of}>{of}</b>
);

// Bar is a share of 1, with an optional mark.
export function Bar({ share, mark, tone = "", label, height = 8 }: { share: number; mark?: number; tone?: string; label: string; height?: number }) {
  const w = (x: number) => Math.max(0, Math.min(1, x)) * 100 + "%";
  return (
    <svg class={"bar " + tone} height={height} role="img" aria-label={label}>
      <rect class="back" width="100%" height="100%" rx="2" />
      <rect class="fill" width={w(share)} height="100%" rx="2" />
      {mark !== undefined && <rect class="tick" x={w(mark)} y="-40%" width="1.5" height="180%" />}
    </svg>
  );
}

// Gauge is support against the threshold.
export function Gauge({ support, threshold }: { support: number; threshold: number }) {
  const at = threshold * 100 + "%";
  return (
    <svg class="gauge" role="img" aria-label={`support ${two(support)}, needs ${needed(threshold)}`}>
      <rect class="back" y="4" width="100%" height="8" rx="2" />
      <rect class="fill" y="4" width={Math.min(1, support) * 100 + "%"} height="8" rx="2" />
      <rect class="tick" x={at} y="0" width="2" height="16" />
      <text x={at} y="28" text-anchor={threshold > 0.85 ? "end" : threshold < 0.15 ? "start" : "middle"}>needs {needed(threshold)}</text>
    </svg>
  );
}

// Spark is the leader's support over time, beside the threshold; faint as long as there is no quorum.
export function Spark({ points, quorate, threshold, live }: { points: number[]; quorate: number; threshold: number; live: boolean }) {
  const W = 104, H = 26, n = Math.max(1, points.length - 1);
  const x = (i: number) => 1 + (i * (W - 6)) / n, y = (v: number) => H - 3 - v * (H - 6);
  const all = points.length ? points : [0], last = all.length - 1;
  const line = (from: number, to: number) => `M${x(from)} ${y(all[from]).toFixed(1)}` + all.slice(from + 1, to + 1).map((v, i) => `H${x(from + 1 + i).toFixed(1)}V${y(v).toFixed(1)}`).join("") + (last ? "" : `H${x(1)}`);
  const end = all[last];
  return (
    <svg class={"spark" + (live ? " w" : "")} width={W} height={H} role="img" aria-label={`support of the leader over time, now ${two(end)}, needs ${needed(threshold)}${points.length > quorate ? "" : ", no quorum yet"}`}>
      <line class="thr" x2={W} y1={y(threshold)} y2={y(threshold)} />
      {quorate > 0 && <path class="up early" d={line(0, Math.min(quorate, last))} />}
      {quorate <= last && <path class="up" d={line(quorate, last)} />}
      <circle class="end" cx={x(Math.max(1, last))} cy={y(end)} r="2.4" />
    </svg>
  );
}

export const Segments = <T extends string>({ label, value, options, set }: { label: string; value: T; options: [T, ComponentChildren][]; set: (v: T) => void }) => (
  <span class="seg" role="group" aria-label={label}>
    {options.map(([v, text]) => <button key={v} type="button" aria-pressed={v === value} onClick={() => set(v)}>{text}</button>)}
  </span>
);

export const Top = ({ title, crumb, children }: { title: ComponentChildren; crumb?: ComponentChildren; children?: ComponentChildren }) => (
  <header class="top">
    {crumb}
    <h1>{title}</h1>
    <div class="r">{children}</div>
  </header>
);

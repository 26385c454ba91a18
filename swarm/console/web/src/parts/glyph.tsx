import type { ComponentChildren } from "preact";

// The glyphs, drawn in a square of 16. Class f is filled, class c is drawn upon a filled part.
const shapes: Record<string, ComponentChildren> = {
  logo: <><path d="M1.5 8h13M4 8V3.5M11 8v4.5" /><circle class="f" cx="4" cy="8" r="2.2" /><circle class="f" cx="4" cy="3" r="1.2" /><circle class="f" cx="11" cy="12.8" r="1.2" /><circle class="f" cx="11" cy="8" r="2.2" /></>,
  task: <rect x="2.5" y="2.5" width="11" height="11" rx="2" />,
  finding: <><circle cx="7" cy="7" r="4.3" /><path d="m10.3 10.3 3.5 3.5" /></>,
  proposal: <rect class="f" x="2" y="2" width="12" height="12" rx="2.5" />,
  doubt: <><path d="M5 5.6a3 3 0 1 1 4.6 2.5c-1 .7-1.6 1.2-1.6 2.4" /><circle class="f" cx="8" cy="13.2" r=".6" /></>,
  challenge: <path class="f" d="M8 2.2 14.3 13.5H1.7Z" />,
  conflict: <path d="m2.5 4 4 4-4 4M13.5 4l-4 4 4 4" />,
  debate: <path d="M2 5.5h11.5M10.5 2.5l3 3-3 3M14 10.5H2.5m3-2.8-3 2.8 3 3" />,
  argument: <path d="M3 5h10M3 8h10M3 11h6" />,
  agree: <><circle class="f" cx="8" cy="8" r="6.6" /><path class="c" d="m5 8.2 2.1 2.1L11 6.2" /></>,
  disagree: <><circle cx="8" cy="8" r="6.2" /><path d="m5.7 5.7 4.6 4.6m0-4.6-4.6 4.6" /></>,
  abstain: <><circle cx="8" cy="8" r="6.2" /><path d="M5.2 8h5.6" /></>,
  consensus: <><rect class="f" x="1.5" y="1.5" width="13" height="13" rx="3.5" /><path class="c" d="m4.8 8.2 2.2 2.2 4.2-4.4" /></>,
  escalation: <><path d="M3.5 14.5V2" /><path class="f" d="M3.5 2.5h9l-2.2 3 2.2 3h-9" /></>,
  tool: <><rect x="1.5" y="2.5" width="13" height="11" rx="2.2" /><path d="m4.5 6 2 2-2 2M8.5 10.3h3" /></>,
  person: <><circle class="f" cx="8" cy="5" r="3" /><path class="f" d="M2.5 14c.4-3 2.5-4.4 5.5-4.4s5.1 1.4 5.5 4.4Z" /></>,
  memory: <path d="M4 2.5h8v11.5l-4-3-4 3Z" />,
  live: <><circle cx="8" cy="8" r="6.2" /><circle class="f" cx="8" cy="8" r="2.4" /></>,
  note: <path d="M3 4.5h10M3 8h10M3 11.5h5" />,
  late: <><circle cx="8" cy="8" r="6" /><path d="M8 4.5V8l2.2 1.5" /></>,
  check: <path d="m3 8.5 3.3 3.3L13 5" />,
  minus: <path d="M4 8h8" />,
  arrow: <path d="M2.5 8h10.5M9.5 4.5 13 8l-3.5 3.5" />,
  back: <path d="M2.5 6h7a4 4 0 0 1 0 8H6M5.5 3l-3 3 3 3" />,
  first: <path d="M12 4 8 8l4 4M4.5 4v8" />,
  prev: <path d="M10 4 6 8l4 4" />,
  next: <path d="m6 4 4 4-4 4" />,
  last: <path d="m4 4 4 4-4 4M11.5 4v8" />,
  list: <path d="M2.5 12h3V9h3V6h5" />,
  inbox: <path d="M2 9.5 4 3h8l2 6.5V13H2ZM2 9.5h3.5l1 1.5h3l1-1.5H14" />,
  room: <path d="M2.5 3h11v8H7l-3 2.5V11H2.5Z" />,
  agent: <><circle cx="5.5" cy="5.5" r="2.5" /><path d="M1.5 13c.3-2.5 1.7-3.7 4-3.7s3.7 1.2 4 3.7" /><circle cx="11.5" cy="6.5" r="1.8" /><path d="M11.8 10c1.6.1 2.5 1 2.7 2.8" /></>,
  report: <path d="M3.5 2h6l3 3v9h-9ZM6 7.5h4M6 10.5h4" />,
  run: <path d="M3 8a5 5 0 1 0 1.7-3.7M3 2.5v2.8h2.8M8 5.5V8l1.8 1.2" />,
  health: <path d="M1.5 8.5h3l1.8-4.5 3 8 1.8-3.5h3.4" />,
  more: <><circle class="f" cx="3.5" cy="8" r=".8" /><circle class="f" cx="8" cy="8" r=".8" /><circle class="f" cx="12.5" cy="8" r=".8" /></>,
  mail: <><rect x="1.5" y="3" width="13" height="10" rx="2" /><path d="m2 4.5 6 4.5 6-4.5" /></>,
  close: <path d="m4 4 8 8m0-8-8 8" />,
  spawn: <><circle cx="4.5" cy="8" r="2.5" /><path d="M7 8h3m0 0 3-3.5M10 8l3 3.5" /></>,
};

export const shape = (name: string) => shapes[name] ?? shapes.note;

export const Glyph = ({ name, tone = "", label }: { name: string; tone?: string; label?: string }) => (
  <svg class={"g " + tone} viewBox="0 0 16 16" role={label ? "img" : undefined} aria-label={label} aria-hidden={label ? undefined : true}>
    {shape(name)}
  </svg>
);

// glyphOf names the glyph of what was said.
export const glyphOf: Record<string, string> = {
  task: "task", finding: "finding", proposal: "proposal", doubt: "doubt", challenge: "challenge", conflict: "conflict", settled: "conflict",
  consensus: "consensus", escalation: "escalation", answer: "person", memory: "memory", tool: "tool", late: "late", failed: "disagree", same: "arrow", note: "note",
};

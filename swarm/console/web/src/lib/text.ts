// How numbers, times and the words of agents are written.

const hidden = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

// clean shows characters that would change how a text around them looks (control characters and
// those that change the direction of writing) by their numbers.
export function clean(text: string): string {
  return text
    .replace(/\r\n?/g, "\n")
    .replace(hidden, (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));
}

export const two = (x: number) => x.toFixed(2);

// needed is a threshold of support; one that every leader meets is none.
export const needed = (threshold: number) => threshold < 0.01 ? "the most" : two(threshold);

export const percent = (x: number) => `${Math.round(x * 100)} %`;

export const count = (n: number, one: string, many = one + "s") => `${group(n)} ${n === 1 ? one : many}`;

export const group = (n: number) => n.toLocaleString("en-US");

export function money(usd: number): string {
  if (usd === 0) return "$0";
  if (usd > 0 && usd < 0.01) return "$" + usd.toFixed(4);
  return "$" + usd.toFixed(usd < 1 ? 3 : 2);
}

export const short = (n: number) => (n < 1000 ? String(n) : n < 1e6 ? (n / 1000).toFixed(n < 1e4 ? 1 : 0) + "k" : (n / 1e6).toFixed(1) + "M");

// lasting writes a duration in at most two units.
export function lasting(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  const s = Math.round(ms / 1000);
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} m ${String(s % 60).padStart(2, "0")} s`;
  if (s < 86400) return `${Math.floor(s / 3600)} h ${String(Math.floor((s % 3600) / 60)).padStart(2, "0")} m`;
  return `${Math.floor(s / 86400)} d ${Math.floor((s % 86400) / 3600)} h`;
}

// ago is lasting in one unit.
export function ago(ms: number): string {
  const s = Math.max(0, Math.round(ms / 1000));
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} m`;
  if (s < 86400) return `${Math.floor(s / 3600)} h`;
  return `${Math.floor(s / 86400)} d`;
}

export const clock = (t: string | number) =>
  new Date(t).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });

// day names the day of a time as people do.
export function day(t: string | number, now = Date.now()): string {
  const of = (d: Date) => new Date(d.getFullYear(), d.getMonth(), d.getDate()).getTime();
  const days = Math.round((of(new Date(now)) - of(new Date(t))) / 86400e3);
  if (days <= 0) return "Today";
  if (days === 1) return "Yesterday";
  return new Date(t).toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric" });
}

export const when = (t: string | number) => {
  const d = day(t);
  return (d === "Today" ? "today" : d === "Yesterday" ? "yesterday" : d) + " " + clock(t);
};

// letter names the proposals of a thread in their order: A to Z, then AA.
export const letter = (n: number): string =>
  n < 26 ? String.fromCharCode(65 + n) : letter(Math.floor(n / 26) - 1) + letter(n % 26);

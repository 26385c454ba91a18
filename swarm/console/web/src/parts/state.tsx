import type { ComponentChildren } from "preact";
import type { Loaded } from "../lib/load";
import type { Problem } from "../lib/api";

export const Empty = ({ title, children }: { title: string; children?: ComponentChildren }) => (
  <div class="state"><h2>{title}</h2>{children}</div>
);

export const Loading = () => (
  <div class="ghost" role="status"><span class="sr">Loading</span><i /><i /><i /><i /><i /></div>
);

export function Failed({ problem, again }: { problem: Problem; again: () => void }) {
  const missing = problem.status === 404;
  return (
    <div class="state" role="alert">
      <h2>{missing ? "There is no such thing here" : "This could not be loaded"}</h2>
      <p>{problem.message}</p>
      <p class="mut small">{problem.status ? `Problem ${problem.status}.` : "The connection is tried again by itself."} Nothing that was recorded is lost.</p>
      {!missing && <button class="btn" onClick={again}>Try again</button>}
    </div>
  );
}

// Ready shows what was loaded, or that it is being loaded, or why it could not be.
export function Ready<T>({ of, children }: { of: Loaded<T>; children: (data: T) => ComponentChildren }) {
  if (of.data !== undefined) return <>{children(of.data)}</>;
  return of.problem ? <Failed problem={of.problem} again={of.again} /> : <Loading />;
}

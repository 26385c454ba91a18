import type { View } from "./state";

// Ref is a link to a signal: it moves the position there.
export const Ref = ({ seq, view }: { seq: number; view: View }) => (
  <a class="ref" href={"?at=" + seq} onClick={(e) => { e.preventDefault(); e.stopPropagation(); view.go(seq); }}>#{seq}</a>
);

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

// Dialog is a modal dialog as soon as it is drawn: it keeps the focus, and closes with Escape or a click outside.
export function Dialog({ label, cls = "", close, children }: { label: string; cls?: string; close: () => void; children: ComponentChildren }) {
  const box = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => box.current!.showModal(), []);
  return (
    <dialog ref={box} class={cls} aria-label={label} onClose={close} onClick={(e) => e.target === box.current && close()}>
      {children}
    </dialog>
  );
}

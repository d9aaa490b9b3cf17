import type { ReactNode } from "react";

type Props = { readonly label: string; readonly children: ReactNode };

/** A table. It scrolls if it is wider than its place, also by keyboard. */
export function TableScroll({ label, children }: Props) {
  return (
    <div className="scroll-x" tabIndex={0} role="region" aria-label={label}>
      {children}
    </div>
  );
}

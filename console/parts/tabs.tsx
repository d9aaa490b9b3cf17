import { useEffect, useRef, type ReactNode } from "react";

type Props = {
  readonly label: string;
  /** Name of the chosen view: after its change, the chosen link is scrolled into sight. */
  readonly chosen: string;
  /** Links, of which the chosen one has `aria-current`. */
  readonly children: ReactNode;
};

/** Links to the views of a page. On a narrow page they scroll, and the chosen one is in sight. */
export function Tabs({ label, chosen, children }: Props) {
  const links = useRef<HTMLElement>(null);
  useEffect(() => {
    links.current
      ?.querySelector(":scope > [aria-current]")
      ?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [chosen]);
  return (
    <nav className="tabs" aria-label={label} ref={links}>
      {children}
    </nav>
  );
}

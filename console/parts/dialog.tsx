import { useLayoutEffect, useRef, type ReactNode } from "react";

type Props = {
  readonly title: string;
  readonly onClose: () => void;
  readonly isWide?: boolean;
  readonly children: ReactNode;
};

/**
 * A native dialog, open while it is rendered. Escape and a click outside close it; the browser keeps the focus inside.
 */
export function Dialog({ title, onClose, isWide = false, children }: Props) {
  const element = useRef<HTMLDialogElement>(null);
  // Closed while it is still in the document, so that the browser gives the focus back.
  useLayoutEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={element}
      className={isWide ? "wide" : undefined}
      aria-label={title}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === element.current) onClose();
      }}
    >
      <div className="dialog">
        <h2>{title}</h2>
        {children}
      </div>
    </dialog>
  );
}

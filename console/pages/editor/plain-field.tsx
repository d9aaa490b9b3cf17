import { useImperativeHandle, useRef, type Ref } from "react";
import type { CodeHandle } from "./code-field.tsx";

type Props = {
  readonly ref: Ref<CodeHandle>;
  readonly text: string;
  readonly label: string;
  readonly hasFaults: boolean;
  readonly onChange: (text: string) => void;
  readonly onNextFault: (step: 1 | -1) => void;
};

/** Plain text field, for screens without room for the editor. */
export function PlainField({ ref, text, label, hasFaults, onChange, onNextFault }: Props) {
  const element = useRef<HTMLTextAreaElement>(null);
  useImperativeHandle(
    ref,
    () => ({
      goTo: (offset) => {
        element.current?.focus();
        element.current?.setSelectionRange(offset, offset);
      },
      replace: onChange,
    }),
    [onChange],
  );
  return (
    <textarea
      ref={element}
      className="input editor-plain"
      aria-label={label}
      aria-invalid={hasFaults}
      spellCheck={false}
      value={text}
      onChange={(event) => onChange(event.target.value)}
      onKeyDown={(event) => {
        if (event.key !== "F8") return;
        event.preventDefault();
        onNextFault(event.shiftKey ? -1 : 1);
      }}
    />
  );
}

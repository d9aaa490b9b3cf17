import { lazy, Suspense } from "react";
import { PlainText } from "./text.tsx";

const View = lazy(() => import("./markdown-view.tsx"));

/** Markdown; plain text until its parser has loaded. */
export function Markdown({ text }: { readonly text: string }) {
  const plain = (
    <div className="value">
      <PlainText text={text} />
    </div>
  );
  return (
    <Suspense fallback={plain}>
      <View text={text} />
    </Suspense>
  );
}

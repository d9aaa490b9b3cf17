import type { Json } from "../../api-types.ts";
import { JsonTree } from "../../parts/json-tree.tsx";
import { LongText } from "../../parts/long-text.tsx";

/** Shows JSON as a tree, so texts in it keep their lines. Invalid JSON is shown unchanged. */
export function CallArguments({ text }: { readonly text: string }) {
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    return <LongText text={text} isMono />;
  }
  return (
    <div className="mono">
      <JsonTree value={value} isBare />
    </div>
  );
}
